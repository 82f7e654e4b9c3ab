// all_gather_async and all_gather_async_reversed: gathering with semaphores and buffers of the caller, in three forms.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

namespace ccl {
template <bool Reversed>
inline constexpr std::string_view gather_async_name =
    Reversed ? "ttnn.experimental.all_gather_async_reversed" : "ttnn.experimental.all_gather_async";
}  // namespace ccl

// All chips in one line.
template <bool Reversed>
struct GatherAsync {
    static constexpr std::string_view name = ccl::gather_async_name<Reversed>;
    static constexpr std::string_view doc =
        Reversed ? "Joins the parts of all chips along a dimension, the last chip's first."
                 : "Joins the parts of all chips along a dimension; every chip gets the whole.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
        SemaphoreArgument multi_device_global_semaphore{};
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Ring;
        std::optional<int64_t> subdevice_id{};
        bool use_optimal_ccl_for_llama = false;
        std::optional<GlobalSemaphore> barrier_semaphore{};
        std::optional<CoreRangeSet> sub_core_grids{};
        std::optional<int64_t> num_workers_per_link{};
        std::optional<int64_t> num_buffers_per_channel{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::dim>("dimension to join, negative from the end"),
                  opt<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
                  kw<&Params::memory_config>("default: the input's, shards refitted"),
                  kw<&Params::use_optimal_ccl_for_llama>("no effect on results"),
                  kw<&Params::barrier_semaphore>("no effect").is_volatile(),
                  kw<&Params::sub_core_grids>("cores to use")} +
        ccl::link_fields<Params> + ccl::buffering_fields<Params>;
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

// The result in a buffer of the caller, along any dimension of the mesh. C++ calls and their traces have this form.
template <bool Reversed>
struct GatherAsyncInto {
    static constexpr std::string_view name = ccl::gather_async_name<Reversed>;
    static constexpr std::string_view doc = GatherAsync<Reversed>::doc;
    struct Params {
        Tensor input_tensor{};
        std::optional<Tensor> persistent_output_buffer{};
        std::optional<int64_t> dim{};
        SemaphoreArgument multi_device_global_semaphore{};
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Ring;
        std::optional<int64_t> subdevice_id{};
        std::optional<int64_t> cluster_axis{};
        bool use_optimal_ccl_for_llama = false;
        std::optional<GlobalSemaphore> barrier_semaphore{};
        std::optional<int64_t> chunks_per_sync{};
        std::optional<int64_t> num_workers_per_link{};
        std::optional<int64_t> num_buffers_per_channel{};
        bool reverse_order = false;
        std::optional<CoreRangeSet> sub_core_grids{};
        bool use_broadcast = false;
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  opt<&Params::persistent_output_buffer>("written into and returned").mutates(),
                  opt<&Params::dim>("dimension to join, negative from the end; must be given"),
                  opt<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
                  kw<&Params::memory_config>("default: the input's, shards refitted"),
                  kw<&Params::cluster_axis>(ccl::axis_or_all_doc),
                  kw<&Params::use_optimal_ccl_for_llama>("no effect on results"),
                  kw<&Params::use_broadcast>("no effect on results"),
                  kw<&Params::barrier_semaphore>("no effect").is_volatile(),
                  kw<&Params::reverse_order>("the last chip's part first"),
                  kw<&Params::sub_core_grids>("cores to use")} +
        ccl::link_fields<Params> + ccl::chunk_fields<Params>;
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

// Along one dimension of a mesh that the caller names.
template <bool Reversed>
struct GatherAsyncAlong {
    static constexpr std::string_view name = ccl::gather_async_name<Reversed>;
    static constexpr std::string_view doc = GatherAsync<Reversed>::doc;
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
        int64_t cluster_axis = 0;
        DeviceHandle mesh_device{};
        CclTopology topology = CclTopology::Ring;
        SemaphoreArgument multi_device_global_semaphore{};
        std::optional<Tensor> persistent_output_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<int64_t> num_links{};
        std::optional<int64_t> subdevice_id{};
        bool use_optimal_ccl_for_llama = false;
        std::optional<GlobalSemaphore> barrier_semaphore{};
        bool use_broadcast = false;
        std::optional<CoreRangeSet> sub_core_grids{};
        std::optional<int64_t> num_workers_per_link{};
        std::optional<int64_t> num_buffers_per_channel{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::dim>("dimension to join, negative from the end"),
                  arg<&Params::cluster_axis>(ccl::axis_doc),
                  arg<&Params::mesh_device>("the device of the tensor"),
                  arg<&Params::topology>("how chips are linked; no effect on results"),
                  opt<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
                  kw<&Params::persistent_output_tensor>("written into and returned").mutates(),
                  kw<&Params::num_links>("links between chips to use; no effect on results"),
                  kw<&Params::memory_config>("default: the input's, shards refitted"),
                  kw<&Params::subdevice_id>("no effect"),
                  kw<&Params::use_optimal_ccl_for_llama>("no effect on results"),
                  kw<&Params::use_broadcast>("no effect on results"),
                  kw<&Params::barrier_semaphore>("no effect").is_volatile(),
                  kw<&Params::sub_core_grids>("cores to use")} +
        ccl::buffering_fields<Params>;
    static constexpr Tolerance tolerance = ccl::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Overloads<GatherAsync<false>, GatherAsyncInto<false>, GatherAsyncAlong<false>> all_gather_async{};
inline constexpr Overloads<GatherAsync<true>, GatherAsyncInto<true>, GatherAsyncAlong<true>>
    all_gather_async_reversed{};
}  // namespace experimental

TTNN_DECLARATION(GatherAsync<false>);
TTNN_DECLARATION(GatherAsyncInto<false>);
TTNN_DECLARATION(GatherAsyncAlong<false>);
TTNN_DECLARATION(GatherAsync<true>);
TTNN_DECLARATION(GatherAsyncInto<true>);
TTNN_DECLARATION(GatherAsyncAlong<true>);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

namespace reference {
inline Array gathered_in_order(const Tensor& input, std::optional<int64_t> axis, uint32_t chip, int64_t dim,
                               bool reversed) {
    std::vector<uint32_t> chips = members(mesh_of(input), axis, chip);
    if (reversed) {
        std::ranges::reverse(chips);
    }
    return gathered(input, chips, dim);
}
}  // namespace reference

template <bool Reversed>
std::vector<reference::Array> GatherAsync<Reversed>::mesh_reference(const Params& params, uint32_t chip) {
    return {reference::gathered_in_order(params.input_tensor, std::nullopt, chip, params.dim, Reversed)};
}

template <bool Reversed>
std::vector<reference::Array> GatherAsyncInto<Reversed>::mesh_reference(const Params& params, uint32_t chip) {
    return {reference::gathered_in_order(params.input_tensor, params.cluster_axis, chip, *params.dim,
                                         Reversed || params.reverse_order)};
}

template <bool Reversed>
std::vector<reference::Array> GatherAsyncAlong<Reversed>::mesh_reference(const Params& params, uint32_t chip) {
    return {reference::gathered_in_order(params.input_tensor, params.cluster_axis, chip, params.dim, Reversed)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/gather_call.hpp"

namespace ttnn {

namespace ccl {

inline constexpr std::string_view gather_async_primitive = "ttnn::prim::all_gather_async";

template <bool Reversed>
GatherCall gather_call(const typename GatherAsync<Reversed>::Params& params) {
    return {.op = gather_async_name<Reversed>,
            .primitive = gather_async_primitive,
            .input = params.input_tensor,
            .dim = params.dim,
            .memory_config = params.memory_config,
            .links = params.num_links,
            .reversed = Reversed};
}

template <bool Reversed>
GatherCall gather_into_call(const typename GatherAsyncInto<Reversed>::Params& params) {
    return {.op = gather_async_name<Reversed>,
            .primitive = gather_async_primitive,
            .input = params.input_tensor,
            .dim = given_dim(gather_async_name<Reversed>, params.dim),
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .output_argument = "persistent_output_buffer",
            .output = params.persistent_output_buffer,
            .links = params.num_links,
            .reversed = Reversed || params.reverse_order};
}

template <bool Reversed>
GatherCall gather_along_call(const typename GatherAsyncAlong<Reversed>::Params& params) {
    return {.op = gather_async_name<Reversed>,
            .primitive = gather_async_primitive,
            .input = params.input_tensor,
            .dim = params.dim,
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .output_argument = "persistent_output_tensor",
            .output = params.persistent_output_tensor,
            .links = params.num_links,
            .reversed = Reversed};
}

// What all forms have in common, as arguments of the primitive.
template <class Params>
void list_gather_arguments(ArgumentList& list, const Params& params) {
    list.add_at_run(params.multi_device_global_semaphore).add(params.num_links).add(params.topology);
    list.add(params.subdevice_id).add(params.use_optimal_ccl_for_llama).add_at_run(params.barrier_semaphore);
    list.add(params.num_workers_per_link).add(params.num_buffers_per_channel).add(params.sub_core_grids);
}

}  // namespace ccl

template <bool Reversed>
void GatherAsync<Reversed>::validate(const Params& params) {
    ccl::check_gather(ccl::gather_call<Reversed>(params));
}
template <bool Reversed>
void GatherAsyncInto<Reversed>::validate(const Params& params) {
    ccl::check_gather(ccl::gather_into_call<Reversed>(params));
}
template <bool Reversed>
void GatherAsyncAlong<Reversed>::validate(const Params& params) {
    ccl::check_gather(ccl::gather_along_call<Reversed>(params));
}

template <bool Reversed>
Tensor GatherAsync<Reversed>::run(const Params& params) {
    return ccl::gather(ccl::gather_call<Reversed>(params),
                       [&](ArgumentList& list) { ccl::list_gather_arguments(list, params); });
}
template <bool Reversed>
Tensor GatherAsyncInto<Reversed>::run(const Params& params) {
    const auto more = [&](ArgumentList& list) {
        ccl::list_gather_arguments(list, params);
        list.add(params.chunks_per_sync).add(params.reverse_order).add(params.use_broadcast);
    };
    return ccl::gather(ccl::gather_into_call<Reversed>(params), more);
}
template <bool Reversed>
Tensor GatherAsyncAlong<Reversed>::run(const Params& params) {
    const auto more = [&](ArgumentList& list) {
        ccl::list_gather_arguments(list, params);
        list.add(params.use_broadcast);
    };
    return ccl::gather(ccl::gather_along_call<Reversed>(params), more);
}

template <bool Reversed>
void GatherAsync<Reversed>::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}), .dim = 3});
    make.add(Params{.input_tensor = ccl::spread(make, {1, 17, 40}), .dim = -2, .topology = CclTopology::Linear});
}

template <bool Reversed>
void GatherAsyncInto<Reversed>::cases(CaseMaker& make) {
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}),
                        .dim = 3,
                        .num_links = 1,
                        .topology = CclTopology::Linear,
                        .cluster_axis = axis,
                        .chunks_per_sync = 10,
                        .num_workers_per_link = 2,
                        .num_buffers_per_channel = 2});
        make.add(Params{.input_tensor = ccl::spread(make, {2, 17, 40}), .dim = 1, .cluster_axis = axis});
    }
    make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}),
                    .persistent_output_buffer = ccl::spread(make, {ccl::chips(make), 1, 32, 64}),
                    .dim = 0,
                    .reverse_order = true});
}

template <bool Reversed>
void GatherAsyncAlong<Reversed>::cases(CaseMaker& make) {
    for (const auto& axis : ccl::axes(make)) {
        if (axis) {
            make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}),
                            .dim = -1,
                            .cluster_axis = *axis,
                            .mesh_device = make.device(),
                            .topology = CclTopology::Linear,
                            .memory_config = l1_memory_config(),
                            .num_links = 4});
        }
    }
}

}  // namespace ttnn

#endif
