// fill_rm and fill_ones_rm: a row-major tensor with one value in the upper left of every matrix and another elsewhere.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct FillRm {
    static constexpr std::string_view name = "ttnn.fill_rm";
    static constexpr std::string_view doc =
        "A ROW_MAJOR tensor [N, C, H, W]: val_hi in the first hOnes rows and wOnes columns, val_lo elsewhere.";
    struct Params {
        int64_t N = 1;      // NOLINT(readability-identifier-naming): the users' names
        int64_t C = 1;      // NOLINT(readability-identifier-naming)
        int64_t H = 1;      // NOLINT(readability-identifier-naming)
        int64_t W = 1;      // NOLINT(readability-identifier-naming)
        int64_t hOnes = 0;  // NOLINT(readability-identifier-naming)
        int64_t wOnes = 0;  // NOLINT(readability-identifier-naming)
        Tensor any{};
        double val_hi = 1.0;
        double val_lo = 0.0;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::N>("outermost dimension"),
                                      arg<&Params::C>("second dimension"),
                                      arg<&Params::H>("height"),
                                      arg<&Params::W>("width"),
                                      arg<&Params::hOnes>("rows of val_hi"),
                                      arg<&Params::wOnes>("columns of val_hi"),
                                      arg<&Params::any>("gives the device and the dtype"),
                                      arg<&Params::val_hi>("value in the upper left"),
                                      arg<&Params::val_lo>("value elsewhere"),
                                      kw<&Params::memory_config>("interleaved; default: that of 'any'")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct FillOnesRm {
    static constexpr std::string_view name = "ttnn.fill_ones_rm";
    static constexpr std::string_view doc =
        "A ROW_MAJOR tensor [N, C, H, W]: ones in the first hOnes rows and wOnes columns, zeros elsewhere.";
    struct Params {
        int64_t N = 1;      // NOLINT(readability-identifier-naming): the users' names
        int64_t C = 1;      // NOLINT(readability-identifier-naming)
        int64_t H = 1;      // NOLINT(readability-identifier-naming)
        int64_t W = 1;      // NOLINT(readability-identifier-naming)
        int64_t hOnes = 0;  // NOLINT(readability-identifier-naming)
        int64_t wOnes = 0;  // NOLINT(readability-identifier-naming)
        Tensor any{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::N>("outermost dimension"),
                                      arg<&Params::C>("second dimension"),
                                      arg<&Params::H>("height"),
                                      arg<&Params::W>("width"),
                                      arg<&Params::hOnes>("rows of ones"),
                                      arg<&Params::wOnes>("columns of ones"),
                                      arg<&Params::any>("gives the device and the dtype"),
                                      kw<&Params::memory_config>("interleaved; default: that of 'any'")};
    static constexpr Tolerance tolerance = FillRm::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(fill_rm, FillRm);
TTNN_OPERATION(fill_ones_rm, FillOnesRm);

namespace creation {
inline FillRm::Params with_ones(const FillOnesRm::Params& params) {
    return {params.N,     params.C,   params.H, params.W, params.hOnes,
            params.wOnes, params.any, 1.0,      0.0,      params.memory_config};
}
}  // namespace creation

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> FillRm::reference(const Params& params) {
    return {reference::generated(
        Shape::from_ints(std::vector<int64_t>{params.N, params.C, params.H, params.W}), [&](auto index) {
            return index[2] < params.hOnes && index[3] < params.wOnes ? params.val_hi : params.val_lo;
        })};
}
inline std::vector<reference::Array> FillOnesRm::reference(const Params& params) {
    return FillRm::reference(creation::with_ones(params));
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace creation {

inline void check_fill_rm(std::string_view op, const FillRm::Params& params) {
    for (const auto& [argument, size] :
         {std::pair("N", params.N), std::pair("C", params.C), std::pair("H", params.H), std::pair("W", params.W)}) {
        require(size > 0, "{}: argument '{}' must be positive, got {}", op, argument, size);
    }
    require(params.hOnes >= 0 && params.hOnes <= params.H && params.wOnes >= 0 && params.wOnes <= params.W,
            "{}: arguments 'hOnes' and 'wOnes' must be in [0, {}] and [0, {}], got {} and {}", op, params.H, params.W,
            params.hOnes, params.wOnes);
    check_at_launch([&] {
        check_dtype(op, "any", params.any, {DataType::BFLOAT16});
        const MemoryConfig& config = params.memory_config ? *params.memory_config : params.any.memory_config();
        require(!config.is_sharded(), "{}: argument 'memory_config' must be interleaved, got {}", op,
                config.memory_layout());
    });
}

inline Tensor fill_rm(const FillRm::Params& params) {
    const Tensor& any = params.any;
    const Shape shape = Shape::from_ints(std::vector<int64_t>{params.N, params.C, params.H, params.W});
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, outputs[0], outputs[0], 1);
        movement::buffer_for(p, outputs[0], outputs[0], 1);
    };
    const auto kernel = [&](std::span<const Tensor>, std::span<Tensor> outputs) {
        Dense<float> values(outputs[0].logical_volume());
        std::ranges::fill(values, static_cast<float>(params.val_lo));
        const auto rows = static_cast<size_t>(params.hOnes);
        const auto columns = static_cast<std::ptrdiff_t>(params.wOnes);
        for (size_t row = 0; row < shape.volume() / shape[3]; ++row) {
            if (row % shape[2] < rows) {
                std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(row * shape[3]), columns,
                            static_cast<float>(params.val_hi));
            }
        }
        write<float>(outputs[0], values.span());
    };
    const MemoryConfig& config = params.memory_config ? *params.memory_config : any.memory_config();
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.N).add(params.C).add(params.H).add(params.W).add(params.hOnes).add(params.wOnes).add(any);
        list.add(params.val_hi).add(params.val_lo).add(config);
    };
    return launch({"ttnn::prim::fill_rm", {&any, 1}, program, kernel, arguments},
                  TensorSpec(shape, any.dtype(), Layout::ROW_MAJOR, config));
}

}  // namespace creation

inline void FillRm::validate(const Params& params) { creation::check_fill_rm(name, params); }
inline Tensor FillRm::run(const Params& params) { return creation::fill_rm(params); }
inline void FillRm::cases(CaseMaker& make) {
    const Tensor any = make.tensor({1, 1, 32, 32});
    make.add(Params{2, 3, 40, 50, 33, 31, any, 2.5, -1.0});
    make.add(Params{1, 1, 32, 64, 0, 64, any, 1.0, 3.0, l1_memory_config()});
}

inline void FillOnesRm::validate(const Params& params) { creation::check_fill_rm(name, creation::with_ones(params)); }
inline Tensor FillOnesRm::run(const Params& params) { return creation::fill_rm(creation::with_ones(params)); }
inline void FillOnesRm::cases(CaseMaker& make) {
    const Tensor any = make.tensor({1, 1, 32, 32});
    make.add(Params{2, 3, 40, 50, 33, 31, any});
    make.add(Params{1, 1, 64, 64, 64, 1, any, l1_memory_config()});
}

}  // namespace ttnn

#endif
