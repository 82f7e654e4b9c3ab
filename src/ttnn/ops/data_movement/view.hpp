// view and experimental.view: another shape over the same buffer.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct View {
    static constexpr std::string_view name = "ttnn.view";
    static constexpr std::string_view doc =
        "Another shape over the same buffer. The last dimension stays; in TILE the second-last stays too, or both the "
        "old and the new one are multiples of the tile.";
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> shape{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::shape>("new shape; one entry may be -1")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ExperimentalView {
    static constexpr std::string_view name = "ttnn.experimental.view";
    static constexpr std::string_view doc = "Another shape over the same bytes, whatever that does to the elements.";
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> shape{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device or on the host"),
                                      arg<&Params::shape>("new shape; one entry may be -1")};
    static constexpr Tolerance tolerance = View::tolerance;
    static constexpr bool host_inputs = true;

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ExperimentalViewPadded {
    static constexpr std::string_view name = "ttnn.experimental.view";
    static constexpr std::string_view doc = "Another logical and padded shape over the same bytes.";
    struct Params {
        Tensor input_tensor{};
        Shape logical_shape{};
        Shape padded_shape{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>(), arg<&Params::logical_shape>(),
                                      arg<&Params::padded_shape>()};
    static constexpr bool host_inputs = true;
    static constexpr std::string_view no_reference = "what the new padding shows of the bytes is undefined";

    static Result run(const Params& params);
};

struct ExperimentalView4d {
    static constexpr std::string_view name = "ttnn.experimental.view";
    static constexpr std::string_view doc = "Another shape of four dimensions over the same bytes.";
    struct Params {
        Tensor input_tensor{};
        int64_t N = 1;  // NOLINT(readability-identifier-naming): the users' names
        int64_t C = 1;  // NOLINT(readability-identifier-naming)
        int64_t H = 1;  // NOLINT(readability-identifier-naming)
        int64_t W = 1;  // NOLINT(readability-identifier-naming)
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>(), arg<&Params::N>(), arg<&Params::C>(),
                                      arg<&Params::H>(), arg<&Params::W>()};
    static constexpr bool host_inputs = true;

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
};

namespace experimental {
inline constexpr Overloads<ExperimentalView, ExperimentalViewPadded, ExperimentalView4d> view{};
}

TTNN_OPERATION(view, View);
TTNN_DECLARATION(ExperimentalView);
TTNN_DECLARATION(ExperimentalViewPadded);
TTNN_DECLARATION(ExperimentalView4d);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> View::reference(const Params& params) {
    return {reference::reshaped(reference::values(params.input_tensor), params.shape)};
}
inline std::vector<reference::Array> ExperimentalView::reference(const Params& params) {
    return {reference::reshaped(reference::values(params.input_tensor), params.shape)};
}
inline std::vector<reference::Array> ExperimentalView4d::reference(const Params& params) {
    return ExperimentalView::reference({params.input_tensor, {params.N, params.C, params.H, params.W}});
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

// Resolves the one entry that may be -1.
inline Shape resolved_shape(std::string_view op, const Shape& current, std::span<const int64_t> wanted) {
    std::vector<int64_t> dims(wanted.begin(), wanted.end());
    const auto unknown = std::ranges::find(dims, int64_t{-1});
    if (unknown == dims.end()) {
        return Shape::from_ints(dims);
    }
    require(std::ranges::count(dims, int64_t{-1}) == 1,
            "{}: Invalid arguments to reshape: argument 'shape' may hold -1 only once", op);
    uint64_t known = 1;
    for (const int64_t dim : dims) {
        require(dim != 0, "{}: Invalid arguments to reshape: argument 'shape' must not hold 0 together with -1", op);
        require(dim >= -1, "{}: Invalid arguments to reshape: argument 'shape' must not hold {}", op, dim);
        known *= dim == -1 ? 1 : static_cast<uint64_t>(dim);
    }
    require(current.volume() % known == 0,
            "{}: Invalid arguments to reshape: {} elements cannot be divided into groups of {}", op, current.volume(),
            known);
    *unknown = static_cast<int64_t>(current.volume() / known);
    return Shape::from_ints(dims);
}

// Whether equal bytes mean equal elements under both shapes, as far as the shapes tell.
inline bool keeps_rows(const Tensor& tensor, const Shape& shape) {
    const Shape& own = tensor.logical_shape();
    if (own.from_end(0) != shape.from_end(0)) {
        return false;
    }
    const uint32_t tile_height = tensor.spec().tile().height();
    return tensor.layout() == Layout::ROW_MAJOR || own.from_end(1) == shape.from_end(1) ||
           (own.from_end(1) % tile_height == 0 && shape.from_end(1) % tile_height == 0);
}

// Row-major shards as wide as the tensor hold runs of its elements, which a view cuts into rows of its own width.
inline MemoryConfig viewed_shards(const Tensor& tensor, const Shape& shape) {
    const MemoryConfig& config = tensor.memory_config();
    const uint32_t width = shape.from_end(0);
    if (tensor.layout() != Layout::ROW_MAJOR || !config.shard_spec() || config.created_with_nd_shard_spec()) {
        return config;
    }
    ShardSpec spec = *config.shard_spec();
    const uint64_t volume = uint64_t{spec.shape[0]} * spec.shape[1];
    if (spec.shape[1] != tensor.logical_shape().from_end(0) || width == 0 || volume % width != 0) {
        return config;
    }
    spec.shape = {static_cast<uint32_t>(volume / width), width};
    return config.with_shard_spec(spec);
}

inline TensorSpec view_spec(const Tensor& tensor, const Shape& logical, const Shape& padded) {
    const TensorSpec& spec = tensor.spec();
    return TensorSpec::from_padded(logical, padded, spec.dtype(), spec.layout(), viewed_shards(tensor, logical),
                                   spec.tile());
}

}  // namespace movement

inline void View::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape shape = movement::resolved_shape(name, input.logical_shape(), params.shape);
    require(shape.volume() == input.logical_volume(),
            "{}: argument 'shape' {} has {} elements, but the input {} has {}", name, shape, shape.volume(),
            input.logical_shape(), input.logical_volume());
    require(movement::keeps_rows(input, shape),
            "{}: argument 'shape' {} cannot be a view of {} in {}: the last dimension must not change, and in TILE the "
            "second-last must stay or both must be multiples of the tile; use ttnn.reshape instead",
            name, shape, input.logical_shape(), input.layout());
}

inline Tensor View::run(const Params& params) { return experimental::view(params.input_tensor, params.shape); }

inline void View::cases(CaseMaker& make) {
    make.add(Params{make.tensor({2, 64, 96}), {1, 1, 128, 96}});
    make.add(Params{make.tensor({1, 33, 65}), {33, 65}});
    make.add(Params{make.tensor({4, 5, 32}), {20, 1, 32}});
    make.add(Params{make.tensor({6, 32, 48}), {2, -1, 32, 48}});
}

inline Tensor ExperimentalView::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape shape = movement::resolved_shape(name, input.logical_shape(), params.shape);
    require(shape.volume() == input.logical_volume(),
            "{}: argument 'shape' {} has {} elements, but the input {} has {}", name, shape, shape.volume(),
            input.logical_shape(), input.logical_volume());
    return input.view_as(
        movement::view_spec(input, shape, movement::default_padded(shape, input.layout(), input.spec().tile())));
}

inline void ExperimentalView::cases(CaseMaker& make) { View::cases(make); }

inline Tensor ExperimentalViewPadded::run(const Params& params) {
    return params.input_tensor.view_as(
        movement::view_spec(params.input_tensor, params.logical_shape, params.padded_shape));
}

inline Tensor ExperimentalView4d::run(const Params& params) {
    return ExperimentalView::run({params.input_tensor, {params.N, params.C, params.H, params.W}});
}

}  // namespace ttnn

#endif
