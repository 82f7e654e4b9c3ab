// Connects a declaration's reference with its table; compiled on the reference side only.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/reference/array.hpp"

namespace ttnn {

template <class D>
void attach_reference() {
    using Params = typename D::Params;
    OpInfo& info = mutable_op_info<D>();
    constexpr bool of_outputs = requires(const Params& params) { D::reference(params); };
    constexpr bool of_chips = requires(const Params& params) { D::mesh_reference(params, uint32_t{}); };
    constexpr bool of_arguments = requires(const Params& params) { D::mutated_reference(params, std::string_view{}); };
    if constexpr (of_outputs) {
        info.reference = [](const void* params) -> std::vector<reference::Array> {
            return D::reference(*static_cast<const Params*>(params));
        };
    }
    if constexpr (of_chips) {
        info.mesh_reference = [](const void* params, uint32_t chip) -> std::vector<reference::Array> {
            return D::mesh_reference(*static_cast<const Params*>(params), chip);
        };
    }
    if constexpr (of_arguments) {
        info.mutated_reference = [](const void* params, std::string_view field) -> reference::Array {
            return D::mutated_reference(*static_cast<const Params*>(params), field);
        };
    }
    if constexpr (!of_outputs && !of_chips && !of_arguments) {
        static_assert(
            requires { D::no_reference; }, "must be static std::vector<reference::Array> reference(const Params&)");
    }
}

}  // namespace ttnn
