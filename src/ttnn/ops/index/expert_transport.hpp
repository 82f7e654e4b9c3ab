// all_to_all_dispatch, all_to_all_combine: tokens to the chips of their experts, and the results back.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct AllToAllDispatch {
    static constexpr std::string_view name = "ttnn.all_to_all_dispatch";
    static constexpr std::string_view doc =
        "The tokens of all chips of a group on the chips of the experts that they chose, zeros elsewhere; and the "
        "chosen experts of all tokens on every chip.";
    struct Params {
        Tensor input_tensor{};
        Tensor expert_indices_tensor{};
        Tensor expert_mapping_tensor{};
        int64_t output_concat_dim = 1;
        std::optional<int64_t> cluster_axis{};
        std::optional<int64_t> subdevice_id{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<std::vector<Tensor>> output_tensors{};
        std::optional<int64_t> num_links{};
        std::optional<CclTopology> topology{};
    };
    using Result = std::vector<Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("BFLOAT16 in ROW_MAJOR: tokens [B, S, 1, H] or [B, 1, S, H] of a chip"),
                  arg<&Params::expert_indices_tensor>("UINT16 in ROW_MAJOR: experts that each token chose, K of them"),
                  arg<&Params::expert_mapping_tensor>("UINT16 [1, 1, E, chips] in ROW_MAJOR: 1 where an expert lives"),
                  kw<&Params::output_concat_dim>("1 or 2: tokens of the chips behind each other in batch or sequence"),
                  kw<&Params::cluster_axis>(ccl::axis_or_all_doc),
                  kw<&Params::memory_config>("interleaved, default: the input's"),
                  kw<&Params::output_tensors>("tensors for both results, written and returned").mutates()} +
        ccl::link_fields<Params>;
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

struct AllToAllCombine {
    static constexpr std::string_view name = "ttnn.all_to_all_combine";
    static constexpr std::string_view doc =
        "For every token of a chip the rows that the chips of its experts hold for it, in the order of its choice.";
    struct Params {
        Tensor input_tensor{};
        Tensor expert_metadata_tensor{};
        Tensor expert_mapping_tensor{};
        bool local_reduce = false;
        int64_t output_shard_dim = 1;
        std::optional<int64_t> cluster_axis{};
        std::optional<int64_t> subdevice_id{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<int64_t> num_links{};
        std::optional<CclTopology> topology{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("BFLOAT16 in ROW_MAJOR: [experts of a chip, B, S, H], or [1, B, S, H]"),
                  arg<&Params::expert_metadata_tensor>("UINT16 [1, B, S, K] in ROW_MAJOR, as dispatch gave it"),
                  arg<&Params::expert_mapping_tensor>("UINT16 [1, 1, E, chips] in ROW_MAJOR: 1 where an expert lives"),
                  kw<&Params::local_reduce>("a chip holds one row per token for all of its experts"),
                  kw<&Params::output_shard_dim>("1 or 2: dimension in which the chips' tokens lie behind each other"),
                  kw<&Params::cluster_axis>(ccl::axis_or_all_doc),
                  kw<&Params::memory_config>("interleaved, default: the input's"),
                  kw<&Params::output_tensor>("written into and returned").mutates()} +
        ccl::link_fields<Params>;
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(all_to_all_dispatch, AllToAllDispatch);
TTNN_OPERATION(all_to_all_combine, AllToAllCombine);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

namespace reference {

inline bool lives_on(const Array& mapping, double expert, uint32_t chip) {
    const std::vector<uint32_t> place{0, 0, static_cast<uint32_t>(expert), chip};
    return mapping.at(place) != 0;
}
inline Array mapping_on(const Tensor& mapping, uint32_t chip) {
    return values(mapping.num_parts() > 1 ? mapping.part(chip) : mapping);
}
// The tokens of these chips behind each other, as [1, batch, sequence, width].
inline Array group_tokens(const Tensor& tensor, const std::vector<uint32_t>& chips, int64_t dim) {
    const Shape& own = tensor.logical_shape();
    const Shape grid{1, own[0], own[1] * own[2], own[3]};
    std::vector<Array> parts;
    for (const uint32_t chip : chips) {
        parts.push_back({grid, values(tensor.part(chip)).values});
    }
    Shape shape = grid;
    shape[dim] *= static_cast<uint32_t>(chips.size());
    return generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        const auto at = static_cast<size_t>(dim);
        source[at] %= grid[dim];
        return parts[index[at] / grid[dim]].at(source);
    });
}

}  // namespace reference

inline std::vector<reference::Array> AllToAllDispatch::mesh_reference(const Params& params, uint32_t chip) {
    const auto chips = reference::members(reference::mesh_of(params.input_tensor), params.cluster_axis, chip);
    const auto mapping = reference::mapping_on(params.expert_mapping_tensor, chip);
    const auto tokens = reference::group_tokens(params.input_tensor, chips, params.output_concat_dim);
    const auto experts = reference::group_tokens(params.expert_indices_tensor, chips, params.output_concat_dim);
    const auto rows = reference::generated(tokens.shape, [&](std::span<const uint32_t> index) {
        bool wanted = false;
        for (uint32_t k = 0; k < experts.shape[-1]; ++k) {
            const std::vector<uint32_t> choice{0, index[1], index[2], k};
            wanted = wanted || reference::lives_on(mapping, experts.at(choice), chip);
        }
        return wanted ? tokens.at(index) : 0.0;
    });
    return {rows, experts};
}

inline std::vector<reference::Array> AllToAllCombine::mesh_reference(const Params& params, uint32_t chip) {
    const auto chips = reference::members(reference::mesh_of(params.input_tensor), params.cluster_axis, chip);
    const auto mapping = reference::mapping_on(params.expert_mapping_tensor, chip);
    const auto metadata = reference::values(params.expert_metadata_tensor.part(chip));
    const auto parts = reference::parts_of(params.input_tensor);
    const auto along = static_cast<size_t>(params.output_shard_dim);
    Shape shape = params.input_tensor.logical_shape();
    shape[0] = metadata.shape[-1];
    shape[params.output_shard_dim] /= static_cast<uint32_t>(chips.size());
    const uint32_t first = reference::place_among(chips, chip) * shape[params.output_shard_dim];
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> token(index.begin(), index.end());
        token[along] += first;
        const auto choice = [&](uint32_t k) {
            const std::vector<uint32_t> place{0, token[1], token[2], k};
            return metadata.at(place);
        };
        const double expert = choice(index[0]);
        for (const uint32_t owner : chips) {
            if (!reference::lives_on(mapping, expert, owner)) {
                continue;
            }
            token[0] = 0;
            for (uint32_t lower = 0; !params.local_reduce && lower < expert; ++lower) {
                token[0] += reference::lives_on(mapping, lower, owner) ? 1 : 0;
            }
            bool counts = true;
            for (uint32_t k = 0; params.local_reduce && k < metadata.shape[-1]; ++k) {
                counts = counts && !(choice(k) < expert && reference::lives_on(mapping, choice(k), owner));
            }
            return counts ? parts[owner].at(token) : 0.0;
        }
        return 0.0;
    })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/experts.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/rules.hpp"
#include "ttnn/ops/index/expert_rules.hpp"

namespace ttnn {

namespace indexing {

inline compute::TokenGrid dispatch_grid(const AllToAllDispatch::Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    const auto axis = ccl::mesh_axis(AllToAllDispatch::name, params.input_tensor, params.cluster_axis);
    return {shape[0], shape[1] * shape[2], ccl::group_size(params.input_tensor, axis), params.output_concat_dim == 2};
}

inline Shape dispatched_shape(const AllToAllDispatch::Params& params, const Tensor& tensor) {
    const compute::TokenGrid grid = dispatch_grid(params);
    return {1, grid.batch * (grid.along_sequence ? 1 : grid.members),
            grid.sequence * (grid.along_sequence ? grid.members : 1), tensor.logical_shape()[3]};
}

// Tokens of one chip: those of the group, cut along the dimension in which they lie behind each other.
inline compute::TokenGrid combine_grid(const AllToAllCombine::Params& params) {
    const Shape& shape = params.expert_metadata_tensor.logical_shape();
    const auto axis = ccl::mesh_axis(AllToAllCombine::name, params.input_tensor, params.cluster_axis);
    const uint32_t members = ccl::group_size(params.input_tensor, axis);
    const bool along_sequence = params.output_shard_dim == 2;
    return {along_sequence ? shape[1] : shape[1] / members, along_sequence ? shape[2] / members : shape[2], members,
            along_sequence};
}

inline Shape combined_shape(const AllToAllCombine::Params& params) {
    const compute::TokenGrid grid = combine_grid(params);
    return {params.expert_metadata_tensor.logical_shape()[3], grid.batch, grid.sequence,
            params.input_tensor.logical_shape()[3]};
}

inline void check_token_dim(std::string_view op, std::string_view argument, int64_t dim) {
    require(dim == 1 || dim == 2, "{}: argument '{}' must be 1 or 2, got {}", op, argument, dim);
}

}  // namespace indexing

inline void AllToAllDispatch::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    const Shape& indices = params.expert_indices_tensor.logical_shape();
    ccl::check_whole(name, "input_tensor", input);
    ccl::check_whole(name, "expert_indices_tensor", params.expert_indices_tensor);
    ccl::mesh_axis(name, input, params.cluster_axis);
    indexing::check_token_dim(name, "output_concat_dim", params.output_concat_dim);
    require(shape.rank() == 4 && (shape[1] == 1 || shape[2] == 1),
            "{}: argument 'input_tensor' must be [B, S, 1, H] or [B, 1, S, H], got {}", name, shape);
    require(indices.rank() == 4 && indices[0] == shape[0] && indices[1] * indices[2] == shape[1] * shape[2],
            "{}: argument 'expert_indices_tensor' must have the tokens of the input {}, got {}", name, shape, indices);
    indexing::check_mapping(name, "expert_mapping_tensor", params.expert_mapping_tensor, input);
    if (params.output_tensors) {
        require(params.output_tensors->size() == 2, "{}: argument 'output_tensors' must hold 2 tensors, got {}", name,
                params.output_tensors->size());
        ccl::check_output(name, "output_tensors", (*params.output_tensors)[0], input,
                          indexing::dispatched_shape(params, input));
        ccl::check_output(name, "output_tensors", (*params.output_tensors)[1], params.expert_indices_tensor,
                          indexing::dispatched_shape(params, params.expert_indices_tensor));
    }
    check_at_launch([&] {
        indexing::check_rows(name, "input_tensor", input, DataType::BFLOAT16);
        indexing::check_rows(name, "expert_indices_tensor", params.expert_indices_tensor, DataType::UINT16);
    });
}

inline std::vector<Tensor> AllToAllDispatch::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto axis = ccl::mesh_axis(name, input, params.cluster_axis);
    const ccl::Groups groups = ccl::groups_of(input, axis);
    const compute::TokenGrid grid = indexing::dispatch_grid(params);
    const Tensor tensors[] = {input, params.expert_indices_tensor, params.expert_mapping_tensor};
    const MemoryConfig config = params.memory_config.value_or(input.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor>) {
        indexing::expert_program(p, tensors, params.num_links);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::dispatch_tokens(inputs[0], inputs[1], inputs[2], grid, outputs[0], outputs[1], groups);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(tensors[0]).add(tensors[1]).add(tensors[2]).add(params.cluster_axis).add(params.output_tensors);
        list.add(params.num_links).add(params.topology).add(config).add(params.subdevice_id);
        list.add(params.output_concat_dim);
    };
    std::vector<OutputSlot> slots;
    for (size_t i = 0; i < 2; ++i) {
        slots.push_back({.spec = TensorSpec(indexing::dispatched_shape(params, tensors[i]), tensors[i].dtype(),
                                            Layout::ROW_MAJOR, config)});
        if (params.output_tensors) {
            slots[i].preallocated = (*params.output_tensors)[i];
        }
    }
    std::vector<Tensor> results = launch({.name = "ttnn::prim::all_to_all_dispatch",
                                          .inputs = tensors,
                                          .program = program,
                                          .kernel = kernel,
                                          .arguments = arguments,
                                          .whole_mesh = true},
                                         slots);
    ccl::place(results[0], input, axis, ccl::shard(0));
    ccl::place(results[1], input, axis, ccl::replicate);
    return results;
}

inline Domain AllToAllDispatch::domain(const Params& params, std::string_view field) {
    return indexing::expert_domain(params.expert_mapping_tensor, field == "expert_indices_tensor",
                                   field == "expert_mapping_tensor");
}

inline void AllToAllDispatch::cases(CaseMaker& make) {
    const auto rows = [&](const Shape& shape, DataType dtype) { return indexing::expert_rows(make, shape, dtype); };
    const uint32_t chips = ccl::chips(make);
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {4, 1, 3, 40}),
                        .expert_indices_tensor = rows({4, 1, 3, 2}, DataType::UINT16),
                        .expert_mapping_tensor = rows({1, 1, 2 * chips, chips}, DataType::UINT16),
                        .cluster_axis = axis});
        make.add(Params{.input_tensor = ccl::spread(make, {2, 5, 1, 64}),
                        .expert_indices_tensor = rows({2, 5, 1, 4}, DataType::UINT16),
                        .expert_mapping_tensor = rows({1, 1, 8 * chips, chips}, DataType::UINT16),
                        .output_concat_dim = 2,
                        .cluster_axis = axis,
                        .memory_config = l1_memory_config()});
    }
}

inline void AllToAllCombine::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    const Shape& metadata = params.expert_metadata_tensor.logical_shape();
    ccl::check_whole(name, "input_tensor", input);
    ccl::check_whole(name, "expert_metadata_tensor", params.expert_metadata_tensor);
    indexing::check_token_dim(name, "output_shard_dim", params.output_shard_dim);
    require(shape.rank() == 4 && metadata.rank() == 4 && metadata[0] == 1 && shape[1] == metadata[1] &&
                shape[2] == metadata[2],
            "{}: arguments 'input_tensor' and 'expert_metadata_tensor' must be [experts, B, S, H] and [1, B, S, K], "
            "got {} and {}",
            name, shape, metadata);
    indexing::check_mapping(name, "expert_mapping_tensor", params.expert_mapping_tensor, input);
    const uint32_t held = params.local_reduce ? 1 : indexing::experts_per_chip(params.expert_mapping_tensor);
    require(shape[0] == held, "{}: argument 'input_tensor' must hold {} experts per chip, got {}", name, held, shape);
    const uint32_t members = ccl::group_size(input, ccl::mesh_axis(name, input, params.cluster_axis));
    ccl::check_divisible(name, shape, static_cast<size_t>(params.output_shard_dim), members);
    ccl::check_output(name, "output_tensor", params.output_tensor, input, indexing::combined_shape(params));
    check_at_launch([&] {
        indexing::check_rows(name, "input_tensor", input, DataType::BFLOAT16);
        indexing::check_rows(name, "expert_metadata_tensor", params.expert_metadata_tensor, DataType::UINT16);
        require(!params.memory_config || !params.memory_config->is_sharded(),
                "{}: argument 'memory_config' must be interleaved", name);
    });
}

inline Tensor AllToAllCombine::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto axis = ccl::mesh_axis(name, input, params.cluster_axis);
    const ccl::Groups groups = ccl::groups_of(input, axis);
    const compute::TokenGrid grid = indexing::combine_grid(params);
    const Tensor tensors[] = {input, params.expert_metadata_tensor, params.expert_mapping_tensor};
    const MemoryConfig config = params.memory_config.value_or(input.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor>) {
        indexing::expert_program(p, tensors, params.num_links);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::combine_tokens(inputs[0], inputs[1], inputs[2], grid, params.local_reduce, outputs[0], groups);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(tensors[0]).add(tensors[2]).add(tensors[1]).add(params.num_links).add(params.topology).add(config);
        list.add(params.cluster_axis).add(params.output_tensor).add(params.local_reduce).add(params.output_shard_dim);
    };
    Tensor result = launch({.name = "ttnn::prim::all_to_all_combine",
                            .inputs = tensors,
                            .program = program,
                            .kernel = kernel,
                            .arguments = arguments,
                            .whole_mesh = true},
                           TensorSpec(indexing::combined_shape(params), input.dtype(), Layout::ROW_MAJOR, config),
                           params.output_tensor);
    ccl::place(result, input, axis, ccl::shard(static_cast<size_t>(params.output_shard_dim)));
    return result;
}

inline Domain AllToAllCombine::domain(const Params& params, std::string_view field) {
    return indexing::expert_domain(params.expert_mapping_tensor, field == "expert_metadata_tensor",
                                   field == "expert_mapping_tensor");
}

inline void AllToAllCombine::cases(CaseMaker& make) {
    const auto rows = [&](const Shape& shape, DataType dtype) { return indexing::expert_rows(make, shape, dtype); };
    const uint32_t chips = ccl::chips(make);
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {3, 2 * chips, 5, 40}),
                        .expert_metadata_tensor = rows({1, 2 * chips, 5, 2}, DataType::UINT16),
                        .expert_mapping_tensor = rows({1, 1, 3 * chips, chips}, DataType::UINT16),
                        .cluster_axis = axis});
        make.add(Params{.input_tensor = ccl::spread(make, {1, 2, 3 * chips, 64}),
                        .expert_metadata_tensor = rows({1, 2, 3 * chips, 4}, DataType::UINT16),
                        .expert_mapping_tensor = rows({1, 1, 6 * chips, chips}, DataType::UINT16),
                        .local_reduce = true,
                        .output_shard_dim = 2,
                        .cluster_axis = axis,
                        .memory_config = l1_memory_config()});
    }
}

}  // namespace ttnn

#endif
