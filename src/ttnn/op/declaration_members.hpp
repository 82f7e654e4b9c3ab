// What the members of an operation's declaration may be called, and the checks that a misspelt one does not pass.
//
// An optional member is found by its name, so one with a letter missing would be ignored without a word. The build
// hands the names of the static members it finds in the headers of operations to `is_no_misspelt_member`
// (cmake/generate_operation.cmake); what a name alone does not show is asserted by `check_members`.
#pragma once

#include <string_view>

#include "ttnn/op/edit_distance.hpp"

namespace ttnn {

class CaseMaker;

inline constexpr std::string_view declaration_members[] = {
    "name",   "doc",       "fields",    "run",         "aliases",      "validate",       "cases",
    "domain", "tolerance", "reference", "host_inputs", "no_reference", "mesh_reference", "mutated_reference"};

// A member of this name either is one that the mechanism knows, or cannot be meant as one: helpers of a declaration
// have names of their own.
constexpr bool is_no_misspelt_member(std::string_view name) {
    bool near = false;
    for (const std::string_view known : declaration_members) {
        if (name == known) {
            return true;
        }
        near = near || edit_distance(name, known) <= (known.size() < 5 ? 1 : 2);
    }
    return !near;
}

// Members with a right name that could not be called, and calls that nobody could judge, do not compile either.
template <class D>
consteval void check_members() {
    using Params = typename D::Params;
    if constexpr (requires { &D::validate; }) {
        static_assert(
            requires(const Params& params) { D::validate(params); }, "must be static void validate(const Params&)");
    }
    if constexpr (requires { &D::domain; }) {
        static_assert(
            requires(const Params& params) { D::domain(params, std::string_view{}); },
            "must be static Domain domain(const Params&, std::string_view field)");
    }
    if constexpr (requires { &D::cases; }) {
        static_assert(
            requires(CaseMaker & make) { D::cases(make); }, "must be static void cases(CaseMaker&)");
    }
    constexpr bool judged = requires { &D::reference; }
    || requires { &D::mesh_reference; }
    || requires { &D::mutated_reference; };
    constexpr bool excused = requires { D::no_reference; };
    static_assert(judged || excused, "a declaration has a reference, or says why not: no_reference = \"why\"");
    static_assert(!judged || !excused, "a declaration with a reference has no no_reference");
    if constexpr (requires { &D::reference; }) {
        static_assert(
            !requires { &D::mesh_reference; }, "outputs have one reference: reference or mesh_reference");
    }
    if constexpr (excused) {
        static_assert(!std::string_view(D::no_reference).empty(), "no_reference says why there is none");
    }
}

}  // namespace ttnn
