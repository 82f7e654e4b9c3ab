// outer: every element of one tensor times every element of another.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Outer {
    static constexpr std::string_view name = "ttnn.outer";
    static constexpr std::string_view doc = "The [1, 1, N, M] table of products of N and M numbers.";
    struct Params {
        Tensor input_tensor_a{};
        Tensor input_tensor_b{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor_a>("floating tensor of rank 4 with at least three dims of 1"),
        arg<&Params::input_tensor_b>("the same; one on the host goes to the other's device"),
        kw<&Params::memory_config>("default: the first tensor's if it is interleaved on a device, else DRAM")};
    // Sums of a single product.
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(outer, Outer);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Outer::reference(const Params& params) {
    const reference::Array a = reference::values(params.input_tensor_a);
    const reference::Array b = reference::values(params.input_tensor_b);
    reference::Array table(Shape{1, 1, static_cast<uint32_t>(a.values.size()), static_cast<uint32_t>(b.values.size())});
    for (size_t n = 0; n < a.values.size(); ++n) {
        for (size_t m = 0; m < b.values.size(); ++m) {
            table.values[n * b.values.size() + m] = a.values[n] * b.values[m];
        }
    }
    return {std::move(table)};
}

#else

#include <algorithm>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/matmul/matmul.hpp"

namespace ttnn {

inline void Outer::validate(const Params& params) {
    const auto check = [](std::string_view argument, const Tensor& tensor) {
        require(static_cast<bool>(tensor), "{}: argument '{}' holds no tensor", name, argument);
        const Shape& shape = tensor.logical_shape();
        require(shape.rank() == 4 && std::ranges::count(shape, 1U) >= 3,
                "{}: argument '{}' must have rank 4 and at least three dims of 1, got {}", name, argument, shape);
        check_dtype(name, argument, tensor,
                    {DataType::BFLOAT16, DataType::FLOAT32, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
    };
    check("input_tensor_a", params.input_tensor_a);
    check("input_tensor_b", params.input_tensor_b);
    require(params.input_tensor_a.is_on_device() || params.input_tensor_b.is_on_device(),
            "{}: one of the arguments 'input_tensor_a' and 'input_tensor_b' must be on a device", name);
}

inline Tensor Outer::run(const Params& params) {
    const Tensor& a = params.input_tensor_a;
    const Tensor& b = params.input_tensor_b;
    const auto device = a.is_on_device() ? a.device() : b.device();
    const auto prepared = [&](const Tensor& tensor, const std::vector<int64_t>& shape) {
        const Tensor there = tensor.is_on_device() ? tensor : copy_to_device(tensor, device);
        return ttnn::reshape(ttnn::to_layout(there, Layout::TILE), shape);
    };
    const Tensor column = prepared(a, {1, 1, static_cast<int64_t>(a.logical_volume()), 1});
    const Tensor row = prepared(b, {1, 1, 1, static_cast<int64_t>(b.logical_volume())});
    Matmul::Params product{};
    product.memory_config = params.memory_config;
    if (!product.memory_config && a.is_on_device() && !a.is_sharded()) {
        product.memory_config = a.memory_config();
    }
    return ttnn::matmul(column, row, product);
}

inline void Outer::cases(CaseMaker& make) {
    const auto add_case = [&](const Tensor& a, const Tensor& b) {
        make.add(Params{.input_tensor_a = a, .input_tensor_b = b});
    };
    add_case(make.tensor({1, 1, 1, 64}), make.tensor({1, 1, 1, 96}));
    add_case(make.tensor({1, 1, 33, 1}), make.tensor({1, 1, 1, 40}));
    add_case(make.tensor({1, 5, 1, 1}), make.tensor({1, 1, 1, 32}));
    add_case(make.on_host({1, 1, 1, 32}, make.dtype(), make.layout()), make.tensor({1, 1, 1, 64}));
}

}  // namespace ttnn

#endif
