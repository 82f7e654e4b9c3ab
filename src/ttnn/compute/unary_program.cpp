#include "ttnn/compute/unary_program.hpp"

#include <algorithm>
#include <vector>

#include "ttnn/compute/elementwise.hpp"
#include "ttnn/compute/unary.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn::compute {
namespace {

constexpr std::string_view unary_primitive = "ttnn::prim::unary";

constexpr UnaryOpType int32_functions[] = {UnaryOpType::ABS,
                                           UnaryOpType::ABS_INT32,
                                           UnaryOpType::BITWISE_NOT,
                                           UnaryOpType::EQZ,
                                           UnaryOpType::NEZ,
                                           UnaryOpType::GEZ,
                                           UnaryOpType::GTZ,
                                           UnaryOpType::LEZ,
                                           UnaryOpType::LTZ,
                                           UnaryOpType::SIGNBIT,
                                           UnaryOpType::LOGICAL_NOT_UNARY,
                                           UnaryOpType::SQUARE,
                                           UnaryOpType::FILL,
                                           UnaryOpType::NEG,
                                           UnaryOpType::IDENTITY,
                                           UnaryOpType::RELU_MIN,
                                           UnaryOpType::RELU_MAX};
constexpr UnaryOpType unsigned_functions[] = {UnaryOpType::EQZ, UnaryOpType::NEZ, UnaryOpType::LOGICAL_NOT_UNARY,
                                              UnaryOpType::SQUARE, UnaryOpType::FILL};

bool accepts(UnaryOpType type, DataType dtype) {
    switch (dtype) {
        case DataType::INT32: return std::ranges::find(int32_functions, type) != std::end(int32_functions);
        case DataType::UINT32:
            if (type == UnaryOpType::IDENTITY) {
                return true;
            }
            [[fallthrough]];
        case DataType::UINT16: return std::ranges::find(unsigned_functions, type) != std::end(unsigned_functions);
        case DataType::UINT8: return type == UnaryOpType::IDENTITY;
        default: return type != UnaryOpType::BITWISE_NOT;
    }
}

std::string accepted_dtypes(UnaryOpType type) {
    std::string text;
    for (const auto& dtype : EnumInfo<DataType>::members) {
        if (dtype.value != DataType::INVALID && accepts(type, dtype.value)) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", dtype.name);
        }
    }
    return text;
}

void check_memory_layout(const UnaryCall& call, std::string_view argument, const MemoryConfig& config) {
    require(config.memory_layout() == call.input.memory_config().memory_layout(),
            "{}: argument '{}' has {}, but the input has {}; a unary operation cannot reshard", call.op, argument,
            config.memory_layout(), call.input.memory_config().memory_layout());
}

void check_output(const UnaryCall& call, const Tensor& output, bool casts) {
    check_preallocated(call.op, "output_tensor", output, call.input.logical_shape());
    check_memory_layout(call, "output_tensor", output.memory_config());
    require(output.layout() == call.input.layout(), "{}: argument 'output_tensor' must have {} like the input, got {}",
            call.op, call.input.layout(), output.layout());
    require(casts || is_floating(call.input.dtype()) || output.dtype() == call.input.dtype(),
            "{}: argument 'output_tensor' must have dtype {} like the input, got {}", call.op, call.input.dtype(),
            output.dtype());
    require(!output.is_sharded() || output.spec().page_size() == call.input.spec().page_size(),
            "{}: argument 'output_tensor' is sharded, so its pages must have {} bytes like the input's, got {}",
            call.op, call.input.spec().page_size(), output.spec().page_size());
}

// Only a 2-D sharded tensor in L1 can hold a circular buffer.
bool holds_circular_buffer(const Tensor& tensor) {
    return tensor.memory_config().is_l1() && tensor.memory_config().shard_spec().has_value();
}

// The first `units` cores of a caller's set, or all of them.
CoreRangeSet cores_of(const CoreRangeSet& given, uint64_t units) {
    if (units >= given.num_cores()) {
        return given;
    }
    std::vector<CoreRange> first;
    for (const CoreCoord& core : given.cores(true)) {
        if (first.size() == units) {
            break;
        }
        first.emplace_back(core);
    }
    return CoreRangeSet(std::move(first));
}

void declare_buffers(const UnaryCall& call, std::span<const Tensor> inputs, const Tensor& output, bool scratch,
                     Program& program) {
    if (inputs.size() == 1 && holds_circular_buffer(call.input) && holds_circular_buffer(output)) {
        program.global_circular_buffer(call.input, round_up<uint64_t>(shard_bytes(call.input), 32));
        program.global_circular_buffer(output, round_up<uint64_t>(shard_bytes(output), 32));
        return;
    }
    const uint64_t pages = output.spec().num_pages();
    if (pages == 0) {
        return;
    }
    const CoreRangeSet cores = call.sub_core_grids ? cores_of(*call.sub_core_grids, pages) : program.split(pages);
    for (const Tensor& input : inputs) {
        program.circular_buffer(cores, 2 * page_bytes(input));
    }
    if (scratch) {
        program.circular_buffer(cores, 2 * page_bytes(call.input));
    }
    program.circular_buffer(cores, 2 * page_bytes(output));
}

void check_parameters(const UnaryCall& call, const UnaryWithParam& function) {
    const float parameter = unary_parameters(function)[0];
    switch (function.op_type) {
        case UnaryOpType::HARDSHRINK:
        case UnaryOpType::SOFTSHRINK:
            require(parameter >= 0.0F, "{}: argument 'lambd' must be at least 0, got {}", call.op, parameter);
            break;
        case UnaryOpType::RPOW:
            require(parameter > 0.0F, "{}: argument 'exponent' must be greater than 0, got {}", call.op, parameter);
            break;
        case UnaryOpType::ROUND:
            require(parameter >= -6.0F && parameter <= 7.0F, "{}: argument 'decimals' must be from -6 to 7, got {}",
                    call.op, parameter);
            break;
        case UnaryOpType::ALT_COMPLEX_ROTATE90:
            require(call.input.logical_shape().from_end(0) % 2 == 0,
                    "{}: the last dimension of 'input_tensor' must be even, got {}", call.op,
                    call.input.logical_shape());
            break;
        default: break;
    }
}

// In TILE the number of tiles tells programs apart, and not the shape; rows have any length.
void add_operand(ProgramKey& key, const TensorSpec& spec) {
    key.add_without_shape(spec);
    if (spec.layout() == Layout::TILE) {
        key.add(spec.padded_shape().volume());
    } else {
        key.add(spec.padded_shape());
    }
}

bool uses_scratch(const UnaryWithParam& function) {
    return function.op_type == UnaryOpType::HARDSHRINK || function.op_type == UnaryOpType::LOGIT;
}

void check_unary(const UnaryCall& call, FunctionRef<void()> check) {
    check_primitive(
        unary_primitive, check, [&] { return std::vector<Tensor>{call.input}; },
        [&] {
            return unary_output_spec(call, call.input.logical_shape(), unary_output_dtype(call, call.input.dtype()));
        });
}

}  // namespace

void validate_unary_placement(const UnaryCall& call, bool casts) {
    check_unary(call, [&] {
        if (call.memory_config) {
            check_memory_layout(call, "memory_config", *call.memory_config);
        }
        if (call.output_tensor) {
            check_output(call, *call.output_tensor, casts);
        }
    });
}

void validate_unary_function(const UnaryCall& call, const UnaryWithParam& function) {
    check_unary(call, [&] {
        require(accepts(function.op_type, call.input.dtype()), "{}: argument 'input_tensor' must have dtype {}; got {}",
                call.op, accepted_dtypes(function.op_type), call.input.dtype());
        check_parameters(call, function);
    });
}

void check_floating(std::string_view op, const Tensor& input) {
    check_dtype(op, "input_tensor", input,
                {DataType::BFLOAT16, DataType::FLOAT32, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
}

TensorSpec unary_output_spec(const UnaryCall& call, const Shape& shape, DataType dtype) {
    const TensorSpec& input = call.input.spec();
    MemoryConfig config = output_memory_config(call.memory_config, call.output_tensor, call.input);
    if (config.is_sharded() && !config.shard_spec() && !config.nd_shard_spec()) {
        config = config.with_shard_spec(input.memory_config().shard_spec());
    }
    return TensorSpec(shape, dtype, input.layout(), std::move(config), input.tile());
}

DataType unary_output_dtype(const UnaryCall& call, DataType otherwise) {
    return call.output_tensor ? call.output_tensor->dtype() : otherwise;
}

Tensor launch_unary(const UnaryCall& call, const TensorSpec& output, Kernel kernel, std::span<const Tensor> more_inputs,
                    bool scratch, std::span<const UnaryWithParam> functions) {
    std::vector<Tensor> inputs{call.input};
    inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        declare_buffers(call, inputs, outputs[0], scratch, p);
    };
    const DataType dtype = output.dtype();
    const auto arguments = [&](ArgumentList& list) {
        list.add(call.input);
        functions.empty() ? list.add_text(call.op) : list.add(functions);
        for (const Tensor& tensor : more_inputs) {
            list.add(tensor);
        }
        list.add(dtype).add(output.memory_config()).add(call.output_tensor);
    };
    const auto key = [&](ProgramKey& k, std::span<const Tensor> outputs) {
        functions.empty() ? k.add(call.op) : k.add(functions);
        for (const Tensor& tensor : inputs) {
            add_operand(k, tensor.spec());
        }
        add_operand(k, outputs[0].spec());
        k.add(call.sub_core_grids);
    };
    Primitive primitive{unary_primitive, inputs, program, kernel, arguments};
    primitive.key = key;
    return launch(primitive, output, call.output_tensor);
}

Tensor run_unary(const UnaryCall& call, std::span<const UnaryWithParam> functions) {
    const TensorSpec output =
        unary_output_spec(call, call.input.logical_shape(), unary_output_dtype(call, call.input.dtype()));
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        Tensor& result = outputs[0];
        if (is_integer(call.input.dtype())) {
            map_bits(inputs[0], result, [&](uint32_t* values, size_t count) {
                for (const UnaryWithParam& function : functions) {
                    apply_unary_bits(function, call.input.dtype(), values, count);
                }
            });
            return;
        }
        map(inputs[0], result, [&](float* values, size_t count) {
            for (const UnaryWithParam& function : functions) {
                // Between two functions of a chain the numbers stay in fp32.
                const bool last = &function == &functions.back();
                apply_unary(function, last ? result.dtype() : DataType::FLOAT32, values, count);
            }
        });
    };
    return launch_unary(call, output, kernel, {}, uses_scratch(functions.front()), functions);
}

}  // namespace ttnn::compute
