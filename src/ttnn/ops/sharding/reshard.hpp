// reshard: from one sharded memory config to another.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Reshard {
    static constexpr std::string_view name = "ttnn.reshard";
    static constexpr std::string_view doc = "Moves a sharded tensor into another sharded memory config.";
    struct Params {
        Tensor input_tensor{};
        MemoryConfig output_memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("sharded tensor"),
                                      arg<&Params::output_memory_config>("sharded, with a shard spec"),
                                      opt<&Params::output_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(reshard, Reshard);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Reshard::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

inline uint32_t shard_width(const MemoryConfig& config) {
    if (config.shard_spec()) {
        return config.shard_spec()->shape[1];
    }
    return config.nd_shard_spec() ? config.nd_shard_spec()->shard_shape.from_end(0) : 0;
}

// Rows of row-major shards are pages; a reshard moves whole pages, or cuts all rows (width sharding) alike.
inline bool can_reshard(const Tensor& input, const MemoryConfig& config) {
    const MemoryConfig& own = input.memory_config();
    return input.layout() == Layout::TILE || shard_width(own) == shard_width(config) ||
           (!own.created_with_nd_shard_spec() && !config.created_with_nd_shard_spec() &&
            own.memory_layout() == config.memory_layout() && own.memory_layout() != TensorMemoryLayout::BLOCK_SHARDED);
}

}  // namespace movement

namespace movement {

inline void check_reshard(const Reshard::Params& params) {
    const std::string_view name = Reshard::name;
    const Tensor& input = params.input_tensor;
    const MemoryConfig& config = params.output_memory_config;
    require(input.is_sharded(), "{}: argument 'input_tensor' must be sharded, got INTERLEAVED", name);
    require(config.is_sharded(), "{}: argument 'output_memory_config' must be sharded, got {}", name, config);
    require(config.shard_spec() || config.nd_shard_spec(), "{}: argument 'output_memory_config' has no shard spec",
            name);
    require(can_reshard(input, config),
            "{}: a ROW_MAJOR tensor cannot change its shard width from {} to {}; ttnn.to_memory_config does it by way "
            "of interleaved memory",
            name, shard_width(input.memory_config()), shard_width(config));
    if (params.output_tensor) {
        const Tensor& output = *params.output_tensor;
        check_preallocated(name, "output_tensor", output, input.logical_shape());
        check_layout(name, "output_tensor", output, input.layout());
        check_dtype(name, "output_tensor", output, {input.dtype()});
        require(output.is_sharded(), "{}: argument 'output_tensor' must be sharded, got INTERLEAVED", name);
    }
}

}  // namespace movement

inline void Reshard::validate(const Params& params) {
    check_at_launch([&] { movement::check_reshard(params); });
}

inline Tensor Reshard::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { movement::shard_buffer(p, outputs[0]); };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::transfer(inputs[0], outputs[0]);
    };
    return launch({"ttnn::prim::reshard", {&input, 1}, program, kernel},
                  TensorSpec::from_padded(input.logical_shape(), input.padded_shape(), input.dtype(), input.layout(),
                                          params.output_memory_config, input.spec().tile()),
                  params.output_tensor);
}

inline void Reshard::cases(CaseMaker& make) {
    const auto row = [](uint32_t cores) { return CoreRangeSet(CoreRange({0, 1}, {cores - 1, 1})); };
    const auto config = [&](TensorMemoryLayout layout, uint32_t cores, std::array<uint32_t, 2> shard) {
        return MemoryConfig(layout, BufferType::L1, ShardSpec{row(cores), shard});
    };
    const Shape shape{1, 1, 64, 128};
    make.add(Params{.input_tensor = make.tensor(shape),
                    .output_memory_config = config(TensorMemoryLayout::WIDTH_SHARDED, 2, {64, 64})});
    make.add(Params{.input_tensor = make.tensor(shape),
                    .output_memory_config = config(TensorMemoryLayout::HEIGHT_SHARDED, 2, {32, 128})});
    const MemoryConfig target = config(TensorMemoryLayout::HEIGHT_SHARDED, 1, {64, 128});
    const Tensor output =
        Tensor::allocate_on_device(TensorSpec(shape, make.dtype(), make.layout(), target), make.device());
    make.add(Params{.input_tensor = make.tensor(shape), .output_memory_config = target, .output_tensor = output});
}

}  // namespace ttnn

#endif
