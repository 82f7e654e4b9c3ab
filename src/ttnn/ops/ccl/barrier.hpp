// barrier: waits until all chips have come this far. They are never out of step here.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"

namespace ttnn {

struct Barrier {
    static constexpr std::string_view name = "ttnn.barrier";
    static constexpr std::string_view doc = "Waits for all chips and gives the tensor back as it is.";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        CclTopology topology = CclTopology::Ring;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a mesh"),
                                      kw<&Params::memory_config>("no effect: nothing is made"),
                                      kw<&Params::topology>("how chips are linked; no effect on results")};
    static constexpr Tolerance tolerance = ccl::exact;

    static Result run(const Params& params) { return params.input_tensor; }
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(barrier, Barrier);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Barrier::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}

#else

#include "ttnn/check/case_maker.hpp"

inline void ttnn::Barrier::cases(CaseMaker& make) { make.add(Params{.input_tensor = make.tensor({1, 1, 32, 64})}); }

#endif
