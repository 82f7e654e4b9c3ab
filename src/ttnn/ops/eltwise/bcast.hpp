// bcast: a row, a column or one number per matrix added to, subtracted from or multiplied with a tensor.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Bcast {
    static constexpr std::string_view name = "ttnn.bcast";
    static constexpr std::string_view doc = "a + b, a - b or a * b with b spread along the height, the width or both.";
    struct Params {
        Tensor input_a{};
        Tensor input_b{};
        BcastOpMath math_op = BcastOpMath::ADD;
        BcastOpDim dim = BcastOpDim::H;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_a>("tensor on a device; ROW_MAJOR ones are tilized").also("input_tensor_a"),
        arg<&Params::input_b>("one tile high (H), wide (W) or both (HW), of which the first row, column or number "
                              "counts")
            .also("input_tensor_b"),
        arg<&Params::math_op>("ADD, SUB or MUL"),
        arg<&Params::dim>("along which b is spread: H, W or HW"),
        kw<&Params::output_tensor>("written into and returned").mutates(),
        kw<&Params::memory_config>("default: that of the first operand")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(bcast, Bcast);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Bcast::reference(const Params& params) {
    const auto a = reference::values(params.input_a);
    auto b = reference::values(params.input_b);
    b.shape = b.shape.to_rank(a.shape.rank());
    const size_t rank = a.shape.rank();
    return {reference::generated(a.shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> other(index.begin(), index.end());
        for (size_t i = 0; i + 2 < rank; ++i) {
            other[i] = b.shape[static_cast<int64_t>(i)] == 1 ? 0 : other[i];
        }
        other[rank - 2] = params.dim == BcastOpDim::W ? other[rank - 2] : 0;
        other[rank - 1] = params.dim == BcastOpDim::H ? other[rank - 1] : 0;
        const double left = a.at(index);
        const double right = b.at(other);
        switch (params.math_op) {
            case BcastOpMath::ADD: return left + right;
            case BcastOpMath::SUB: return left - right;
            default: return left * right;
        }
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"

namespace ttnn {

namespace eltwise {

inline void bcast_row(BcastOpMath math, const float* a, const float* b, bool spread, float* out, size_t count) {
    const auto each = [&](auto function) {
        if (spread) {
            for (size_t i = 0; i < count; ++i) {
                out[i] = function(a[i], *b);
            }
        } else {
            for (size_t i = 0; i < count; ++i) {
                out[i] = function(a[i], b[i]);
            }
        }
    };
    switch (math) {
        case BcastOpMath::ADD: return each([](float x, float y) { return x + y; });
        case BcastOpMath::SUB: return each([](float x, float y) { return x - y; });
        default: return each([](float x, float y) { return x * y; });
    }
}

inline void bcast_kernel(const Tensor& a, const Tensor& b, BcastOpMath math, BcastOpDim dim, Tensor& output) {
    const Dense<float> left = read<float>(a);
    const Dense<float> right = read<float>(b);
    Dense<float> result(left.size());
    if (result.size() == 0) {
        return;
    }
    const size_t height = a.logical_shape().from_end(1);
    const size_t width = a.logical_shape().from_end(0);
    const size_t b_width = b.logical_shape().from_end(0);
    const size_t b_matrix = b.logical_shape().from_end(1) * b_width;
    const size_t matrices = left.size() / (height * width);
    const bool per_matrix = right.size() != b_matrix;
    for (size_t matrix = 0; matrix < matrices; ++matrix) {
        checkpoint();
        for (size_t row = 0; row < height; ++row) {
            const size_t at = (matrix * height + row) * width;
            const size_t other = (per_matrix ? matrix * b_matrix : 0) + (dim == BcastOpDim::W ? row * b_width : 0);
            bcast_row(math, &left[at], &right[other], dim != BcastOpDim::H, &result[at], width);
        }
    }
    write<float>(output, result.span());
}

inline void check_bcast_shapes(const Bcast::Params& params) {
    const std::string_view name = Bcast::name;
    const Shape& a = params.input_a.logical_shape();
    const Shape& b = params.input_b.logical_shape();
    require(a.volume() == 0 || b.volume() != 0, "{}: argument 'input_b' {} has nothing to add to argument 'input_a' {}",
            name, b, a);
    require(a.rank() >= 2 && b.rank() <= a.rank(),
            "{}: argument 'input_a' must have a rank of 2 or more and argument 'input_b' not a higher one, got {} and "
            "{}",
            name, a, b);
    const bool high = params.dim == BcastOpDim::W ? b.from_end(1) == a.from_end(1) : b.from_end(1) <= tile_size;
    const bool wide = params.dim == BcastOpDim::H ? b.from_end(0) == a.from_end(0) : b.from_end(0) <= tile_size;
    require(high && wide, "{}: argument 'input_b' {} must be one tile along {} and fit argument 'input_a' {} elsewhere",
            name, b, params.dim, a);
    bool one = true;
    bool equal = true;
    for (size_t i = 2; i < a.rank(); ++i) {
        one = one && b.from_end(i) == 1;
        equal = equal && b.from_end(i) == a.from_end(i);
    }
    require(one || equal, "{}: the leading dimensions of argument 'input_b' {} must all be 1 or those of {}", name, b,
            a);
}

// What the device operation refuses, once the operands are tiles.
inline void check_bcast(const Bcast::Params& params) {
    const std::string_view name = Bcast::name;
    for (const auto& [argument, tensor] :
         {std::pair("input_a", &params.input_a), std::pair("input_b", &params.input_b)}) {
        check_dtype(name, argument, *tensor, {DataType::BFLOAT16, DataType::FLOAT32, DataType::BFLOAT8_B});
    }
    if (params.output_tensor) {
        check_preallocated(name, "output_tensor", *params.output_tensor, params.input_a.logical_shape());
        check_layout(name, "output_tensor", *params.output_tensor, Layout::TILE);
        check_dtype(name, "output_tensor", *params.output_tensor, {params.input_a.dtype()});
    }
}

}  // namespace eltwise

inline void Bcast::validate(const Params& params) { eltwise::check_bcast_shapes(params); }

inline Tensor Bcast::run(const Params& params) {
    const std::array<Tensor, 2> operands{to_layout(params.input_a, Layout::TILE),
                                         to_layout(params.input_b, Layout::TILE)};
    check_at_launch([&] { eltwise::check_bcast(params); });
    const Tensor& a = operands[0];
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, a, a);
        movement::buffer_for(p, operands[1], a);
        movement::buffer_for(p, outputs[0], a);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        eltwise::bcast_kernel(inputs[0], inputs[1], params.math_op, params.dim, outputs[0]);
    };
    const MemoryConfig& config = output_memory_config(params.memory_config, params.output_tensor, a);
    const auto arguments = [&](ArgumentList& list) {
        list.add(a).add(operands[1]).add(params.math_op).add(params.dim).add(config).add(params.output_tensor);
    };
    return launch({"ttnn::prim::bcast", operands, program, kernel, arguments},
                  TensorSpec(a.logical_shape(), a.dtype(), Layout::TILE, config, a.spec().tile()),
                  params.output_tensor);
}

inline void Bcast::cases(CaseMaker& make) {
    const auto add = [&](const Shape& a, const Shape& b, BcastOpMath math, BcastOpDim dim) {
        make.add(Params{make.tensor(a), make.interleaved(b, make.dtype(), make.layout()), math, dim});
    };
    add({1, 1, 64, 96}, {1, 1, 1, 96}, BcastOpMath::ADD, BcastOpDim::H);
    add({2, 3, 64, 64}, {2, 3, 32, 64}, BcastOpMath::MUL, BcastOpDim::H);
    add({2, 2, 40, 70}, {1, 1, 40, 1}, BcastOpMath::SUB, BcastOpDim::W);
    add({2, 64, 64}, {2, 64, 1}, BcastOpMath::MUL, BcastOpDim::W);
    add({2, 2, 33, 48}, {2, 2, 1, 1}, BcastOpMath::SUB, BcastOpDim::HW);
    add({96, 64}, {1, 1}, BcastOpMath::ADD, BcastOpDim::HW);
    if (make.layout() == Layout::TILE) {
        make.add(Params{.input_a = make.tensor({1, 2, 64, 64}),
                        .input_b = make.interleaved({1, 1, 1, 64}, make.dtype(), make.layout()),
                        .math_op = BcastOpMath::MUL,
                        .output_tensor = make.tensor({1, 2, 64, 64})});
    }
}

}  // namespace ttnn

#endif
