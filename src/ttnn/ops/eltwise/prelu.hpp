// prelu: negative elements times a weight per channel.
#pragma once

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

struct Prelu {
    static constexpr std::string_view name = "ttnn.prelu";
    static constexpr std::string_view doc = "x where x >= 0, else weight * x; one weight, or one per index of dim 1.";
    struct Params {
        Tensor input_tensor_a{};
        std::variant<Tensor, double, std::vector<double>> weight{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor_a>("floating tensor on a device"),
        arg<&Params::weight>("a number, a list of one number, or a tensor with as many elements as dim 1"),
        kw<&Params::memory_config>(binary_doc::memory_config)};
    static constexpr Tolerance tolerance = tolerance_of(BinaryOpType::PRELU);

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(prelu, Prelu);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::Prelu::reference(const Params& params) {
    reference::Array result = reference::values(params.input_tensor_a);
    reference::Array weights(Shape{1});
    if (const auto* tensor = std::get_if<Tensor>(&params.weight)) {
        weights = reference::values(*tensor);
    } else if (const auto* number = std::get_if<double>(&params.weight)) {
        weights.values = {static_cast<double>(static_cast<float>(*number))};
    } else {
        weights.values = {static_cast<double>(static_cast<float>(std::get<std::vector<double>>(params.weight)[0]))};
    }
    reference::for_each_index(result.shape, [&](std::span<const uint32_t> index) {
        double& x = result.at(index);
        x *= x < 0 ? weights.values[weights.values.size() == 1 ? 0 : index[1]] : 1.0;
    });
    return {std::move(result)};
}

#else

#include "ttnn/ops/data_movement/reshape.hpp"

namespace ttnn {

inline void Prelu::validate(const Params& params) {
    const Shape& shape = params.input_tensor_a.logical_shape();
    if (const auto* list = std::get_if<std::vector<double>>(&params.weight)) {
        require(list->size() == 1, "{}: argument 'weight' must be a list of one number, got {} numbers", name,
                list->size());
    }
    if (const auto* weights = std::get_if<Tensor>(&params.weight)) {
        require(static_cast<bool>(*weights), "{}: argument 'weight' holds no tensor", name);
        require(shape.rank() >= 2 && weights->logical_volume() == shape[1],
                "{}: argument 'weight' must have as many elements as dim 1 of the input of {}, got {}", name, shape,
                weights->logical_shape());
    }
}

inline Tensor Prelu::run(const Params& params) {
    BinaryArguments call;
    call.op = name;
    call.type = BinaryOpType::PRELU;
    call.a = &params.input_tensor_a;
    call.b_name = "weight";
    call.memory_config = pointer_to(params.memory_config);
    Tensor weights;
    if (const auto* tensor = std::get_if<Tensor>(&params.weight)) {
        std::vector<int64_t> per_channel(params.input_tensor_a.logical_shape().rank(), 1);
        per_channel[1] = static_cast<int64_t>(tensor->logical_volume());
        weights = ttnn::reshape(*tensor, per_channel);
        call.b = &weights;
    } else if (const auto* number = std::get_if<double>(&params.weight)) {
        call.scalar = *number;
    } else {
        call.scalar = std::get<std::vector<double>>(params.weight)[0];
    }
    return run_binary(call);
}

inline void Prelu::cases(CaseMaker& make) {
    const auto weights = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{.input_tensor_a = make.tensor({2, 3, 32, 64}), .weight = 0.25});
    make.add(Params{.input_tensor_a = make.tensor({33, 64}), .weight = std::vector<double>{-0.5}});
    make.add(Params{.input_tensor_a = make.tensor({2, 3, 32, 64}), .weight = weights({3})});
    make.add(Params{.input_tensor_a = make.tensor({1, 4, 33, 34}), .weight = weights({1, 4, 1, 1})});
    make.add(Params{.input_tensor_a = make.tensor({32, 64}), .weight = weights({64})});
}

}  // namespace ttnn

#endif
