// copy, assign, move, reallocate: the elements in another tensor or another place.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Copy {
    static constexpr std::string_view name = "ttnn.copy";
    static constexpr std::string_view doc = "Writes one tensor's elements into another one, which is returned.";
    struct Params {
        Tensor input_a{};
        Tensor input_b{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_a>("where the elements come from"),
                                      arg<&Params::input_b>("where they go; equal shape and layout").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Assign {
    static constexpr std::string_view name = "ttnn.assign";
    static constexpr std::string_view doc = "Copies a tensor into a memory config and data type.";
    struct Params {
        Tensor input_tensor{};
        MemoryConfig memory_config{};
        std::optional<DataType> dtype{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kwreq<&Params::memory_config>("memory config of the copy"),
                                      kw<&Params::dtype>("TILE only; default: the input's"),
                                      kw<&Params::output_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance = Copy::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct AssignInto {
    static constexpr std::string_view name = "ttnn.assign";
    static constexpr std::string_view doc = "Writes one tensor's elements into another one, which is returned.";
    struct Params {
        Tensor input_a{};
        Tensor input_b{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_a>("where the elements come from"),
                                      arg<&Params::input_b>("where they go; equal shape and layout").mutates()};
    static constexpr Tolerance tolerance = Copy::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Move {
    static constexpr std::string_view name = "ttnn.move";
    static constexpr std::string_view doc =
        "Frees the tensor's buffer and puts its elements into a new one, against fragmentation. A tensor that shares "
        "its buffer is returned as it is.";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device; unallocated afterwards").mutates(),
        kw<&Params::memory_config>("default: the input's")};
    static constexpr Tolerance tolerance = Copy::tolerance;

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Reallocate {
    static constexpr std::string_view name = "ttnn.reallocate";
    static constexpr std::string_view doc = "Moves a tensor into a new buffer; the old one is freed first.";
    struct Params {
        Tensor tensor{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::tensor>("tensor on a device; unallocated afterwards").mutates(),
                                      opt<&Params::memory_config>("default: the tensor's")};
    static constexpr Tolerance tolerance = Copy::tolerance;

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

inline constexpr Overloads<Assign, AssignInto> assign{};
TTNN_OPERATION(copy, Copy);
TTNN_DECLARATION(Assign);
TTNN_DECLARATION(AssignInto);
TTNN_OPERATION(move, Move);
TTNN_OPERATION(reallocate, Reallocate);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/ops/data_movement/typecast.hpp"

namespace ttnn {

inline std::vector<reference::Array> Copy::reference(const Params& params) {
    return {reference::converted(params.input_a, params.input_b.dtype())};
}
inline std::vector<reference::Array> Assign::reference(const Params& params) {
    return {reference::converted(params.input_tensor, params.dtype.value_or(params.input_tensor.dtype()))};
}
inline std::vector<reference::Array> AssignInto::reference(const Params& params) {
    return {reference::converted(params.input_a, params.input_b.dtype())};
}
inline std::vector<reference::Array> Move::reference(const Params& params) {
    reference::Array kept = reference::values(params.input_tensor);
    kept.values.held();  // the tensor is freed before anybody compares
    return {kept};
}
inline std::vector<reference::Array> Reallocate::reference(const Params& params) {
    return Move::reference({.input_tensor = params.tensor, .memory_config = params.memory_config});
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {

namespace movement {

inline void validate_copy(std::string_view op, const Tensor& from, const Tensor& to, std::string_view target) {
    check_at_launch([&] {
        check_preallocated(op, target, to, from.logical_shape());
        check_layout(op, target, to, from.layout());
        require(to.dtype() == from.dtype() || from.layout() == Layout::TILE,
                "{}: {} can become {} in TILE only, got ROW_MAJOR", op, from.dtype(), to.dtype());
    });
}

inline Tensor copy_into(const Tensor& from, const Tensor& to) {
    return copy_primitive(from, to.memory_config(), to.dtype(), to);
}

}  // namespace movement

inline void Copy::validate(const Params& params) {
    movement::validate_copy(name, params.input_a, params.input_b, "input_b");
}
inline Tensor Copy::run(const Params& params) { return movement::copy_into(params.input_a, params.input_b); }

inline void Copy::cases(CaseMaker& make) {
    make.add(Params{make.tensor({2, 33, 48}), make.tensor({2, 33, 48})});
    make.add(Params{make.tensor({64, 64}), make.interleaved({64, 64}, make.dtype(), make.layout())});
    make.add(
        Params{make.tensor({32, 96}), make.tensor({32, 96}, make.floating() ? DataType::BFLOAT16 : DataType::INT32)});
}

inline void Assign::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const DataType dtype = output_dtype(name, params.dtype, params.output_tensor, input.dtype());
    check_at_launch([&] {
        require(dtype == input.dtype() || input.layout() == Layout::TILE,
                "{}: argument 'dtype' is {}, which needs an input in TILE: a ROW_MAJOR one stays {}", name, dtype,
                input.dtype());
    });
    if (params.output_tensor) {
        movement::validate_copy(name, input, *params.output_tensor, "output_tensor");
    }
}

inline Tensor Assign::run(const Params& params) {
    const DataType dtype = output_dtype(name, params.dtype, params.output_tensor, params.input_tensor.dtype());
    return movement::copy_primitive(params.input_tensor, params.memory_config, dtype, params.output_tensor);
}

inline void Assign::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 33, 48}), .memory_config = make.memory_config({2, 33, 48})});
    make.add(Params{.input_tensor = make.tensor({64, 96}),
                    .memory_config = l1_memory_config(),
                    .dtype = make.floating() ? DataType::BFLOAT16 : make.dtype()});
    make.add(
        Params{.input_tensor = make.tensor({32, 64}), .memory_config = {}, .output_tensor = make.tensor({32, 64})});
}

inline void AssignInto::validate(const Params& params) {
    movement::validate_copy(name, params.input_a, params.input_b, "input_b");
}
inline Tensor AssignInto::run(const Params& params) { return movement::copy_into(params.input_a, params.input_b); }
inline void AssignInto::cases(CaseMaker& make) { make.add(Params{make.tensor({40, 64}), make.tensor({40, 64})}); }

inline Tensor Move::run(const Params& params) {
    Tensor input = params.input_tensor;
    if (input.buffer().use_count() > 1) {
        return input;
    }
    const Tensor values = copy_to_host(input);
    const std::shared_ptr<Device> device = input.device();
    const TensorSpec spec =
        params.memory_config ? input.spec().with_memory_config(*params.memory_config) : input.spec();
    input.deallocate();
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, outputs[0], outputs[0]);
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::transfer(inputs[0], outputs[0]);
    };
    return launch_on(device, {"ttnn::prim::move", {&values, 1}, program, kernel, no_arguments, false}, spec);
}

inline void Move::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 33, 48})});
    make.add(Params{.input_tensor = make.tensor({64, 64}), .memory_config = l1_memory_config()});
}

inline Tensor Reallocate::run(const Params& params) {
    return move(params.tensor, {.memory_config = params.memory_config});
}

inline void Reallocate::cases(CaseMaker& make) {
    make.add(Params{.tensor = make.tensor({2, 33, 48})});
    make.add(Params{.tensor = make.tensor({64, 64}), .memory_config = l1_memory_config()});
}

}  // namespace ttnn

#endif
