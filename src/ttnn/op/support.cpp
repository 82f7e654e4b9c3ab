#include "ttnn/op/support.hpp"

#include <algorithm>

#include <fmt/ranges.h>

namespace ttnn {

DataType output_dtype(std::string_view op, std::optional<DataType> given, const std::optional<Tensor>& preallocated,
                      DataType otherwise) {
    if (!preallocated) {
        return given.value_or(otherwise);
    }
    require(!given || *given == preallocated->dtype(),
            "{}: argument 'dtype' is {}, but the preallocated output has {}; they must agree", op,
            given.value_or(otherwise), preallocated->dtype());
    return preallocated->dtype();
}

void check_preallocated(std::string_view op, std::string_view argument, const Tensor& preallocated,
                        const Shape& computed, bool ignore_leading_ones) {
    const Shape& own = preallocated.logical_shape();
    bool fits = own == computed;
    if (!fits && ignore_leading_ones) {
        const size_t rank = std::max(own.rank(), computed.rank());
        fits = own.to_rank(rank) == computed.to_rank(rank);
    }
    require(fits, "{}: argument '{}' has {}, but the result has {}", op, argument, own, computed);
}

void check_layout(std::string_view op, std::string_view argument, const Tensor& tensor, Layout allowed) {
    require(tensor.layout() == allowed, "{}: argument '{}' must have {}, got {}", op, argument, allowed,
            tensor.layout());
}

void check_dtype(std::string_view op, std::string_view argument, const Tensor& tensor,
                 std::initializer_list<DataType> allowed) {
    if (std::ranges::find(allowed, tensor.dtype()) != allowed.end()) {
        return;
    }
    std::vector<std::string> names;
    for (const DataType dtype : allowed) {
        names.push_back(to_string(dtype));
    }
    fail("{}: argument '{}' must have dtype {}, got {}", op, argument, fmt::join(names, " or "), tensor.dtype());
}

void check_on_device(std::string_view op, std::string_view argument, const Tensor& tensor) {
    require(tensor.is_on_device(), "{}: argument '{}' must be on device, but its storage type is HOST", op, argument);
}

void check_interleaved(std::string_view op, std::string_view argument, const Tensor& tensor) {
    require(!tensor.is_sharded(), "{}: argument '{}' must be interleaved, got {}", op, argument,
            tensor.memory_config().memory_layout());
}

uint64_t shard_bytes(const Tensor& tensor) { return tensor.pages().slots_per_bank() * tensor.spec().page_size(); }

}  // namespace ttnn
