// MeshShape and MeshCoordinate: short lists of ints with names of their own.
#include <nanobind/stl/string.h>

#include "python/arguments.hpp"
#include "python/bindings.hpp"
#include "python/mesh_types.hpp"

namespace ttnn::python {
namespace {

template <class T>
std::vector<int64_t> numbers_of(const nb::args& args) {
    std::vector<int64_t> numbers;
    if (args.size() == 1 && load(nb::handle(args[0]).ptr(), numbers)) {
        return numbers;
    }
    if (args.size() == 1 && instance_of<T>(nb::handle(args[0]).ptr()) != nullptr) {
        return instance_of<T>(nb::handle(args[0]).ptr())->numbers;
    }
    for (nb::handle item : args) {
        numbers.push_back(argument<int64_t>(item, "dimension", "int"));
    }
    return numbers;
}

template <class T>
nb::class_<T> bind_numbers(nb::module_& module, const char* name, const char* init) {
    return nb::class_<T>(module, name)
        .def(
            "__init__", [](T* self, const nb::args& args) { new (self) T{numbers_of<T>(args)}; }, nb::sig(init))
        .def("__len__", [](const T& self) { return self.numbers.size(); })
        .def("__getitem__",
             [](const T& self, int64_t index) {
                 const auto size = static_cast<int64_t>(self.numbers.size());
                 const int64_t at = index < 0 ? index + size : index;
                 if (at < 0 || at >= size) {
                     throw nb::index_error(
                         fmt::format("index {} is out of range for {} dimensions", index, size).c_str());
                 }
                 return self.numbers[static_cast<size_t>(at)];
             })
        .def(
            "__iter__", [](const T& self) { return nb::iter(nb::steal(put(self.numbers))); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[int]"))
        .def(
            "dims", [](const T& self) { return self.numbers.size(); }, "Number of dimensions.")
        .def("__eq__", &equal<T>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__",
             [](const T& self) {
                 size_t hash = self.numbers.size();
                 for (const int64_t number : self.numbers) {
                     hash = (hash ^ static_cast<size_t>(number)) * 0x9E3779B97F4A7C15U;
                 }
                 return hash >> 1U;
             })
        .def("__repr__", [name = std::string(name)](const T& self) {
            return fmt::format("{}([{}])", name, fmt::join(self.numbers, ", "));
        });
}

}  // namespace

void bind_mesh(nb::module_& module) {
    bind_numbers<MeshShape>(module, "MeshShape",
                            "def __init__(self, *args: int | collections.abc.Sequence[int]) -> None")
        .def("mesh_size", &MeshShape::size, "Number of devices.");
    remember_type<MeshShape>();
    bind_numbers<MeshCoordinate>(module, "MeshCoordinate",
                                 "def __init__(self, *args: int | collections.abc.Sequence[int]) -> None");
    remember_type<MeshCoordinate>();
}

}  // namespace ttnn::python
