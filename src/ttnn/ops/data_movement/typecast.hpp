// typecast and to_dtype: the same elements in another data type.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct ToDtype {
    static constexpr std::string_view name = "ttnn.to_dtype";
    static constexpr std::string_view doc = "Converts a host tensor to another data type.";
    struct Params {
        Tensor tensor{};
        DataType dtype = DataType::INVALID;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensor>("tensor on the host").also("input_tensor"),
                                      arg<&Params::dtype>("data type of the result")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Typecast {
    static constexpr std::string_view name = "ttnn.typecast";
    static constexpr std::string_view doc =
        "Converts a tensor to another data type; shape, layout and memory stay. Floats are cut towards zero; what is "
        "out of "
        "range wraps around in UINT8 and is held at the end of the range in the other integers.";
    struct Params {
        Tensor input_tensor{};
        DataType dtype = DataType::INVALID;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device or on the host"), arg<&Params::dtype>("data type of the result"),
        kw<&Params::memory_config>("same memory layout as the input; default: its config"),
        kw<&Params::output_tensor>("written into and returned").mutates(),
        kw<&Params::sub_core_grids>("cores to use; TILE only")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct TypecastFrom {
    static constexpr std::string_view name = "ttnn.typecast";
    static constexpr std::string_view doc = "Converts a tensor from a stated data type to another one.";
    struct Params {
        Tensor input_tensor{};
        DataType input_dtype = DataType::INVALID;
        DataType output_dtype = DataType::INVALID;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device or on the host"),
                                      arg<&Params::input_dtype>("must be the input's data type"),
                                      arg<&Params::output_dtype>("data type of the result"),
                                      kw<&Params::memory_config>(),
                                      kw<&Params::output_tensor>().mutates(),
                                      kw<&Params::sub_core_grids>()};
    static constexpr Tolerance tolerance = Typecast::tolerance;
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

inline constexpr Overloads<Typecast, TypecastFrom> typecast{};
TTNN_OPERATION(to_dtype, ToDtype);
TTNN_DECLARATION(Typecast);
TTNN_DECLARATION(TypecastFrom);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/array.hpp"

namespace ttnn {

namespace reference {
inline Array converted(const Tensor& tensor, DataType dtype) {
    const bool to_integer = is_integer(dtype);
    const bool from_integer = is_integer(tensor.dtype());
    return mapped(values(tensor), [=](double value) {
        if (!to_integer) {
            return value;
        }
        return from_integer || dtype == DataType::UINT8 ? wrap_to(dtype, value) : std::trunc(value);
    });
}
}  // namespace reference

inline std::vector<reference::Array> ToDtype::reference(const Params& params) {
    return {reference::converted(params.tensor, params.dtype)};
}
inline std::vector<reference::Array> Typecast::reference(const Params& params) {
    return {reference::converted(params.input_tensor, params.dtype)};
}
inline std::vector<reference::Array> TypecastFrom::reference(const Params& params) {
    return {reference::converted(params.input_tensor, params.output_dtype)};
}

}  // namespace ttnn

#else

#include <cmath>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/elementwise.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {

namespace movement {

inline void convert(const Tensor& input, Tensor& output) {
    if (is_integer(input.dtype()) && is_integer(output.dtype())) {
        compute::map_bits(input, output, [](uint32_t*, size_t) {});
    } else if (output.dtype() == DataType::UINT8) {  // other integers saturate, this one wraps
        compute::map(input, output, [](float* values, size_t count) {
            for (size_t i = 0; i < count; ++i) {
                const float rest = std::fmod(std::trunc(values[i]), 256.0F);
                values[i] = rest < 0 ? rest + 256.0F : rest;
            }
        });
    } else {
        compute::map(input, output, [](float*, size_t) {});
    }
}

// What fits every dtype without leaving the range of the narrowest: unsigned targets have no common rule outside it.
inline Domain castable(DataType target) {
    return is_integer(target) && target != DataType::INT32 ? Domain::real(0, 100) : Domain::real(-100, 100);
}

inline void check_dtype_argument(std::string_view op, std::string_view argument, DataType dtype) {
    require(dtype != DataType::INVALID, "{}: argument '{}' must be a data type of tensors, got {}", op, argument,
            dtype);
}

}  // namespace movement

inline void ToDtype::validate(const Params& params) {
    movement::check_dtype_argument(name, "dtype", params.dtype);
    require(!params.tensor.is_on_device(),
            "{}: argument 'tensor' must be on the host, but it is on a device; use ttnn.typecast there", name);
}

inline Tensor ToDtype::run(const Params& params) {
    const TensorSpec& spec = params.tensor.spec();
    if (spec.dtype() == params.dtype) {
        return params.tensor;
    }
    // Block floats exist in tiles only.
    const bool tiles = spec.layout() == Layout::TILE || is_block_float(params.dtype);
    const TensorSpec converted =
        tiles == (spec.layout() == Layout::TILE)
            ? spec.with_dtype(params.dtype)
            : TensorSpec(spec.logical_shape(), params.dtype, Layout::TILE, spec.memory_config(), spec.tile());
    return map_parts(params.tensor, [&](const Tensor& part) {
        Tensor output = Tensor::allocate_on_host(converted);
        movement::convert(part, output);
        return output;
    });
}

inline Domain ToDtype::domain(const Params& params, std::string_view) { return movement::castable(params.dtype); }

inline void ToDtype::cases(CaseMaker& make) {
    make.only_if(make.memory() == MemoryKind::DRAM);
    for (const DataType dtype : {DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::INT32, DataType::UINT8}) {
        make.add(Params{make.on_host({3, 33, 40}, make.dtype(), make.layout()), dtype});
    }
}

namespace movement {

inline void check_typecast(const Typecast::Params& params) {
    const std::string_view name = Typecast::name;
    const Tensor& input = params.input_tensor;
    if (input.layout() == Layout::ROW_MAJOR) {
        require(input.padded_shape().from_end(0) % tile_size == 0,
                "{}: argument 'input_tensor' in ROW_MAJOR must have a last dimension that is a multiple of {}, got {}",
                name, tile_size, input.padded_shape());
        require(!params.sub_core_grids, "{}: argument 'sub_core_grids' needs an input in TILE, got ROW_MAJOR", name);
        require(!is_block_float(params.dtype),
                "{}: argument 'dtype' is {}, which needs an input in TILE, got ROW_MAJOR", name, params.dtype);
    }
    const MemoryConfig& config = output_memory_config(params.memory_config, params.output_tensor, input);
    require(config.memory_layout() == input.memory_config().memory_layout(),
            "{}: argument 'memory_config' has {}, but the input has {}; they must match", name, config.memory_layout(),
            input.memory_config().memory_layout());
    if (params.output_tensor) {
        output_dtype(name, params.dtype, params.output_tensor, params.dtype);
        check_preallocated(name, "output_tensor", *params.output_tensor, input.logical_shape());
        check_layout(name, "output_tensor", *params.output_tensor, input.layout());
    }
}

}  // namespace movement

inline void Typecast::validate(const Params& params) {
    movement::check_dtype_argument(name, "dtype", params.dtype);
    const Tensor& input = params.input_tensor;
    if (!input.is_on_device()) {
        require(!params.output_tensor, "{}: argument 'output_tensor' must be None for an input on the host", name);
        require(!params.sub_core_grids, "{}: argument 'sub_core_grids' must be None for an input on the host", name);
        return;
    }
    check_at_launch([&] { movement::check_typecast(params); });
}

inline Tensor Typecast::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    if (!input.is_on_device()) {
        return to_dtype(input, params.dtype);
    }
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, input, input);
        movement::buffer_for(p, outputs[0], input);
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        movement::convert(inputs[0], outputs[0]);
    };
    const TensorSpec spec =
        input.spec()
            .with_dtype(params.dtype)
            .with_memory_config(output_memory_config(params.memory_config, params.output_tensor, input));
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.dtype).add(spec.memory_config()).add(params.output_tensor);
    };
    return launch({"ttnn::prim::typecast", {&input, 1}, program, kernel, arguments}, spec, params.output_tensor);
}

inline Domain Typecast::domain(const Params& params, std::string_view) { return movement::castable(params.dtype); }

inline void Typecast::cases(CaseMaker& make) {
    for (const auto& target : EnumInfo<DataType>::members) {
        if (target.value == DataType::INVALID) {
            continue;
        }
        make.add(Params{.input_tensor = make.tensor({2, 64, 32}), .dtype = target.value});
        make.add(Params{.input_tensor = make.tensor({33, 40}), .dtype = target.value});
    }
    const Shape shape{1, 1, 32, 96};
    const DataType other = make.dtype() == DataType::FLOAT32 ? DataType::BFLOAT16 : DataType::FLOAT32;
    make.add(Params{.input_tensor = make.tensor(shape), .dtype = other, .output_tensor = make.tensor(shape, other)});
}

inline void TypecastFrom::validate(const Params& params) {
    require(params.input_tensor.dtype() == params.input_dtype,
            "{}: argument 'input_dtype' is {}, but the input tensor has {}", name, params.input_dtype,
            params.input_tensor.dtype());
    Typecast::validate(
        {params.input_tensor, params.output_dtype, params.memory_config, params.output_tensor, params.sub_core_grids});
}

inline Tensor TypecastFrom::run(const Params& params) {
    return Typecast::run(
        {params.input_tensor, params.output_dtype, params.memory_config, params.output_tensor, params.sub_core_grids});
}

inline Domain TypecastFrom::domain(const Params& params, std::string_view) {
    return movement::castable(params.output_dtype);
}

inline void TypecastFrom::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({32, 64}),
                    .input_dtype = make.dtype(),
                    .output_dtype = make.dtype() == DataType::BFLOAT16 ? DataType::FLOAT32 : DataType::BFLOAT16});
}

}  // namespace ttnn

#endif
