// dram_prefetcher: weights on their way to the cores that will multiply by them. There is nothing to see of that here.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct DramPrefetcher {
    static constexpr std::string_view name = "ttnn.dram_prefetcher";
    static constexpr std::string_view doc =
        "Streams weights into a global circular buffer; returns a tensor without meaning.";
    struct Params {
        std::vector<Tensor> tensors{};
        int64_t num_layers = 0;
        std::optional<int64_t> global_cb{};
        bool enable_performance_mode = false;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::tensors>("width-sharded tile tensors in DRAM, and at the end their addresses: height-sharded "
                              "UINT32 in ROW_MAJOR in L1"),
        arg<&Params::num_layers>("how many layers the weights belong to"), opt<&Params::global_cb>("no effect"),
        kw<&Params::enable_performance_mode>("no effect")};
    static constexpr std::string_view no_reference = "the result means nothing";

    static void validate(const Params& params);
    static Result run(const Params& params);
};

TTNN_OPERATION(dram_prefetcher, DramPrefetcher);

}  // namespace ttnn

#ifndef TTNN_REFERENCE_SIDE

#include "ttnn/compute/guard.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

inline void DramPrefetcher::validate(const Params& params) {
    require(params.tensors.size() >= 2,
            "{}: argument 'tensors' must hold weights and their addresses, {} tensors are too few", name,
            params.tensors.size());
    check_at_launch([&] {
        require(params.num_layers > 0, "{}: argument 'num_layers' must be at least 1, got {}", name, params.num_layers);
        for (size_t i = 0; i + 1 < params.tensors.size(); ++i) {
            const Tensor& weights = params.tensors[i];
            check_layout(name, "tensors", weights, Layout::TILE);
            check_dtype(name, "tensors", weights, {DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
            require(weights.memory_config().memory_layout() == TensorMemoryLayout::WIDTH_SHARDED &&
                        !weights.memory_config().is_l1(),
                    "{}: argument 'tensors' must hold weights that are width-sharded in DRAM, got {}", name,
                    weights.memory_config());
        }
        const Tensor& addresses = params.tensors.back();
        check_layout(name, "tensors", addresses, Layout::ROW_MAJOR);
        check_dtype(name, "tensors", addresses, {DataType::UINT32});
        require(addresses.memory_config().memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED &&
                    addresses.memory_config().is_l1(),
                "{}: argument 'tensors' must end with addresses that are height-sharded in L1, got {}", name,
                addresses.memory_config());
    });
}

// Weights wait in the global circular buffer, which is not part of the program.
inline Tensor DramPrefetcher::run(const Params& params) {
    const Tensor& first = params.tensors.front();
    const auto program = [&](Program& p, std::span<const Tensor>) {
        p.global_circular_buffer(params.tensors.back(), shard_bytes(params.tensors.back()));
    };
    const auto kernel = [](std::span<const Tensor>, std::span<Tensor> outputs) {
        write<float>(outputs[0], std::vector<float>(outputs[0].logical_volume()));
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(std::span<const Tensor>(params.tensors));
        list.add(params.num_layers).add(params.global_cb).add(params.enable_performance_mode);
    };
    return launch({"ttnn::prim::dram_prefetcher", params.tensors, program, kernel, arguments},
                  TensorSpec({tile_size, tile_size}, first.dtype(), first.layout(), MemoryConfig()));
}

}  // namespace ttnn

#endif
