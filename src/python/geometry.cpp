// Shape, CoreCoord, CoreRange, CoreRangeSet, CoreGrid and the functions over them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/arguments.hpp"
#include "python/bindings.hpp"
#include "python/geometry_json.hpp"
#include "ttnn/tensor/work_split.hpp"

namespace ttnn::python {
namespace {

size_t hash_of(std::initializer_list<uint32_t> numbers) {
    size_t hash = 0;
    for (const uint32_t number : numbers) {
        hash = (hash ^ number) * 0x9E3779B97F4A7C15U;
    }
    return hash >> 1U;
}

nb::list dims_of(const Shape& shape) {
    nb::list dims;
    for (const uint32_t dim : shape) {
        dims.append(dim);
    }
    return dims;
}

void bind_shape(nb::module_& module) {
    nb::class_<Shape>(module, "Shape", "Dimensions of a tensor.")
        .def(
            "__init__",
            [](Shape* self, nb::handle dims) { new (self) Shape(argument<Shape>(dims, "dims", "a list of ints")); },
            nb::arg("dims"), nb::sig("def __init__(self, dims: Shape | collections.abc.Sequence[int]) -> None"))
        .def_prop_ro("rank", &Shape::rank)
        .def("to_rank", &Shape::to_rank, nb::arg("rank"), "Pads with or strips leading ones.")
        .def("volume", &Shape::volume)
        .def("__len__", &Shape::rank)
        .def("__getitem__", [](const Shape& self, int64_t index) { return self[index]; })
        .def(
            "__getitem__",
            [](const Shape& self, const nb::slice& slice) {
                return nb::steal(PyObject_GetItem(dims_of(self).ptr(), slice.ptr()));
            },
            nb::sig("def __getitem__(self, arg: slice, /) -> list[int]"))
        .def(
            "__iter__", [](const Shape& self) { return nb::iter(dims_of(self)); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[int]"))
        .def(
            "__eq__",
            [](const Shape& self, nb::handle other) -> nb::object {
                const auto shape = try_argument<Shape>(other);
                return shape ? nb::cast(self == *shape) : nb::borrow(nb::handle(Py_NotImplemented));
            },
            nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__hash__",
             [](const Shape& self) {
                 size_t hash = self.rank();
                 for (const uint32_t dim : self) {
                     hash = hash_of({static_cast<uint32_t>(hash), dim});
                 }
                 return hash;
             })
        .def("__repr__", &Shape::to_string)
        .def("__reduce__",
             [](const Shape& self) { return nb::make_tuple(nb::type<Shape>(), nb::make_tuple(dims_of(self))); });
    remember_type<Shape>();
}

void bind_cores(nb::module_& module) {
    nb::class_<CoreCoord>(module, "CoreCoord", "A core; x is the column, y the row.")
        .def(
            "__init__",
            [](CoreCoord* self, uint32_t x, uint32_t y) {
                new (self) CoreCoord{x, y};
            },
            nb::arg("x"), nb::arg("y"))
        .def(
            "__init__",
            [](CoreCoord* self, nb::handle pair) { new (self) CoreCoord(argument<CoreCoord>(pair, "core", "(x, y)")); },
            nb::arg("core"), nb::sig("def __init__(self, core: CoreCoord | tuple[int, int]) -> None"))
        .def_ro("x", &CoreCoord::x)
        .def_ro("y", &CoreCoord::y)
        .def("__eq__", &equal<CoreCoord>, nb::is_operator(), nb::sig(equal_signature))
        .def(
            "__lt__", [](const CoreCoord& a, const CoreCoord& b) { return a < b; }, nb::is_operator())
        .def("__hash__",
             [](const CoreCoord& self) {
                 return hash_of({self.x, self.y});
             })
        .def("to_json", [](const CoreCoord& self) { return to_json(self); })
        .def_static(
            "from_json", [](const std::string& text) { return from_json<CoreCoord>(text); }, nb::arg("json"))
        .def("__repr__", &CoreCoord::to_string)
        .def("__reduce__", [](const CoreCoord& self) {
            return nb::make_tuple(nb::type<CoreCoord>(), nb::make_tuple(self.x, self.y));
        });
    remember_type<CoreCoord>();

    nb::class_<CoreRange>(module, "CoreRange", "Rectangle of cores, both corners inside.")
        .def(
            "__init__",
            [](CoreRange* self, nb::handle start, nb::handle end) {
                new (self) CoreRange(argument<CoreCoord>(start, "start", "CoreCoord"),
                                     argument<CoreCoord>(end, "end", "CoreCoord"));
            },
            nb::arg("start"), nb::arg("end"),
            nb::sig("def __init__(self, start: CoreCoord | tuple[int, int], end: CoreCoord | tuple[int, int]) -> None"))
        .def_ro("start", &CoreRange::start)
        .def_ro("end", &CoreRange::end)
        .def("grid_size", &CoreRange::grid_size)
        .def("size", &CoreRange::num_cores)
        .def(
            "contains",
            [](const CoreRange& self, nb::handle other) {
                if (const auto core = try_argument<CoreCoord>(other)) {
                    return self.contains(*core);
                }
                return CoreRangeSet(self).contains(
                    argument<CoreRangeSet>(other, "other", "CoreCoord | CoreRange | CoreRangeSet"));
            },
            nb::arg("other"), nb::sig("def contains(self, other: CoreCoord | CoreRange | CoreRangeSet) -> bool"))
        .def("__eq__", &equal<CoreRange>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__",
             [](const CoreRange& self) {
                 return hash_of({self.start.x, self.start.y, self.end.x, self.end.y});
             })
        .def("to_json", [](const CoreRange& self) { return to_json(self); })
        .def_static(
            "from_json", [](const std::string& text) { return from_json<CoreRange>(text); }, nb::arg("json"))
        .def("__repr__", &CoreRange::to_string)
        .def("__reduce__", [](const CoreRange& self) {
            return nb::make_tuple(nb::type<CoreRange>(), nb::make_tuple(self.start, self.end));
        });
    remember_type<CoreRange>();

    nb::class_<CoreGrid>(module, "CoreGrid", "A grid of cores from (0, 0).")
        .def(
            "__init__",
            [](CoreGrid* self, uint32_t x, uint32_t y) {
                new (self) CoreGrid{x, y};
            },
            nb::kw_only(), nb::arg("x"), nb::arg("y"))
        .def_ro("x", &CoreGrid::x)
        .def_ro("y", &CoreGrid::y)
        .def_prop_ro("num_cores", &CoreGrid::num_cores)
        .def("__eq__", &equal<CoreGrid>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__",
             [](const CoreGrid& self) {
                 return hash_of({self.x, self.y});
             })
        .def("__repr__", &CoreGrid::to_string);
    remember_type<CoreGrid>();
}

void bind_core_sets(nb::module_& module) {
    nb::class_<CoreRangeSet>(module, "CoreRangeSet", "Rectangles of cores that do not overlap.")
        .def(
            "__init__",
            [](CoreRangeSet* self, nb::handle ranges) {
                new (self) CoreRangeSet(argument<CoreRangeSet>(ranges, "ranges", "a list or set of CoreRange"));
            },
            nb::arg("ranges"),
            nb::sig(
                "def __init__(self, ranges: CoreRangeSet | CoreRange | collections.abc.Iterable[CoreRange]) -> None"))
        .def("num_cores", &CoreRangeSet::num_cores)
        .def("size", &CoreRangeSet::size, "Number of ranges.")
        .def("empty", &CoreRangeSet::empty)
        .def("ranges", &CoreRangeSet::ranges)
        .def("bounding_box", &CoreRangeSet::bounding_box)
        .def(
            "contains",
            [](const CoreRangeSet& self, nb::handle other) {
                if (const auto core = try_argument<CoreCoord>(other)) {
                    return self.contains(*core);
                }
                return self.contains(argument<CoreRangeSet>(other, "other", "CoreCoord | CoreRange | CoreRangeSet"));
            },
            nb::arg("other"), nb::sig("def contains(self, other: CoreCoord | CoreRange | CoreRangeSet) -> bool"))
        .def("subtract", &CoreRangeSet::subtract, nb::arg("other"))
        .def("merge", &CoreRangeSet::merge, nb::arg("other"))
        .def("__len__", &CoreRangeSet::size)
        .def("__eq__", &equal<CoreRangeSet>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__",
             [](const CoreRangeSet& self) {
                 size_t hash = self.size();
                 for (const CoreRange& range : self.ranges()) {
                     hash =
                         hash_of({static_cast<uint32_t>(hash), range.start.x, range.start.y, range.end.x, range.end.y});
                 }
                 return hash;
             })
        .def("to_json", [](const CoreRangeSet& self) { return to_json(self); })
        .def_static(
            "from_json", [](const std::string& text) { return from_json<CoreRangeSet>(text); }, nb::arg("json"))
        .def("__repr__", &CoreRangeSet::to_string)
        .def("__reduce__", [](const CoreRangeSet& self) {
            return nb::make_tuple(nb::type<CoreRangeSet>(), nb::make_tuple(self.ranges()));
        });
    remember_type<CoreRangeSet>();

    module.def(
        "corerange_to_cores",
        [](nb::handle cores, std::optional<uint32_t> max_cores, bool row_wise) {
            auto list = argument<CoreRangeSet>(cores, "core_range_set", "CoreRangeSet").cores(row_wise);
            if (max_cores && *max_cores < list.size()) {
                list.resize(*max_cores);
            }
            return list;
        },
        nb::arg("core_range_set"), nb::arg("max_cores") = nb::none(), nb::arg("row_wise") = false,
        "The cores of a set, range by range.",
        nb::sig("def corerange_to_cores(core_range_set: CoreRangeSet | CoreRange, max_cores: int | None = None, "
                "row_wise: bool = False) -> list[CoreCoord]"));
    module.def(
        "num_cores_to_corerangeset",
        [](uint32_t count, nb::handle grid, bool row_wise) {
            return num_cores_to_corerangeset(count, argument<CoreCoord>(grid, "grid_size", "CoreCoord"), row_wise);
        },
        nb::arg("target_num_cores"), nb::arg("grid_size"), nb::arg("row_wise") = false,
        "The first cores of a grid, column by column or row by row.",
        nb::sig("def num_cores_to_corerangeset(target_num_cores: int, grid_size: CoreCoord | tuple[int, int], "
                "row_wise: bool = False) -> CoreRangeSet"));
    module.def(
        "split_work_to_cores",
        [](nb::handle grid, uint64_t units, bool row_wise) {
            const WorkSplit split =
                nb::isinstance<CoreRangeSet>(grid)
                    ? split_work_to_cores(nb::cast<const CoreRangeSet&>(grid), units, row_wise)
                    : split_work_to_cores(argument<CoreCoord>(grid, "core_grid", "CoreCoord"), units, row_wise);
            return std::make_tuple(split.num_cores, split.all_cores, split.group_1, split.group_2, split.units_1,
                                   split.units_2);
        },
        nb::arg("core_grid"), nb::arg("units_to_divide"), nb::arg("row_wise") = false,
        "(num_cores, all_cores, group 1, group 2, units per core of group 1, of group 2)",
        nb::sig("def split_work_to_cores(core_grid: CoreCoord | CoreGrid | CoreRangeSet | tuple[int, int], "
                "units_to_divide: int, "
                "row_wise: bool = False) -> tuple[int, CoreRangeSet, CoreRangeSet, CoreRangeSet, int, int]"));
}

}  // namespace

void bind_geometry(nb::module_& module) {
    bind_shape(module);
    bind_cores(module);
    bind_core_sets(module);
}

}  // namespace ttnn::python
