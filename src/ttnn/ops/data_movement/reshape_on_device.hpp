// reshape_on_device: the older reshape, to four dimensions.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct ReshapeOnDevice {
    static constexpr std::string_view name = "ttnn.reshape_on_device";
    static constexpr std::string_view doc = "The same elements under four dimensions, one of which may be -1.";
    struct Params {
        Tensor input_tensor{};
        int64_t W = 1;  // NOLINT(readability-identifier-naming): the users' names
        int64_t Z = 1;  // NOLINT(readability-identifier-naming)
        int64_t Y = 1;  // NOLINT(readability-identifier-naming)
        int64_t X = 1;  // NOLINT(readability-identifier-naming)
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::W>("outermost dimension"),
                                      arg<&Params::Z>("second dimension"),
                                      arg<&Params::Y>("height"),
                                      arg<&Params::X>("width"),
                                      kw<&Params::memory_config>("default: the input's")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(reshape_on_device, ReshapeOnDevice);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::ReshapeOnDevice::reference(const Params& params) {
    return {reference::reshaped(reference::values(params.input_tensor), {params.W, params.Z, params.Y, params.X})};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

inline Reshape::Params reshape_params(const ReshapeOnDevice::Params& params) {
    return {.input_tensor = params.input_tensor,
            .shape = {params.W, params.Z, params.Y, params.X},
            .memory_config = params.memory_config};
}

}  // namespace movement

inline void ReshapeOnDevice::validate(const Params& params) {
    const auto given = movement::reshape_params(params);
    const auto call = movement::reshape_call(given);
    require(call.same_volume(), "{}: {} elements of {} cannot have the shape {}", name,
            params.input_tensor.logical_volume(), params.input_tensor.logical_shape(), call.logical);
    movement::validate_reshape(name, call);
}

inline Tensor ReshapeOnDevice::run(const Params& params) {
    const auto given = movement::reshape_params(params);
    return movement::run_reshape(movement::reshape_call(given));
}

inline void ReshapeOnDevice::cases(CaseMaker& make) {
    make.add(Params{make.tensor({2, 64, 96}), 1, 1, 128, 96});
    make.add(Params{make.tensor({1, 1, 64, 64}), 2, -1, 32, 64});
    make.add(Params{make.tensor({2, 3, 5, 64}), 1, 1, 30, 64, l1_memory_config()});
    make.add(Params{make.tensor({1, 1, 48, 80}), 5, 1, -1, 32});
}

}  // namespace ttnn

#endif
