// to_memory_config: the same elements in another memory config, by the shortest way.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct ToMemoryConfig {
    static constexpr std::string_view name = "ttnn.to_memory_config";
    static constexpr std::string_view doc =
        "Moves a tensor into a memory config; returns the same tensor if it is already there.";
    struct Params {
        Tensor tensor{};
        MemoryConfig memory_config{};
        std::optional<DataType> dtype{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensor>("tensor on a device").also("input_tensor"),
                                      arg<&Params::memory_config>("where to move it"),
                                      opt<&Params::dtype>("not for sharded to sharded; default: the tensor's"),
                                      opt<&Params::output_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(to_memory_config, ToMemoryConfig);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::ToMemoryConfig::reference(const Params& params) {
    return {reference::values(params.tensor)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/sharding/interleaved_to_sharded.hpp"
#include "ttnn/ops/sharding/reshard.hpp"
#include "ttnn/ops/sharding/sharded_to_interleaved.hpp"

namespace ttnn {

namespace movement {

// Interleaved to interleaved, and the kernel of copy and assign.
inline Tensor copy_primitive(const Tensor& input, const MemoryConfig& config, DataType dtype,
                             const std::optional<Tensor>& preallocated = std::nullopt) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        buffer_for(p, input, input);
        if (outputs[0].dtype() != input.dtype()) {
            buffer_for(p, outputs[0], input);
        }
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::transfer(inputs[0], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(config).add(dtype).add(preallocated); };
    return launch({"ttnn::prim::copy", {&input, 1}, program, kernel, arguments},
                  TensorSpec::from_padded(input.logical_shape(), input.padded_shape(), dtype, input.layout(), config,
                                          input.spec().tile()),
                  preallocated);
}

// 2-D shards of equal layout are resharded whatever their widths; whether that goes is the reshard's to say.
inline bool reshards(const Tensor& input, const MemoryConfig& config) {
    const MemoryConfig& own = input.memory_config();
    const bool both_2d = !own.created_with_nd_shard_spec() && !config.created_with_nd_shard_spec();
    return can_reshard(input, config) || (both_2d && own.memory_layout() == config.memory_layout());
}

inline bool returns_input(const ToMemoryConfig::Params& params) {
    return !params.output_tensor && params.memory_config == params.tensor.memory_config();
}

}  // namespace movement

inline void ToMemoryConfig::validate(const Params& params) {
    if (movement::returns_input(params)) {
        return;
    }
    const Tensor& input = params.tensor;
    const bool both_sharded = input.is_sharded() && params.memory_config.is_sharded();
    require(!both_sharded || !params.dtype || *params.dtype == input.dtype(),
            "{}: dtype cannot be specified when converting sharded tensor to sharded tensor", name);
    const DataType dtype = output_dtype(name, params.dtype, params.output_tensor, input.dtype());
    check_at_launch([&] {
        require(dtype == input.dtype() || input.layout() == Layout::TILE,
                "{}: argument 'dtype' is {}, which needs a tensor in TILE: a ROW_MAJOR one stays {}", name, dtype,
                input.dtype());
    });
    require(
        !params.memory_config.is_sharded() || params.memory_config.shard_spec() || params.memory_config.nd_shard_spec(),
        "{}: argument 'memory_config' is sharded without a shard spec", name);
    if (params.output_tensor) {  // refused at once: an operation inside would write into it
        check_preallocated(name, "output_tensor", *params.output_tensor, input.logical_shape());
        check_layout(name, "output_tensor", *params.output_tensor, input.layout());
        require(params.output_tensor->memory_config() == params.memory_config,
                "{}: argument 'output_tensor' is in {}, but argument 'memory_config' is {}", name,
                params.output_tensor->memory_config(), params.memory_config);
    }
    check_at_launch([&] {
        if (input.is_sharded() && !both_sharded) {
            movement::validate_to_interleaved(name, input, params.memory_config, dtype);
        } else if (!input.is_sharded() && params.memory_config.is_sharded()) {
            movement::validate_to_sharded(name, input, params.memory_config, dtype);
        }
    });
}

inline Tensor ToMemoryConfig::run(const Params& params) {
    if (movement::returns_input(params)) {
        return params.tensor;
    }
    const Tensor& input = params.tensor;
    const MemoryConfig& config = params.memory_config;
    const DataType dtype = output_dtype(name, params.dtype, params.output_tensor, input.dtype());
    if (input.is_sharded() && config.is_sharded()) {
        if (movement::reshards(input, config)) {
            return reshard(input, config, {.output_tensor = params.output_tensor});
        }
        const Tensor between = sharded_to_interleaved(input, {.memory_config = MemoryConfig()});
        return params.output_tensor ? movement::to_sharded(between, config, dtype, params.output_tensor)
                                    : interleaved_to_sharded(between, config);
    }
    if (config.is_sharded()) {
        return params.output_tensor ? movement::to_sharded(input, config, dtype, params.output_tensor)
                                    : interleaved_to_sharded(input, config, {.output_dtype = params.dtype});
    }
    if (input.is_sharded()) {
        return movement::to_interleaved(input, config, dtype, params.output_tensor);
    }
    return movement::copy_primitive(input, config, dtype, params.output_tensor);
}

inline void ToMemoryConfig::cases(CaseMaker& make) {
    const auto row = CoreRangeSet(CoreRange({0, 0}, {1, 0}));
    const Shape shape{1, 1, 64, 128};
    make.add(Params{.tensor = make.tensor(shape), .memory_config = {}});
    make.add(Params{.tensor = make.tensor(shape), .memory_config = make.memory_config(shape)});
    make.add(Params{.tensor = make.interleaved(shape, make.dtype(), make.layout()),
                    .memory_config = make.memory_config(shape)});
    make.add(Params{.tensor = make.tensor({3, 33, 65}), .memory_config = l1_memory_config()});
    make.add(Params{
        .tensor = make.tensor(shape),
        .memory_config = MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1, ShardSpec{row, {64, 64}})});
    if (make.floating()) {
        make.add(
            Params{.tensor = make.tensor(shape), .memory_config = l1_memory_config(), .dtype = DataType::BFLOAT16});
    }
    make.add(Params{.tensor = make.interleaved(shape, make.dtype(), make.layout()),
                    .memory_config = make.memory_config(shape),
                    .output_tensor = make.tensor(shape)});
}

}  // namespace ttnn

#endif
