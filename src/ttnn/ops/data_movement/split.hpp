// split and chunk: a tensor cut along a dimension.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Split {
    static constexpr std::string_view name = "ttnn.split";
    static constexpr std::string_view doc = "Cuts a tensor along a dimension into parts of the given size or sizes.";
    struct Params {
        Tensor input_tensor{};
        IntOrList split_size = int64_t{1};
        int64_t dim = 0;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = std::vector<Tensor>;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::split_size>("size of each part; the last may be smaller"),
                                      opt<&Params::dim>("dimension to cut, negative from the end"),
                                      kw<&Params::memory_config>("default: the input's, shards refitted")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Chunk {
    static constexpr std::string_view name = "ttnn.chunk";
    static constexpr std::string_view doc = "Cuts a tensor along a dimension into at most this many equal parts.";
    struct Params {
        Tensor input_tensor{};
        int64_t chunks = 1;
        int64_t dim = 0;
    };
    using Result = std::vector<Tensor>;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device"),
        arg<&Params::chunks>("number of parts; fewer if the dimension is used up earlier"),
        arg<&Params::dim>("dimension to cut, negative from the end")};
    static constexpr Tolerance tolerance = Split::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(split, Split);
TTNN_OPERATION(chunk, Chunk);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

namespace reference {
inline Array part(const Array& input, size_t dim, uint32_t from, uint32_t to) {
    Shape shape = input.shape;
    shape[static_cast<int64_t>(dim)] = to - from;
    return generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        source[dim] += from;
        return input.at(source);
    });
}
inline std::vector<Array> parts(const Array& input, size_t dim, const std::vector<int64_t>& sizes) {
    std::vector<Array> result;
    int64_t from = 0;
    const int64_t total = input.shape[static_cast<int64_t>(dim)];
    for (const int64_t size : sizes) {
        const int64_t to = std::min(from + size, total);
        if (from < to) {
            result.push_back(part(input, dim, static_cast<uint32_t>(from), static_cast<uint32_t>(to)));
        }
        from = to;
    }
    return result;
}
}  // namespace reference

inline std::vector<reference::Array> Split::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    const size_t dim = reference::from_front(params.dim, input.shape.rank());
    if (const auto* list = std::get_if<std::vector<int64_t>>(&params.split_size)) {
        return reference::parts(input, dim, *list);
    }
    return reference::parts(
        input, dim, std::vector<int64_t>(input.shape[static_cast<int64_t>(dim)], std::get<int64_t>(params.split_size)));
}

inline std::vector<reference::Array> Chunk::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    const size_t dim = reference::from_front(params.dim, input.shape.rank());
    const int64_t total = input.shape[static_cast<int64_t>(dim)];
    const auto count = static_cast<size_t>(params.chunks);
    return reference::parts(input, dim, std::vector<int64_t>(count, (total + params.chunks - 1) / params.chunks));
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/slice.hpp"

namespace ttnn {

namespace movement {

// The sizes of all parts; a list that reaches beyond the dimension is clipped.
inline std::vector<int64_t> part_sizes(const Split::Params& params, int64_t total) {
    std::vector<int64_t> sizes;
    const auto* list = std::get_if<std::vector<int64_t>>(&params.split_size);
    int64_t from = 0;
    for (size_t i = 0; from < total && (list == nullptr || i < list->size()); ++i) {
        const int64_t size = list != nullptr ? (*list)[i] : std::get<int64_t>(params.split_size);
        sizes.push_back(std::min(size, total - from));
        from += size;
    }
    return sizes;
}

}  // namespace movement

inline void Split::validate(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    const size_t dim = shape.normalize_dim(params.dim, fmt::format("{}: argument 'dim'", name));
    const auto positive = [&](int64_t size) {
        require(size > 0, "{}: argument 'split_size' must be positive, got {}", name, size);
    };
    const auto* list = std::get_if<std::vector<int64_t>>(&params.split_size);
    if (list == nullptr) {
        return positive(std::get<int64_t>(params.split_size));
    }
    int64_t sum = 0;
    for (const int64_t size : *list) {
        positive(size);
        sum += size;
    }
    require(sum >= int64_t{shape[static_cast<int64_t>(dim)]},
            "{}: argument 'split_size' sums up to {}, but dimension {} has {} elements", name, sum, dim,
            shape[static_cast<int64_t>(dim)]);
}

inline std::vector<Tensor> Split::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    const size_t dim = shape.normalize_dim(params.dim, name);
    std::vector<int64_t> starts(shape.rank(), 0);
    std::vector<int64_t> ends = movement::ints(shape);
    std::vector<Tensor> parts;
    for (const int64_t size : movement::part_sizes(params, shape[static_cast<int64_t>(dim)])) {
        ends[dim] = starts[dim] + size;
        parts.push_back(slice(input, starts, ends, {.memory_config = params.memory_config}));
        starts[dim] = ends[dim];
    }
    return parts;
}

inline void Split::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 64, 96}), .split_size = int64_t{32}, .dim = 2});
    make.add(Params{.input_tensor = make.tensor({5, 33, 48}), .split_size = int64_t{2}});
    make.add(Params{.input_tensor = make.tensor({64, 96}),
                    .split_size = std::vector<int64_t>{32, 16, 40},
                    .dim = 0,
                    .memory_config = l1_memory_config()});
}

inline void Chunk::validate(const Params& params) {
    require(params.chunks > 0, "{}: argument 'chunks' must be positive, got {}", name, params.chunks);
    params.input_tensor.logical_shape().normalize_dim(params.dim, fmt::format("{}: argument 'dim'", name));
}

inline std::vector<Tensor> Chunk::run(const Params& params) {
    const int64_t total = params.input_tensor.logical_shape()[params.dim];
    return split(params.input_tensor, IntOrList(std::max<int64_t>(div_up(total, params.chunks), 1)),
                 {.dim = params.dim});
}

inline void Chunk::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 64, 96}), .chunks = 3, .dim = -1});
    make.add(Params{.input_tensor = make.tensor({5, 33, 48}), .chunks = 4, .dim = 0});
}

}  // namespace ttnn

#endif
