// cumsum, cumprod: running sums and products along a dimension.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

// The same for both; `multiplies` tells them apart.
struct CumulativeCall {
    std::string_view op;
    bool multiplies = false;
    const Tensor& input;
    int64_t dim = 0;
    std::optional<DataType> dtype{};
    bool reverse_order = false;
    const std::optional<Tensor>& out;
    const std::optional<MemoryConfig>& memory_config;
};

struct Cumsum {
    static constexpr std::string_view name = "ttnn.cumsum";
    static constexpr std::string_view doc = "Sums of all elements up to each one, along a dimension.";
    struct Params {
        Tensor input{};
        int64_t dim = 0;
        std::optional<DataType> dtype{};
        bool reverse_order = false;
        std::optional<Tensor> out{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("interleaved BFLOAT16, FLOAT32, INT32 or UINT32 in TILE").also("input_tensor"),
        arg<&Params::dim>("dimension, negative from the end"),
        kw<&Params::dtype>("of the result; the input is converted first"),
        kw<&Params::reverse_order>("from the end of the dimension"),
        kw<&Params::out>("written into and returned").mutates(),
        kw<&Params::memory_config>("interleaved; default: the input's")};

    static CumulativeCall as_call(const Params& params) {
        return {name,         false,
                params.input, params.dim,
                params.dtype, params.reverse_order,
                params.out,   params.memory_config};
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Cumprod {
    static constexpr std::string_view name = "ttnn.cumprod";
    static constexpr std::string_view doc = "Products of all elements up to each one, along a dimension.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = 0;
        std::optional<DataType> dtype{};
        bool reverse_order = false;
        std::optional<Tensor> out{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("interleaved BFLOAT16, FLOAT32, INT32 or UINT32 in TILE").also("input"),
        arg<&Params::dim>("dimension, negative from the end"),
        kw<&Params::dtype>("of the result; the input is converted first"),
        kw<&Params::reverse_order>("from the end of the dimension"),
        kw<&Params::out>("written into and returned").mutates(),
        kw<&Params::memory_config>("interleaved; default: the input's")};

    static CumulativeCall as_call(const Params& params) {
        return {name,
                true,
                params.input_tensor,
                params.dim,
                params.dtype,
                params.reverse_order,
                params.out,
                params.memory_config};
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(cumsum, Cumsum);
TTNN_OPERATION(cumprod, Cumprod);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/lines.hpp"
#include "ttnn/reference/rounding.hpp"

namespace ttnn {

namespace reference {

inline Array as_dtype(const Array& array, DataType from, DataType to) {
    if (!is_integer(to)) {
        return is_integer(from) && to == DataType::FLOAT32 ? array : rounded(array, to);
    }
    return map(array, [=](double value) { return wrap_to(to, std::trunc(value)); });
}

// Integers modulo 2^32, whatever the size of what comes together.
inline double joined_integers(bool multiplies, double a, double b) {
    const auto x = static_cast<uint64_t>(static_cast<int64_t>(a));
    const auto y = static_cast<uint64_t>(static_cast<int64_t>(b));
    return static_cast<double>((multiplies ? x * y : x + y) & UINT32_MAX);
}

// In halves: those of the second are joined with all of the first.
inline void join_halves(std::vector<double>& line, size_t first, size_t count, bool multiplies, bool integers) {
    if (count < 2) {
        return;
    }
    const size_t half = count / 2;
    join_halves(line, first, half, multiplies, integers);
    join_halves(line, first + half, count - half, multiplies, integers);
    const double total = line[first + half - 1];
    for (size_t i = first + half; i < first + count; ++i) {
        if (integers) {
            line[i] = joined_integers(multiplies, total, line[i]);
        } else {
            line[i] = multiplies ? total * line[i] : total + line[i];
        }
    }
}

inline std::vector<Array> cumulative(const CumulativeCall& call) {
    const Array own = values(call.input);
    if (own.shape.empty() || own.values.empty()) {
        return {own};
    }
    const DataType dtype = call.out ? call.out->dtype() : call.dtype.value_or(call.input.dtype());
    const Array input = dtype == call.input.dtype() ? own : as_dtype(own, call.input.dtype(), dtype);
    const Lines lines(input.shape, from_front(call.dim, input.shape.rank()));
    Array result(input.shape);
    std::vector<double> slack(input.values.size(), 0.0);
    for (size_t number = 0; number < lines.count(); ++number) {
        std::vector<double> line(lines.length());
        const auto place = [&](size_t i) { return lines.at(number, call.reverse_order ? lines.length() - 1 - i : i); };
        double size = 0;
        for (size_t i = 0; i < line.size(); ++i) {
            line[i] = input.values[place(i)];
            size += std::abs(line[i]);
            slack[place(i)] = call.multiplies ? 0.0 : size * static_cast<double>(i) * 0x1p-52;
        }
        join_halves(line, 0, line.size(), call.multiplies, is_integer(dtype));
        for (size_t i = 0; i < line.size(); ++i) {
            result.values[place(i)] = is_integer(dtype) ? wrap_to(dtype, line[i]) : line[i];
        }
    }
    if (!is_integer(dtype)) {
        result.slack = std::move(slack);
    }
    return {result};
}

}  // namespace reference

inline std::vector<reference::Array> Cumsum::reference(const Params& params) {
    return reference::cumulative(as_call(params));
}
inline std::vector<reference::Array> Cumprod::reference(const Params& params) {
    return reference::cumulative(as_call(params));
}

}  // namespace ttnn

#else

#include <numeric>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/cumulative.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/data_movement/copy.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/index/last_dim.hpp"

namespace ttnn {

namespace indexing {

inline DataType cumulative_dtype(const CumulativeCall& call) {
    return output_dtype(call.op, call.dtype, call.out, call.dtype.value_or(call.input.dtype()));
}

inline void check_cumulative(const CumulativeCall& call) {
    const auto allowed = {DataType::BFLOAT16, DataType::FLOAT32, DataType::INT32, DataType::UINT32};
    check_layout(call.op, "input", call.input, Layout::TILE);
    check_dtype(call.op, "input", call.input, allowed);
    require(std::ranges::find(allowed, cumulative_dtype(call)) != allowed.end(),
            "{}: argument 'dtype' must be BFLOAT16, FLOAT32, INT32 or UINT32, got {}", call.op, cumulative_dtype(call));
    check_interleaved(call.op, "input", call.input);
    require(!call.memory_config || !call.memory_config->is_sharded(),
            "{}: argument 'memory_config' must be interleaved", call.op);
    if (call.out) {
        check_layout(call.op, "out", *call.out, Layout::TILE);
        check_interleaved(call.op, "out", *call.out);
    }
}

inline void validate_cumulative(const CumulativeCall& call) {
    const Shape& shape = call.input.logical_shape();
    if (!shape.empty()) {
        shape.normalize_dim(call.dim, fmt::format("{}: argument 'dim'", call.op));
    }
    if (call.out) {
        check_preallocated(call.op, "out", *call.out, shape);
    }
    cumulative_dtype(call);
    check_at_launch([&] { check_cumulative(call); });
}

// Tiles that stand behind each other along the dimension; four of each kind are on their way.
inline void accumulation_program(Program& program, const Tensor& input, const Tensor& output, size_t dim) {
    const uint64_t length = std::max(input.padded_shape()[static_cast<int64_t>(dim)], 1U);
    const CoreRangeSet cores = program.split(std::max<uint64_t>(input.spec().num_pages() / length, 1));
    program.circular_buffer(cores, 4 * page_bytes(input));
    for (int i = 0; i < 3; ++i) {  // running result, start value, result
        program.circular_buffer(cores, 4 * page_bytes(output));
    }
}

inline Tensor accumulation_primitive(const CumulativeCall& call, const Tensor& input, size_t dim,
                                     const std::optional<Tensor>& output) {
    const auto kind = call.multiplies ? compute::Accumulation::PRODUCT : compute::Accumulation::SUM;
    const MemoryConfig config = call.memory_config.value_or(input.memory_config());
    const auto along = static_cast<int64_t>(dim);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        accumulation_program(p, input, outputs[0], dim);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::accumulate(inputs[0], dim, kind, call.reverse_order, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(along).add(call.dtype).add(call.reverse_order).add(output).add(config).add(call.multiplies);
    };
    return launch({"ttnn::prim::accumulation", {&input, 1}, program, kernel, arguments},
                  TensorSpec(input.logical_shape(), input.dtype(), Layout::TILE, config, input.spec().tile()), output);
}

// The device operation runs along one of the leading dimensions, where whole tiles are added: others change places with
// the first one, of four at least.
inline Tensor accumulated(const CumulativeCall& call, const Tensor& input, size_t dim) {
    const Shape& shape = input.logical_shape();
    if (shape.rank() - dim >= 4) {
        return accumulation_primitive(call, input, dim, call.out);
    }
    const size_t rank = std::max<size_t>(shape.rank(), 4);
    const Tensor wide = shape.rank() < rank ? reshape(input, movement::ints(shape.to_rank(rank))) : input;
    std::vector<int64_t> order(rank);
    std::iota(order.begin(), order.end(), int64_t{0});
    std::swap(order[0], order[dim + rank - shape.rank()]);
    const Tensor result = permute(accumulation_primitive(call, permute(wide, order), 0, std::nullopt), order);
    return shape.rank() < rank ? reshape(result, movement::ints(shape)) : result;
}

inline Tensor run_cumulative(const CumulativeCall& call) {
    const Tensor& input = call.input;
    const Shape& shape = input.logical_shape();
    if (shape.empty() || shape.volume() == 0) {
        return call.out ? movement::copy_into(input, *call.out) : clone(input, {.memory_config = call.memory_config});
    }
    const DataType dtype = cumulative_dtype(call);
    const size_t dim = shape.normalize_dim(call.dim, call.op);
    const Tensor result = accumulated(call, input.dtype() == dtype ? input : typecast(input, dtype), dim);
    const bool written = call.out && result.storage_key() == call.out->storage_key();
    return call.out && !written ? movement::copy_into(result, *call.out) : result;
}

template <class Params>
void cumulative_cases(CaseMaker& make) {
    const auto add = [&](const Shape& shape, int64_t dim, Params params) {
        params = Params{make.tensor(shape), dim, params.dtype, params.reverse_order, params.out, params.memory_config};
        make.add(params);
    };
    add({2, 3, 32, 64}, 0, {});
    add({2, 3, 33, 65}, -1, {});
    add({2, 3, 33, 20}, 2, {.reverse_order = true});
    add({3, 40, 33}, 1, {.memory_config = l1_memory_config()});
    add({2, 3, 2, 5, 40}, 1, {.reverse_order = true});
    add({20, 33}, 0, {.dtype = DataType::FLOAT32});
    if (make.layout() == Layout::TILE) {
        add({4, 2, 33, 40}, 0, {.out = make.interleaved({4, 2, 33, 40}, make.dtype(), Layout::TILE)});
        add({40, 33}, 1, {.out = make.interleaved({40, 33}, make.dtype(), Layout::TILE)});
    }
    if (!make.sharded()) {
        add({50}, 0, {});
    }
}

}  // namespace indexing

inline void Cumsum::validate(const Params& params) { indexing::validate_cumulative(as_call(params)); }
inline Tensor Cumsum::run(const Params& params) { return indexing::run_cumulative(as_call(params)); }
inline void Cumsum::cases(CaseMaker& make) { indexing::cumulative_cases<Params>(make); }

inline void Cumprod::validate(const Params& params) { indexing::validate_cumulative(as_call(params)); }
inline Tensor Cumprod::run(const Params& params) { return indexing::run_cumulative(as_call(params)); }
// Long products neither vanish nor grow without end.
inline Domain Cumprod::domain(const Params&, std::string_view) { return Domain::real(0.75, 1.25); }
inline void Cumprod::cases(CaseMaker& make) { indexing::cumulative_cases<Params>(make); }

}  // namespace ttnn

#endif
