// all_broadcast and broadcast: what one chip of a group holds, for all of them.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct AllBroadcast {
    static constexpr std::string_view name = "ttnn.all_broadcast";
    static constexpr std::string_view doc =
        "A tensor for every chip of a group: its part, on all of them. Without a dimension of the mesh, all of them "
        "one "
        "after the other.";
    struct Params {
        Tensor input_tensor{};
        std::optional<int64_t> cluster_axis{};
        std::optional<int64_t> subdevice_id{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<int64_t> num_links = 1;
        std::optional<CclTopology> topology = CclTopology::Linear;
    };
    using Result = std::vector<Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"), kw<&Params::cluster_axis>(ccl::axis_doc),
                  kw<&Params::memory_config>("default: the input's")} +
        ccl::link_fields<Params>;
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

struct BroadcastPart {
    static constexpr std::string_view name = "ttnn.broadcast";
    static constexpr std::string_view doc =
        "What the sender holds, on all chips; along a dimension of the mesh each group has a sender of its own, at the "
        "coordinate that the given one has along it.";
    struct Params {
        Tensor input_tensor{};
        MeshCoordinate sender_coord{};
        std::optional<int64_t> cluster_axis{};
        std::optional<int64_t> subdevice_id{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<int64_t> num_links = 1;
        CclTopology topology = CclTopology::Linear;
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::sender_coord>("place of the sender in the mesh"),
                  kw<&Params::cluster_axis>(ccl::axis_or_all_doc), kw<&Params::memory_config>("default: the input's")} +
        ccl::link_fields<Params>;
    static constexpr Tolerance tolerance = AllBroadcast::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace ccl {
inline constexpr Op<BroadcastPart> broadcast{};  // ttnn::broadcast is what shapes do
}

TTNN_OPERATION(all_broadcast, AllBroadcast);
TTNN_DECLARATION(BroadcastPart);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

inline std::vector<reference::Array> AllBroadcast::mesh_reference(const Params& params, uint32_t chip) {
    std::vector<reference::Array> outputs;
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    for (const uint32_t member : reference::members(mesh, params.cluster_axis, chip)) {
        outputs.push_back(reference::values(params.input_tensor.part(member)));
    }
    return outputs;
}

inline std::vector<reference::Array> BroadcastPart::mesh_reference(const Params& params, uint32_t chip) {
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    MeshCoordinate sender = params.sender_coord;
    if (params.cluster_axis) {
        const auto axis = static_cast<size_t>(*params.cluster_axis);
        const uint32_t place = sender.values[axis];
        sender = mesh.coordinate_of(chip);
        sender.values[axis] = place;
    }
    return {reference::values(params.input_tensor.part(mesh.index_of(sender)))};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/collectives.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/rules.hpp"

namespace ttnn {

inline void AllBroadcast::validate(const Params& params) {
    ccl::check_whole(name, "input_tensor", params.input_tensor);
    ccl::mesh_axis(name, params.input_tensor, params.cluster_axis);
}

inline std::vector<Tensor> AllBroadcast::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    if (ccl::goes_axis_by_axis(input, params.cluster_axis)) {
        std::vector<Tensor> tensors{input};
        for (size_t axis = 0; axis < input.device()->mesh().rank(); ++axis) {
            Params step = params;
            step.cluster_axis = static_cast<int64_t>(axis);
            std::vector<Tensor> next;
            for (const Tensor& tensor : tensors) {
                step.input_tensor = tensor;
                std::ranges::copy(all_broadcast.with(step), std::back_inserter(next));
            }
            tensors = std::move(next);
        }
        return tensors;
    }
    const auto axis = ccl::mesh_axis(name, input, params.cluster_axis);
    const ccl::Groups groups = ccl::groups_of(input, axis);
    const auto program = [&](Program& p, std::span<const Tensor>) { ccl::link_buffers(p, input, params.num_links); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        for (size_t sender = 0; sender < outputs.size(); ++sender) {
            compute::broadcast_part(inputs[0], outputs[sender], sender, groups);
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.cluster_axis).add(params.subdevice_id).add(params.memory_config);
        list.add(params.num_links).add(params.topology);
    };
    const OutputSlot slot{.spec = ccl::output_spec(input, input.logical_shape(), params.memory_config, std::nullopt)};
    std::vector<Tensor> results = launch({.name = "ttnn::prim::all_broadcast",
                                          .inputs = {&input, 1},
                                          .program = program,
                                          .kernel = kernel,
                                          .arguments = arguments,
                                          .whole_mesh = true},
                                         std::vector<OutputSlot>(groups.front().size(), slot));
    for (Tensor& result : results) {
        ccl::place(result, input, axis, ccl::replicate);
    }
    return results;
}

inline void AllBroadcast::cases(CaseMaker& make) {
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}), .cluster_axis = axis});
        make.add(Params{
            .input_tensor = ccl::spread(make, {2, 17, 40}), .cluster_axis = axis, .memory_config = l1_memory_config()});
    }
}

inline void BroadcastPart::validate(const Params& params) {
    ccl::check_whole(name, "input_tensor", params.input_tensor);
    ccl::mesh_axis(name, params.input_tensor, params.cluster_axis);
    ccl::chip_at(name, "sender_coord", params.input_tensor, params.sender_coord);
}

inline Tensor BroadcastPart::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto axis = ccl::mesh_axis(name, input, params.cluster_axis);
    const ccl::Groups groups = ccl::groups_of(input, axis);
    const uint32_t sender =
        axis ? params.sender_coord.values[*axis] : ccl::chip_at(name, "sender_coord", input, params.sender_coord);
    const auto program = [&](Program& p, std::span<const Tensor>) { ccl::link_buffers(p, input, params.num_links); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::broadcast_part(inputs[0], outputs[0], sender, groups);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.sender_coord).add(params.num_links).add(params.memory_config).add(params.topology);
        list.add(params.cluster_axis).add(params.subdevice_id);
    };
    Tensor result = launch({.name = "ttnn::prim::broadcast",
                            .inputs = {&input, 1},
                            .program = program,
                            .kernel = kernel,
                            .arguments = arguments,
                            .whole_mesh = true},
                           ccl::output_spec(input, input.logical_shape(), params.memory_config, std::nullopt));
    ccl::place(result, input, axis, ccl::replicate);
    return result;
}

inline void BroadcastPart::cases(CaseMaker& make) {
    const MeshShape& mesh = make.device()->mesh();
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}),
                        .sender_coord = mesh.coordinate_of(mesh.num_chips() - 1),
                        .cluster_axis = axis});
        make.add(Params{.input_tensor = ccl::spread(make, {2, 17, 40}),
                        .sender_coord = mesh.coordinate_of(0),
                        .cluster_axis = axis,
                        .memory_config = l1_memory_config()});
    }
}

}  // namespace ttnn

#endif
