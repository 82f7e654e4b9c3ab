// Tensors between host and device: to_device, from_device, copies into existing tensors, allocation and its end.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct ToDevice {
    static constexpr std::string_view name = "ttnn.to_device";
    static constexpr std::string_view doc =
        "Copies a host tensor to a device; a tensor that is already there is returned as it is.";
    struct Params {
        Tensor tensor{};
        DeviceHandle device{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<int64_t> queue_id{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensor>("tensor on the host"), arg<&Params::device>("where it goes"),
                                      opt<&Params::memory_config>("default: the tensor's own"),
                                      kw<&Params::queue_id>("command queue; no effect here").is_volatile()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct FromDevice {
    static constexpr std::string_view name = "ttnn.from_device";
    static constexpr std::string_view doc = "Copies a device tensor to the host; a host tensor is returned as it is.";
    struct Params {
        Tensor tensor{};
        bool blocking = true;
        std::optional<int64_t> queue_id{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensor>("tensor on a device"),
                                      opt<&Params::blocking>("whether to wait for the data; no effect here"),
                                      kw<&Params::queue_id>("command queue; no effect here").is_volatile()};
    static constexpr Tolerance tolerance = ToDevice::tolerance;
    static constexpr bool host_inputs = true;

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Deallocate {
    static constexpr std::string_view name = "ttnn.deallocate";
    static constexpr std::string_view doc = "Frees a tensor's bytes; using the tensor afterwards is an error.";
    struct Params {
        Tensor tensor{};
        bool force = true;
    };
    using Result = std::optional<Tensor>;  // always None
    static constexpr FieldList fields{arg<&Params::tensor>("tensor to free"),
                                      opt<&Params::force>("even if other tensors share the buffer")};
    static constexpr bool host_inputs = true;
    static constexpr std::string_view no_reference = "it returns nothing";

    static Result run(const Params& params);
};

struct CopyHostToDeviceTensor {
    static constexpr std::string_view name = "ttnn.copy_host_to_device_tensor";
    static constexpr std::string_view doc = "Fills an existing device tensor from a host tensor of equal spec.";
    struct Params {
        Tensor host_tensor{};
        Tensor device_tensor{};
        std::optional<int64_t> cq_id{};
    };
    using Result = std::optional<Tensor>;  // always None
    static constexpr FieldList fields{arg<&Params::host_tensor>("where the elements come from"),
                                      arg<&Params::device_tensor>("where they go").mutates(),
                                      opt<&Params::cq_id>("command queue; no effect here").is_volatile()};
    static constexpr bool host_inputs = true;
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static reference::Array mutated_reference(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

struct CopyDeviceToHostTensor {
    static constexpr std::string_view name = "ttnn.copy_device_to_host_tensor";
    static constexpr std::string_view doc = "Fills an existing host tensor from a device tensor of equal spec.";
    struct Params {
        Tensor device_tensor{};
        Tensor host_tensor{};
        bool blocking = true;
        std::optional<int64_t> cq_id{};
    };
    using Result = std::optional<Tensor>;  // always None
    static constexpr FieldList fields{arg<&Params::device_tensor>("where the elements come from"),
                                      arg<&Params::host_tensor>("where they go").mutates(),
                                      opt<&Params::blocking>("whether to wait for the data; no effect here"),
                                      opt<&Params::cq_id>("command queue; no effect here").is_volatile()};
    static constexpr bool host_inputs = true;
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static reference::Array mutated_reference(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

struct AllocateTensorOnDevice {
    static constexpr std::string_view name = "ttnn.allocate_tensor_on_device";
    static constexpr std::string_view doc = "A new device tensor with undefined elements (zeros here).";
    struct Params {
        Shape shape{};
        DataType dtype = DataType::INVALID;
        Layout layout = Layout::INVALID;
        DeviceHandle device{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::shape>("shape of the elements"), arg<&Params::dtype>("data type"),
                                      arg<&Params::layout>("ROW_MAJOR or TILE"), arg<&Params::device>("where it goes"),
                                      opt<&Params::memory_config>("default: DRAM interleaved")};
    static constexpr std::string_view no_reference = "its elements are undefined";

    static Result run(const Params& params);
};

struct AllocateTensorOnHost {
    static constexpr std::string_view name = "ttnn.allocate_tensor_on_host";
    static constexpr std::string_view doc = "A new host tensor with undefined elements (zeros here).";
    struct Params {
        Shape shape{};
        DataType dtype = DataType::INVALID;
        Layout layout = Layout::INVALID;
        std::optional<DeviceHandle> device{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::shape>("shape of the elements"), arg<&Params::dtype>("data type"),
                                      arg<&Params::layout>("ROW_MAJOR or TILE"),
                                      opt<&Params::device>("the device it will go to; no effect here"),
                                      opt<&Params::memory_config>("default: DRAM interleaved")};
    static constexpr std::string_view no_reference = "its elements are undefined";

    static Result run(const Params& params);
};

TTNN_OPERATION(to_device, ToDevice);
TTNN_OPERATION(from_device, FromDevice);
TTNN_OPERATION(deallocate, Deallocate);
TTNN_OPERATION(copy_host_to_device_tensor, CopyHostToDeviceTensor);
TTNN_OPERATION(copy_device_to_host_tensor, CopyDeviceToHostTensor);
TTNN_OPERATION(allocate_tensor_on_device, AllocateTensorOnDevice);
TTNN_OPERATION(allocate_tensor_on_host, AllocateTensorOnHost);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

namespace ttnn {

inline std::vector<reference::Array> ToDevice::reference(const Params& params) {
    return {reference::values(params.tensor)};
}
inline std::vector<reference::Array> FromDevice::reference(const Params& params) {
    return {reference::values(params.tensor)};
}
inline reference::Array CopyHostToDeviceTensor::mutated_reference(const Params& params, std::string_view) {
    return reference::values(params.host_tensor);
}
inline reference::Array CopyDeviceToHostTensor::mutated_reference(const Params& params, std::string_view) {
    return reference::values(params.device_tensor);
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {

namespace movement {

inline void validate_fill(std::string_view op, const Tensor& host, const Tensor& device) {
    require(!host.is_on_device(), "{}: argument 'host_tensor' must be on the host, but it is on a device", op);
    require(device.is_on_device(), "{}: argument 'device_tensor' must be on device, but its storage type is HOST", op);
    require(host.logical_shape() == device.logical_shape() && host.dtype() == device.dtype() &&
                host.layout() == device.layout() && host.spec().tile() == device.spec().tile(),
            "{}: both tensors must have the same spec, got {} {} {} on the host and {} {} {} on the device", op,
            host.logical_shape(), host.dtype(), host.layout(), device.logical_shape(), device.dtype(), device.layout());
}

}  // namespace movement

inline void ToDevice::validate(const Params& params) {
    require(params.device != nullptr, "{}: argument 'device' must be a device, got None", name);
    require(!params.tensor.is_on_device() || params.tensor.device() == params.device,
            "{}: argument 'tensor' is on another device; move it to the host first", name);
}

inline Tensor ToDevice::run(const Params& params) {
    return params.tensor.is_on_device() ? params.tensor
                                        : copy_to_device(params.tensor, params.device, params.memory_config);
}

inline void ToDevice::cases(CaseMaker& make) {
    for (const Shape& shape : {Shape{1, 1, 64, 96}, Shape{2, 33, 65}}) {
        make.add(Params{.tensor = make.on_host(shape, make.dtype(), make.layout()),
                        .device = make.device(),
                        .memory_config = make.memory_config(shape)});
    }
    make.add(Params{.tensor = make.on_host({32, 40}, make.dtype(), make.layout()), .device = make.device()});
}

inline Tensor FromDevice::run(const Params& params) {
    return params.tensor.is_on_device() ? copy_to_host(params.tensor) : params.tensor;
}

inline void FromDevice::cases(CaseMaker& make) {
    make.add(Params{.tensor = make.tensor({1, 1, 64, 96})});
    make.add(Params{.tensor = make.tensor({2, 33, 65}), .blocking = false});
}

inline std::optional<Tensor> Deallocate::run(const Params& params) {
    Tensor tensor = params.tensor;
    if (params.force || !tensor.is_on_device() || tensor.buffer().use_count() == 1) {
        tensor.deallocate();
    }
    return std::nullopt;
}

inline void CopyHostToDeviceTensor::validate(const Params& params) {
    movement::validate_fill(name, params.host_tensor, params.device_tensor);
}
inline std::optional<Tensor> CopyHostToDeviceTensor::run(const Params& params) {
    Tensor target = params.device_tensor;
    copy_parts(params.host_tensor, target, [](const Tensor& from, Tensor& to) { compute::transfer(from, to); });
    return std::nullopt;
}

inline void CopyHostToDeviceTensor::cases(CaseMaker& make) {
    make.add(Params{.host_tensor = make.on_host({2, 33, 48}, make.dtype(), make.layout()),
                    .device_tensor = make.tensor({2, 33, 48})});
}

inline void CopyDeviceToHostTensor::validate(const Params& params) {
    movement::validate_fill(name, params.host_tensor, params.device_tensor);
}
inline std::optional<Tensor> CopyDeviceToHostTensor::run(const Params& params) {
    Tensor target = params.host_tensor;
    copy_parts(params.device_tensor, target, [](const Tensor& from, Tensor& to) { compute::transfer(from, to); });
    return std::nullopt;
}

inline void CopyDeviceToHostTensor::cases(CaseMaker& make) {
    make.add(Params{.device_tensor = make.tensor({2, 33, 48}),
                    .host_tensor = make.on_host({2, 33, 48}, make.dtype(), make.layout())});
}

inline Tensor AllocateTensorOnDevice::run(const Params& params) {
    return Tensor::allocate_on_device(
        TensorSpec(params.shape, params.dtype, params.layout, params.memory_config.value_or(MemoryConfig())),
        params.device);
}

inline Tensor AllocateTensorOnHost::run(const Params& params) {
    return Tensor::allocate_on_host(
        TensorSpec(params.shape, params.dtype, params.layout, params.memory_config.value_or(MemoryConfig())));
}

}  // namespace ttnn

#endif
