// roll: elements pushed out at the end of a dimension come in at its beginning.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Roll {
    static constexpr std::string_view name = "ttnn.roll";
    static constexpr std::string_view doc = "Rolls a tensor along dimensions, or its elements in row-major order.";
    struct Params {
        Tensor input_tensor{};
        IntOrList shifts = int64_t{0};
        std::optional<IntOrList> dim{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::shifts>("how far, towards the end; negative: to the beginning"),
                                      opt<&Params::dim>("as many as shifts; default: the flattened tensor")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(roll, Roll);

namespace movement {
inline std::vector<int64_t> as_list(const IntOrList& given) {
    const auto* list = std::get_if<std::vector<int64_t>>(&given);
    return list != nullptr ? *list : std::vector<int64_t>{std::get<int64_t>(given)};
}
}  // namespace movement

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

// torch.roll: every element is asked where it came from.
inline std::vector<ttnn::reference::Array> ttnn::Roll::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    const auto shifts = movement::as_list(params.shifts);
    const auto origin = [](int64_t at, int64_t shift, int64_t size) { return ((at - shift) % size + size) % size; };
    if (!params.dim) {
        reference::Array output(input.shape);
        const auto size = static_cast<int64_t>(input.values.size());
        for (int64_t i = 0; i < size; ++i) {
            output.values[static_cast<size_t>(i)] = input.values[static_cast<size_t>(origin(i, shifts.front(), size))];
        }
        return {output};
    }
    const auto dims = movement::as_list(*params.dim);
    return {reference::generated(input.shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        for (size_t i = 0; i < dims.size(); ++i) {
            const size_t dim = reference::from_front(dims[i], source.size());
            source[dim] =
                static_cast<uint32_t>(origin(source[dim], shifts[i], int64_t{input.shape[static_cast<int64_t>(dim)]}));
        }
        return input.at(source);
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/concat.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {

namespace movement {

// The last part of a dimension put in front of the rest.
inline Tensor roll_dim(const Tensor& input, size_t dim, int64_t shift) {
    const Shape& shape = input.logical_shape();
    const int64_t size = shape[static_cast<int64_t>(dim)];
    const int64_t moved = (shift % size + size) % size;
    if (moved == 0) {
        return input;
    }
    std::vector<int64_t> cut(shape.rank(), 0);
    std::vector<int64_t> end = ints(shape);
    cut[dim] = size - moved;
    const Tensor tail = slice(input, cut, end);
    end[dim] = size - moved;
    const Tensor head = slice(input, std::vector<int64_t>(shape.rank(), 0), end);
    return concat({tail, head}, {.dim = static_cast<int64_t>(dim), .memory_config = input.memory_config()});
}

struct Turn {
    size_t dim = 0;
    int64_t shift = 0;
};

// Nothing where the whole call leaves the tensor as it is.
inline std::vector<Turn> turns_of(const Tensor& input, const Roll::Params& params) {
    const auto shifts = as_list(params.shifts);
    const auto dims = as_list(*params.dim);
    std::vector<Turn> turns;
    for (size_t i = 0; i < dims.size() && input.logical_volume() != 0; ++i) {
        const size_t dim = input.logical_shape().normalize_dim(dims[i], Roll::name);
        if (shifts[i] % int64_t{input.logical_shape()[static_cast<int64_t>(dim)]} != 0) {
            turns.push_back({dim, shifts[i]});
        }
    }
    return turns;
}

// Tiles are cut only between them: other cuts are made in row-major memory, where block floats are BFLOAT16.
inline Tensor roll_interleaved(const Tensor& input, std::span<const Turn> turns) {
    const size_t rank = input.logical_shape().rank();
    const bool cuts_tiles = input.layout() == Layout::TILE &&
                            std::ranges::any_of(turns, [&](const Turn& turn) { return turn.dim + 2 >= rank; });
    Tensor tensor = input;
    if (cuts_tiles) {
        tensor =
            to_layout(is_block_float(input.dtype()) ? typecast(tensor, DataType::BFLOAT16) : tensor, Layout::ROW_MAJOR);
    }
    for (const Turn& turn : turns) {
        tensor = roll_dim(tensor, turn.dim, turn.shift);
    }
    if (cuts_tiles) {
        tensor = to_layout(tensor, Layout::TILE);
        tensor = tensor.dtype() == input.dtype() ? tensor : typecast(tensor, input.dtype());
    }
    return tensor;
}

}  // namespace movement

inline void Roll::validate(const Params& params) {
    const auto shifts = movement::as_list(params.shifts);
    if (!params.dim) {
        require(shifts.size() == 1, "{}: argument 'shifts' must be one number where 'dim' is not given, got {}", name,
                shifts.size());
        return;
    }
    const auto dims = movement::as_list(*params.dim);
    require(!shifts.empty() && shifts.size() == dims.size(),
            "{}: arguments 'shifts' and 'dim' must have the same number of entries, got {} and {}", name, shifts.size(),
            dims.size());
    for (const int64_t dim : dims) {
        params.input_tensor.logical_shape().normalize_dim(dim, fmt::format("{}: argument 'dim'", name));
    }
}

inline Tensor Roll::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    if (!params.dim) {
        const Shape& shape = input.logical_shape();
        const auto flat = static_cast<int64_t>(input.logical_volume());
        const Tensor row = reshape(
            input, {1, flat},
            {.memory_config = MemoryConfig(TensorMemoryLayout::INTERLEAVED, input.memory_config().buffer_type())});
        const Tensor rolled = Roll::run({row, params.shifts, IntOrList(int64_t{1})});
        return reshape(rolled, movement::ints(shape), {.memory_config = input.memory_config()});
    }
    const auto turns = movement::turns_of(input, params);
    if (turns.empty()) {
        return input;
    }
    const MemoryConfig between(TensorMemoryLayout::INTERLEAVED, input.memory_config().buffer_type());
    return to_memory_config(movement::roll_interleaved(to_memory_config(input, between), turns), input.memory_config());
}

inline void Roll::cases(CaseMaker& make) {
    const auto one = [](int64_t value) { return IntOrList(value); };
    const auto many = [](std::vector<int64_t> values) { return IntOrList(std::move(values)); };
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 96}), .shifts = one(32), .dim = one(-1)});
    make.add(Params{.input_tensor = make.tensor({3, 33, 48}), .shifts = one(-5), .dim = one(1)});
    make.add(Params{.input_tensor = make.tensor({4, 2, 32, 32}), .shifts = many({1, -3}), .dim = many({0, 1})});
    make.add(Params{.input_tensor = make.tensor({2, 40, 64}), .shifts = many({7, 100, 2}), .dim = many({2, -2, 2})});
    make.add(Params{.input_tensor = make.tensor({2, 32, 64}), .shifts = one(2), .dim = one(0)});
    make.add(Params{.input_tensor = make.tensor({2, 32, 64}), .shifts = one(64), .dim = one(2)});
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({2, 3, 5, 64}), .shifts = one(70)});
    }
}

}  // namespace ttnn

#endif
