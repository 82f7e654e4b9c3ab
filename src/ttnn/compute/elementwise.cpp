#include "ttnn/compute/elementwise.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "ttnn/tensor/pack.hpp"

namespace ttnn::compute {
namespace {

constexpr size_t chunk_tiles = 4;
constexpr size_t chunk = chunk_tiles * 1024;
constexpr size_t max_inputs = 4;
constexpr uint32_t exponent_run = 16;  // elements of a block float that share an exponent

// A run of a tensor's packed bytes as plain numbers, addressed by element in storage order.
template <class T>
void decode_run(const Tensor& tensor, size_t first, T* to, size_t count) {
    const auto bytes = tensor.bytes();
    if constexpr (std::is_same_v<T, float>) {
        if (is_block_float(tensor.dtype()) && tensor.layout() == Layout::TILE) {
            const Tile& tile = tensor.spec().tile();
            const size_t per_tile = tile.num_elements();
            pack::decode_faces(tensor.dtype(), tile, bytes.data() + first / per_tile * tile.bytes(tensor.dtype()), to,
                               count / per_tile);
            return;
        }
    }
    pack::decode(tensor.dtype(), bytes.data() + first * element_size(tensor.dtype()), to, count);
}

template <class T>
void encode_run(Tensor& tensor, size_t first, const T* from, size_t count) {
    const auto bytes = tensor.mutable_bytes();
    if constexpr (std::is_same_v<T, float>) {
        if (is_block_float(tensor.dtype()) && tensor.layout() == Layout::TILE) {
            const Tile& tile = tensor.spec().tile();
            const size_t per_tile = tile.num_elements();
            pack::encode_faces(tensor.dtype(), tile, from, bytes.data() + first / per_tile * tile.bytes(tensor.dtype()),
                               count / per_tile);
            return;
        }
    }
    pack::encode(tensor.dtype(), from, bytes.data() + first * element_size(tensor.dtype()), count);
}

size_t stored_elements(const Tensor& tensor) {
    const TensorSpec& spec = tensor.spec();
    return spec.page_size() == 0 ? 0
                                 : tensor.bytes().size() / spec.page_size() * spec.page_height() * spec.page_width();
}

// Whole tiles per step; block-float tiles cannot be cut.
size_t step_of(const Tensor& tensor) {
    return tensor.layout() == Layout::TILE
               ? chunk / tensor.spec().tile().num_elements() * tensor.spec().tile().num_elements()
               : chunk;
}

template <class T>
void zip_flat(std::span<const Tensor> inputs, Tensor& output, FunctionRef<void(const T* const*, T*, size_t)> function) {
    const size_t total = stored_elements(output);
    const size_t step = step_of(output);
    T buffers[max_inputs][chunk];
    T result[chunk];
    const T* pointers[max_inputs] = {};
    for (size_t first = 0; first < total; first += step) {
        const size_t count = std::min(step, total - first);
        for (size_t i = 0; i < inputs.size(); ++i) {
            decode_run(inputs[i], first, buffers[i], count);
            pointers[i] = buffers[i];
        }
        function(pointers, result, count);
        encode_run(output, first, result, count);
    }
}

// Walks the rows of `shape` and tells for each the row of a broadcast operand.
class RowCursor {
public:
    RowCursor(const Shape& operand, const Shape& result) : rank_(result.rank()) {
        uint64_t stride = operand.from_end(0);
        for (size_t i = 1; i < rank_; ++i) {
            strides_[i] = operand.from_end(i) == 1 ? 0 : stride;
            stride *= operand.from_end(i);
        }
    }
    uint64_t offset(std::span<const uint32_t> index_from_end) const {
        uint64_t at = 0;
        for (size_t i = 1; i < rank_; ++i) {
            at += strides_[i] * index_from_end[i];
        }
        return at;
    }

private:
    size_t rank_;
    std::array<uint64_t, Shape::max_rank> strides_{};
};

template <class T>
void zip_rows(std::span<const Tensor> inputs, Tensor& output, FunctionRef<void(const T* const*, T*, size_t)> function) {
    const Shape& shape = output.logical_shape();
    const size_t width = shape.from_end(0);
    const uint64_t rows = width == 0 ? 0 : shape.volume() / width;
    std::vector<Dense<T>> values;
    std::vector<RowCursor> cursors;
    std::vector<Dense<T>> spread(inputs.size());  // rows of operands that are one wide
    for (size_t i = 0; i < inputs.size(); ++i) {
        values.push_back(read<T>(inputs[i]));
        cursors.emplace_back(inputs[i].logical_shape(), shape);
        if (inputs[i].logical_shape().from_end(0) != width) {
            spread[i] = Dense<T>(width);
        }
    }
    Dense<T> result(shape.volume());
    std::array<uint32_t, Shape::max_rank> index{};
    std::vector<const T*> pointers(inputs.size());
    for (uint64_t row = 0; row < rows; ++row) {
        for (size_t i = 0; i < inputs.size(); ++i) {
            const T* at = values[i].data() + cursors[i].offset(index);
            if (spread[i].size() != 0) {
                std::fill(spread[i].begin(), spread[i].end(), *at);
                at = spread[i].data();
            }
            pointers[i] = at;
        }
        function(pointers.data(), result.data() + row * width, width);
        for (size_t i = 1; i < shape.rank() && ++index[i] == shape.from_end(i); ++i) {
            index[i] = 0;
        }
    }
    write<T>(output, result.span());
}

// Padding that shares an exponent with real elements has to stay zero: what a function makes of it (1/0, exp 0) would
// take digits from them.
bool padding_shares_exponents(const Tensor& output) {
    return is_block_float(output.dtype()) && output.layout() == Layout::TILE &&
           output.logical_shape().from_end(0) % exponent_run != 0;
}

template <class T>
void zip_any(std::span<const Tensor> inputs, Tensor& output, FunctionRef<void(const T* const*, T*, size_t)> function) {
    const bool flat =
        inputs.size() <= max_inputs && !padding_shares_exponents(output) &&
        std::ranges::all_of(inputs, [&](const Tensor& input) { return same_storage_order(input, output); });
    flat ? zip_flat<T>(inputs, output, function) : zip_rows<T>(inputs, output, function);
}

template <class T>
void map_any(const Tensor& input, Tensor& output, FunctionRef<void(T*, size_t)> function) {
    zip_any<T>({&input, 1}, output, [&](const T* const* from, T* to, size_t count) {
        std::copy(from[0], from[0] + count, to);
        function(to, count);
    });
}

}  // namespace

bool same_storage_order(const Tensor& a, const Tensor& b) {
    const TensorSpec& x = a.spec();
    const TensorSpec& y = b.spec();
    if (x.layout() != y.layout() || x.tile() != y.tile() || x.logical_shape() != y.logical_shape() ||
        x.physical_shape() != y.physical_shape()) {
        return false;
    }
    const bool plain_a = !a.is_on_device() || !a.is_sharded();
    const bool plain_b = !b.is_on_device() || !b.is_sharded();
    if (plain_a || plain_b) {
        return plain_a && plain_b;
    }
    return x.memory_config() == y.memory_config() ||
           (x.memory_config().memory_layout() == y.memory_config().memory_layout() &&
            !x.memory_config().created_with_nd_shard_spec() && !y.memory_config().created_with_nd_shard_spec() &&
            x.memory_config().shard_spec() == y.memory_config().shard_spec());
}

void map(const Tensor& input, Tensor& output, FunctionRef<void(float*, size_t)> function) {
    map_any<float>(input, output, function);
}
void map_bits(const Tensor& input, Tensor& output, FunctionRef<void(uint32_t*, size_t)> function) {
    map_any<uint32_t>(input, output, function);
}
void zip(std::span<const Tensor> inputs, Tensor& output, RowFunction function) {
    zip_any<float>(inputs, output, function);
}
void zip_bits(std::span<const Tensor> inputs, Tensor& output, BitRowFunction function) {
    zip_any<uint32_t>(inputs, output, function);
}

}  // namespace ttnn::compute
