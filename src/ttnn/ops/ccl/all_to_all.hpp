// all_to_all_async: each chip of a group gets its slice of what all of them hold.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct AllToAllAsync {
    static constexpr std::string_view name = "ttnn.experimental.all_to_all_async";
    static constexpr std::string_view doc =
        "Spreads a tensor along another dimension: slices along out_dim of all chips, joined along in_dim.";
    struct Params {
        Tensor input_tensor{};
        Tensor persistent_intermediate_buffer{};
        Tensor persistent_output_buffer{};
        int64_t in_dim = 0;
        int64_t out_dim = 0;
        SemaphoreArgument multi_device_global_semaphore{};
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Ring;
        std::optional<int64_t> subdevice_id{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::persistent_intermediate_buffer>("room for what is on its way; stays as it is here"),
                  arg<&Params::persistent_output_buffer>("written into and returned").mutates(),
                  arg<&Params::in_dim>("dimension to join, negative from the end"),
                  arg<&Params::out_dim>("dimension to cut, negative from the end; a multiple of the chips"),
                  opt<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
                  kw<&Params::memory_config>("no effect: the buffer has one")} +
        ccl::link_fields<Params>;
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

struct AllToAllAsyncGeneric {
    static constexpr std::string_view name = "ttnn.experimental.all_to_all_async_generic";
    static constexpr std::string_view doc = AllToAllAsync::doc;
    struct Params {
        Tensor input_tensor{};
        int64_t in_dim = 0;
        int64_t out_dim = 0;
        std::optional<Tensor> persistent_output_buffer{};
        std::optional<int64_t> num_links{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<CclTopology> topology{};
        std::optional<int64_t> subdevice_id{};
        std::optional<int64_t> cluster_axis{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::in_dim>("dimension to join, negative from the end"),
                  arg<&Params::out_dim>("dimension to cut, negative from the end; a multiple of the chips of a group"),
                  kw<&Params::persistent_output_buffer>("written into and returned").mutates(),
                  kw<&Params::memory_config>("default: the input's, shards refitted"),
                  kw<&Params::cluster_axis>(ccl::axis_or_all_doc)} +
        ccl::link_fields<Params>;
    static constexpr Tolerance tolerance = AllToAllAsync::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<AllToAllAsync> all_to_all_async{};
inline constexpr Op<AllToAllAsyncGeneric> all_to_all_async_generic{};
}  // namespace experimental

TTNN_DECLARATION(AllToAllAsync);
TTNN_DECLARATION(AllToAllAsyncGeneric);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

namespace reference {
// All parts joined, of which a chip keeps its slice. Along the same dimension a chip keeps a slice of every part.
inline Array exchanged(const Tensor& input, std::optional<int64_t> axis, int64_t joined, int64_t cut, uint32_t chip) {
    const auto chips = members(mesh_of(input), axis, chip);
    const auto count = static_cast<uint32_t>(chips.size());
    const uint32_t place = place_among(chips, chip);
    const size_t rank = input.logical_shape().rank();
    if (from_front(joined, rank) != from_front(cut, rank)) {
        return slice_of(gathered(input, chips, joined), cut, count, place);
    }
    const size_t dim = from_front(cut, rank);
    const uint32_t step = input.logical_shape()[static_cast<int64_t>(dim)] / count;
    std::vector<Array> slices;
    for (const uint32_t member : chips) {
        slices.push_back(slice_of(values(input.part(member)), cut, count, place));
    }
    return generated(input.logical_shape(), [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        source[dim] %= step;
        return slices[index[dim] / step].at(source);
    });
}
}  // namespace reference

inline std::vector<reference::Array> AllToAllAsync::mesh_reference(const Params& params, uint32_t chip) {
    return {reference::exchanged(params.input_tensor, std::nullopt, params.in_dim, params.out_dim, chip)};
}
inline std::vector<reference::Array> AllToAllAsyncGeneric::mesh_reference(const Params& params, uint32_t chip) {
    return {reference::exchanged(params.input_tensor, params.cluster_axis, params.in_dim, params.out_dim, chip)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/collectives.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/rules.hpp"

namespace ttnn {

namespace ccl {

struct ExchangeCall {
    std::string_view op;
    std::string_view primitive;
    Tensor input;
    int64_t in_dim = 0;
    int64_t out_dim = 0;
    std::optional<int64_t> cluster_axis{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<Tensor> output{};
    std::optional<int64_t> links{};
};

inline ExchangeCall exchange_call(const AllToAllAsync::Params& params) {
    return {.op = AllToAllAsync::name,
            .primitive = "ttnn::prim::all_to_all_async",
            .input = params.input_tensor,
            .in_dim = params.in_dim,
            .out_dim = params.out_dim,
            .output = params.persistent_output_buffer,
            .links = params.num_links};
}

inline ExchangeCall exchange_call(const AllToAllAsyncGeneric::Params& params) {
    return {.op = AllToAllAsyncGeneric::name,
            .primitive = "ttnn::prim::all_to_all_async_generic",
            .input = params.input_tensor,
            .in_dim = params.in_dim,
            .out_dim = params.out_dim,
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .output = params.persistent_output_buffer,
            .links = params.num_links};
}

inline Shape exchanged_shape(const ExchangeCall& call) {
    const uint32_t chips = group_size(call.input, mesh_axis(call.op, call.input, call.cluster_axis));
    const size_t joined = checked_dim(call.op, "in_dim", call.input, call.in_dim);
    const size_t out = checked_dim(call.op, "out_dim", call.input, call.out_dim);
    check_divisible(call.op, call.input.logical_shape(), out, chips);
    return grown(cut(call.input.logical_shape(), out, chips), joined, chips);
}

inline void check_exchange(const ExchangeCall& call) {
    check_whole(call.op, "input_tensor", call.input);
    check_output(call.op, "persistent_output_buffer", call.output, call.input, exchanged_shape(call));
}

inline Tensor exchange(const ExchangeCall& call, FunctionRef<void(ArgumentList&)> more) {
    const auto axis = mesh_axis(call.op, call.input, call.cluster_axis);
    const size_t joined = checked_dim(call.op, "in_dim", call.input, call.in_dim);
    const size_t out = checked_dim(call.op, "out_dim", call.input, call.out_dim);
    const Groups groups = groups_of(call.input, axis);
    const auto program = [&](Program& p, std::span<const Tensor>) { link_buffers(p, call.input, call.links); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::exchange(inputs[0], outputs[0], joined, out, groups);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(call.input).add(call.output).add(call.in_dim).add(call.out_dim).add(call.memory_config);
        list.add(call.cluster_axis);
        more(list);
    };
    Tensor result =
        launch({.name = call.primitive,
                .inputs = {&call.input, 1},
                .program = program,
                .kernel = kernel,
                .arguments = arguments,
                .whole_mesh = true},
               output_spec(call.input, exchanged_shape(call), call.memory_config, call.output), call.output);
    place(result, call.input, axis, shard(out));
    return result;
}

}  // namespace ccl

inline void AllToAllAsync::validate(const Params& params) { ccl::check_exchange(ccl::exchange_call(params)); }
inline Tensor AllToAllAsync::run(const Params& params) {
    return ccl::exchange(ccl::exchange_call(params), [&](ArgumentList& list) {
        list.add(params.persistent_intermediate_buffer).add_at_run(params.multi_device_global_semaphore);
        list.add(params.num_links).add(params.topology).add(params.subdevice_id);
    });
}
inline void AllToAllAsync::cases(CaseMaker& make) {
    const uint32_t chips = ccl::chips(make);
    make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32 * chips}),
                    .persistent_intermediate_buffer = ccl::spread(make, {1, 1, 32 * chips, 32}),
                    .persistent_output_buffer = ccl::spread(make, {1, 1, 32 * chips, 32}),
                    .in_dim = 2,
                    .out_dim = 3});
}

inline void AllToAllAsyncGeneric::validate(const Params& params) { ccl::check_exchange(ccl::exchange_call(params)); }
inline Tensor AllToAllAsyncGeneric::run(const Params& params) {
    return ccl::exchange(ccl::exchange_call(params), [&](ArgumentList& list) {
        list.add(params.num_links).add(params.topology).add(params.subdevice_id);
    });
}
inline void AllToAllAsyncGeneric::cases(CaseMaker& make) {
    const uint32_t chips = ccl::chips(make);
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 2, 32 * chips, 64}),
                        .in_dim = 3,
                        .out_dim = -2,
                        .cluster_axis = axis});
        make.add(Params{.input_tensor = ccl::spread(make, {3 * chips, 17, 40}),
                        .in_dim = 1,
                        .out_dim = 0,
                        .memory_config = l1_memory_config(),
                        .cluster_axis = axis});
        make.add(Params{
            .input_tensor = ccl::spread(make, {chips, 17, 40}), .in_dim = 0, .out_dim = 0, .cluster_axis = axis});
    }
}

}  // namespace ttnn

#endif
