// Rules that the collectives share: which chips work together, what their arguments may be, and how a result is spread.
#pragma once

#include "ttnn/device/mesh.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn::ccl {

using Groups = std::vector<std::vector<uint32_t>>;

// A collective looks at all chips; one chip's part of a tensor is not enough.
inline void check_whole(std::string_view op, std::string_view argument, const Tensor& tensor) {
    require(tensor.num_parts() == tensor.device()->num_chips(),
            "{}: argument '{}' is what one chip holds; the tensor of all {} chips is needed", op, argument,
            tensor.device()->num_chips());
}

// The dimension of the mesh that chips work together along; none: all of them do.
inline std::optional<uint32_t> mesh_axis(std::string_view op, const Tensor& input,
                                         const std::optional<int64_t>& cluster_axis) {
    if (!cluster_axis) {
        return std::nullopt;
    }
    const MeshShape& mesh = input.device()->mesh();
    require(*cluster_axis >= 0 && *cluster_axis < static_cast<int64_t>(mesh.rank()),
            "{}: argument 'cluster_axis' must be one of the {} dimensions of a mesh of {}, got {}", op, mesh.rank(),
            mesh.to_string(), *cluster_axis);
    return static_cast<uint32_t>(*cluster_axis);
}

// The chip at a place that the caller names.
inline uint32_t chip_at(std::string_view op, std::string_view argument, const Tensor& input,
                        const MeshCoordinate& coordinate) {
    const MeshShape& mesh = input.device()->mesh();
    const bool inside =
        coordinate.values.size() == mesh.rank() &&
        std::ranges::equal(coordinate.values, mesh.dims, [](uint32_t at, uint32_t size) { return at < size; });
    require(inside, "{}: argument '{}' must be a place in a mesh of {}, got MeshCoordinate({})", op, argument,
            mesh.to_string(), coordinate.to_string());
    return mesh.index_of(coordinate);
}

inline Groups groups_of(const Tensor& input, std::optional<uint32_t> axis) {
    return groups_along(input.device()->mesh(), axis);
}
inline uint32_t group_size(const Tensor& input, std::optional<uint32_t> axis) {
    const MeshShape& mesh = input.device()->mesh();
    return axis ? mesh.dims[*axis] : mesh.num_chips();
}
// Whether operations that are not asynchronous take the dimensions of the mesh one after the other.
inline bool goes_axis_by_axis(const Tensor& input, const std::optional<int64_t>& cluster_axis) {
    return !cluster_axis && !input.device()->mesh().is_line();
}

inline size_t checked_dim(std::string_view op, std::string_view argument, const Tensor& input, int64_t dim) {
    return input.logical_shape().normalize_dim(dim, fmt::format("{}: argument '{}'", op, argument));
}
// Where callers may leave the dimension out because an optional argument stands before it.
inline int64_t given_dim(std::string_view op, const std::optional<int64_t>& dim) {
    require(dim.has_value(), "{}: argument 'dim' is missing", op);
    return *dim;
}

inline void check_divisible(std::string_view op, const Shape& shape, size_t dim, uint32_t chips) {
    const uint32_t size = shape[static_cast<int64_t>(dim)];
    require(size % chips == 0, "{}: dimension {} of {} has {} elements, which {} chips cannot share evenly", op, dim,
            shape, size, chips);
}

// Links can only add.
inline void check_sum(std::string_view op, ReduceType math_op) {
    require(math_op == ReduceType::Sum, "{}: argument 'math_op' must be ReduceType.Sum, got {}", op, math_op);
}

inline Shape grown(const Shape& shape, size_t dim, uint32_t factor) {
    Shape result = shape;
    result[static_cast<int64_t>(dim)] *= factor;
    return result;
}
inline Shape cut(const Shape& shape, size_t dim, uint32_t parts) {
    Shape result = shape;
    result[static_cast<int64_t>(dim)] /= parts;
    return result;
}

// A buffer that the caller provides for the result must be what the result would be.
inline void check_output(std::string_view op, std::string_view argument, const std::optional<Tensor>& output,
                         const Tensor& input, const Shape& shape) {
    if (!output) {
        return;
    }
    check_whole(op, argument, *output);
    check_preallocated(op, argument, *output, shape);
    require(output->dtype() == input.dtype() && output->layout() == input.layout(),
            "{}: argument '{}' must have the input's {} and {}, got {} and {}", op, argument, input.dtype(),
            input.layout(), output->dtype(), output->layout());
}

// Of the result: what the caller gave, else the input's with shards refitted.
inline TensorSpec output_spec(const Tensor& input, const Shape& shape, const std::optional<MemoryConfig>& given,
                              const std::optional<Tensor>& output) {
    if (output) {
        return output->spec();
    }
    return TensorSpec(shape, input.dtype(), input.layout(), movement::fitted_output_config(given, input, shape),
                      input.spec().tile());
}

// Of a step whose result goes into the next one: a shard spec only fits the last.
inline std::optional<MemoryConfig> between_steps(const std::optional<MemoryConfig>& given) {
    return given && given->is_sharded()
               ? std::optional(MemoryConfig(TensorMemoryLayout::INTERLEAVED, given->buffer_type()))
               : given;
}

// Says how the dimension of the mesh that an operation worked along, or all of them, spread its result. What was spread
// over all chips in one line stays so where the group was that line.
inline void place(Tensor& output, const Tensor& input, std::optional<uint32_t> axis, const Placement& placement) {
    const MeshShape& mesh = input.device()->mesh();
    if (mesh.num_chips() == 1) {
        return;
    }
    Topology topology = input.topology();
    const bool in_line = topology.distribution.rank() == 1;
    if (axis && in_line && mesh.dims[*axis] != mesh.num_chips()) {
        const Placement along = topology.placements.front();  // cut in row-major order: along each dimension
        topology = {std::vector<Placement>(mesh.rank(), along), mesh};
    }
    if (axis && topology.placements.size() > *axis && topology.distribution.rank() > 1) {
        topology.placements[*axis] = placement;
    } else {
        std::ranges::fill(topology.placements, placement);
    }
    output.set_topology(std::move(topology));
}
inline Placement shard(size_t dim) { return {static_cast<int32_t>(dim)}; }
inline constexpr Placement replicate{};

// Packets that wait on the cores that drive the links; two workers per link, one for each direction.
inline void link_buffers(Program& program, const Tensor& work, const std::optional<int64_t>& links) {
    const auto workers = static_cast<uint64_t>(2 * std::clamp<int64_t>(links.value_or(1), 1, 4));
    program.circular_buffer(program.split(workers), movement::capped(program, work, 2 * page_bytes(work)));
}

}  // namespace ttnn::ccl
