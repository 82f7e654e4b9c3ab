// all_reduce: every chip gets the sum of what the chips of its group hold.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct AllReduce {
    static constexpr std::string_view name = "ttnn.all_reduce";
    static constexpr std::string_view doc = "Adds the parts of all chips up; every chip gets the sum.";
    struct Params {
        Tensor input_tensor{};
        std::optional<int64_t> cluster_axis{};
        std::optional<int64_t> subdevice_id{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<int64_t> num_links{};
        std::optional<CclTopology> topology{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"), kw<&Params::cluster_axis>(ccl::axis_or_all_doc),
                  kw<&Params::memory_config>("default: the input's")} +
        ccl::link_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

struct ExperimentalAllReduce {
    static constexpr std::string_view name = "ttnn.experimental.all_reduce";
    static constexpr std::string_view doc = "The older name of ttnn.all_reduce.";
    struct Params {
        Tensor input_tensor{};
        ReduceType math_op = ReduceType::Sum;
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Ring;
        std::optional<int64_t> cluster_axis{};
        std::optional<int64_t> num_workers{};
        std::optional<int64_t> num_buffers_per_channel{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a mesh"),
                                      opt<&Params::math_op>("must be Sum"),
                                      kw<&Params::num_links>("links between chips to use; no effect on results"),
                                      kw<&Params::memory_config>("default: the input's"),
                                      kw<&Params::topology>("how chips are linked; no effect on results"),
                                      kw<&Params::cluster_axis>(ccl::axis_or_all_doc),
                                      kw<&Params::num_workers>("no effect on results"),
                                      kw<&Params::num_buffers_per_channel>("no effect on results")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<ExperimentalAllReduce> all_reduce{};
}

TTNN_OPERATION(all_reduce, AllReduce);
TTNN_DECLARATION(ExperimentalAllReduce);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

inline std::vector<reference::Array> AllReduce::mesh_reference(const Params& params, uint32_t chip) {
    const MeshShape mesh = reference::mesh_of(params.input_tensor);
    return {reference::summed(params.input_tensor, reference::members(mesh, params.cluster_axis, chip))};
}

inline std::vector<reference::Array> ExperimentalAllReduce::mesh_reference(const Params& params, uint32_t chip) {
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

inline ReduceCall reduce_call(const AllReduce::Params& params) {
    return {.op = AllReduce::name,
            .input = params.input_tensor,
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .links = params.num_links};
}

inline ReduceCall reduce_call(const ExperimentalAllReduce::Params& params) {
    return {.op = ExperimentalAllReduce::name,
            .input = params.input_tensor,
            .cluster_axis = params.cluster_axis,
            .memory_config = params.memory_config,
            .links = params.num_links};
}

// Shapes that chips can share tile by tile, and one that they cannot.
template <class Params>
void add_reduce_cases(CaseMaker& make) {
    for (const auto& axis : axes(make)) {
        make.add(Params{.input_tensor = spread(make, {1, 1, 32, 32 * chips(make)}), .cluster_axis = axis});
        make.add(Params{.input_tensor = spread(make, {1, 17, 40}), .cluster_axis = axis});
    }
    make.add(Params{.input_tensor = spread(make, {1, 2, 32, 64}), .memory_config = l1_memory_config()});
}

}  // namespace ccl

inline void AllReduce::validate(const Params& params) { ccl::check_reduce(ccl::reduce_call(params)); }
inline Tensor AllReduce::run(const Params& params) {
    return ccl::reduce(ccl::reduce_call(params), [&](ArgumentList& list) {
        list.add(params.subdevice_id).add(params.num_links).add(params.topology);
    });
}
inline void AllReduce::cases(CaseMaker& make) { ccl::add_reduce_cases<Params>(make); }

inline void ExperimentalAllReduce::validate(const Params& params) {
    ccl::check_sum(name, params.math_op);
    ccl::check_reduce(ccl::reduce_call(params));
}
inline Tensor ExperimentalAllReduce::run(const Params& params) {
    return ccl::reduce(ccl::reduce_call(params), [&](ArgumentList& list) {
        list.add(params.math_op).add(params.num_links).add(params.topology);
        list.add(params.num_workers).add(params.num_buffers_per_channel);
    });
}
inline void ExperimentalAllReduce::cases(CaseMaker& make) { ccl::add_reduce_cases<Params>(make); }

}  // namespace ttnn

#endif
