// mesh_partition: each chip of a group keeps a slice of its own part; what all_gather makes is cut again.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct MeshPartition {
    static constexpr std::string_view name = "ttnn.mesh_partition";
    static constexpr std::string_view doc =
        "Cuts a replicated tensor along a dimension, a slice for each chip of a group. A group of one chip keeps it.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
        std::optional<int64_t> cluster_axis{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a mesh"),
        arg<&Params::dim>("dimension to cut, negative from the end; a multiple of the chips of a group"),
        opt<&Params::cluster_axis>(ccl::axis_or_all_doc),
        kw<&Params::memory_config>("default: the input's, shards refitted")};
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(mesh_partition, MeshPartition);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

inline std::vector<ttnn::reference::Array> ttnn::MeshPartition::mesh_reference(const Params& params, uint32_t chip) {
    const auto chips = reference::members(reference::mesh_of(params.input_tensor), params.cluster_axis, chip);
    return {reference::slice_of(reference::values(params.input_tensor.part(chip)), params.dim,
                                static_cast<uint32_t>(chips.size()), reference::place_among(chips, chip))};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/collectives.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/rules.hpp"

namespace ttnn {

inline void MeshPartition::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    ccl::check_whole(name, "input_tensor", input);
    const size_t dim = ccl::checked_dim(name, "dim", input, params.dim);
    ccl::check_divisible(name, input.logical_shape(), dim,
                         ccl::group_size(input, ccl::mesh_axis(name, input, params.cluster_axis)));
}

inline Tensor MeshPartition::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto axis = ccl::mesh_axis(name, input, params.cluster_axis);
    const uint32_t chips = ccl::group_size(input, axis);
    if (chips == 1) {
        return input;
    }
    const size_t dim = ccl::checked_dim(name, "dim", input, params.dim);
    const ccl::Groups groups = ccl::groups_of(input, axis);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, outputs[0], outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::partition(inputs[0], outputs[0], dim, groups);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.dim).add(params.cluster_axis).add(params.memory_config);
    };
    Tensor result = launch(
        {.name = "ttnn::prim::mesh_partition",
         .inputs = {&input, 1},
         .program = program,
         .kernel = kernel,
         .arguments = arguments,
         .whole_mesh = true},
        ccl::output_spec(input, ccl::cut(input.logical_shape(), dim, chips), params.memory_config, std::nullopt));
    ccl::place(result, input, axis, ccl::shard(dim));
    return result;
}

inline void MeshPartition::cases(CaseMaker& make) {
    const uint32_t chips = ccl::chips(make);
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32 * chips}), .dim = -1, .cluster_axis = axis});
        make.add(Params{.input_tensor = ccl::spread(make, {2, 3 * chips, 40}),
                        .dim = 1,
                        .cluster_axis = axis,
                        .memory_config = l1_memory_config()});
    }
}

}  // namespace ttnn

#endif
