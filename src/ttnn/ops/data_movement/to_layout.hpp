// to_layout: row-major to tiles and back.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct ToLayout {
    static constexpr std::string_view name = "ttnn.to_layout";
    static constexpr std::string_view doc =
        "Brings a tensor into a layout; the shape stays. Block floats on a device become BFLOAT16 in ROW_MAJOR.";
    struct Params {
        Tensor tensor{};
        Layout layout = Layout::INVALID;
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensor>("tensor on a device or on the host").also("input_tensor"),
                                      arg<&Params::layout>("ROW_MAJOR or TILE"),
                                      opt<&Params::dtype>("another floating dtype, to TILE on a device only"),
                                      opt<&Params::memory_config>("default: the tensor's"),
                                      opt<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(to_layout, ToLayout);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::ToLayout::reference(const Params& params) {
    return {reference::values(params.tensor)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/pad.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/tilize.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {

namespace movement {

inline Tensor to_layout_on_host(const Tensor& tensor, Layout layout) {
    const TensorSpec& spec = tensor.spec();
    if (is_block_float(spec.dtype())) {
        return tensor;  // has no row-major form; the original warns and gives the tensor back
    }
    const TensorSpec laid_out(spec.logical_shape(), spec.dtype(), layout, spec.memory_config(), spec.tile());
    return map_parts(tensor, [&](const Tensor& part) {
        Tensor output = Tensor::allocate_on_host(laid_out);
        compute::transfer(part, output);
        return output;
    });
}

inline Tensor to_row_major(const Tensor& tensor, const std::optional<MemoryConfig>& config) {
    if (!has_padding(tensor)) {
        return untilize(tensor, {.memory_config = config});
    }
    std::vector<int64_t> ends = ints(tensor.logical_shape());
    for (int64_t& end : ends) {
        --end;
    }
    return reshape(untilize_with_unpadding(tensor, ends, {.memory_config = config}), ints(tensor.logical_shape()));
}

// Height shards of whole tiles: pad the elements, tilize, hide what was added.
inline Tensor tilize_height_sharded(const Tensor& tensor, const ToLayout::Params& params) {
    const Shape& logical = tensor.logical_shape();
    const Shape padded = tile_padded(logical);
    Padding padding;
    for (size_t i = 0; i < logical.rank(); ++i) {
        const auto at = static_cast<int64_t>(i);
        padding.push_back({0, int64_t{padded[at]} - logical[at]});
    }
    const MemoryConfig config = fitted(tensor.memory_config(), padded, tensor.dtype(), Layout::TILE);
    const Tensor tiles = tilize(pad(tensor, padding, 0.0, {.memory_config = config}),
                                {.memory_config = params.memory_config, .dtype = params.dtype});
    return reshape(tiles, logical, padded);
}

inline Tensor to_tiles(const Tensor& tensor, const ToLayout::Params& params) {
    const auto& config = params.memory_config;
    const TensorMemoryLayout own = tensor.memory_config().memory_layout();
    const bool leaves_shards = tensor.is_sharded() && config && config->memory_layout() != own;
    if (!leaves_shards && tile_aligned(tensor.padded_shape()) && tensor.logical_volume() != 0) {
        return tilize(tensor,
                      {.memory_config = config, .dtype = params.dtype, .sub_core_grids = params.sub_core_grids});
    }
    if (!leaves_shards && own == TensorMemoryLayout::HEIGHT_SHARDED &&
        !tensor.memory_config().created_with_nd_shard_spec()) {
        return tilize_height_sharded(tensor, params);
    }
    const Tensor tiles = tilize_with_val_padding(tensor, ints(tile_padded(tensor.logical_shape())), Scalar(0.0),
                                                 {.memory_config = config, .dtype = params.dtype});
    return reshape(tiles, ints(tensor.logical_shape()));
}

}  // namespace movement

inline void ToLayout::validate(const Params& params) {
    const Tensor& tensor = params.tensor;
    require(params.layout == Layout::ROW_MAJOR || params.layout == Layout::TILE,
            "{}: argument 'layout' must be ROW_MAJOR or TILE, got {}", name, params.layout);
    if (tensor.layout() == params.layout) {
        return;
    }
    require(tensor.is_on_device() || !params.dtype, "{}: argument 'dtype' must be None for a tensor on the host", name);
    require(params.layout == Layout::TILE || !params.dtype || *params.dtype == tensor.dtype(),
            "{}: argument 'dtype' must be the tensor's own ({}) or None when going to ROW_MAJOR, got {}", name,
            tensor.dtype(), params.dtype.value_or(tensor.dtype()));
    const MemoryConfig& config = params.memory_config ? *params.memory_config : tensor.memory_config();
    if (params.memory_config && tensor.is_on_device() && params.layout == Layout::TILE && config.shard_spec()) {
        const auto [height, width] = config.shard_spec()->shape;
        require(height % tile_size == 0 && width % tile_size == 0,
                "{}: shards in TILE must be multiples of the tile, got {} x {}", name, height, width);
    }
}

inline Tensor ToLayout::run(const Params& params) {
    const Tensor& tensor = params.tensor;
    if (tensor.layout() == params.layout) {
        return tensor;
    }
    if (!tensor.is_on_device()) {
        return movement::to_layout_on_host(tensor, params.layout);
    }
    const Shape& shape = tensor.logical_shape();
    const Tensor matrix = shape.rank() < 2 ? reshape(tensor, movement::ints(shape.to_rank(2))) : tensor;
    const Tensor result = params.layout == Layout::TILE ? movement::to_tiles(matrix, params)
                                                        : movement::to_row_major(matrix, params.memory_config);
    return shape.rank() < 2 ? reshape(result, movement::ints(shape)) : result;
}

inline void ToLayout::cases(CaseMaker& make) {
    const Layout other = make.layout() == Layout::TILE ? Layout::ROW_MAJOR : Layout::TILE;
    make.add(Params{.tensor = make.tensor({1, 1, 64, 128}), .layout = other});
    make.add(Params{.tensor = make.tensor({2, 33, 80}), .layout = other});
    make.add(Params{.tensor = make.tensor({3, 40, 65}), .layout = other, .memory_config = l1_memory_config()});
    make.add(Params{.tensor = make.tensor({64, 64}), .layout = make.layout()});
    if (make.floating() && other == Layout::TILE) {
        make.add(Params{.tensor = make.tensor({32, 96}), .layout = other, .dtype = DataType::BFLOAT8_B});
    }
    if (!make.sharded()) {
        make.add(Params{.tensor = make.tensor({50}), .layout = other});
        make.add(Params{.tensor = make.on_host({2, 33, 65}, make.dtype(), make.layout()), .layout = other});
    }
}

}  // namespace ttnn

#endif
