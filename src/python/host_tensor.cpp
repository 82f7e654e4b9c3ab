#include "python/host_tensor.hpp"

#include <algorithm>
#include <cstring>

#include "ttnn/core/error.hpp"

namespace ttnn::python {
namespace {

// Copies the block of `size` between two dense arrays, from position `from_at` to position `to_at`.
template <class T>
void copy_block(const Dense<T>& from, const Shape& from_shape, const Shape& from_at, Dense<T>& to,
                const Shape& to_shape, const Shape& to_at, const Shape& size) {
    const auto offset = [&](const Shape& shape, const Shape& at, const Shape& index) {
        size_t result = 0;
        for (size_t i = 0; i < shape.rank(); ++i) {
            const auto dim = static_cast<int64_t>(i);
            result = result * shape[dim] + at[dim] + index[dim];
        }
        return result;
    };
    Shape index = Shape::filled(size.rank(), 0);
    for (uint64_t n = 0; n < size.volume(); ++n) {
        to[offset(to_shape, to_at, index)] = from[offset(from_shape, from_at, index)];
        for (size_t i = 0; i < size.rank(); ++i) {
            const auto dim = static_cast<int64_t>(size.rank() - 1 - i);
            if (++index[dim] < size[dim]) {
                break;
            }
            index[dim] = 0;
        }
    }
}

void require_host(const Tensor& tensor, std::string_view method) {
    require(!tensor.is_on_device(), "{} needs a tensor in host storage; call .cpu() first", method);
}

Tensor same_kind_on_host(const Tensor& tensor, const Shape& shape) {
    return Tensor::allocate_on_host(
        TensorSpec(shape, tensor.dtype(), tensor.layout(), MemoryConfig(), tensor.spec().tile()));
}

// Runs `change(values)` on the elements as floats or as integer patterns and writes the result into a new tensor.
template <class Change>
Tensor rebuilt(const Tensor& tensor, const Shape& shape, double fill, Change change) {
    Tensor result = same_kind_on_host(tensor, shape);
    const auto go = [&]<class T>(const Dense<T>& from, T filler) {
        Dense<T> to(shape.volume());
        std::ranges::fill(to, filler);
        change(from, to);
        write<T>(result, to.span());
    };
    if (is_integer(tensor.dtype())) {
        go(read<uint32_t>(tensor), static_cast<uint32_t>(static_cast<int64_t>(fill)));
    } else {
        go(read<float>(tensor), static_cast<float>(fill));
    }
    return result;
}

}  // namespace

Tensor padded_on_host(const Tensor& tensor, const Shape& shape, const Shape& start, double value) {
    require_host(tensor, "pad");
    // A tensor of lower rank is one with leading ones.
    const Shape own = tensor.logical_shape().to_rank(std::max(tensor.logical_shape().rank(), shape.rank()));
    bool fits = shape.rank() == own.rank() && start.rank() == own.rank();
    for (size_t i = 0; fits && i < own.rank(); ++i) {
        const auto dim = static_cast<int64_t>(i);
        fits = start[dim] + own[dim] <= shape[dim];
    }
    require(fits, "a tensor of {} at {} does not fit into {}", own, start, shape);
    return rebuilt(tensor, shape, value, [&](const auto& from, auto& to) {
        copy_block(from, own, Shape::filled(own.rank(), 0), to, shape, start, own);
    });
}

Tensor unpadded_on_host(const Tensor& tensor, const Shape& begins, const Shape& ends) {
    require_host(tensor, "unpad");
    const Shape& own = tensor.logical_shape();
    require(begins.rank() == own.rank() && ends.rank() == own.rank(),
            "begins {} and ends {} must have the rank of the tensor, {}", begins, ends, own);
    Shape size = own;
    for (size_t i = 0; i < own.rank(); ++i) {
        const auto dim = static_cast<int64_t>(i);
        require(begins[dim] < ends[dim] && ends[dim] <= own[dim], "the block {} to {} must lie inside {}", begins, ends,
                own);
        size[dim] = ends[dim] - begins[dim];
    }
    return rebuilt(tensor, size, 0, [&](const auto& from, auto& to) {
        copy_block(from, own, begins, to, size, Shape::filled(own.rank(), 0), size);
    });
}

Tensor extract_shard(const Tensor& tensor, size_t core_index) {
    require(tensor.is_on_device() && tensor.is_sharded() && tensor.memory_config().shard_spec(),
            "extract_shard needs a tensor on a device with a 2-D shard spec, got {}", tensor.memory_config());
    const PageMap& pages = tensor.pages();
    require(core_index < pages.shard_cores().size(), "core {} holds no shard: there are {} cores", core_index,
            pages.shard_cores().size());
    const auto shape = tensor.memory_config().shard_spec()->shape;
    Tensor shard = same_kind_on_host(tensor, {1, 1, shape[0], shape[1]});
    const size_t bytes = shard.bytes().size();
    const size_t offset = core_index * pages.slots_per_bank() * pages.page_size();
    require(bytes == pages.slots_per_bank() * pages.page_size() && offset + bytes <= pages.storage_bytes(),
            "the shard of core {} is not one block of {} x {}", core_index, shape[0], shape[1]);
    if (!tensor.is_mocked()) {
        std::memcpy(shard.mutable_bytes().data(), tensor.bytes().data() + offset, bytes);
    }
    return shard;
}

Tensor extract_shard(const Tensor& tensor, CoreCoord core) {
    require(tensor.is_on_device() && tensor.is_sharded(), "extract_shard needs a sharded tensor on a device");
    const auto& cores = tensor.pages().shard_cores();
    const auto found = std::ranges::find(cores, core);
    require(found != cores.end(), "core {} holds no shard of this tensor", core.to_string());
    return extract_shard(tensor, static_cast<size_t>(found - cores.begin()));
}

}  // namespace ttnn::python
