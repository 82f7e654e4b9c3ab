// Vocabulary of the references of collectives: who works together on a mesh, and what they hold between them.
#pragma once

#include <algorithm>
#include <cmath>

#include "ttnn/device/device.hpp"
#include "ttnn/reference/movement.hpp"
#include "ttnn/reference/rounding.hpp"

namespace ttnn::reference {

// The mesh that a tensor is spread over. The copies that a check keeps on the host are distributed over all of it.
inline MeshShape mesh_of(const Tensor& tensor) {
    return tensor.is_on_device() ? tensor.device()->mesh() : tensor.topology().distribution;
}

// The chips that differ from `chip` only along one dimension of the mesh, itself among them; without a dimension all.
inline std::vector<uint32_t> members(const MeshShape& mesh, std::optional<int64_t> axis, uint32_t chip) {
    std::vector<uint32_t> found;
    const std::vector<uint32_t> own = mesh.coordinate_of(chip).values;
    for (uint32_t other = 0; other < mesh.num_chips(); ++other) {
        std::vector<uint32_t> place = mesh.coordinate_of(other).values;
        if (axis) {
            place[static_cast<size_t>(*axis)] = own[static_cast<size_t>(*axis)];
        }
        if (!axis || place == own) {
            found.push_back(other);
        }
    }
    return found;
}
inline uint32_t place_among(const std::vector<uint32_t>& chips, uint32_t chip) {
    return static_cast<uint32_t>(std::ranges::find(chips, chip) - chips.begin());
}

// The parts of these chips, one slab after the other along `dim`.
inline Array gathered(const Tensor& tensor, const std::vector<uint32_t>& chips, int64_t dim) {
    std::vector<Array> parts;
    for (const uint32_t chip : chips) {
        parts.push_back(values(tensor.part(chip)));
    }
    const size_t at = from_front(dim, parts.front().shape.rank());
    const uint32_t step = parts.front().shape[static_cast<int64_t>(at)];
    Shape shape = parts.front().shape;
    shape[static_cast<int64_t>(at)] = step * static_cast<uint32_t>(chips.size());
    return generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        source[at] %= step;
        return parts[index[at] / step].at(source);
    });
}

// Slice number `index` of `count` equal ones along `dim`.
inline Array slice_of(const Array& array, int64_t dim, uint32_t count, uint32_t index) {
    const size_t at = from_front(dim, array.shape.rank());
    Shape shape = array.shape;
    shape[static_cast<int64_t>(at)] /= count;
    const uint32_t first = index * shape[static_cast<int64_t>(at)];
    const auto moved = [&](std::span<const uint32_t> place) {
        std::vector<uint32_t> source(place.begin(), place.end());
        source[at] += first;
        return source;
    };
    Array result = generated(shape, [&](std::span<const uint32_t> place) { return array.at(moved(place)); });
    if (!array.slack.empty()) {
        std::vector<double> slack;
        for_each_index(
            shape, [&](std::span<const uint32_t> place) { slack.push_back(array.slack[array.offset(moved(place))]); });
        result.slack = std::move(slack);
    }
    return result;
}

// What every chip holds.
inline std::vector<Array> parts_of(const Tensor& tensor) {
    std::vector<Array> parts;
    for (uint32_t chip = 0; chip < tensor.num_parts(); ++chip) {
        parts.push_back(values(tensor.part(chip)));
    }
    return parts;
}

// The sum of what these chips hold. Kernels add in fp32.
inline Array summed(std::span<const Array> parts, const std::vector<uint32_t>& chips, DataType dtype) {
    Array total(parts[chips.front()].shape);
    std::vector<double> slack(total.values.size(), 0.0);
    for (const uint32_t chip : chips) {
        const Array& part = parts[chip];
        for (size_t i = 0; i < slack.size(); ++i) {
            const double number = part.values[i];
            total.values[i] += number;
            slack[i] += std::abs(number) * static_cast<double>(chips.size()) * 0x1p-24 +
                        (part.slack.empty() ? 0.0 : part.slack[i]);
        }
    }
    if (is_integer(dtype)) {
        return map(total, [&](double number) { return wrap_to(dtype, number); });
    }
    total.slack = std::move(slack);
    return total;
}
inline Array summed(const Tensor& tensor, const std::vector<uint32_t>& chips) {
    return summed(parts_of(tensor), chips, tensor.dtype());
}

// Of the sum of what these chips hold the slice of one of them.
inline Array slice_of_sum(std::span<const Array> parts, const std::vector<uint32_t>& chips, uint32_t chip, int64_t dim,
                          DataType dtype) {
    return slice_of(summed(parts, chips, dtype), dim, static_cast<uint32_t>(chips.size()), place_among(chips, chip));
}

}  // namespace ttnn::reference
