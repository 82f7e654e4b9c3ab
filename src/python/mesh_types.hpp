// Sizes of and places in a mesh of devices, as Python sees them.
#pragma once

#include <cstdint>
#include <vector>

namespace ttnn::python {

struct MeshShape {
    std::vector<int64_t> numbers;
    int64_t size() const {
        int64_t product = 1;
        for (const int64_t number : numbers) {
            product *= number;
        }
        return product;
    }
    bool operator==(const MeshShape&) const = default;
};

struct MeshCoordinate {
    std::vector<int64_t> numbers;
    bool operator==(const MeshCoordinate&) const = default;
};

}  // namespace ttnn::python
