// slice_reshard_async: a slice of a tensor that chips of a group cut, cut anew.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct SliceReshardAsync {
    static constexpr std::string_view name = "ttnn.experimental.slice_reshard_async";
    static constexpr std::string_view doc =
        "The parts of a group joined along a dimension, of which a slice is shared evenly again.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
        int64_t output_dim_offset = 0;
        int64_t output_dim_shape = 0;
        int64_t cluster_axis = 0;
        std::optional<GlobalSemaphore> final_semaphore{};
        std::optional<GlobalSemaphore> barrier_semaphore{};
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Linear;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a mesh"),
        arg<&Params::dim>("dimension that the chips cut, negative from the end"),
        arg<&Params::output_dim_offset>("first element of the slice in the joined tensor"),
        arg<&Params::output_dim_shape>("size of the slice; a multiple of the chips of a group"),
        arg<&Params::cluster_axis>(ccl::axis_doc),
        opt<&Params::final_semaphore>(ccl::semaphore_doc).is_volatile(),
        opt<&Params::barrier_semaphore>(ccl::semaphore_doc).is_volatile(),
        kw<&Params::num_links>("links between chips to use; no effect on results"),
        kw<&Params::memory_config>("default: the input's, shards refitted"),
        kw<&Params::topology>("how chips are linked; no effect on results")};
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<SliceReshardAsync> slice_reshard_async{};
}

TTNN_DECLARATION(SliceReshardAsync);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

inline std::vector<ttnn::reference::Array> ttnn::SliceReshardAsync::mesh_reference(const Params& params,
                                                                                   uint32_t chip) {
    const Tensor& input = params.input_tensor;
    const auto chips = reference::members(reference::mesh_of(input), params.cluster_axis, chip);
    const reference::Array whole = reference::gathered(input, chips, params.dim);
    const size_t dim = reference::from_front(params.dim, whole.shape.rank());
    const auto share = static_cast<uint32_t>(params.output_dim_shape) / static_cast<uint32_t>(chips.size());
    const uint32_t first =
        static_cast<uint32_t>(params.output_dim_offset) + reference::place_among(chips, chip) * share;
    Shape shape = whole.shape;
    shape[static_cast<int64_t>(dim)] = share;
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        source[dim] += first;
        return whole.at(source);
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/collectives.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/rules.hpp"

namespace ttnn {

inline void SliceReshardAsync::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    ccl::check_whole(name, "input_tensor", input);
    const int64_t chips = ccl::group_size(input, ccl::mesh_axis(name, input, params.cluster_axis));
    const size_t dim = ccl::checked_dim(name, "dim", input, params.dim);
    const int64_t joined = chips * input.logical_shape()[static_cast<int64_t>(dim)];
    require(params.output_dim_offset >= 0 && params.output_dim_shape > 0 &&
                params.output_dim_offset <= joined - params.output_dim_shape,
            "{}: argument 'output_dim_shape' {} from 'output_dim_offset' {} on lies outside of the {} elements of "
            "dimension {}",
            name, params.output_dim_shape, params.output_dim_offset, joined, dim);
    require(params.output_dim_shape % chips == 0,
            "{}: argument 'output_dim_shape' must be a multiple of the {} chips of a group, got {}", name, chips,
            params.output_dim_shape);
}

inline Tensor SliceReshardAsync::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto axis = ccl::mesh_axis(name, input, params.cluster_axis);
    const size_t dim = ccl::checked_dim(name, "dim", input, params.dim);
    const ccl::Groups groups = ccl::groups_of(input, axis);
    Shape shape = input.logical_shape();
    shape[static_cast<int64_t>(dim)] =
        static_cast<uint32_t>(params.output_dim_shape / static_cast<int64_t>(groups.front().size()));
    const auto program = [&](Program& p, std::span<const Tensor>) { ccl::link_buffers(p, input, params.num_links); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::reslice(inputs[0], outputs[0], dim, static_cast<uint64_t>(params.output_dim_offset), groups);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.dim).add(params.output_dim_offset).add(params.output_dim_shape);
        list.add(params.cluster_axis).add_at_run(params.final_semaphore).add_at_run(params.barrier_semaphore);
        list.add(params.num_links).add(params.memory_config).add(params.topology);
    };
    Tensor result = launch({.name = "ttnn::prim::slice_reshard_async",
                            .inputs = {&input, 1},
                            .program = program,
                            .kernel = kernel,
                            .arguments = arguments,
                            .whole_mesh = true},
                           ccl::output_spec(input, shape, params.memory_config, std::nullopt));
    ccl::place(result, input, axis, ccl::shard(dim));
    return result;
}

inline void SliceReshardAsync::cases(CaseMaker& make) {
    const MeshShape& mesh = make.device()->mesh();
    for (uint32_t axis = 0; axis < mesh.rank(); ++axis) {
        make.add(Params{.input_tensor = ccl::spread(make, {5, 32, 64}),
                        .dim = 0,
                        .output_dim_offset = mesh.dims[axis],
                        .output_dim_shape = 3 * mesh.dims[axis],
                        .cluster_axis = axis});
        make.add(Params{.input_tensor = ccl::spread(make, {2, 17, 40}),
                        .dim = -2,
                        .output_dim_offset = 3,
                        .output_dim_shape = 11 * mesh.dims[axis],
                        .cluster_axis = axis,
                        .memory_config = l1_memory_config()});
    }
}

}  // namespace ttnn

#endif
