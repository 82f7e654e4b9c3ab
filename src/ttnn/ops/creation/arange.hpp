// arange: evenly spaced whole numbers.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Arange {
    static constexpr std::string_view name = "ttnn.arange";
    static constexpr std::string_view doc = "The numbers start, start + step, ... before end, in one dimension.";
    struct Params {
        int64_t start = 0;
        int64_t end = 0;
        int64_t step = 1;
        DataType dtype = DataType::BFLOAT16;
        std::optional<DeviceHandle> device{};
        MemoryConfig memory_config{};
        Layout layout = Layout::ROW_MAJOR;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::start>("first number"),      arg<&Params::end>("the number that is not reached"),
        opt<&Params::step>("distance; not 0"),    kw<&Params::dtype>("data type"),
        kw<&Params::device>("default: the host"), kw<&Params::memory_config>("DRAM interleaved unless given"),
        kw<&Params::layout>("ROW_MAJOR or TILE")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ArangeEnd {
    static constexpr std::string_view name = "ttnn.arange";
    static constexpr std::string_view doc = "The numbers 0, 1, ... before end, in one dimension.";
    struct Params {
        int64_t end = 0;
        DataType dtype = DataType::BFLOAT16;
        std::optional<DeviceHandle> device{};
        MemoryConfig memory_config{};
        Layout layout = Layout::ROW_MAJOR;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::end>("the number that is not reached"),
                                      kw<&Params::dtype>("data type"), kw<&Params::device>("default: the host"),
                                      kw<&Params::memory_config>("DRAM interleaved unless given"),
                                      kw<&Params::layout>("ROW_MAJOR or TILE")};
    static constexpr Tolerance tolerance = Arange::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

inline constexpr Overloads<Arange, ArangeEnd> arange{};
TTNN_DECLARATION(Arange);
TTNN_DECLARATION(ArangeEnd);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

namespace ttnn {

inline std::vector<reference::Array> Arange::reference(const Params& params) {
    std::vector<double> numbers;
    for (int64_t number = params.start; params.step > 0 ? number < params.end : number > params.end;
         number += params.step) {
        numbers.push_back(reference::wrap_to(params.dtype, static_cast<double>(number)));
    }
    return {reference::Array({static_cast<uint32_t>(numbers.size())}, numbers)};
}
inline std::vector<reference::Array> ArangeEnd::reference(const Params& params) {
    return Arange::reference({.start = 0, .end = params.end, .dtype = params.dtype});
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/ops/creation/constant.hpp"

namespace ttnn {

namespace creation {

template <class T>
void write_range(Tensor& tensor, int64_t start, int64_t step) {
    Dense<T> values(tensor.logical_volume());
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<T>(start + static_cast<int64_t>(i) * step);
    }
    write<T>(tensor, values.span());
}

}  // namespace creation

inline void Arange::validate(const Params& params) {
    require(params.step != 0, "{}: argument 'step' must not be 0", name);
    require(params.step > 0 ? params.start <= params.end : params.start >= params.end,
            "{}: steps of {} never get from {} to {}", name, params.step, params.start, params.end);
}

inline Tensor Arange::run(const Params& params) {
    const int64_t distance = params.step > 0 ? params.end - params.start : params.start - params.end;
    const auto count = static_cast<uint64_t>(div_up(distance, std::abs(params.step)));
    require(count <= UINT32_MAX, "{}: {} numbers are too many for one dimension", name, count);
    Tensor tensor = creation::allocate(
        TensorSpec({static_cast<uint32_t>(count)}, params.dtype, params.layout, params.memory_config),
        params.device.value_or(nullptr));
    if (is_integer(params.dtype)) {
        creation::write_range<uint32_t>(tensor, params.start, params.step);
    } else {
        creation::write_range<float>(tensor, params.start, params.step);
    }
    return tensor;
}

inline void Arange::cases(CaseMaker& make) {
    make.only_if(!make.sharded());
    const MemoryConfig config = make.memory_config({40});
    make.add(Params{.start = 3,
                    .end = 90,
                    .step = 2,
                    .dtype = make.dtype(),
                    .device = make.device(),
                    .memory_config = config,
                    .layout = make.layout()});
    make.add(Params{.start = 60, .end = 10, .step = -7, .dtype = make.dtype(), .layout = make.layout()});
}

inline void ArangeEnd::validate(const Params& params) { Arange::validate({.start = 0, .end = params.end}); }

inline Tensor ArangeEnd::run(const Params& params) {
    return Arange::run({.start = 0,
                        .end = params.end,
                        .dtype = params.dtype,
                        .device = params.device,
                        .memory_config = params.memory_config,
                        .layout = params.layout});
}

inline void ArangeEnd::cases(CaseMaker& make) {
    make.only_if(!make.sharded());
    make.add(Params{.end = 70, .dtype = make.dtype(), .device = make.device(), .layout = make.layout()});
}

}  // namespace ttnn

#endif
