// point_to_point: one chip's part goes to another chip.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct PointToPoint {
    static constexpr std::string_view name = "ttnn.point_to_point";
    static constexpr std::string_view doc =
        "What the sender holds, at the receiver; other chips keep what the output holds, a new one is zero there.";
    struct Params {
        Tensor input_tensor{};
        MeshCoordinate sender_coord{};
        MeshCoordinate receiver_coord{};
        CclTopology topology = CclTopology::Linear;
        std::optional<Tensor> output_tensor{};
        std::optional<Tensor> intermediate_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a mesh"),
                                      arg<&Params::sender_coord>("place of the sender in the mesh"),
                                      arg<&Params::receiver_coord>("place of the receiver in the mesh"),
                                      kw<&Params::output_tensor>("written into and returned").mutates(),
                                      kw<&Params::intermediate_tensor>("room for what is on its way; not used here"),
                                      kw<&Params::topology>("how chips are linked; no effect on results")};
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(point_to_point, PointToPoint);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

inline std::vector<ttnn::reference::Array> ttnn::PointToPoint::mesh_reference(const Params& params, uint32_t chip) {
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    if (chip == mesh.index_of(params.receiver_coord)) {
        return {reference::values(params.input_tensor.part(mesh.index_of(params.sender_coord)))};
    }
    return {params.output_tensor ? reference::values(params.output_tensor->part(chip))
                                 : reference::Array(params.input_tensor.logical_shape())};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/rules.hpp"

namespace ttnn {

inline void PointToPoint::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    ccl::check_whole(name, "input_tensor", input);
    ccl::chip_at(name, "sender_coord", input, params.sender_coord);
    ccl::chip_at(name, "receiver_coord", input, params.receiver_coord);
    ccl::check_output(name, "output_tensor", params.output_tensor, input, input.logical_shape());
}

inline Tensor PointToPoint::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const uint32_t sender = ccl::chip_at(name, "sender_coord", input, params.sender_coord);
    const uint32_t receiver = ccl::chip_at(name, "receiver_coord", input, params.receiver_coord);
    const auto program = [&](Program& p, std::span<const Tensor>) { ccl::link_buffers(p, input, 1); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        Tensor received = outputs[0].part(receiver);
        compute::transfer(inputs[0].part(sender), received);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.receiver_coord).add(params.sender_coord).add(params.topology);
        list.add(params.output_tensor).add(params.intermediate_tensor);
    };
    return launch({.name = "ttnn::prim::point_to_point",
                   .inputs = {&input, 1},
                   .program = program,
                   .kernel = kernel,
                   .arguments = arguments,
                   .whole_mesh = true},
                  params.output_tensor ? params.output_tensor->spec() : input.spec(), params.output_tensor);
}

inline void PointToPoint::cases(CaseMaker& make) {
    const MeshShape& mesh = make.device()->mesh();
    const MeshCoordinate first = mesh.coordinate_of(0);
    const MeshCoordinate last = mesh.coordinate_of(mesh.num_chips() - 1);
    make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}), .sender_coord = last, .receiver_coord = first});
    make.add(Params{.input_tensor = ccl::spread(make, {2, 17, 40}),
                    .sender_coord = first,
                    .receiver_coord = last,
                    .output_tensor = ccl::spread(make, {2, 17, 40})});
}

}  // namespace ttnn

#endif
