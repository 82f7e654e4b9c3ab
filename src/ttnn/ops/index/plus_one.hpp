// plus_one: counts a tensor of positions up, in place.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct PlusOne {
    static constexpr std::string_view name = "ttnn.plus_one";
    static constexpr std::string_view doc = "Adds 1 to every element in place; the largest number wraps around.";
    static constexpr std::string_view aliases[] = {"ttnn.experimental.plus_one"};
    struct Params {
        Tensor input_tensor{};
        std::optional<CoreRangeSet> sub_core_grids{};
        bool skip_negative_entries = false;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("INT32 or UINT32 in ROW_MAJOR, rank 1 to 4; written into and returned").mutates(),
        opt<&Params::sub_core_grids>("cores to use"),
        opt<&Params::skip_negative_entries>("leave alone what is negative or the largest number as INT32")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(plus_one, PlusOne);
namespace experimental {
inline constexpr const auto& plus_one = ttnn::plus_one;
}

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::PlusOne::reference(const Params& params) {
    const DataType dtype = params.input_tensor.dtype();
    const bool skips = params.skip_negative_entries;
    return {reference::mapped(reference::values(params.input_tensor), [=](double value) {
        const double as_signed = reference::wrap_to(DataType::INT32, value);
        const bool stays = skips && (as_signed < 0 || as_signed == 2147483647.0);
        return stays ? value : reference::wrap_to(dtype, value + 1);
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/elementwise.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace indexing {

// Negative numbers and the largest one as int32: exactly those whose successor has the sign bit.
inline void count_up(uint32_t* values, size_t count, bool skips) {
    for (size_t i = 0; i < count; ++i) {
        const uint32_t next = values[i] + 1;
        const bool stays = skips && ((values[i] | next) & 0x80000000U) != 0;
        values[i] = stays ? values[i] : next;
    }
}

inline void plus_one_program(Program& program, const PlusOne::Params& params) {
    const Tensor& input = params.input_tensor;
    if (input.is_sharded() && input.memory_config().is_l1()) {
        movement::shard_buffer(program, input);
        return;
    }
    const CoreRangeSet cores = params.sub_core_grids.value_or(program.split(1));
    program.circular_buffer(cores, movement::capped(program, input, round_up<uint64_t>(page_bytes(input), 32)));
}

}  // namespace indexing

inline void PlusOne::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    check_at_launch([&] {
        check_dtype(name, "input_tensor", input, {DataType::INT32, DataType::UINT32});
        check_layout(name, "input_tensor", input, Layout::ROW_MAJOR);
        const size_t rank = input.logical_shape().rank();
        require(rank >= 1 && rank <= 4, "{}: argument 'input_tensor' must have a rank of 1 to 4, got {}", name,
                input.logical_shape());
    });
}

inline Tensor PlusOne::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto program = [&](Program& p, std::span<const Tensor>) { indexing::plus_one_program(p, params); };
    const auto kernel = [&](std::span<const Tensor>, std::span<Tensor> outputs) {
        compute::map_bits(outputs[0], outputs[0], [&](uint32_t* values, size_t count) {
            indexing::count_up(values, count, params.skip_negative_entries);
        });
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.sub_core_grids).add(params.skip_negative_entries);
    };
    return launch({"ttnn::prim::plus_one", {&input, 1}, program, kernel, arguments}, input.spec(), input);
}

inline void PlusOne::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 32})});
    make.add(Params{.input_tensor = make.tensor({2, 3, 5, 40}), .skip_negative_entries = true});
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({32}), .skip_negative_entries = true});
    }
}

}  // namespace ttnn

#endif
