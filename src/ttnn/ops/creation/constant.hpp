// Tensors of one value: zeros, ones, full, empty and the forms that take shape and place from a tensor.
#pragma once

#include "ttnn/op/fixed_string.hpp"
#include "ttnn/op/op.hpp"

namespace ttnn {

struct ConstantParams {
    Shape shape{};
    std::optional<DataType> dtype{};
    std::optional<Layout> layout{};
    std::optional<DeviceHandle> device{};
    std::optional<MemoryConfig> memory_config{};
};

template <FixedString Name, int Value>
struct ConstantOperation {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = Value == 0 ? "A tensor of zeros." : "A tensor of ones.";
    using Params = ConstantParams;
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::shape>("shape of the tensor"), opt<&Params::dtype>("default: BFLOAT16"),
        opt<&Params::layout>("default: ROW_MAJOR, for block floats TILE"), opt<&Params::device>("default: the host"),
        opt<&Params::memory_config>("default: DRAM interleaved")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Full {
    static constexpr std::string_view name = "ttnn.full";
    static constexpr std::string_view doc = "A tensor of one value.";
    struct Params {
        Shape shape{};
        Scalar fill_value = 0.0;
        std::optional<DataType> dtype{};
        std::optional<Layout> layout{};
        std::optional<DeviceHandle> device{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> optional_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::shape>("shape of the tensor"),
                                      arg<&Params::fill_value>("its value"),
                                      opt<&Params::dtype>("default: BFLOAT16"),
                                      opt<&Params::layout>("default: ROW_MAJOR, for block floats TILE"),
                                      opt<&Params::device>("default: the host"),
                                      opt<&Params::memory_config>("default: DRAM interleaved"),
                                      opt<&Params::optional_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ConstantLikeParams {
    Tensor tensor{};
    std::optional<DataType> dtype{};
    std::optional<Layout> layout{};
    std::optional<DeviceHandle> device{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<Tensor> optional_tensor{};
};

template <FixedString Name, int Value>
struct ConstantLikeOperation {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc =
        Value == 0 ? "A tensor of zeros like another tensor." : "A tensor of ones like another tensor.";
    using Params = ConstantLikeParams;
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensor>("gives shape and defaults").also("input_tensor"),
                                      opt<&Params::dtype>("default: the tensor's"),
                                      opt<&Params::layout>("default: the tensor's"),
                                      opt<&Params::device>("default: the tensor's"),
                                      opt<&Params::memory_config>("default: the tensor's"),
                                      opt<&Params::optional_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct FullLike {
    static constexpr std::string_view name = "ttnn.full_like";
    static constexpr std::string_view doc = "A tensor of one value like another tensor.";
    struct Params {
        Tensor tensor{};
        Scalar fill_value = 0.0;
        std::optional<DataType> dtype{};
        std::optional<Layout> layout{};
        std::optional<DeviceHandle> device{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> optional_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensor>("gives shape and defaults").also("input_tensor"),
                                      arg<&Params::fill_value>("its value"),
                                      opt<&Params::dtype>("default: the tensor's"),
                                      opt<&Params::layout>("default: the tensor's"),
                                      opt<&Params::device>("default: the tensor's"),
                                      opt<&Params::memory_config>("default: the tensor's"),
                                      opt<&Params::optional_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Empty {
    static constexpr std::string_view name = "ttnn.empty";
    static constexpr std::string_view doc = "A device tensor with undefined elements (zeros here).";
    struct Params {
        Shape shape{};
        DataType dtype = DataType::BFLOAT16;
        Layout layout = Layout::ROW_MAJOR;
        DeviceHandle device{};
        MemoryConfig memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::shape>("shape of the tensor"), opt<&Params::dtype>("data type"),
                                      opt<&Params::layout>("ROW_MAJOR or TILE"),
                                      opt<&Params::device>("where it goes; required"),
                                      opt<&Params::memory_config>("DRAM interleaved unless given")};
    static constexpr std::string_view no_reference = "its elements are undefined";

    static void validate(const Params& params);
    static Result run(const Params& params);
};

struct EmptyLike {
    static constexpr std::string_view name = "ttnn.empty_like";
    static constexpr std::string_view doc = "A tensor of the same shape with undefined elements (zeros here).";
    struct Params {
        Tensor tensor{};
        DataType dtype = DataType::BFLOAT16;
        Layout layout = Layout::ROW_MAJOR;
        std::optional<DeviceHandle> device{};
        MemoryConfig memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensor>("gives the shape").also("input_tensor"),
                                      kw<&Params::dtype>("data type"), kw<&Params::layout>("ROW_MAJOR or TILE"),
                                      kw<&Params::device>("default: the tensor's"),
                                      kw<&Params::memory_config>("DRAM interleaved unless given")};
    static constexpr bool host_inputs = true;
    static constexpr std::string_view no_reference = "its elements are undefined";

    static Result run(const Params& params);
};

// clang-format off
TTNN_OPERATION(zeros, ConstantOperation<"ttnn.zeros", 0>);
TTNN_OPERATION(ones, ConstantOperation<"ttnn.ones", 1>);
TTNN_OPERATION(zeros_like, ConstantLikeOperation<"ttnn.zeros_like", 0>);
TTNN_OPERATION(ones_like, ConstantLikeOperation<"ttnn.ones_like", 1>);
TTNN_OPERATION(full, Full);
TTNN_OPERATION(full_like, FullLike);
TTNN_OPERATION(empty, Empty);
TTNN_OPERATION(empty_like, EmptyLike);
// clang-format on

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/array.hpp"

namespace ttnn {

namespace reference {
inline std::vector<Array> constant(const Shape& shape, const Scalar& value, DataType dtype) {
    const double number = as_double(value);
    return {Array(shape, is_integer(dtype) ? std::trunc(number) : number)};
}
}  // namespace reference

template <FixedString Name, int Value>
std::vector<reference::Array> ConstantOperation<Name, Value>::reference(const Params& params) {
    return {reference::Array(params.shape, Value)};
}
template <FixedString Name, int Value>
std::vector<reference::Array> ConstantLikeOperation<Name, Value>::reference(const Params& params) {
    return {reference::Array(params.tensor.logical_shape(), Value)};
}
inline std::vector<reference::Array> Full::reference(const Params& params) {
    const DataType dtype =
        params.optional_tensor ? params.optional_tensor->dtype() : params.dtype.value_or(DataType::BFLOAT16);
    return reference::constant(params.shape, params.fill_value, dtype);
}
inline std::vector<reference::Array> FullLike::reference(const Params& params) {
    return reference::constant(params.tensor.logical_shape(), params.fill_value,
                               params.dtype.value_or(params.tensor.dtype()));
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

namespace creation {

inline Layout default_layout(DataType dtype) { return is_block_float(dtype) ? Layout::TILE : Layout::ROW_MAJOR; }

// On the device, or on the host without one.
inline Tensor allocate(const TensorSpec& spec, const DeviceHandle& device) {
    return device ? Tensor::allocate_on_device(spec, device) : Tensor::allocate_on_host(spec);
}

inline Tensor constant(const ConstantParams& params, const Scalar& value,
                       const std::optional<Tensor>& output = std::nullopt) {
    const DataType dtype = params.dtype.value_or(DataType::BFLOAT16);
    Tensor result = output ? *output
                           : allocate(TensorSpec(params.shape, dtype, params.layout.value_or(default_layout(dtype)),
                                                 params.memory_config.value_or(MemoryConfig())),
                                      params.device.value_or(nullptr));
    if (as_double(value) != 0 || output) {
        compute::fill(result, as_double(value));
    }
    return result;
}

// Everything that the caller leaves open comes from the tensor.
inline Tensor constant_like(const ConstantLikeParams& params, const Scalar& value) {
    const TensorSpec& spec = params.tensor.spec();
    return constant({.shape = spec.logical_shape(),
                     .dtype = params.dtype.value_or(spec.dtype()),
                     .layout = params.layout.value_or(spec.layout()),
                     .device = params.device.value_or(params.tensor.device()),
                     .memory_config = params.memory_config.value_or(spec.memory_config())},
                    value, params.optional_tensor);
}

inline void check_output(std::string_view op, const std::optional<Tensor>& output, const Shape& shape,
                         std::optional<DataType> dtype) {
    if (output) {
        check_preallocated(op, "optional_tensor", *output, shape);
        output_dtype(op, dtype, output, output->dtype());
    }
}

}  // namespace creation

template <FixedString Name, int Value>
Tensor ConstantOperation<Name, Value>::run(const Params& params) {
    return creation::constant(params, int64_t{Value});
}

template <FixedString Name, int Value>
void ConstantOperation<Name, Value>::cases(CaseMaker& make) {
    const Shape shape{2, 33, 48};
    make.add(Params{.shape = shape,
                    .dtype = make.dtype(),
                    .layout = make.layout(),
                    .device = make.device(),
                    .memory_config = make.memory_config(shape)});
    make.add(Params{.shape = shape, .dtype = make.dtype()});
}

inline void Full::validate(const Params& params) {
    creation::check_output(name, params.optional_tensor, params.shape, params.dtype);
}

inline Tensor Full::run(const Params& params) {
    return creation::constant({params.shape, params.dtype, params.layout, params.device, params.memory_config},
                              params.fill_value, params.optional_tensor);
}

inline void Full::cases(CaseMaker& make) {
    const Shape shape{3, 40, 64};
    make.add(Params{.shape = shape,
                    .fill_value = 7.25,
                    .dtype = make.dtype(),
                    .layout = make.layout(),
                    .device = make.device(),
                    .memory_config = make.memory_config(shape)});
    make.add(Params{.shape = shape, .fill_value = int64_t{5}, .optional_tensor = make.tensor(shape)});
}

template <FixedString Name, int Value>
void ConstantLikeOperation<Name, Value>::validate(const Params& params) {
    creation::check_output(name, params.optional_tensor, params.tensor.logical_shape(), params.dtype);
}
template <FixedString Name, int Value>
Tensor ConstantLikeOperation<Name, Value>::run(const Params& params) {
    return creation::constant_like(params, int64_t{Value});
}
template <FixedString Name, int Value>
void ConstantLikeOperation<Name, Value>::cases(CaseMaker& make) {
    make.add(Params{.tensor = make.tensor({2, 33, 48})});
    make.add(Params{.tensor = make.tensor({64, 96}), .dtype = DataType::FLOAT32, .memory_config = MemoryConfig()});
    make.add(Params{.tensor = make.tensor({32, 64}), .optional_tensor = make.tensor({32, 64})});
}

inline void FullLike::validate(const Params& params) {
    creation::check_output(name, params.optional_tensor, params.tensor.logical_shape(), params.dtype);
}
inline Tensor FullLike::run(const Params& params) {
    return creation::constant_like(
        {params.tensor, params.dtype, params.layout, params.device, params.memory_config, params.optional_tensor},
        params.fill_value);
}
inline void FullLike::cases(CaseMaker& make) {
    make.add(Params{.tensor = make.tensor({2, 33, 48}), .fill_value = 3.5});
    make.add(Params{.tensor = make.tensor({64, 96}), .fill_value = int64_t{2}, .dtype = DataType::FLOAT32});
    make.add(Params{.tensor = make.on_host({64, 40}, make.dtype(), make.layout()), .fill_value = 2.0});
}

inline void Empty::validate(const Params& params) {
    require(params.device != nullptr, "{}: argument 'device' must be a device, got None", name);
}
inline Tensor Empty::run(const Params& params) {
    return creation::allocate(TensorSpec(params.shape, params.dtype, params.layout, params.memory_config),
                              params.device);
}

inline Tensor EmptyLike::run(const Params& params) {
    return creation::allocate(
        TensorSpec(params.tensor.logical_shape(), params.dtype, params.layout, params.memory_config),
        params.device.value_or(params.tensor.device()));
}

}  // namespace ttnn

#endif
