#include "ttnn/ops/transformer/ring_attention.hpp"

#include <algorithm>

#include "ttnn/op/refusal.hpp"
#include "ttnn/ops/ccl/rules.hpp"
#include "ttnn/ops/transformer/attention_program.hpp"

namespace ttnn::attention {
namespace {

using Joint = RingJointScaledDotProductAttention;
using Distributed = RingDistributedScaledDotProductAttention;

constexpr std::string_view joint_primitive = "ttnn::prim::ring_joint_scaled_dot_product_attention";
constexpr std::string_view distributed_primitive = "ttnn::prim::ring_distributed_sdpa";

bool has_joint(const Joint::Params& p) { return p.joint_tensor_q && p.joint_tensor_q->logical_volume() > 0; }

uint32_t joint_rows(const Joint::Params& p) { return has_joint(p) ? p.joint_tensor_q->logical_shape()[2] : 0; }

uint32_t ring_of(const Joint::Params& p) {
    return ccl::group_size(p.input_tensor_k, ccl::mesh_axis(Joint::name, p.input_tensor_k, p.cluster_axis));
}

// --- checks ----------------------------------------------------------------------------------------------------------

void check_operand_of(const Joint::Params& p, std::string_view argument, const Tensor& tensor, const Shape& wanted) {
    ccl::check_whole(Joint::name, argument, tensor);
    check_dram_operand(Joint::name, argument, tensor);
    require(tensor.logical_shape() == wanted, "{}: argument '{}' must be {}, got {}", Joint::name, argument, wanted,
            tensor.logical_shape());
    require(tensor.dtype() == p.input_tensor_q.dtype(), "{}: argument '{}' must have {}, got {}", Joint::name, argument,
            p.input_tensor_q.dtype(), tensor.dtype());
}

void check_joint_tensors(const Joint::Params& p) {
    require(p.joint_tensor_q.has_value() == p.joint_tensor_k.has_value() &&
                p.joint_tensor_q.has_value() == p.joint_tensor_v.has_value(),
            "{}: arguments 'joint_tensor_q', 'joint_tensor_k' and 'joint_tensor_v' belong together", Joint::name);
    if (!has_joint(p)) {
        return;
    }
    Shape wanted = p.input_tensor_q.logical_shape();
    wanted[2] = joint_rows(p);
    check_operand_of(p, "joint_tensor_q", *p.joint_tensor_q, wanted);
    check_operand_of(p, "joint_tensor_k", *p.joint_tensor_k, wanted);
    check_operand_of(p, "joint_tensor_v", *p.joint_tensor_v, wanted);
}

void check(const Joint::Params& p) {
    const Tensor& q = p.input_tensor_q;
    ccl::check_whole(Joint::name, "input_tensor_q", q);
    check_dram_operand(Joint::name, "input_tensor_q", q);
    require(p.joint_strategy == "rear", "{}: argument 'joint_strategy' must be \"rear\", got \"{}\"", Joint::name,
            p.joint_strategy);
    require(p.dim == 2 || p.dim == -2, "{}: argument 'dim' must be 2, got {}", Joint::name, p.dim);
    check_chunks(Joint::name, p.program_config);
    const Shape& shape = q.logical_shape();
    check_operand_of(p, "input_tensor_k", p.input_tensor_k, shape);
    check_operand_of(p, "input_tensor_v", p.input_tensor_v, shape);
    const Shape all = ccl::grown(shape, 2, ring_of(p));
    check_operand_of(p, "persistent_output_buffer_k", p.persistent_output_buffer_k, all);
    check_operand_of(p, "persistent_output_buffer_v", p.persistent_output_buffer_v, all);
    require(p.logical_n > 0 && p.logical_n <= all[2], "{}: argument 'logical_n' must be 1 to {}, got {}", Joint::name,
            all[2], p.logical_n);
    check_joint_tensors(p);
}

// What a call is without regard to who computes which queries.
Prefill whole_call(const Distributed::Params& p) {
    return {.op = Distributed::name,
            .q = p.input_tensor_q,
            .k = p.input_tensor_k,
            .v = p.input_tensor_v,
            .scale = p.scale,
            .page_table = p.page_table,
            .chunk_start_idx = p.chunk_start_idx,
            .memory_config = p.memory_config,
            .program_config = p.program_config,
            .compute_kernel_config = p.compute_kernel_config};
}

void check(const Distributed::Params& p) {
    for (const auto& [argument, tensor] :
         {std::pair<std::string_view, const Tensor&>("input_tensor_q", p.input_tensor_q),
          {"input_tensor_k", p.input_tensor_k},
          {"input_tensor_v", p.input_tensor_v}}) {
        ccl::check_whole(Distributed::name, argument, tensor);
        check_dram_operand(Distributed::name, argument, tensor);
        require(tensor.dtype() == p.input_tensor_q.dtype(), "{}: argument '{}' must have {}, got {}", Distributed::name,
                argument, p.input_tensor_q.dtype(), tensor.dtype());
    }
    require(p.ring_size > 0 && p.ring_size <= 32 && p.ring_size % 2 == 0,
            "{}: argument 'ring_size' must be an even number up to 32, got {}", Distributed::name, p.ring_size);
    require(!p.ring_id || (*p.ring_id >= 0 && *p.ring_id < p.ring_size),
            "{}: argument 'ring_id' must be below {}, got {}", Distributed::name, p.ring_size, p.ring_id.value_or(0));
    const uint32_t queries = p.input_tensor_q.logical_shape()[2];
    const int64_t chunks = 2 * p.ring_size;
    require(queries % chunks == 0 && queries / tile_size >= chunks,
            "{}: argument 'input_tensor_q' must have a multiple of {} queries, a tile for each, got {}",
            Distributed::name, chunks, queries);
    const int64_t chunk = p.program_config ? p.program_config->q_chunk_size : tile_size;
    check_chunks(Distributed::name, p.program_config);
    require(queries / chunks % chunk == 0, "{}: {} queries of a chunk are not a multiple of the q_chunk_size of {}",
            Distributed::name, queries / chunks, chunk);
    require(!p.page_table || p.chunk_start_idx, "{}: argument 'page_table' needs a 'chunk_start_idx'",
            Distributed::name);
    require(!p.chunk_start_idx || p.page_table, "{}: argument 'chunk_start_idx' needs a 'page_table'",
            Distributed::name);
}

// --- running ---------------------------------------------------------------------------------------------------------

// Optional inputs that are not given stay empty.
Tensor on_chip(const Tensor& tensor, uint32_t chip) { return tensor ? tensor.part(chip) : Tensor(); }

std::vector<Tensor> inputs_of(const Joint::Params& p) {
    std::vector<Tensor> inputs{p.input_tensor_q, p.input_tensor_k, p.input_tensor_v};
    for (const auto& tensor : {p.joint_tensor_q, p.joint_tensor_k, p.joint_tensor_v}) {
        inputs.push_back(has_joint(p) ? *tensor : Tensor());
    }
    return inputs;
}

// A chip's output, joint output, and the logs of the sums of both.
void compute_chip(const Joint::Params& p, std::span<const Tensor> inputs, const std::vector<uint32_t>& group,
                  uint32_t chip, std::span<Tensor> outputs) {
    const auto sequence = [&](size_t own, size_t joint) {
        compute::KeySequence result;
        size_t left = static_cast<size_t>(p.logical_n);
        for (const uint32_t member : group) {
            const Tensor part = inputs[own].part(member);
            const size_t rows = std::min<size_t>(left, part.logical_shape()[2]);
            result.parts.push_back({part, rows});
            left -= rows;
        }
        if (inputs[joint]) {
            result.parts.push_back({inputs[joint].part(chip), joint_rows(p)});
        }
        return result;
    };
    const compute::KeySequence keys = sequence(1, 4);
    const compute::KeySequence values = sequence(2, 5);
    const Shape& shape = inputs[0].logical_shape();
    const size_t counts[] = {shape[2], joint_rows(p)};
    std::vector<float> logs[2];
    for (size_t i = 0; i < 2; ++i) {
        if (counts[i] > 0) {
            Tensor output = outputs[i].part(chip);
            attend_all(on_chip(inputs[3 * i], chip), keys, values, scale_of(p.scale, inputs[0]), output, &logs[i]);
        }
    }
    std::vector<float> all;
    for (size_t head = 0; head < size_t{shape[0]} * shape[1]; ++head) {
        for (size_t i = 0; i < 2; ++i) {
            const auto first = logs[i].begin() + static_cast<std::ptrdiff_t>(head * counts[i]);
            all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(counts[i]));
        }
    }
    Tensor output = outputs[2].part(chip);
    write<float>(output, all);
}

TensorSpec joint_output(const Joint::Params& p, uint32_t rows, uint32_t width) {
    Shape shape = p.input_tensor_q.logical_shape();
    shape[2] = rows;
    shape[3] = width;
    return TensorSpec(shape, p.input_tensor_q.dtype(), Layout::TILE);
}

// The dimension of the mesh that a ring of this size lies along; the last, where several do.
std::optional<uint32_t> ring_axis(const MeshShape& mesh, int64_t size) {
    for (size_t i = mesh.rank(); i-- > 0;) {
        if (mesh.dims[i] == size) {
            return static_cast<uint32_t>(i);
        }
    }
    return std::nullopt;
}

size_t place_of(const Distributed::Params& p, const MeshShape& mesh, uint32_t chip) {
    if (p.ring_id) {
        return static_cast<size_t>(*p.ring_id);
    }
    const auto axis = ring_axis(mesh, p.ring_size);
    return axis ? mesh.coordinate_of(chip).values[*axis] : chip % static_cast<size_t>(p.ring_size);
}

void compute_chip(const Distributed::Params& p, std::span<const Tensor> inputs, size_t place, Tensor output) {
    const Shape& q = inputs[0].logical_shape();
    const auto sequence = [&](const Tensor& tensor) {
        return inputs[3] ? sequence_of(tensor, inputs[3], q[0]) : sequence_of(tensor);
    };
    const compute::KeySequence keys = sequence(inputs[1]);
    const compute::KeySequence values = sequence(inputs[2]);
    const size_t chunks = 2 * static_cast<size_t>(p.ring_size);
    const size_t chunk = q[2] / chunks;
    const auto start = static_cast<size_t>(p.chunk_start_idx.value_or(0));
    const auto visible = [&](size_t, size_t query) { return compute::KeyRange{0, start + query + 1}; };
    compute::attention({.queries = inputs[0],
                        .batches = q[0],
                        .heads = q[1],
                        .query_rows = q[2],
                        .runs = {{place * chunk, chunk}, {(chunks - 1 - place) * chunk, chunk}},
                        .keys = keys,
                        .values = &values,
                        .value_width = values.width(),
                        .scale = scale_of(p.scale, inputs[0]),
                        .visible = visible},
                       {output});
}

TensorSpec distributed_output(const Distributed::Params& p) {
    Shape shape = p.input_tensor_q.logical_shape();
    shape[2] /= static_cast<uint32_t>(p.ring_size);
    return TensorSpec(shape, p.input_tensor_q.dtype(), Layout::TILE, p.memory_config.value_or(MemoryConfig()));
}

}  // namespace

void validate_ring(const Joint::Params& params) {
    check_primitive(
        joint_primitive, [&] { check(params); }, [&] { return given(inputs_of(params)); },
        [&] { return params.input_tensor_q.spec(); });
}

std::tuple<Tensor, Tensor, Tensor> run_ring(const Joint::Params& p) {
    const std::vector<Tensor> inputs = inputs_of(p);
    const Shape& shape = p.input_tensor_q.logical_shape();
    const ccl::Groups groups =
        ccl::groups_of(p.input_tensor_k, ccl::mesh_axis(Joint::name, p.input_tensor_k, p.cluster_axis));
    const auto program = [&](Program& made, std::span<const Tensor> outputs) {
        const bool padded = is_padded(p.program_config, shape[2], static_cast<uint64_t>(p.logical_n)) ||
                            is_padded(p.program_config, joint_rows(p), joint_rows(p));
        declare_chunks(made, {.q = p.input_tensor_q,
                              .k = p.input_tensor_k,
                              .v = p.input_tensor_v,
                              .output = outputs[0],
                              .value_width = shape[3],
                              .mask = padded ? std::optional(DataType::BFLOAT4_B) : std::nullopt,
                              .config = p.program_config});
    };
    const auto kernel = [&](std::span<const Tensor> tensors, std::span<Tensor> outputs) {
        for (const std::vector<uint32_t>& group : groups) {
            for (const uint32_t chip : group) {
                compute_chip(p, tensors, group, chip, outputs);
            }
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(p.input_tensor_q).add(p.input_tensor_k).add(p.input_tensor_v).add(p.joint_tensor_q);
        list.add(p.joint_tensor_k).add(p.joint_tensor_v).add(p.persistent_output_buffer_k);
        list.add(p.persistent_output_buffer_v).add(p.joint_strategy).add(p.logical_n).add(p.program_config);
        list.add(p.dim).add(p.num_links).add(p.cluster_axis).add(p.topology).add(p.subdevice_id);
        list.add(p.ccl_core_grid_offset).add(p.scale).add(p.compute_kernel_config).add(p.use_column_major_ccl);
    };
    const OutputSlot slots[] = {{joint_output(p, shape[2], shape[3])},
                                {joint_output(p, joint_rows(p), shape[3])},
                                {joint_output(p, shape[2] + joint_rows(p), 1)}};
    std::vector<Tensor> results = launch({.name = joint_primitive,
                                          .inputs = inputs,
                                          .program = program,
                                          .kernel = kernel,
                                          .arguments = arguments,
                                          .whole_mesh = true},
                                         slots);
    return {std::move(results[0]), std::move(results[1]), std::move(results[2])};
}

void validate_ring(const Distributed::Params& params) {
    check_primitive(
        distributed_primitive, [&] { check(params); },
        [&] {
            return std::vector<Tensor>{params.input_tensor_q, params.input_tensor_k, params.input_tensor_v};
        },
        [&] { return distributed_output(params); });
    validate(whole_call(params));
}

Tensor run_ring(const Distributed::Params& p) {
    const Tensor inputs[] = {p.input_tensor_q, p.input_tensor_k, p.input_tensor_v, p.page_table.value_or(Tensor())};
    const MeshShape mesh = p.input_tensor_q.device()->mesh();
    const TensorSpec spec = distributed_output(p);
    const auto program = [&](Program& made, std::span<const Tensor> outputs) {
        declare_chunks(made, {.q = p.input_tensor_q,
                              .k = p.input_tensor_k,
                              .v = p.input_tensor_v,
                              .output = outputs[0],
                              .value_width = p.input_tensor_v.logical_shape()[3],
                              .mask = DataType::BFLOAT4_B,
                              .page_table_bytes = p.page_table ? page_bytes(*p.page_table) : 0,
                              .config = p.program_config});
    };
    const auto kernel = [&](std::span<const Tensor> tensors, std::span<Tensor> outputs) {
        for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
            const Tensor parts[] = {on_chip(tensors[0], chip), on_chip(tensors[1], chip), on_chip(tensors[2], chip),
                                    on_chip(tensors[3], chip)};
            compute_chip(p, parts, place_of(p, mesh, chip), outputs[0].part(chip));
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(p.input_tensor_q).add(p.input_tensor_k).add(p.input_tensor_v).add(p.ring_size).add(p.ring_id);
        list.add(p.scale).add(spec.memory_config()).add(p.program_config).add(p.compute_kernel_config);
        list.add(p.page_table).add_at_run(p.chunk_start_idx);
    };
    Tensor result = launch({.name = distributed_primitive,
                            .inputs = inputs,
                            .program = program,
                            .kernel = kernel,
                            .arguments = arguments,
                            .whole_mesh = true},
                           spec);
    if (!p.ring_id) {
        ccl::place(result, p.input_tensor_q, ring_axis(mesh, p.ring_size), ccl::shard(2));
    }
    return result;
}

}  // namespace ttnn::attention
