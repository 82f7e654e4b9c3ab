// moe_expert_token_remap, moe_routing_remap: what of scores and weights concerns the experts of a chip.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct MoeExpertTokenRemap {
    static constexpr std::string_view name = "ttnn.moe_expert_token_remap";
    static constexpr std::string_view doc =
        "The scores that tokens gave to the experts of a chip, zero where they did not choose them; and for chunks of "
        "tokens whether any of them chose the expert.";
    // The original's names say something else than what the arguments are; calls by position rely on the order.
    struct Params {
        Tensor topk_tensor{};
        Tensor expert_indices_tensor{};
        Tensor expert_mapping_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> optional_output_mapping_tensor{};
        std::optional<Tensor> optional_output_reduced_tensor{};
        int64_t reduction_size = 16;
    };
    using Result = std::vector<Tensor>;
    static constexpr FieldList fields{
        arg<&Params::topk_tensor>("[1, B, S, E] in ROW_MAJOR: scores of all experts"),
        arg<&Params::expert_indices_tensor>(
            "the mapping: UINT16 [1, 1, E, chips] in ROW_MAJOR, 1 where an expert lives"),
        arg<&Params::expert_mapping_tensor>("the metadata: UINT16 [1, B, S, K] in ROW_MAJOR, experts of each token"),
        kw<&Params::memory_config>("interleaved, default: the input's"),
        kw<&Params::optional_output_mapping_tensor>("written into and returned").mutates(),
        kw<&Params::optional_output_reduced_tensor>("written into and returned").mutates(),
        kw<&Params::reduction_size>("tokens of a chunk")};
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

struct MoeRoutingRemap {
    static constexpr std::string_view name = "ttnn.moe_routing_remap";
    static constexpr std::string_view doc =
        "The weights that are not zero shared evenly among the chips along a dimension of the mesh, in order; zero "
        "elsewhere.";
    struct Params {
        Tensor routing_weights_tensor{};
        int64_t non_zero_weight_size = 0;
        int64_t expert_parallel_size = 1;
        int64_t cluster_axis = 0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> optional_output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::routing_weights_tensor>("[1, E] in ROW_MAJOR"),
        arg<&Params::non_zero_weight_size>("how many weights are not zero"),
        arg<&Params::expert_parallel_size>("how many chips share them"),
        arg<&Params::cluster_axis>("0 or 1: dimension of the mesh along which the sharing chips lie"),
        kw<&Params::memory_config>("default: the input's"),
        kw<&Params::optional_output_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(moe_expert_token_remap, MoeExpertTokenRemap);
TTNN_OPERATION(moe_routing_remap, MoeRoutingRemap);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

inline std::vector<reference::Array> MoeExpertTokenRemap::mesh_reference(const Params& params, uint32_t chip) {
    const auto scores = reference::values(params.topk_tensor.part(chip));
    const auto mapping = reference::values(params.expert_indices_tensor.part(chip));
    const auto metadata = reference::values(params.expert_mapping_tensor.part(chip));
    std::vector<uint32_t> own;
    for (uint32_t expert = 0; expert < mapping.shape[2]; ++expert) {
        if (mapping.values[size_t{expert} * mapping.shape[3] + chip] != 0) {
            own.push_back(expert);
        }
    }
    const auto tokens = static_cast<uint32_t>(metadata.values.size() / metadata.shape[-1]);
    const auto chunk = static_cast<uint32_t>(params.reduction_size);
    const auto chose = [&](uint32_t token, uint32_t expert) {
        bool found = false;
        for (uint32_t k = 0; k < metadata.shape[-1]; ++k) {
            found = found || metadata.values[size_t{token} * metadata.shape[-1] + k] == expert;
        }
        return found;
    };
    const auto width = static_cast<uint32_t>(own.size());
    reference::Array kept({1, scores.shape[1], scores.shape[2], width});
    reference::Array used({1, 1, (tokens + chunk - 1) / chunk, width});
    for (uint32_t token = 0; token < tokens; ++token) {
        for (uint32_t i = 0; i < width; ++i) {
            if (chose(token, own[i])) {
                kept.values[size_t{token} * width + i] = scores.values[size_t{token} * scores.shape[3] + own[i]];
                used.values[size_t{token / chunk} * width + i] = 1;
            }
        }
    }
    return {kept, used};
}

inline std::vector<reference::Array> MoeRoutingRemap::mesh_reference(const Params& params, uint32_t chip) {
    auto weights = reference::values(params.routing_weights_tensor.part(chip));
    const MeshShape mesh = reference::mesh_of(params.routing_weights_tensor);
    const auto place = mesh.coordinate_of(chip).values[static_cast<size_t>(params.cluster_axis)];
    const auto count = static_cast<size_t>(params.non_zero_weight_size / params.expert_parallel_size);
    std::vector<size_t> filled;
    for (size_t i = 0; i < weights.values.size(); ++i) {
        if (weights.values[i] != 0) {
            filled.push_back(i);
        }
    }
    reference::Array result(weights.shape);
    for (size_t i = place * count; i < std::min(filled.size(), (place + 1) * count); ++i) {
        result.values[filled[i]] = weights.values[filled[i]];
    }
    return {result};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/experts.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/index/expert_rules.hpp"

namespace ttnn {

namespace indexing {

inline Shape remapped_shape(const MoeExpertTokenRemap::Params& params) {
    Shape shape = params.topk_tensor.logical_shape();
    shape[3] = experts_per_chip(params.expert_indices_tensor);
    return shape;
}
inline Shape chunk_shape(const MoeExpertTokenRemap::Params& params) {
    const Shape tokens = remapped_shape(params);
    const auto chunks = div_up<uint64_t>(uint64_t{tokens[1]} * tokens[2], static_cast<uint64_t>(params.reduction_size));
    return {1, 1, static_cast<uint32_t>(chunks), tokens[3]};
}

}  // namespace indexing

inline void MoeExpertTokenRemap::validate(const Params& params) {
    const Tensor& scores = params.topk_tensor;
    const Tensor& mapping = params.expert_indices_tensor;
    const Tensor& metadata = params.expert_mapping_tensor;
    const Shape& shape = scores.logical_shape();
    ccl::check_whole(name, "topk_tensor", scores);
    ccl::check_whole(name, "expert_indices_tensor", mapping);
    ccl::check_whole(name, "expert_mapping_tensor", metadata);
    require(params.reduction_size >= 1, "{}: argument 'reduction_size' must be at least 1, got {}", name,
            params.reduction_size);
    indexing::check_mapping(name, "expert_indices_tensor", mapping, scores);
    require(shape.rank() == 4 && shape[0] == 1 && shape[3] == mapping.logical_shape()[2],
            "{}: argument 'topk_tensor' must be [1, B, S, {}] for the experts of the mapping, got {}", name,
            mapping.logical_shape()[2], shape);
    const Shape& tokens = metadata.logical_shape();
    require(tokens.rank() == 4 && tokens[0] == 1 && tokens[1] == shape[1] && tokens[2] == shape[2],
            "{}: argument 'expert_mapping_tensor' must be [1, {}, {}, K], got {}", name, shape[1], shape[2], tokens);
    ccl::check_output(name, "optional_output_mapping_tensor", params.optional_output_mapping_tensor, scores,
                      indexing::remapped_shape(params));
    ccl::check_output(name, "optional_output_reduced_tensor", params.optional_output_reduced_tensor, metadata,
                      indexing::chunk_shape(params));
    check_at_launch([&] {
        indexing::check_rows(name, "expert_mapping_tensor", metadata, DataType::UINT16);
        check_layout(name, "topk_tensor", scores, Layout::ROW_MAJOR);
        check_interleaved(name, "topk_tensor", scores);
        check_dtype(name, "topk_tensor", scores, {DataType::BFLOAT16, DataType::FLOAT32});
    });
}

inline std::vector<Tensor> MoeExpertTokenRemap::run(const Params& params) {
    const Tensor tensors[] = {params.topk_tensor, params.expert_indices_tensor, params.expert_mapping_tensor};
    const MemoryConfig config = params.memory_config.value_or(params.topk_tensor.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        indexing::expert_program(p, tensors, std::nullopt);
        indexing::expert_program(p, outputs, std::nullopt);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::scores_of_own_experts(inputs[0], inputs[1], inputs[2], static_cast<uint32_t>(params.reduction_size),
                                       outputs[0], outputs[1]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(tensors[0]).add(tensors[1]).add(tensors[2]).add(config).add(params.optional_output_mapping_tensor);
        list.add(params.optional_output_reduced_tensor).add(params.reduction_size);
    };
    const OutputSlot slots[] = {
        {.spec = TensorSpec(indexing::remapped_shape(params), tensors[0].dtype(), Layout::ROW_MAJOR, config),
         .preallocated = params.optional_output_mapping_tensor},
        {.spec = TensorSpec(indexing::chunk_shape(params), DataType::UINT16, Layout::ROW_MAJOR, config),
         .preallocated = params.optional_output_reduced_tensor}};
    std::vector<Tensor> results = launch({.name = "ttnn::prim::moe_expert_token_remap",
                                          .inputs = tensors,
                                          .program = program,
                                          .kernel = kernel,
                                          .arguments = arguments,
                                          .whole_mesh = true},
                                         slots);
    for (Tensor& result : results) {
        ccl::place(result, params.topk_tensor, std::nullopt, ccl::shard(3));
    }
    return results;
}

inline Domain MoeExpertTokenRemap::domain(const Params& params, std::string_view field) {
    return indexing::expert_domain(params.expert_indices_tensor, field == "expert_mapping_tensor",
                                   field == "expert_indices_tensor");
}

inline void MoeExpertTokenRemap::cases(CaseMaker& make) {
    const auto rows = [&](const Shape& shape) { return indexing::expert_rows(make, shape, DataType::UINT16); };
    const uint32_t chips = ccl::chips(make);
    make.add(Params{.topk_tensor = ccl::spread(make, {1, 4, 16, 8 * chips}),
                    .expert_indices_tensor = rows({1, 1, 8 * chips, chips}),
                    .expert_mapping_tensor = rows({1, 4, 16, 2})});
    make.add(Params{.topk_tensor = ccl::spread(make, {1, 3, 5, 6 * chips}),
                    .expert_indices_tensor = rows({1, 1, 6 * chips, chips}),
                    .expert_mapping_tensor = rows({1, 3, 5, 4}),
                    .memory_config = l1_memory_config(),
                    .reduction_size = 4});
}

inline void MoeRoutingRemap::validate(const Params& params) {
    const Tensor& weights = params.routing_weights_tensor;
    const Shape& shape = weights.logical_shape();
    ccl::check_whole(name, "routing_weights_tensor", weights);
    require(shape.rank() == 2 && shape[0] == 1, "{}: argument 'routing_weights_tensor' must be [1, E], got {}", name,
            shape);
    require(params.non_zero_weight_size >= 0 && params.non_zero_weight_size <= shape[1],
            "{}: argument 'non_zero_weight_size' must be at most {}, got {}", name, shape[1],
            params.non_zero_weight_size);
    require(params.expert_parallel_size >= 1 && shape[1] % params.expert_parallel_size == 0,
            "{}: argument 'expert_parallel_size' must divide {} experts, got {}", name, shape[1],
            params.expert_parallel_size);
    ccl::mesh_axis(name, weights, params.cluster_axis);
    ccl::check_output(name, "optional_output_tensor", params.optional_output_tensor, weights, shape);
    check_at_launch([&] {
        check_layout(name, "routing_weights_tensor", weights, Layout::ROW_MAJOR);
        check_dtype(name, "routing_weights_tensor", weights, {DataType::BFLOAT16, DataType::FLOAT32});
    });
}

inline Tensor MoeRoutingRemap::run(const Params& params) {
    const Tensor& weights = params.routing_weights_tensor;
    const auto axis = static_cast<uint32_t>(params.cluster_axis);
    const ccl::Groups groups = ccl::groups_of(weights, axis);
    const auto count = static_cast<uint32_t>(params.non_zero_weight_size / params.expert_parallel_size);
    const MemoryConfig config = params.memory_config.value_or(weights.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor>) {
        const CoreRangeSet cores = p.split(1);
        const uint64_t row = round_up<uint64_t>(page_bytes(weights), 16);
        p.circular_buffer(cores, row);
        p.circular_buffer(cores, round_up<uint64_t>(std::max<uint64_t>(count, 1) * sizeof(uint16_t), 16));
        p.circular_buffer(cores, row);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::share_weights(inputs[0], count, outputs[0], groups);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(weights).add(params.non_zero_weight_size).add(params.expert_parallel_size).add(params.cluster_axis);
        list.add(config).add(params.optional_output_tensor);
    };
    Tensor result = launch({.name = "ttnn::prim::moe_routing_remap",
                            .inputs = {&weights, 1},
                            .program = program,
                            .kernel = kernel,
                            .arguments = arguments,
                            .whole_mesh = true},
                           TensorSpec(weights.logical_shape(), weights.dtype(), Layout::ROW_MAJOR, config),
                           params.optional_output_tensor);
    ccl::place(result, weights, axis, ccl::shard(0));
    return result;
}

inline void MoeRoutingRemap::cases(CaseMaker& make) {
    for (const int64_t axis : {0, 1}) {
        const int64_t chips = make.device()->mesh().dims[static_cast<size_t>(axis)];
        const auto experts = static_cast<uint32_t>(8 * chips);
        make.add(Params{.routing_weights_tensor = ccl::spread(make, {1, experts}),
                        .non_zero_weight_size = 4 * chips,
                        .expert_parallel_size = chips,
                        .cluster_axis = axis});
    }
}

}  // namespace ttnn

#endif
