#include "ttnn/compute/elementwise.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "ttnn/core/math.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/tensor/pack.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

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
void encode_run(const TensorSpec& spec, size_t first, const T* from, size_t count, std::byte* bytes) {
    if constexpr (std::is_same_v<T, float>) {
        if (is_block_float(spec.dtype()) && spec.layout() == Layout::TILE) {
            const Tile& tile = spec.tile();
            const size_t per_tile = tile.num_elements();
            pack::encode_faces(spec.dtype(), tile, from, bytes + first / per_tile * tile.bytes(spec.dtype()),
                               count / per_tile);
            return;
        }
    }
    pack::encode(spec.dtype(), from, bytes + first * element_size(spec.dtype()), count);
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
    std::byte* bytes = output.mutable_bytes().data();
    parallel(div_up(total, step), parallel_numbers / step, [&](size_t begin, size_t end) {
        T buffers[max_inputs][chunk];
        T result[chunk];
        const T* pointers[max_inputs] = {};
        for (size_t first = begin * step; first < std::min(total, end * step); first += step) {
            checkpoint();
            const size_t count = std::min(step, total - first);
            for (size_t i = 0; i < inputs.size(); ++i) {
                decode_run(inputs[i], first, buffers[i], count);
                pointers[i] = buffers[i];
            }
            function(pointers, result, count);
            encode_run(output.spec(), first, result, count, bytes);
        }
    });
}

// Walks the rows of `shape` and tells for each the row of a broadcast operand.
class RowCursor {
public:
    RowCursor(const Shape& operand, const Shape& result) : rank_(result.rank()), strides_(result.rank()) {
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
    std::vector<uint64_t> strides_;
};

// An operand of a broadcast operation. One that is smaller than the result is read whole.
template <class T>
struct RowOperand {
    const Tensor& tensor;
    RowCursor cursor;
    bool full;
    bool spread;  // its rows are one wide
    Dense<T> values;

    RowOperand(const Tensor& operand, const Shape& result)
        : tensor(operand),
          cursor(operand.logical_shape(), result),
          full(operand.logical_shape() == result),
          spread(operand.logical_shape().from_end(0) != result.from_end(0)),
          values(full ? Dense<T>() : read<T>(operand)) {}
};

// What one thread reads of it. An operand of the result's shape is read as far as the band goes.
template <class T>
class RowReader {
public:
    RowReader(const RowOperand<T>& operand, size_t width)
        : operand_(operand), spread_(operand.spread ? Dense<T>(width) : Dense<T>()) {}

    void take(const Band& band) {
        if (operand_.full) {
            if (values_.size() < band.size) {
                values_ = Dense<T>(band.size);
            }
            read_part<T>(operand_.tensor, band.first, values_.span().first(band.size));
        }
    }
    // The row of the operand for a row of the result: number `row` of its band, at `index` counted from the end.
    const T* row(uint64_t row, std::span<const uint32_t> index) {
        if (operand_.full) {
            return values_.data() + row * operand_.tensor.logical_shape().from_end(0);
        }
        const T* at = operand_.values.data() + operand_.cursor.offset(index);
        if (!operand_.spread) {
            return at;
        }
        std::fill(spread_.begin(), spread_.end(), *at);
        return spread_.data();
    }

private:
    const RowOperand<T>& operand_;
    Dense<T> values_;  // of the band
    Dense<T> spread_;  // a row of an operand that is one wide
};

// Where an element is, counted from the end.
std::vector<uint32_t> index_of(uint64_t element, const Shape& shape) {
    std::vector<uint32_t> index(std::max<size_t>(shape.rank(), 1));
    for (size_t i = 0; i < shape.rank() && element != 0; ++i) {
        index[i] = static_cast<uint32_t>(element % shape.from_end(i));
        element /= shape.from_end(i);
    }
    return index;
}

template <class T>
void zip_rows(std::span<const Tensor> inputs, Tensor& output, FunctionRef<void(const T* const*, T*, size_t)> function) {
    const Shape& shape = output.logical_shape();
    const size_t width = shape.from_end(0);
    std::vector<RowOperand<T>> operands;
    operands.reserve(inputs.size());
    for (const Tensor& input : inputs) {
        operands.emplace_back(input, shape);
    }
    const std::vector<Band> bands = bands_of(output.spec(), usual_band);
    BandWriter<T> writer(output);
    parallel(bands.size(), 1, [&](size_t first, size_t last) {
        std::vector<RowReader<T>> readers;
        for (const RowOperand<T>& operand : operands) {
            readers.emplace_back(operand, width);
        }
        Dense<T> result;
        std::vector<const T*> pointers(inputs.size());
        for (size_t number = first; number < last; ++number) {
            const Band& band = bands[number];
            std::vector<uint32_t> index = index_of(band.first, shape);
            if (result.size() < band.size) {
                result = Dense<T>(band.size);
            }
            for (RowReader<T>& reader : readers) {
                reader.take(band);
            }
            for (uint64_t row = 0; row * width < band.size; ++row) {
                checkpoint();
                for (size_t i = 0; i < readers.size(); ++i) {
                    pointers[i] = readers[i].row(row, index);
                }
                function(pointers.data(), result.data() + row * width, width);
                for (size_t i = 1; i < shape.rank() && ++index[i] == shape.from_end(i); ++i) {
                    index[i] = 0;
                }
            }
            writer.write(band, std::span<const T>(result.data(), band.size));
        }
    });
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

// Whether every page lies in the same slot: a view of N-D shards keeps the places of the shape that they were cut for.
bool same_slots(const PageMap& a, const PageMap& b) {
    if (&a == &b) {
        return true;
    }
    bool same = a.num_pages() == b.num_pages();
    for (uint64_t page = 0; same && page < a.num_pages(); ++page) {
        same = a.slot_of(page) == b.slot_of(page);
    }
    return same;
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
    if (x.memory_config().created_with_nd_shard_spec() && y.memory_config().created_with_nd_shard_spec()) {
        return x.memory_config() == y.memory_config() && same_slots(a.pages(), b.pages());
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
