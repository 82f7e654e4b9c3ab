// where: one of two values by a condition, element by element.
#pragma once

#include <cmath>
#include <limits>

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Where {
    static constexpr std::string_view name = "ttnn.where";
    static constexpr std::string_view doc = "true_value where the predicate is not 0, else false_value.";
    struct Params {
        Tensor predicate{};
        TensorOrScalar true_value{};
        TensorOrScalar false_value{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::predicate>("tensor on a device; TILE unless sharded"),
                                      arg<&Params::true_value>("tensor that broadcasts with the others, or a number"),
                                      arg<&Params::false_value>("tensor that broadcasts with the others, or a number"),
                                      kw<&Params::memory_config>("default: the predicate's"),
                                      kw<&Params::output_tensor>("preallocated result").mutates(),
                                      kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);

    // The true branch's, else the false branch's, else the predicate's.
    static DataType output_dtype(const Params& params);
    // A branch as it reaches the result: a number that is NaN is +inf in BFLOAT16, as the hardware packs it.
    static TensorOrScalar branch(const Params& params, const TensorOrScalar& value);
};

struct ExperimentalWhere {
    static constexpr std::string_view name = "ttnn.experimental.where";
    static constexpr std::string_view doc = "As ttnn.where.";
    struct Params {
        Tensor condition{};
        TensorOrScalar true_value{};
        TensorOrScalar false_value{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::condition>("tensor on a device; TILE unless sharded"),
                                      arg<&Params::true_value>("tensor that broadcasts with the others, or a number"),
                                      arg<&Params::false_value>("tensor that broadcasts with the others, or a number"),
                                      kw<&Params::memory_config>("default: the condition's"),
                                      kw<&Params::output_tensor>("preallocated result").mutates()};
    static constexpr Tolerance tolerance = Where::tolerance;

    static Where::Params as_where(const Params& params) {
        return {params.condition,     params.true_value,    params.false_value,
                params.memory_config, params.output_tensor, std::nullopt};
    }
    static Result run(const Params& params) { return Where::run(as_where(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        return Where::domain(as_where(params), field == "condition" ? "predicate" : field);
    }
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(where, Where);
TTNN_DECLARATION(ExperimentalWhere);
namespace experimental {
inline constexpr Op<ExperimentalWhere> where{};
}

inline DataType Where::output_dtype(const Params& params) {
    for (const TensorOrScalar* branch : {&params.true_value, &params.false_value}) {
        if (const auto* tensor = std::get_if<Tensor>(branch)) {
            return tensor->dtype();
        }
    }
    return params.predicate.dtype();
}

inline TensorOrScalar Where::branch(const Params& params, const TensorOrScalar& value) {
    const auto* number = std::get_if<double>(&value);
    const DataType dtype = params.output_tensor ? params.output_tensor->dtype() : output_dtype(params);
    const bool replaced = number != nullptr && std::isnan(*number) && dtype == DataType::BFLOAT16;
    return replaced ? TensorOrScalar(std::numeric_limits<double>::infinity()) : value;
}

// Zeros must occur in the predicate.
inline Domain Where::domain(const Params& params, std::string_view field) {
    if (field == "predicate") {
        return params.predicate.dtype() == DataType::INT32 || is_floating(params.predicate.dtype())
                   ? Domain::integer(-1, 1)
                   : Domain::integer(0, 1);
    }
    return output_dtype(params) == DataType::INT32 ? Domain::integer(-2147483648.0, 2147483647.0) : Domain::real(-1, 1);
}

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/binary.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Where::reference(const Params& params) {
    reference::Array result =
        reference::zip(reference::values(params.predicate), reference::values(branch(params, params.true_value)),
                       reference::values(branch(params, params.false_value)),
                       [](double predicate, double yes, double no) { return predicate == 0 ? no : yes; });
    const DataType dtype = params.output_tensor ? params.output_tensor->dtype() : output_dtype(params);
    return {reference::map(result, [&](double x) { return reference::saturate_to(dtype, x); })};
}

inline std::vector<ttnn::reference::Array> ttnn::ExperimentalWhere::reference(const Params& params) {
    return Where::reference(as_where(params));
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/ternary.hpp"
#include "ttnn/ops/eltwise/ternary_composite.hpp"

namespace ttnn {

inline Tensor Where::run(const Params& params) {
    TernaryArguments call;
    call.op = name;
    call.operands[0] = &params.predicate;
    const TensorOrScalar branches[] = {branch(params, params.true_value), branch(params, params.false_value)};
    call.set(1, branches[0]);
    call.set(2, branches[1]);
    call.names = {"predicate", "true_value", "false_value"};
    call.dtype = output_dtype(params);
    call.memory_config = params.memory_config ? &*params.memory_config : nullptr;
    call.output = params.output_tensor ? &*params.output_tensor : nullptr;
    call.cores = params.sub_core_grids ? &*params.sub_core_grids : nullptr;
    call.tilizes = params.predicate.is_sharded();
    call.mixed_condition = true;
    return run_ternary(call, {[](const float* const* from, float* to, size_t count) {
                                  compute::select(from[0], from[1], from[2], to, count);
                              },
                              [](const uint32_t* const* from, uint32_t* to, size_t count) {
                                  compute::select(from[0], from[1], from[2], to, count);
                              }});
}

// For Where and its experimental twin, whose parameters differ in the name of the first and have the same order.
template <class Params>
void where_cases(CaseMaker& make) {
    const auto other = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), Layout::TILE); };
    const auto add_case = [&](const Tensor& predicate, const TensorOrScalar& yes, const TensorOrScalar& no) {
        make.add(Params{predicate, yes, no, std::nullopt, std::nullopt});
    };
    add_case(make.tensor({1, 1, 64, 96}), make.tensor({1, 1, 64, 96}), make.tensor({1, 1, 64, 96}));
    add_case(make.tensor({33, 65}), other({33, 65}), other({33, 65}));
    add_case(make.tensor({32, 96}), other({32, 1}), TensorOrScalar(1.0));
    add_case(make.tensor({2, 3, 32, 40}), TensorOrScalar(int64_t{5}), other({1, 3, 1, 40}));
    add_case(make.tensor({64, 64}), TensorOrScalar(int64_t{2}), TensorOrScalar(int64_t{3}));
    make.add(Params{make.tensor({64, 64}), other({64, 64}), other({64, 64}), l1_memory_config(), std::nullopt});
    make.add(Params{make.tensor({64, 64}), other({64, 64}), other({64, 64}), std::nullopt, other({64, 64})});
    if (make.floating()) {
        add_case(make.interleaved({64, 64}, DataType::INT32, Layout::TILE), other({64, 64}), TensorOrScalar(-0.5));
    } else {
        add_case(make.interleaved({64, 64}, DataType::BFLOAT16, Layout::TILE), other({64, 64}), other({64, 64}));
    }
}

inline void Where::cases(CaseMaker& make) { where_cases<Params>(make); }
inline void ExperimentalWhere::cases(CaseMaker& make) { where_cases<Params>(make); }

}  // namespace ttnn

#endif
