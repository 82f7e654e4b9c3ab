// Tile and TensorSpec.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/arguments.hpp"
#include "python/bindings.hpp"
#include "ttnn/core/math.hpp"

namespace ttnn::python {
namespace {

nb::object pair_of(std::array<uint32_t, 2> pair) { return nb::steal(put(pair)); }

void bind_tile(nb::module_& module) {
    const auto read_pair = nb::sig("def tile_shape(self) -> tuple[int, int]");
    nb::class_<Tile>(module, "Tile", "Shape of a tile.")
        .def(
            "__init__",
            [](Tile* self, nb::handle shape, bool transpose_tile) {
                new (self)
                    Tile(argument<std::array<uint32_t, 2>>(shape, "tile_shape", "(height, width)"), transpose_tile);
            },
            nb::arg("tile_shape"), nb::arg("transpose_tile") = false,
            nb::sig(
                "def __init__(self, tile_shape: collections.abc.Sequence[int], transpose_tile: bool = False) -> None"))
        .def_prop_ro(
            "tile_shape", [](const Tile& self) { return pair_of(self.shape()); }, nb::for_getter(read_pair))
        .def_prop_ro(
            "face_shape", [](const Tile& self) { return pair_of(self.face_shape()); },
            nb::for_getter(nb::sig("def face_shape(self) -> tuple[int, int]")))
        .def_prop_ro("num_faces", &Tile::num_faces)
        .def_prop_ro("partial_face", &Tile::partial_face)
        .def_prop_ro("narrow_tile", &Tile::narrow_tile)
        .def_prop_ro("transpose_within_face", &Tile::transposed)
        .def_prop_ro("transpose_of_faces", &Tile::transposed)
        .def("get_tile_size", &Tile::bytes, nb::arg("dtype"), "Bytes of one packed tile.")
        .def("__eq__", &equal<Tile>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__",
             [](const Tile& self) { return self.height() * 64 + self.width() * 2 + (self.transposed() ? 1 : 0); })
        .def("__repr__", &Tile::to_string);
    remember_type<Tile>();
}

enum class ShardShapeAlignment : uint8_t { NONE, REQUIRED, RECOMMENDED };

constexpr uint32_t recommended_row_bytes = 64;  // rows of row-major shards

// What the width of a shard is rounded up to.
uint32_t width_unit(const TensorSpec& spec, ShardShapeAlignment alignment) {
    if (alignment == ShardShapeAlignment::NONE) {
        return 1;
    }
    if (spec.layout() == Layout::TILE) {
        return spec.tile().width();
    }
    const bool recommended = alignment == ShardShapeAlignment::RECOMMENDED;
    return recommended ? recommended_row_bytes / static_cast<uint32_t>(element_size(spec.dtype())) : 1;
}

// Rows and columns per core when a matrix is cut into `down` x `across` pieces of whole pages.
TensorSpec cut(const TensorSpec& spec, const CoreRangeSet& grid, TensorMemoryLayout layout, uint64_t down,
               uint64_t across, ShardOrientation orientation,
               ShardShapeAlignment alignment = ShardShapeAlignment::REQUIRED) {
    const auto [height, width] = spec.physical_shape();
    const uint64_t row_unit = spec.layout() == Layout::TILE ? spec.tile().height() : 1;
    const uint64_t column_unit = width_unit(spec, alignment);
    const ShardSpec shards{grid,
                           {static_cast<uint32_t>(round_up(div_up(height, down), row_unit)),
                            static_cast<uint32_t>(round_up(div_up(width, across), column_unit))},
                           orientation};
    return spec.with_memory_config(MemoryConfig(layout, spec.memory_config().buffer_type(), shards));
}

TensorSpec block_sharded(const TensorSpec& spec, const CoreRange& range, ShardOrientation orientation) {
    const bool by_rows = orientation == ShardOrientation::ROW_MAJOR;
    return cut(spec, CoreRangeSet(range), TensorMemoryLayout::BLOCK_SHARDED, by_rows ? range.height() : range.width(),
               by_rows ? range.width() : range.height(), orientation, ShardShapeAlignment::RECOMMENDED);
}

TensorSpec block_sharded(const TensorSpec& spec, const CoreRangeSet& cores, ShardOrientation orientation) {
    require(cores.size() == 1, "block_sharded needs the cores as one rectangle, got {}", cores);
    return block_sharded(spec, cores.ranges().front(), orientation);
}

Shape aligned(const TensorSpec& spec, Shape shard, ShardShapeAlignment alignment) {
    if (shard.empty()) {
        return shard;
    }
    shard[-1] = round_up(shard[-1], width_unit(spec, alignment));
    if (alignment != ShardShapeAlignment::NONE && spec.layout() == Layout::TILE && shard.rank() >= 2) {
        shard[-2] = round_up(shard[-2], spec.tile().height());
    }
    return shard;
}

TensorSpec nd_sharded(const TensorSpec& spec, const Shape& shard, const CoreRangeSet& grid,
                      ShardShapeAlignment alignment, ShardOrientation orientation, ShardDistributionStrategy strategy) {
    return spec.with_memory_config(MemoryConfig(
        spec.memory_config().buffer_type(), NdShardSpec{aligned(spec, shard, alignment), grid, orientation, strategy}));
}

// A shard is one entry of the given dimensions and all of the others, or the reverse.
TensorSpec sharded_across(const TensorSpec& spec, const std::vector<int64_t>& dims, bool except,
                          const CoreRangeSet& grid, ShardOrientation orientation) {
    Shape shard = spec.padded_shape();
    std::vector<bool> cut_here(shard.rank(), except);
    for (const int64_t dim : dims) {
        cut_here[spec.logical_shape().normalize_dim(dim, "dims")] = !except;
    }
    for (size_t i = 0; i < cut_here.size(); ++i) {
        if (cut_here[i]) {
            shard[static_cast<int64_t>(i)] = 1;
        }
    }
    return nd_sharded(spec, shard, grid, ShardShapeAlignment::RECOMMENDED, orientation,
                      ShardDistributionStrategy::ROUND_ROBIN_1D);
}

void bind_tensor_spec(nb::module_& module) {
    nb::enum_<ShardShapeAlignment>(module, "ShardShapeAlignment")
        .value("NONE", ShardShapeAlignment::NONE)
        .value("REQUIRED", ShardShapeAlignment::REQUIRED)
        .value("RECOMMENDED", ShardShapeAlignment::RECOMMENDED);
    const auto row_major = ShardOrientation::ROW_MAJOR;
    nb::class_<TensorSpec>(module, "TensorSpec", "Everything about a tensor except its values.")
        .def(
            "__init__",
            [](TensorSpec* self, nb::handle shape, DataType dtype, Layout layout, BufferType buffer,
               std::optional<Tile> tile) {
                new (self) TensorSpec(argument<Shape>(shape, "shape", "Shape"), dtype, layout,
                                      MemoryConfig(TensorMemoryLayout::INTERLEAVED, buffer), tile.value_or(Tile()));
            },
            nb::arg("shape"), nb::arg("dtype"), nb::arg("layout"), nb::arg("buffer_type") = BufferType::DRAM,
            nb::arg("tile") = nb::none(),
            nb::sig("def __init__(self, shape: Shape | collections.abc.Sequence[int], dtype: DataType, layout: Layout, "
                    "buffer_type: BufferType = BufferType.DRAM, tile: Tile | None = None) -> None"))
        .def(
            "__init__",
            [](TensorSpec* self, nb::handle shape, DataType dtype, Layout layout, TensorMemoryLayout memory_layout,
               std::optional<ShardSpec> shard_spec, BufferType buffer, std::optional<Tile> tile) {
                new (self)
                    TensorSpec(argument<Shape>(shape, "shape", "Shape"), dtype, layout,
                               MemoryConfig(memory_layout, buffer, std::move(shard_spec)), tile.value_or(Tile()));
            },
            nb::arg("shape"), nb::arg("dtype"), nb::arg("layout"), nb::arg("memory_layout"),
            nb::arg("shard_spec") = nb::none(), nb::arg("buffer_type") = BufferType::DRAM, nb::arg("tile") = nb::none(),
            nb::sig("def __init__(self, shape: Shape | collections.abc.Sequence[int], dtype: DataType, layout: Layout, "
                    "memory_layout: TensorMemoryLayout, shard_spec: ShardSpec | None = None, "
                    "buffer_type: BufferType = BufferType.DRAM, tile: Tile | None = None) -> None"))
        .def(
            "__init__",
            [](TensorSpec* self, nb::handle shape, DataType dtype, Layout layout, const NdShardSpec& shard_spec,
               BufferType buffer, std::optional<Tile> tile) {
                new (self) TensorSpec(argument<Shape>(shape, "shape", "Shape"), dtype, layout,
                                      MemoryConfig(buffer, shard_spec), tile.value_or(Tile()));
            },
            nb::arg("shape"), nb::arg("dtype"), nb::arg("layout"), nb::arg("nd_shard_spec"),
            nb::arg("buffer_type") = BufferType::DRAM, nb::arg("tile") = nb::none(),
            nb::sig("def __init__(self, shape: Shape | collections.abc.Sequence[int], dtype: DataType, layout: Layout, "
                    "nd_shard_spec: NdShardSpec, buffer_type: BufferType = BufferType.DRAM, tile: Tile | None = None) "
                    "-> None"))
        .def_prop_ro("shape", &TensorSpec::logical_shape, nb::rv_policy::copy)
        .def_prop_ro("padded_shape", &TensorSpec::padded_shape, nb::rv_policy::copy)
        .def_prop_ro("dtype", &TensorSpec::dtype)
        .def_prop_ro("layout", &TensorSpec::layout)
        .def_prop_ro("tile", &TensorSpec::tile, nb::rv_policy::copy)
        .def_prop_ro("memory_config", &TensorSpec::memory_config, nb::rv_policy::copy)
        .def("with_memory_config", &TensorSpec::with_memory_config, nb::arg("memory_config"))
        .def(
            "height_sharded",
            [](const TensorSpec& self, const CoreRangeSet& grid, ShardOrientation orientation) {
                return cut(self, grid, TensorMemoryLayout::HEIGHT_SHARDED, grid.num_cores(), 1, orientation);
            },
            nb::arg("grid"), nb::arg("orientation") = row_major)
        .def(
            "width_sharded",
            [](const TensorSpec& self, const CoreRangeSet& grid, ShardOrientation orientation) {
                return cut(self, grid, TensorMemoryLayout::WIDTH_SHARDED, 1, grid.num_cores(), orientation);
            },
            nb::arg("grid"), nb::arg("orientation") = row_major)
        .def("block_sharded", nb::overload_cast<const TensorSpec&, const CoreRange&, ShardOrientation>(&block_sharded),
             nb::arg("grid"), nb::arg("orientation") = row_major)
        .def("block_sharded",
             nb::overload_cast<const TensorSpec&, const CoreRangeSet&, ShardOrientation>(&block_sharded),
             nb::arg("grid"), nb::arg("orientation") = row_major)
        .def(
            "sharded_across_dims",
            [](const TensorSpec& self, nb::handle dims, const CoreRangeSet& grid, ShardOrientation orientation) {
                return sharded_across(self, argument<std::vector<int64_t>>(dims, "dims", "a list of ints"), false, grid,
                                      orientation);
            },
            nb::arg("dims"), nb::arg("grid"), nb::arg("orientation") = row_major,
            nb::sig("def sharded_across_dims(self, dims: collections.abc.Sequence[int], grid: CoreRangeSet, "
                    "orientation: ShardOrientation = ShardOrientation.ROW_MAJOR) -> TensorSpec"))
        .def(
            "sharded_across_dims_except",
            [](const TensorSpec& self, nb::handle dims, const CoreRangeSet& grid, ShardOrientation orientation) {
                return sharded_across(self, argument<std::vector<int64_t>>(dims, "dims", "a list of ints"), true, grid,
                                      orientation);
            },
            nb::arg("dims"), nb::arg("grid"), nb::arg("orientation") = row_major,
            nb::sig("def sharded_across_dims_except(self, dims: collections.abc.Sequence[int], grid: CoreRangeSet, "
                    "orientation: ShardOrientation = ShardOrientation.ROW_MAJOR) -> TensorSpec"))
        .def(
            "sharded",
            [](const TensorSpec& self, nb::handle shard_shape, const CoreRangeSet& grid, ShardShapeAlignment alignment,
               ShardOrientation orientation, ShardDistributionStrategy strategy) {
                return nd_sharded(self, argument<Shape>(shard_shape, "shard_shape", "Shape"), grid, alignment,
                                  orientation, strategy);
            },
            nb::arg("shard_shape"), nb::arg("grid"), nb::arg("shard_alignment") = ShardShapeAlignment::RECOMMENDED,
            nb::arg("orientation") = row_major,
            nb::arg("shard_distribution_strategy") = ShardDistributionStrategy::ROUND_ROBIN_1D,
            nb::sig("def sharded(self, shard_shape: Shape | collections.abc.Sequence[int], grid: CoreRangeSet, "
                    "shard_alignment: ShardShapeAlignment = ShardShapeAlignment.RECOMMENDED, "
                    "orientation: ShardOrientation = ShardOrientation.ROW_MAJOR, shard_distribution_strategy: "
                    "ShardDistributionStrategy = ShardDistributionStrategy.ROUND_ROBIN_1D) -> TensorSpec"))
        .def(
            "sharded",
            [](const TensorSpec& self, const NdShardSpec& shards, ShardShapeAlignment alignment) {
                return nd_sharded(self, shards.shard_shape, shards.grid, alignment, shards.orientation,
                                  shards.shard_distribution_strategy);
            },
            nb::arg("nd_shard_spec"), nb::arg("shard_alignment") = ShardShapeAlignment::RECOMMENDED)
        .def("__eq__", &equal<TensorSpec>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__",
             [](const TensorSpec& self) {
                 return (self.logical_shape().volume() * 64 + static_cast<size_t>(self.dtype()) * 4 +
                         static_cast<size_t>(self.layout())) ^
                        (self.memory_config().hash() >> 1U);
             })
        .def("__repr__", &TensorSpec::to_string);
    remember_type<TensorSpec>();
}

}  // namespace

void bind_specs(nb::module_& module) {
    bind_tile(module);
    bind_tensor_spec(module);
}

}  // namespace ttnn::python
