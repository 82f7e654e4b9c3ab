// reshape: the same elements in row-major order under another shape; a view where the bytes allow it.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Reshape {
    static constexpr std::string_view name = "ttnn.reshape";
    static constexpr std::string_view doc =
        "The same elements in row-major order under another shape. Shares the buffer where the last dimension stays "
        "and "
        "(ROW_MAJOR, or the second-last stays, or both second-last ones are multiples of the tile); else copies.";
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> shape{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Scalar> pad_value{};
        TileReshapeMapMode reshape_tile_mode = TileReshapeMapMode::CACHE;
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device or on the host"),
        arg<&Params::shape>("new shape; one entry may be -1; in TILE also the padded shape"),
        kw<&Params::memory_config>("default: the input's, shards refitted"),
        kw<&Params::pad_value>("fills hidden tile padding of a copy; default 0"),
        kw<&Params::reshape_tile_mode>("whether the page mapping is kept; no effect here")
            .also("recreate_mapping_tensor"),
        kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ReshapePadded {
    static constexpr std::string_view name = "ttnn.reshape";
    static constexpr std::string_view doc =
        "Reshape to a logical and a padded shape. In TILE the volumes may differ where the padded data stay as they "
        "are: "
        "rows of padding are exposed or hidden.";
    struct Params {
        Tensor input_tensor{};
        Shape logical_shape{};
        Shape padded_shape{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Scalar> pad_value{};
        TileReshapeMapMode reshape_tile_mode = TileReshapeMapMode::CACHE;
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>(),
                                      arg<&Params::logical_shape>("shape of the elements").also("shape"),
                                      arg<&Params::padded_shape>("shape with padding"),
                                      kw<&Params::memory_config>(),
                                      kw<&Params::pad_value>(),
                                      kw<&Params::reshape_tile_mode>().also("recreate_mapping_tensor"),
                                      kw<&Params::sub_core_grids>()};
    static constexpr Tolerance tolerance = Reshape::tolerance;
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

inline constexpr Overloads<Reshape, ReshapePadded> reshape{};
TTNN_DECLARATION(Reshape);
TTNN_DECLARATION(ReshapePadded);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

// The padded shape makes the padding visible.
inline std::vector<reference::Array> Reshape::reference(const Params& params) {
    const Shape& padded = params.input_tensor.padded_shape();
    const bool asks_for_padded =
        std::ranges::equal(params.shape, padded, {}, {}, [](uint32_t dim) { return int64_t{dim}; });
    if (asks_for_padded && padded.volume() != params.input_tensor.logical_volume()) {
        return {reference::padded_values(params.input_tensor)};
    }
    return {reference::reshaped(reference::values(params.input_tensor), params.shape)};
}

// With fewer elements only the exposed part is defined: what both shapes have.
inline std::vector<reference::Array> ReshapePadded::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    if (input.values.size() == params.logical_shape.volume()) {
        return {reference::Array(params.logical_shape, input.values)};
    }
    return {reference::generated(params.logical_shape, [&](auto index) { return input.at(index); })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/data_movement/view.hpp"
#include "ttnn/ops/sharding/interleaved_to_sharded.hpp"
#include "ttnn/ops/sharding/sharded_to_interleaved.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {

namespace movement {

// One reshape, both forms brought together.
struct ReshapeCall {
    const Tensor& input;
    Shape logical;
    Shape padded;
    const std::optional<MemoryConfig>& memory_config;
    double pad_value = 0;

    bool same_volume() const { return logical.volume() == input.logical_volume(); }
    const MemoryConfig& config() const { return memory_config ? *memory_config : input.memory_config(); }
};

// Whether the bytes can be read under the new spec as they are.
inline bool same_page_grid(const Tensor& tensor, const TensorSpec& spec) {
    const TensorSpec& own = tensor.spec();
    return own.page_height() == spec.page_height() && own.page_width() == spec.page_width() &&
           own.page_size() == spec.page_size() && own.page_rows() == spec.page_rows() &&
           own.page_columns() == spec.page_columns();
}

inline bool is_view(const ReshapeCall& call) {
    const MemoryConfig& own = call.input.memory_config();
    const bool same_place = !call.input.is_on_device() || (call.config().is_sharded() == own.is_sharded() &&
                                                           call.config().buffer_type() == own.buffer_type());
    return same_place && keeps_rows(call.input, call.logical) &&
           same_page_grid(call.input, view_spec(call.input, call.logical, call.padded));
}

// The padding-exposing case: another logical shape over padded data that stay as they are.
inline bool exposes_padding(const ReshapeCall& call) {
    return !call.same_volume() && call.input.layout() == Layout::TILE &&
           call.padded.from_end(0) == call.input.padded_shape().from_end(0) &&
           tile_aligned(call.padded, call.input.spec().tile()) &&
           call.padded.volume() == call.input.padded_shape().volume();
}

inline void validate_reshape(std::string_view op, const ReshapeCall& call) {
    const Tensor& input = call.input;
    require(call.same_volume() || exposes_padding(call),
            "{}: Attempting to reshape between two shapes with different volumes: {} has {} elements, {} has {}", op,
            input.logical_shape(), input.logical_volume(), call.logical, call.logical.volume());
    if (!input.is_on_device() || !call.same_volume() || call.logical == input.logical_shape() ||
        call.logical.volume() == 0 || is_view(call)) {
        return;
    }
    check_at_launch([&] {
        require(input.dtype() != DataType::UINT16 && input.dtype() != DataType::UINT8,
                "{}: argument 'input_tensor' is {}, which can be reshaped only where the result is a view; {} to {} in "
                "{} is not",
                op, input.dtype(), input.logical_shape(), call.logical, input.layout());
    });
}

inline Tensor reshape_on_host(const ReshapeCall& call) {
    const TensorSpec spec = view_spec(call.input, call.logical, call.padded);
    const bool plain_rows = call.input.layout() == Layout::ROW_MAJOR && !has_padding(call.input);
    if (is_view(call) || !call.same_volume() || (plain_rows && call.padded == call.logical)) {
        return call.input.view_as(spec);
    }
    return map_parts(call.input, [&](const Tensor& part) {
        Tensor output = Tensor::allocate_on_host(spec);
        compute::transfer(part, output, call.pad_value);
        return output;
    });
}

// Leading dimensions folded so that `rank` remain.
inline Shape folded(const Shape& shape, size_t rank) {
    if (shape.rank() <= rank) {
        return shape.to_rank(rank);
    }
    Shape result = Shape::filled(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
        result[static_cast<int64_t>(rank - 1 - i)] = static_cast<uint32_t>(folded_dim(shape, rank, i));
    }
    return result;
}

inline Tensor viewed(const Tensor& tensor, const Shape& shape) {
    return tensor.logical_shape() == shape ? tensor : experimental::view(tensor, ints(shape));
}

inline void reshape_program(Program& program, const Tensor& input, const Tensor& output,
                            std::optional<Tensor>& mapping) {
    if (input.layout() == Layout::ROW_MAJOR) {
        program.circular_buffer(program.split(output.spec().num_pages()),
                                capped(program, input, 2 * page_bytes(input) + page_bytes(output)));
        return;
    }
    // One entry of four numbers per row of an output tile; the original's table is about this size.
    const auto tiles = static_cast<uint32_t>(output.spec().num_pages());
    mapping = Tensor::allocate_on_device(TensorSpec({tiles, 4 * tile_size}, DataType::UINT32, Layout::ROW_MAJOR),
                                         input.device());
    program.circular_buffer(program.full_grid(), page_bytes(*mapping));
    program.circular_buffer(program.full_grid(), page_bytes(input));
    program.circular_buffer(program.full_grid(), page_bytes(output));
}

inline Tensor reshape_primitive(const Tensor& input, const Shape& shape, const MemoryConfig& config, double pad) {
    std::optional<Tensor> mapping;
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        reshape_program(p, input, outputs[0], mapping);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::transfer(inputs[0], outputs[0], pad);
    };
    const Shape padded = default_padded(shape, input.layout(), input.spec().tile());
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(shape).add(padded).add(config).add(pad); };
    return launch({"ttnn::prim::reshape", {&input, 1}, program, kernel, arguments},
                  TensorSpec::from_padded(shape, padded, input.dtype(), input.layout(), config, input.spec().tile()));
}

// Row-major data are reshaped in 2-D, tiles in 3-D; sharded tensors on their way through interleaved ones.
inline Tensor reshape_by_copy(const ReshapeCall& call) {
    const size_t rank = call.input.layout() == Layout::TILE ? 3 : 2;
    const MemoryConfig target = fitted_output_config(call.memory_config, call.input, call.logical);
    const MemoryConfig between(TensorMemoryLayout::INTERLEAVED, target.buffer_type());
    Tensor source = call.input;
    if (source.is_sharded()) {
        source = sharded_to_interleaved(source, {.memory_config = between});
    }
    if (is_block_float(source.dtype())) {
        source = typecast(source, DataType::BFLOAT16);
    }
    if (!has_padding(source) || source.layout() == Layout::TILE) {
        source = viewed(source, folded(source.logical_shape(), rank));
    }
    Tensor result = reshape_primitive(source, folded(call.logical, rank), between, call.pad_value);
    if (result.dtype() != call.input.dtype()) {
        result = typecast(result, call.input.dtype());
    }
    result = viewed(result, call.logical);
    return target.is_sharded() ? interleaved_to_sharded(result, target) : result;
}

inline Tensor run_reshape(const ReshapeCall& call) {
    const Tensor& input = call.input;
    const bool same_place = !call.memory_config || *call.memory_config == input.memory_config();
    if (call.logical == input.logical_shape() && call.padded == input.padded_shape() && same_place) {
        return input;
    }
    if (!input.is_on_device()) {
        return reshape_on_host(call);
    }
    if (!call.same_volume() || call.logical.volume() == 0 || is_view(call)) {
        return experimental::view(input, call.logical, call.padded);
    }
    return reshape_by_copy(call);
}

inline ReshapeCall reshape_call(const Reshape::Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape shape = resolved_shape(Reshape::name, input.logical_shape(), params.shape);
    // The shape it has already keeps its padding, so that the call can give the tensor back.
    const Shape padded = shape == input.logical_shape() ? input.padded_shape()
                                                        : default_padded(shape, input.layout(), input.spec().tile());
    return {input, shape, padded, params.memory_config, params.pad_value ? as_double(*params.pad_value) : 0.0};
}
inline ReshapeCall reshape_call(const ReshapePadded::Params& params) {
    return {params.input_tensor, params.logical_shape, params.padded_shape, params.memory_config,
            params.pad_value ? as_double(*params.pad_value) : 0.0};
}

}  // namespace movement

inline void Reshape::validate(const Params& params) {
    const auto call = movement::reshape_call(params);
    require(call.same_volume() || call.logical == call.input.padded_shape(),
            "{}: Attempting to reshape between two shapes with different volumes: {} has {} elements, {} has {}", name,
            call.input.logical_shape(), call.input.logical_volume(), call.logical, call.logical.volume());
    movement::validate_reshape(name, call);
}
inline Tensor Reshape::run(const Params& params) { return movement::run_reshape(movement::reshape_call(params)); }

inline void Reshape::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 64, 96}), .shape = {1, 1, 128, 96}});
    make.add(Params{.input_tensor = make.tensor({3, 33, 65}), .shape = {3, 1, 33, 65}});
    make.add(Params{.input_tensor = make.tensor({2, 3, 5, 64}), .shape = {1, 30, 64}});
    make.add(Params{.input_tensor = make.tensor({1, 1, 48, 80}), .shape = {5, -1, 32}, .pad_value = Scalar(1.0)});
    make.add(Params{.input_tensor = make.tensor({7, 45}), .shape = {315}});
    if (make.layout() == Layout::TILE && !make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({1, 1, 1, 144}), .shape = {1, 1, 32, 160}});
    }
    make.add(Params{
        .input_tensor = make.tensor({1, 1, 64, 64}), .shape = {1, 2, 32, 64}, .memory_config = l1_memory_config()});
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({96}), .shape = {2, 3, 16}});
        make.add(Params{.input_tensor = make.on_host({4, 33, 10}, make.dtype(), make.layout()), .shape = {44, 30}});
    }
}

inline void ReshapePadded::validate(const Params& params) {
    movement::validate_reshape(name, movement::reshape_call(params));
}
inline Tensor ReshapePadded::run(const Params& params) { return movement::run_reshape(movement::reshape_call(params)); }

inline void ReshapePadded::cases(CaseMaker& make) {
    make.only_if(make.layout() == Layout::TILE);
    make.add(Params{
        .input_tensor = make.tensor({1, 1, 32, 64}), .logical_shape = {1, 1, 1, 64}, .padded_shape = {1, 1, 32, 64}});
    make.add(Params{
        .input_tensor = make.tensor({1, 2, 64, 40}), .logical_shape = {1, 2, 33, 40}, .padded_shape = {1, 2, 64, 64}});
    make.add(Params{.input_tensor = make.tensor({2, 32, 64}), .logical_shape = {64, 64}, .padded_shape = {64, 64}});
}

}  // namespace ttnn

#endif
