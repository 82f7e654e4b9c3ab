// Connects a declaration's reference with its table; compiled on the reference side only.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/reference/array.hpp"

namespace ttnn {

template <class D>
void attach_reference() {
    using Params = typename D::Params;
    if constexpr (requires(const Params& params) { D::reference(params); }) {
        mutable_op_info<D>().reference = [](const void* params) -> std::vector<reference::Array> {
            return D::reference(*static_cast<const Params*>(params));
        };
    } else {
        static_assert(
            requires { D::no_reference; }, "must be static std::vector<reference::Array> reference(const Params&)");
    }
}

}  // namespace ttnn
