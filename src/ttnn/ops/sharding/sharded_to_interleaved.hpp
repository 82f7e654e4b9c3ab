// sharded_to_interleaved: the same elements in interleaved memory.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct ShardedToInterleaved {
    static constexpr std::string_view name = "ttnn.sharded_to_interleaved";
    static constexpr std::string_view doc = "Moves a tensor from L1 shards into interleaved memory.";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> output_dtype{};
        bool is_l1_aligned = false;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor sharded in L1"),
                                      opt<&Params::memory_config>("interleaved; default: DRAM"),
                                      opt<&Params::output_dtype>("TILE only; default: the input's"),
                                      kw<&Params::is_l1_aligned>("alignment of rows in L1; no effect here")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(sharded_to_interleaved, ShardedToInterleaved);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::ShardedToInterleaved::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

inline void validate_to_interleaved(std::string_view op, const Tensor& input, const MemoryConfig& config,
                                    DataType dtype) {
    const MemoryConfig& own = input.memory_config();
    require(own.is_sharded() && (own.is_l1() || own.created_with_nd_shard_spec()),
            "{}: argument 'input_tensor' must be sharded in L1, got {} in {}", op, own.memory_layout(),
            own.buffer_type());
    require(!config.is_sharded(), "{}: the memory config of the result must be interleaved, got {}", op, config);
    require(dtype == input.dtype() || input.layout() == Layout::TILE,
            "{}: argument 'output_dtype' is {}, which needs an input in TILE: a ROW_MAJOR one stays {}", op, dtype,
            input.dtype());
}

inline Tensor to_interleaved(const Tensor& input, const MemoryConfig& config, DataType dtype,
                             const std::optional<Tensor>& preallocated = std::nullopt) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        shard_buffer(p, input);
        if (dtype != input.dtype() && input.memory_config().shard_spec()) {
            p.circular_buffer(input.memory_config().shard_spec()->grid,
                              input.pages().slots_per_bank() * page_bytes(outputs[0]));
        }
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::transfer(inputs[0], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(config).add(dtype).add(preallocated); };
    return launch({"ttnn::prim::sharded_to_interleaved", {&input, 1}, program, kernel, arguments},
                  TensorSpec::from_padded(input.logical_shape(), input.padded_shape(), dtype, input.layout(), config,
                                          input.spec().tile()),
                  preallocated);
}

}  // namespace movement

inline void ShardedToInterleaved::validate(const Params& params) {
    check_at_launch([&] {
        movement::validate_to_interleaved(name, params.input_tensor, params.memory_config.value_or(MemoryConfig()),
                                          params.output_dtype.value_or(params.input_tensor.dtype()));
    });
}

inline Tensor ShardedToInterleaved::run(const Params& params) {
    return movement::to_interleaved(params.input_tensor, params.memory_config.value_or(MemoryConfig()),
                                    params.output_dtype.value_or(params.input_tensor.dtype()));
}

inline void ShardedToInterleaved::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 128})});
    make.add(Params{.input_tensor = make.tensor({2, 33, 65}), .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({40, 96}),
                    .output_dtype = make.floating() ? DataType::BFLOAT16 : make.dtype()});
}

}  // namespace ttnn

#endif
