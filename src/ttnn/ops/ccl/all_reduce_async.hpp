// all_reduce_async: all_reduce with semaphores and buffers of the caller, in three forms.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

namespace ccl {
// Of a sum that is scattered first and then gathered.
template <class Params>
inline constexpr auto two_step_fields =
    FieldList{opt<&Params::barrier_semaphores>(semaphore_doc).is_volatile(),
              opt<&Params::rs_global_semaphores>(semaphore_doc).is_volatile(),
              opt<&Params::ag_global_semaphores>(semaphore_doc).is_volatile(), opt<&Params::math_op>("must be Sum"),
              kw<&Params::memory_config>("default: the input's")} +
    link_fields<Params>;
}  // namespace ccl

// All chips as one group.
struct AllReduceAsync {
    static constexpr std::string_view name = "ttnn.experimental.all_reduce_async";
    static constexpr std::string_view doc = "Adds the parts of all chips up; every chip gets the sum.";
    struct Params {
        Tensor input_tensor{};
        int64_t num_devices = 1;
        std::vector<GlobalSemaphore> barrier_semaphores{};
        std::vector<GlobalSemaphore> rs_global_semaphores{};
        std::vector<GlobalSemaphore> ag_global_semaphores{};
        ReduceType math_op = ReduceType::Sum;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Linear;
        std::optional<int64_t> num_links{};
        std::optional<int64_t> subdevice_id{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::num_devices>("no effect: the mesh knows how many chips it has")} +
        ccl::two_step_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

// Along one dimension of the mesh, or none.
struct AllReduceAsyncAlong {
    static constexpr std::string_view name = "ttnn.experimental.all_reduce_async";
    static constexpr std::string_view doc = "Adds the parts of the chips of a group up; every chip gets the sum.";
    struct Params {
        Tensor input_tensor{};
        std::optional<int64_t> cluster_axis{};
        std::optional<DeviceHandle> mesh_device{};
        std::optional<std::vector<GlobalSemaphore>> barrier_semaphores{};
        std::optional<std::vector<GlobalSemaphore>> rs_global_semaphores{};
        std::optional<std::vector<GlobalSemaphore>> ag_global_semaphores{};
        ReduceType math_op = ReduceType::Sum;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Linear;
        std::optional<int64_t> num_links{};
        std::optional<int64_t> subdevice_id{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"), opt<&Params::cluster_axis>(ccl::axis_or_all_doc),
                  opt<&Params::mesh_device>("the device of the tensor")} +
        ccl::two_step_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

// Through a buffer that has room for the parts of all chips.
struct AllReduceAsyncBuffered {
    static constexpr std::string_view name = "ttnn.experimental.all_reduce_async";
    static constexpr std::string_view doc =
        "Adds the parts of the chips of a group up in one step; every chip gets the sum.";
    struct Params {
        Tensor input_tensor{};
        Tensor buffer_tensor{};
        int64_t cluster_axis = 0;
        DeviceHandle mesh_device{};
        SemaphoreArgument multi_device_global_semaphore{};
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Linear;
        std::optional<int64_t> num_links{};
        std::optional<int64_t> subdevice_id{};
        bool use_noc1_only = false;
        bool use_optimal_ccl_for_llama = false;
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::buffer_tensor>("room for what is on its way; stays as it is here"),
                  arg<&Params::cluster_axis>(ccl::axis_doc),
                  arg<&Params::mesh_device>("the device of the tensor"),
                  opt<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
                  kw<&Params::dtype>("of the result, default: the input's"),
                  kw<&Params::memory_config>("default: the input's"),
                  kw<&Params::use_noc1_only>("no effect on results"),
                  kw<&Params::use_optimal_ccl_for_llama>("no effect on results")} +
        ccl::link_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Overloads<AllReduceAsync, AllReduceAsyncAlong, AllReduceAsyncBuffered> all_reduce_async{};
}

TTNN_DECLARATION(AllReduceAsync);
TTNN_DECLARATION(AllReduceAsyncAlong);
TTNN_DECLARATION(AllReduceAsyncBuffered);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

inline std::vector<reference::Array> AllReduceAsync::mesh_reference(const Params& params, uint32_t chip) {
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    return {reference::summed(params.input_tensor, reference::members(mesh, std::nullopt, chip))};
}

inline std::vector<reference::Array> AllReduceAsyncAlong::mesh_reference(const Params& params, uint32_t chip) {
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    return {reference::summed(params.input_tensor, reference::members(mesh, params.cluster_axis, chip))};
}

inline std::vector<reference::Array> AllReduceAsyncBuffered::mesh_reference(const Params& params, uint32_t chip) {
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    return {reference::summed(params.input_tensor, reference::members(mesh, params.cluster_axis, chip))};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/reduce_call.hpp"

namespace ttnn {

namespace ccl {

inline ReduceCall reduce_call(const AllReduceAsync::Params& params) {
    return {.op = AllReduceAsync::name,
            .input = params.input_tensor,
            .memory_config = params.memory_config,
            .links = params.num_links,
            .scatter = "ttnn::prim::reduce_scatter_minimal_async",
            .gather = "ttnn::prim::all_gather_async"};
}

inline ReduceCall reduce_call(const AllReduceAsyncAlong::Params& params) {
    // Without semaphores it makes its own, as the operations that are not asynchronous do.
    const bool own = !params.barrier_semaphores || !params.rs_global_semaphores;
    return {.op = AllReduceAsyncAlong::name,
            .input = params.input_tensor,
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .links = params.num_links,
            .scatter = own ? "ttnn::prim::reduce_scatter" : "ttnn::prim::reduce_scatter_minimal_async",
            .gather = own ? "ttnn::prim::all_gather" : "ttnn::prim::all_gather_async"};
}

inline ReduceCall reduce_call(const AllReduceAsyncBuffered::Params& params) {
    return {.op = AllReduceAsyncBuffered::name,
            .input = params.input_tensor,
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .dtype = params.dtype,
            .links = params.num_links};
}

}  // namespace ccl

inline void AllReduceAsync::validate(const Params& params) {
    ccl::check_sum(name, params.math_op);
    ccl::check_reduce(ccl::reduce_call(params));
}
inline void AllReduceAsyncAlong::validate(const Params& params) {
    ccl::check_sum(name, params.math_op);
    ccl::check_reduce(ccl::reduce_call(params));
}
inline void AllReduceAsyncBuffered::validate(const Params& params) { ccl::check_reduce(ccl::reduce_call(params)); }

inline Tensor AllReduceAsync::run(const Params& params) {
    return ccl::reduce(ccl::reduce_call(params), [&](ArgumentList& list) {
        list.add(params.num_devices).add(params.math_op).add(params.topology).add(params.num_links);
        list.add(params.subdevice_id);
    });
}
inline Tensor AllReduceAsyncAlong::run(const Params& params) {
    return ccl::reduce(ccl::reduce_call(params), [&](ArgumentList& list) {
        list.add(params.math_op).add(params.topology).add(params.num_links).add(params.subdevice_id);
    });
}
inline Tensor AllReduceAsyncBuffered::run(const Params& params) {
    return ccl::reduce_at_once(ccl::reduce_call(params), [&](ArgumentList& list) {
        list.add(params.buffer_tensor).add_at_run(params.multi_device_global_semaphore).add(params.topology);
        list.add(params.num_links).add(params.subdevice_id).add(params.use_noc1_only);
        list.add(params.use_optimal_ccl_for_llama);
    });
}

inline void AllReduceAsync::cases(CaseMaker& make) {
    make.add(
        Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32 * ccl::chips(make)}), .num_devices = ccl::chips(make)});
    make.add(Params{.input_tensor = ccl::spread(make, {17, 40}), .num_devices = ccl::chips(make)});
}

inline void AllReduceAsyncAlong::cases(CaseMaker& make) {
    for (const auto& axis : ccl::axes(make)) {
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32 * ccl::chips(make)}),
                        .cluster_axis = axis,
                        .mesh_device = make.device()});
    }
}

inline void AllReduceAsyncBuffered::cases(CaseMaker& make) {
    for (uint32_t axis = 0; axis < make.device()->mesh().rank(); ++axis) {
        const Tensor buffer = ccl::spread(make, {1, 1, 32, 64 * ccl::chips(make)});
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}),
                        .buffer_tensor = buffer,
                        .cluster_axis = axis,
                        .mesh_device = make.device()});
        if (make.floating()) {
            make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}),
                            .buffer_tensor = buffer,
                            .cluster_axis = axis,
                            .mesh_device = make.device(),
                            .dtype = DataType::BFLOAT16});
        }
    }
}

}  // namespace ttnn

#endif
