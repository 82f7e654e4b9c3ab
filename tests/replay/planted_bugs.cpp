#include "replay/planted_bugs.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ttnn/op/op.hpp"
#include "ttnn/reference/attach.hpp"

namespace tracelift {
namespace {

using ttnn::Tensor;

struct CopyParams {
    Tensor input_tensor{};
    double scale = 1.0;
    std::optional<ttnn::MemoryConfig> memory_config{};
};

// Should give a copy of its input.
struct Copy {
    static constexpr std::string_view doc = "A test double.";
    using Params = CopyParams;
    using Result = Tensor;
    static constexpr ttnn::FieldList fields{ttnn::arg<&Params::input_tensor>("any tensor"),
                                            ttnn::opt<&Params::scale>("of no consequence"),
                                            ttnn::kw<&Params::memory_config>("of no consequence")};
    static ttnn::reference::Outputs reference(const Params& params) {
        return {ttnn::reference::values(params.input_tensor)};
    }
    static Tensor with_values(const Tensor& like, const std::vector<float>& values) {
        Tensor output = Tensor::allocate_on_device(like.spec(), like.device());
        ttnn::write<float>(output, values);
        return output;
    }
    static std::vector<float> values_of(const Tensor& tensor) {
        const auto values = ttnn::read<float>(tensor);
        return {values.begin(), values.end()};
    }
};

// Wrong where one of the last two dimensions is not a whole number of tiles.
struct Unaligned : Copy {
    static constexpr std::string_view name = "ttnn.planted_unaligned";
    static Tensor run(const Params& params) {
        const ttnn::Shape& shape = params.input_tensor.logical_shape();
        std::vector<float> values = values_of(params.input_tensor);
        const bool aligned = shape.from_end(0) % 32 == 0 && (shape.rank() < 2 || shape.from_end(1) % 32 == 0);
        values.back() += aligned ? 0.0F : 10.0F;
        return with_values(params.input_tensor, values);
    }
};

// Dies where block shards lie on two rows of cores or more.
struct BlockRows : Copy {
    static constexpr std::string_view name = "ttnn.planted_block_rows";
    static Tensor run(const Params& params) {
        const ttnn::TensorSpec& spec = params.input_tensor.spec();
        const ttnn::MemoryConfig& memory = spec.memory_config();
        if (memory.memory_layout() == ttnn::TensorMemoryLayout::BLOCK_SHARDED &&
            spec.physical_shape().height > memory.shard_spec()->shape[0]) {
            std::fputs("semaphore of the second row is missing\n", stderr);
            std::abort();
        }
        return params.input_tensor;
    }
};

// Where a row ends inside a tile, its last column is that before it.
struct PaddedColumn : Copy {
    static constexpr std::string_view name = "ttnn.planted_padded_column";
    static Tensor run(const Params& params) {
        const Tensor& input = params.input_tensor;
        const size_t width = input.logical_shape().from_end(0);
        std::vector<float> values = values_of(input);
        const bool padded = input.layout() == ttnn::Layout::TILE && width % 32 != 0;
        for (size_t end = width; padded && width > 1 && end <= values.size(); end += width) {
            values[end - 1] = values[end - 2];
        }
        return with_values(input, values);
    }
};

// Refuses tensors in L1 that are wider than a tile, and those wider than 100 in other words.
struct WideInL1 : Copy {
    static constexpr std::string_view name = "ttnn.planted_wide_in_l1";
    static Tensor run(const Params& params) {
        const uint32_t width = params.input_tensor.logical_shape().from_end(0);
        if (params.input_tensor.spec().memory_config().is_l1()) {
            ttnn::require(width <= 100, "ttnn.planted_wide_in_l1: a width of {} is beyond all measure", width);
            ttnn::require(width <= 32, "ttnn.planted_wide_in_l1: {} columns are more than a tile has", width);
        }
        return params.input_tensor;
    }
};

template <class... Ds>
void register_all() {
    (ttnn::attach_reference<Ds>(), ...);
    (ttnn::register_operation(ttnn::mutable_op_info<Ds>()), ...);
}

}  // namespace

void register_planted_bugs() { register_all<Unaligned, BlockRows, PaddedColumn, WideInL1>(); }

}  // namespace tracelift
