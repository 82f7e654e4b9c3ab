// neighbor_pad_async: parts of a cut tensor get rows of their neighbours around them, as convolutions need them.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct NeighborPadAsync {
    static constexpr std::string_view name = "ttnn.experimental.neighbor_pad_async";
    static constexpr std::string_view doc =
        "Puts rows of the neighbours around each chip's part; where there is none, zeros or the row at the border.";
    struct Params {
        Tensor input_tensor{};
        IntOrList dim = int64_t{0};
        IntOrList padding_left = int64_t{0};
        IntOrList padding_right = int64_t{0};
        std::string padding_mode{};
        IntOrList cluster_axis = int64_t{0};
        SemaphoreArgument neighbor_semaphore{};
        SemaphoreArgument barrier_semaphore{};
        std::optional<IntOrList> num_links{};
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Linear;
        std::optional<Tensor> persistent_output_buffer{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a mesh"),
        arg<&Params::dim>("dimension to pad, or several"),
        arg<&Params::padding_left>("rows before, for each dimension"),
        arg<&Params::padding_right>("rows behind, for each dimension"),
        arg<&Params::padding_mode>("at the border: 'zeros' or 'replicate'"),
        arg<&Params::cluster_axis>("dimension of the mesh along which chips are neighbours, for each dimension"),
        opt<&Params::neighbor_semaphore>(ccl::semaphore_doc).is_volatile(),
        opt<&Params::barrier_semaphore>(ccl::semaphore_doc).is_volatile(),
        kw<&Params::num_links>("links between chips to use; no effect on results"),
        kw<&Params::memory_config>("default: the input's, shards refitted"),
        kw<&Params::topology>("how chips are linked; no effect on results"),
        kw<&Params::persistent_output_buffer>("written into and returned").mutates()};
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace ccl {
// One number means a list of one.
inline std::vector<int64_t> listed(const IntOrList& value) {
    const auto* list = std::get_if<std::vector<int64_t>>(&value);
    return list != nullptr ? *list : std::vector<int64_t>{std::get<int64_t>(value)};
}
}  // namespace ccl

namespace experimental {
inline constexpr Op<NeighborPadAsync> neighbor_pad_async{};
}

TTNN_DECLARATION(NeighborPadAsync);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

// Where an element of the result comes from: the dimensions one by one lead to a chip and a place in its part.
inline std::vector<reference::Array> NeighborPadAsync::mesh_reference(const Params& params, uint32_t chip) {
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    const auto dims = ccl::listed(params.dim);
    const auto left = ccl::listed(params.padding_left);
    const auto right = ccl::listed(params.padding_right);
    const auto axes = ccl::listed(params.cluster_axis);
    const Shape& own = params.input_tensor.logical_shape();
    Shape shape = own;
    for (size_t i = 0; i < dims.size(); ++i) {
        shape[dims[i]] += static_cast<uint32_t>(left[i] + right[i]);
    }
    std::vector<reference::Array> parts;
    for (uint32_t other = 0; other < mesh.num_chips(); ++other) {
        parts.push_back(reference::values(params.input_tensor.part(other)));
    }
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        MeshCoordinate place = mesh.coordinate_of(chip);
        for (size_t i = 0; i < dims.size(); ++i) {
            const size_t dim = reference::from_front(dims[i], own.rank());
            const auto axis = static_cast<size_t>(axes[i]);
            const int64_t size = own[dims[i]];
            int64_t at = place.values[axis] * size + static_cast<int64_t>(index[dim]) - left[i];
            const int64_t end = mesh.dims[axis] * size;
            if ((at < 0 || at >= end) && params.padding_mode == "zeros") {
                return 0.0;
            }
            at = std::clamp<int64_t>(at, 0, end - 1);
            place.values[axis] = static_cast<uint32_t>(at / size);
            source[dim] = static_cast<uint32_t>(at % size);
        }
        return parts[mesh.index_of(place)].at(source);
    })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/collectives.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/rules.hpp"

namespace ttnn {

namespace ccl {

// What is put around the parts, dimension by dimension, along which dimension of the mesh.
struct Padding {
    compute::Halo halo;
    uint32_t axis = 0;
};

inline std::vector<Padding> paddings_of(const NeighborPadAsync::Params& params) {
    constexpr std::string_view op = NeighborPadAsync::name;
    const auto dims = listed(params.dim);
    const auto left = listed(params.padding_left);
    const auto right = listed(params.padding_right);
    const auto axes = listed(params.cluster_axis);
    require(
        !dims.empty() && left.size() == dims.size() && right.size() == dims.size() && axes.size() == dims.size(),
        "{}: arguments 'dim', 'padding_left', 'padding_right' and 'cluster_axis' must be lists of equal length, got "
        "{}, {}, {} and {}",
        op, dims.size(), left.size(), right.size(), axes.size());
    require(params.padding_mode == "zeros" || params.padding_mode == "replicate",
            "{}: argument 'padding_mode' must be 'zeros' or 'replicate', got '{}'", op, params.padding_mode);
    std::vector<Padding> paddings;
    for (size_t i = 0; i < dims.size(); ++i) {
        const size_t dim = checked_dim(op, "dim", params.input_tensor, dims[i]);
        const int64_t size = params.input_tensor.logical_shape()[static_cast<int64_t>(dim)];
        require(left[i] >= 0 && right[i] >= 0 && left[i] <= size && right[i] <= size,
                "{}: arguments 'padding_left' and 'padding_right' must be from 0 to the {} elements of dimension {}, "
                "got {} and {}",
                op, size, dim, left[i], right[i]);
        paddings.push_back({{.dim = dim,
                             .before = static_cast<uint32_t>(left[i]),
                             .after = static_cast<uint32_t>(right[i]),
                             .replicate = params.padding_mode == "replicate"},
                            *mesh_axis(op, params.input_tensor, axes[i])});
    }
    return paddings;
}

inline Shape padded_shape(const Shape& shape, const compute::Halo& halo) {
    Shape result = shape;
    result[static_cast<int64_t>(halo.dim)] += halo.before + halo.after;
    return result;
}

}  // namespace ccl

inline void NeighborPadAsync::validate(const Params& params) {
    ccl::check_whole(name, "input_tensor", params.input_tensor);
    Shape shape = params.input_tensor.logical_shape();
    for (const ccl::Padding& padding : ccl::paddings_of(params)) {
        shape = ccl::padded_shape(shape, padding.halo);
    }
    ccl::check_output(name, "persistent_output_buffer", params.persistent_output_buffer, params.input_tensor, shape);
}

// Dimension by dimension: what a neighbour gives the second time has the rows of the first, and so the corners.
inline Tensor NeighborPadAsync::run(const Params& params) {
    Tensor input = params.input_tensor;
    const std::vector<ccl::Padding> paddings = ccl::paddings_of(params);
    for (size_t i = 0; i < paddings.size(); ++i) {
        const ccl::Padding& padding = paddings[i];
        const bool last = i + 1 == paddings.size();
        const ccl::Groups groups = ccl::groups_of(input, padding.axis);
        const auto program = [&](Program& p, std::span<const Tensor>) { ccl::link_buffers(p, input, 1); };
        const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
            compute::pad_from_neighbours(inputs[0], outputs[0], padding.halo, groups);
        };
        const auto arguments = [&](ArgumentList& list) {
            list.add(input).add(params.dim).add(params.padding_left).add(params.padding_right);
            list.add(params.padding_mode).add(params.cluster_axis).add_at_run(params.neighbor_semaphore);
            list.add_at_run(params.barrier_semaphore).add(params.num_links).add(params.memory_config);
            list.add(params.topology).add(params.persistent_output_buffer);
        };
        const std::optional<Tensor> output = last ? params.persistent_output_buffer : std::nullopt;
        const auto config = last ? params.memory_config : ccl::between_steps(params.memory_config);
        input = launch({.name = "ttnn::prim::neighbor_pad_async",
                        .inputs = {&input, 1},
                        .program = program,
                        .kernel = kernel,
                        .arguments = arguments,
                        .whole_mesh = true},
                       ccl::output_spec(input, ccl::padded_shape(input.logical_shape(), padding.halo), config, output),
                       output);
    }
    return input;
}

inline void NeighborPadAsync::cases(CaseMaker& make) {
    for (const std::string mode : {"zeros", "replicate"}) {
        make.add(Params{.input_tensor = ccl::spread(make, {4, 32, 64}),
                        .dim = int64_t{0},
                        .padding_left = int64_t{1},
                        .padding_right = int64_t{2},
                        .padding_mode = mode,
                        .cluster_axis = int64_t{1}});
        make.add(Params{.input_tensor = ccl::spread(make, {3, 4, 40}),
                        .dim = std::vector<int64_t>{0, 1},
                        .padding_left = std::vector<int64_t>{1, 1},
                        .padding_right = std::vector<int64_t>{1, 0},
                        .padding_mode = mode,
                        .cluster_axis = std::vector<int64_t>{0, 1}});
    }
}

}  // namespace ttnn

#endif
