// Op: what turns a declaration into a callable and into a table. docs/adding-an-operation.md shows how to use it.
//
// A declaration D has: name, doc, Params (an aggregate whose initialisers are the defaults), Result, fields and
// `static Result run(const Params&)`, and either a reference or no_reference, which says why there is none. It may
// have: aliases, validate, cases, domain, tolerance, host_inputs.
#pragma once

#include <algorithm>
#include <concepts>
#include <utility>

#include "ttnn/core/observer.hpp"
#include "ttnn/op/declaration_members.hpp"
#include "ttnn/op/op_info.hpp"
#include "ttnn/op/parameter_types.hpp"
#include "ttnn/op/refusal.hpp"

namespace ttnn {

template <class D>
concept OperationDeclaration = requires(const typename D::Params& params) {
    { D::name } -> std::convertible_to<std::string_view>;
    { D::doc } -> std::convertible_to<std::string_view>;
    D::fields;
    { D::run(params) } -> std::same_as<typename D::Result>;
};

template <class D>
OpInfo make_op_info();

// The one table of a declaration.
template <class D>
OpInfo& mutable_op_info() {
    static OpInfo info = make_op_info<D>();
    return info;
}
template <class D>
const OpInfo& op_info() {
    return mutable_op_info<D>();
}

template <class D>
typename D::Result run_checked(const typename D::Params& params) {
    check_tensor_arguments(op_info<D>(), &params);
    if constexpr (requires { D::validate(params); }) {
        D::validate(params);
    }
    return D::run(params);
}

// With what the device operation refuses held back until it is launched.
template <class D>
typename D::Result run_refusable(const typename D::Params& params) {
    const HeldRefusal refusal;
    try {
        typename D::Result result = run_checked<D>(params);
        refusal.settle();
        return result;
    } catch (...) {
        refusal.settle();
        throw;
    }
}

template <class D>
typename D::Result run_traced(const typename D::Params& params) {
    const OpInfo& info = op_info<D>();
    notify_begin(info, &params);
    try {
        typename D::Result result = run_refusable<D>(params);
        notify([&](Observer& observer) { observer.operation_end(info, &result); });
        return result;
    } catch (const std::exception& error) {
        notify([&](Observer& observer) { observer.operation_failed(info, error.what()); });
        throw;
    }
}

template <class D>
typename D::Result run_op(const typename D::Params& params) {
    static_assert(OperationDeclaration<D>, "run must take const Params& and return Result; name, doc and fields exist");
    const CallScope scope;
    if (!captured()) [[likely]] {
        return run_checked<D>(params);
    }
    return run_traced<D>(params);
}

template <class D>
OpInfo make_op_info() {
    check_members<D>();
    using Params = typename D::Params;
    using Result = typename D::Result;
    static const Params defaults{};
    OpInfo info;
    info.name = D::name;
    info.doc = D::doc;
    if constexpr (requires { D::aliases; }) {
        info.aliases.assign(std::begin(D::aliases), std::end(D::aliases));
    }
    info.fields = D::fields.lower(defaults);
    for (size_t i = 0; i < info.fields.size(); ++i) {
        if (info.fields[i].type->has_tensors) {
            info.tensor_fields.push_back(static_cast<uint16_t>(i));
        }
    }
    std::ranges::sort(info.tensor_fields, {}, [&](uint16_t index) { return info.fields[index].offset; });
    if constexpr (requires { D::host_inputs; }) {
        info.host_inputs = D::host_inputs;
    }
    info.params_size = sizeof(Params);
    info.params_align = alignof(Params);
    info.defaults = &defaults;
    info.copy_params = [](void* to, const void* from) { new (to) Params(*static_cast<const Params*>(from)); };
    info.destroy_params = [](void* params) { static_cast<Params*>(params)->~Params(); };
    info.result = &type_info<Result>();
    info.call = [](const OpInfo&, void* params, void* result) {
        new (result) Result(run_op<D>(*static_cast<const Params*>(params)));
    };
    info.destroy_result = [](void* result) { static_cast<Result*>(result)->~Result(); };
    if constexpr (requires { D::tolerance; }) {
        info.tolerance = D::tolerance;
    }
    if constexpr (requires(const Params& params) { D::domain(params, std::string_view{}); }) {
        info.domain = [](const void* params, std::string_view field) {
            return D::domain(*static_cast<const Params*>(params), field);
        };
    }
    if constexpr (requires(CaseMaker & make) { D::cases(make); }) {
        info.cases = [](CaseMaker& make) { D::cases(make); };
    }
    if constexpr (requires { D::no_reference; }) {
        info.no_reference = D::no_reference;
    }
    return info;
}

namespace detail {

template <class F>
inline constexpr bool is_lead = (F::base_flags & kRequired) != 0 && (F::base_flags & kKeywordOnly) == 0;

template <class D, class Fields>
struct CallOperators;

// Leading required fields of the list, which C++ callers may give without naming them.
template <class... Fs>
struct Leads {};
template <class Done, class... Fs>
struct TakeLeads;
template <class... Done>
struct TakeLeads<Leads<Done...>> {
    using type = Leads<Done...>;
};
template <class... Done, class F, class... Rest>
struct TakeLeads<Leads<Done...>, F, Rest...> {
    using type =
        typename std::conditional_t<is_lead<F>, TakeLeads<Leads<Done..., F>, Rest...>, TakeLeads<Leads<Done...>>>::type;
};

template <class D, class L>
struct LeadCalls;
template <class D, class... Ls>
struct LeadCalls<D, Leads<Ls...>> {
    typename D::Result operator()(const typename Ls::Type&... leads) const {
        typename D::Params params{};
        ((params.*Ls::member = leads), ...);
        return run_op<D>(params);
    }
    typename D::Result operator()(const typename Ls::Type&... leads, typename D::Params params) const {
        ((params.*Ls::member = leads), ...);
        return run_op<D>(params);
    }
};
template <class D>
struct LeadCalls<D, Leads<>> {
    typename D::Result operator()() const { return run_op<D>(typename D::Params{}); }
    typename D::Result operator()(const typename D::Params& params) const { return run_op<D>(params); }
};

template <class D, class... Fs>
struct CallOperators<D, FieldList<Fs...>> : LeadCalls<D, typename TakeLeads<Leads<>, Fs...>::type> {};

}  // namespace detail

// The C++ call: add(a, b), add(a, 2.0), add(a, b, {.memory_config = mc}), add.with({.input_tensor_a = a, ...}).
template <class D>
struct Op : detail::CallOperators<D, std::remove_cvref_t<decltype(D::fields)>> {
    using Declaration = D;
    using Params = typename D::Params;
    using Result = typename D::Result;

    // All parameters by name.
    Result with(const Params& params) const { return run_op<D>(params); }
    const OpInfo& info() const { return op_info<D>(); }
};

// Several declarations under one name; the call picks the one whose parameters fit.
template <class... Ds>
struct Overloads : Op<Ds>... {
    using Op<Ds>::operator()...;
};

// Used at namespace ttnn scope in an operation's file, each on a line of its own: the build collects these lines and
// defines and registers what they name (cmake/operations.cmake).
//   TTNN_OPERATION(add, Add);     the call object ttnn::add and its declaration
//   TTNN_DECLARATION(SliceList);  a declaration whose call object is written by hand (overloads, sub-namespaces)
#define TTNN_DECLARATION(...)                                                            \
    extern template __VA_ARGS__::Result run_op<__VA_ARGS__>(const __VA_ARGS__::Params&); \
    extern template OpInfo make_op_info<__VA_ARGS__>()
#define TTNN_OPERATION(identifier, ...)            \
    inline constexpr Op<__VA_ARGS__> identifier{}; \
    TTNN_DECLARATION(__VA_ARGS__)

// What the generated files expand those lines to.
#define TTNN_DEFINE(...)                                                          \
    template __VA_ARGS__::Result run_op<__VA_ARGS__>(const __VA_ARGS__::Params&); \
    template OpInfo make_op_info<__VA_ARGS__>()

}  // namespace ttnn
