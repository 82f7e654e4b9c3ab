// ShardSpec, NdShardSpec, MemoryConfig and create_sharded_memory_config.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/arguments.hpp"
#include "python/bindings.hpp"
#include "python/geometry_json.hpp"

namespace ttnn::python {
namespace {

void bind_shard_specs(nb::module_& module) {
    nb::class_<ShardSpec>(module, "ShardSpec", "2-D sharding: every core of the grid holds one block.")
        .def(
            "__init__",
            [](ShardSpec* self, nb::handle grid, nb::handle shape, ShardOrientation orientation) {
                new (self)
                    ShardSpec{argument<CoreRangeSet>(grid, "grid", "CoreRangeSet"),
                              argument<std::array<uint32_t, 2>>(shape, "shard_shape", "[height, width]"), orientation};
            },
            nb::arg("grid"), nb::arg("shard_shape"), nb::arg("shard_orientation"),
            nb::sig("def __init__(self, grid: CoreRangeSet, shard_shape: collections.abc.Sequence[int], "
                    "shard_orientation: ShardOrientation) -> None"))
        .def_rw("grid", &ShardSpec::grid)
        .def_prop_rw(
            "shape",
            [](const ShardSpec& self) {
                return nb::steal(put(std::vector<int64_t>{self.shape[0], self.shape[1]}));
            },
            [](ShardSpec& self, nb::handle shape) {
                self.shape = argument<std::array<uint32_t, 2>>(shape, "shape", "[height, width]");
            },
            nb::for_getter(nb::sig("def shape(self) -> list[int]")),
            nb::for_setter(nb::sig("def shape(self, value: collections.abc.Sequence[int], /) -> None")))
        .def_rw("orientation", &ShardSpec::orientation)
        .def("num_cores", &ShardSpec::num_cores)
        .def("__eq__", &equal<ShardSpec>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__",
             [](const ShardSpec& self) {
                 return MemoryConfig(TensorMemoryLayout::BLOCK_SHARDED, BufferType::L1, self).hash() >> 1U;
             })
        .def("to_json", [](const ShardSpec& self) { return to_json(self); })
        .def_static(
            "from_json", [](const std::string& text) { return from_json<ShardSpec>(text); }, nb::arg("json"))
        .def("__repr__", &ShardSpec::to_string);
    remember_type<ShardSpec>();

    nb::class_<NdShardSpec>(module, "NdShardSpec", "N-D sharding: blocks dealt to the cores of the grid.")
        .def(
            "__init__",
            [](NdShardSpec* self, nb::handle shape, nb::handle grid, ShardOrientation orientation,
               ShardDistributionStrategy strategy) {
                new (self) NdShardSpec{argument<Shape>(shape, "shard_shape", "Shape"),
                                       argument<CoreRangeSet>(grid, "grid", "CoreRangeSet"), orientation, strategy};
            },
            nb::arg("shard_shape"), nb::arg("grid"), nb::arg("orientation") = ShardOrientation::ROW_MAJOR,
            nb::arg("shard_distribution_strategy") = ShardDistributionStrategy::ROUND_ROBIN_1D,
            nb::sig("def __init__(self, shard_shape: Shape | collections.abc.Sequence[int], grid: CoreRangeSet, "
                    "orientation: ShardOrientation = ShardOrientation.ROW_MAJOR, shard_distribution_strategy: "
                    "ShardDistributionStrategy = ShardDistributionStrategy.ROUND_ROBIN_1D) -> None"))
        .def_prop_rw(
            "shard_shape", [](const NdShardSpec& self) { return self.shard_shape; },
            [](NdShardSpec& self, nb::handle shape) {
                self.shard_shape = argument<Shape>(shape, "shard_shape", "Shape");
            },
            nb::for_setter(nb::sig("def shard_shape(self, value: Shape | collections.abc.Sequence[int], /) -> None")))
        .def_rw("grid", &NdShardSpec::grid)
        .def_rw("orientation", &NdShardSpec::orientation)
        .def_rw("shard_distribution_strategy", &NdShardSpec::shard_distribution_strategy)
        .def("num_cores", &NdShardSpec::num_cores)
        .def("__eq__", &equal<NdShardSpec>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__", [](const NdShardSpec& self) { return MemoryConfig(BufferType::L1, self).hash() >> 1U; })
        .def("to_json", [](const NdShardSpec& self) { return to_json(self); })
        .def_static(
            "from_json", [](const std::string& text) { return from_json<NdShardSpec>(text); }, nb::arg("json"))
        .def("__repr__", &NdShardSpec::to_string);
    remember_type<NdShardSpec>();
}

void bind_memory_config(nb::module_& module) {
    nb::class_<MemoryConfig>(module, "MemoryConfig", "Where a tensor lives.")
        .def(
            "__init__",
            [](MemoryConfig* self, TensorMemoryLayout layout, BufferType buffer, std::optional<ShardSpec> spec) {
                new (self) MemoryConfig(layout, buffer, std::move(spec));
            },
            nb::arg("memory_layout") = TensorMemoryLayout::INTERLEAVED, nb::arg("buffer_type") = BufferType::DRAM,
            nb::arg("shard_spec") = nb::none())
        .def(
            "__init__",
            [](MemoryConfig* self, BufferType buffer, const NdShardSpec& spec) {
                new (self) MemoryConfig(buffer, spec);
            },
            nb::arg("buffer_type"), nb::arg("nd_shard_spec"))
        .def_prop_ro("memory_layout", &MemoryConfig::memory_layout)
        .def_prop_ro("buffer_type", &MemoryConfig::buffer_type)
        .def_prop_ro("shard_spec", [](const MemoryConfig& self) { return self.shard_spec(); })
        .def_prop_ro("nd_shard_spec", [](const MemoryConfig& self) { return self.nd_shard_spec(); })
        .def_prop_ro("interleaved", &MemoryConfig::interleaved)
        .def_prop_ro("created_with_nd_shard_spec", &MemoryConfig::created_with_nd_shard_spec)
        .def("is_sharded", &MemoryConfig::is_sharded)
        .def("with_shard_spec", &MemoryConfig::with_shard_spec, nb::arg("shard_spec").none())
        .def("to_json", &MemoryConfig::to_json)
        .def_static(
            "from_json", [](const std::string& text) { return MemoryConfig::from_json(text); }, nb::arg("json"))
        .def("__eq__", &equal<MemoryConfig>, nb::is_operator(), nb::sig(equal_signature))
        // Python takes hashes as signed numbers; dropping a bit keeps the number that traces write positive.
        .def("__hash__", [](const MemoryConfig& self) { return self.hash() >> 1U; })
        .def("__repr__", &MemoryConfig::to_string)
        .def("__reduce__", [](const MemoryConfig& self) {
            return nb::make_tuple(nb::module_::import_("tracelift._pickle").attr("from_json"),
                                  nb::make_tuple("MemoryConfig", self.to_json()));
        });
    remember_type<MemoryConfig>();
}

}  // namespace

void bind_memory(nb::module_& module) {
    bind_shard_specs(module);
    bind_memory_config(module);
    module.def("sharded_config_of_grid", [](nb::handle shape, const CoreGrid& grid, ShardStrategy strategy,
                                            ShardOrientation orientation, bool as_shard) {
        return create_sharded_memory_config(argument<Shape>(shape, "shape", "Shape"), grid, strategy, orientation,
                                            as_shard);
    });
    module.def("sharded_config_of_cores", [](nb::handle shape, const CoreRangeSet& cores, ShardStrategy strategy,
                                             ShardOrientation orientation, bool as_shard) {
        return create_sharded_memory_config(argument<Shape>(shape, "shape", "Shape"), cores, strategy, orientation,
                                            as_shard);
    });
    module.def("rounded_sharded_config", [](nb::handle shape, const CoreRangeSet& cores, TensorMemoryLayout layout,
                                            ShardOrientation orientation, bool as_shard, bool tile_layout) {
        return create_sharded_memory_config_(argument<Shape>(shape, "shape", "Shape"), cores, layout, orientation,
                                             as_shard, tile_layout);
    });
    module.def("memory_layout_of", &memory_layout_of);
}

}  // namespace ttnn::python
