// The Tensor class.
#include <algorithm>
#include <span>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/arguments.hpp"
#include "python/bindings.hpp"
#include "python/host_tensor.hpp"
#include "python/operation_object.hpp"
#include "python/operation_type.hpp"
#include "python/tensor_data.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn::python {
namespace {

// --- operators: each is a registered operation, found by name --------------------------------------------------------

bool is_operand(PyObject* object) {
    return is_instance(object, bound_type<TensorObject>) || PyFloat_Check(object) || PyLong_Check(object) ||
           (PyNumber_Check(object) != 0 && PySequence_Check(object) == 0);
}

PyObject* call_operation(const char* name, std::span<PyObject* const> arguments) {
    try {
        return PyObject_Vectorcall(find_operation_object(name).ptr(), arguments.data(), arguments.size(), nullptr);
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return nullptr;
    }
}

PyObject* call_binary(const char* name, PyObject* a, PyObject* b) {
    if (!is_operand(a) || !is_operand(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    PyObject* arguments[] = {a, b};
    return call_operation(name, arguments);
}

bool is_tensor(PyObject* object) { return is_instance(object, bound_type<TensorObject>); }

PyObject* add_slot(PyObject* a, PyObject* b) {
    return is_tensor(a) ? call_binary("ttnn.add", a, b) : call_binary("ttnn.add", b, a);
}
PyObject* multiply_slot(PyObject* a, PyObject* b) {
    return is_tensor(a) ? call_binary("ttnn.multiply", a, b) : call_binary("ttnn.multiply", b, a);
}
PyObject* subtract_slot(PyObject* a, PyObject* b) {
    // There is no reflected subtraction: `2 - tensor` is a TypeError.
    return is_tensor(a) ? call_binary("ttnn.subtract", a, b) : Py_NewRef(Py_NotImplemented);
}
PyObject* divide_slot(PyObject* a, PyObject* b) {
    return is_tensor(a) ? call_binary("ttnn.divide", a, b) : call_binary("ttnn.rdiv", b, a);
}
PyObject* matmul_slot(PyObject* a, PyObject* b) {
    return is_tensor(a) && is_tensor(b) ? call_binary("ttnn.matmul", a, b) : Py_NewRef(Py_NotImplemented);
}
PyObject* power_slot(PyObject* base, PyObject* exponent, PyObject* modulus) {
    return modulus == Py_None ? call_binary("ttnn.pow", base, exponent) : Py_NewRef(Py_NotImplemented);
}
PyObject* negative_slot(PyObject* tensor) { return call_operation("ttnn.neg", {&tensor, 1}); }
// A tensor is true, as every object without a rule of its own; its length does not decide.
int truth_slot(PyObject*) { return 1; }
PyObject* compare_slot(PyObject* a, PyObject* b, int comparison) {
    static constexpr const char* names[] = {"ttnn.lt", "ttnn.le", "ttnn.eq", "ttnn.ne", "ttnn.gt", "ttnn.ge"};
    return call_binary(names[comparison], a, b);
}
PyObject* index_slot(PyObject* tensor, PyObject* index) {
    PyObject* arguments[] = {tensor, index};
    return call_operation("ttnn.Tensor.__getitem__", arguments);
}
Py_ssize_t length_slot(PyObject* tensor) {
    const Shape& shape = nb::cast<const TensorObject&>(nb::handle(tensor)).logical_shape();
    if (shape.empty()) {
        PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
        return -1;
    }
    return static_cast<Py_ssize_t>(shape[0]);
}
// tensor[0], tensor[1], ..., each made when it is asked for.
PyObject* iterator_slot(PyObject* tensor) {
    const Py_ssize_t length = length_slot(tensor);
    if (length < 0) {
        return nullptr;
    }
    try {
        const nb::module_ builtins = nb::module_::import_("builtins");
        return builtins.attr("map")(nb::handle(tensor).attr("__getitem__"), builtins.attr("range")(length))
            .release()
            .ptr();
    } catch (nb::python_error& error) {
        error.restore();
        return nullptr;
    }
}
Py_hash_t hash_slot(PyObject* tensor) { return _Py_HashPointer(tensor); }

template <class F>
void* slot(F* function) {
    return reinterpret_cast<void*>(function);
}
const PyType_Slot tensor_slots[] = {{Py_nb_add, slot(add_slot)},
                                    {Py_nb_subtract, slot(subtract_slot)},
                                    {Py_nb_multiply, slot(multiply_slot)},
                                    {Py_nb_true_divide, slot(divide_slot)},
                                    {Py_nb_matrix_multiply, slot(matmul_slot)},
                                    {Py_tp_richcompare, slot(compare_slot)},
                                    {Py_nb_power, slot(power_slot)},
                                    {Py_nb_negative, slot(negative_slot)},
                                    {Py_nb_bool, slot(truth_slot)},
                                    {Py_mp_subscript, slot(index_slot)},
                                    {Py_mp_length, slot(length_slot)},
                                    {Py_tp_iter, slot(iterator_slot)},
                                    {Py_tp_hash, slot(hash_slot)},
                                    {0, nullptr}};

// --- methods ---------------------------------------------------------------------------------------------------------

nb::object torch_of(const Tensor& tensor, bool padded) {
    const nb::object torch = nb::module_::import_("torch");
    const bool widen = !nb::hasattr(torch, "uint16");
    return nb::module_::import_("torch.utils.dlpack").attr("from_dlpack")(to_dlpack_source(tensor, widen, padded));
}

// Values do not go to or come from a device while a trace of it is captured, which an interceptor does and says there.
void check_transfer(const std::shared_ptr<Device>& device, const char* method) {
    if (interceptor == nullptr || device == nullptr) [[likely]] {
        return;
    }
    const nb::object mark = nb::getattr(nb::cast(device), "_is_captured", nb::none());
    require(!mark.is(Py_True), "Tensor.{}: host reads and writes are not allowed during trace capture", method);
}

TensorObject moved_to_device(const TensorObject& self, const std::shared_ptr<Device>& device,
                             const std::optional<MemoryConfig>& config) {
    check_transfer(device, "to");
    const nb::gil_scoped_release release;
    return TensorObject(copy_to_device(self, device, config));
}

void deallocate(TensorObject& self, bool force) {
    // Without force a buffer that other tensors share stays.
    if (force || !self.is_on_device() || self.buffer().use_count() == 1) {
        self.deallocate();
    }
}

Shape tile_padded_shape(const Tensor& tensor) {
    Shape shape = tensor.logical_shape().to_rank(std::max<size_t>(tensor.logical_shape().rank(), 2));
    shape[-1] = round_up(shape[-1], tile_size);
    shape[-2] = round_up(shape[-2], tile_size);
    return shape;
}

nb::object call(const char* operation, const nb::args& arguments) {
    return find_operation_object(operation)(*arguments);
}

nb::object reshape(nb::handle self, const nb::args& dims) {
    const nb::object shape = dims.size() == 1 ? nb::object(dims[0]) : nb::object(nb::list(dims));
    return find_operation_object("ttnn.reshape")(self, shape);
}

void bind_construction(nb::class_<TensorObject>& tensor) {
    tensor
        .def(
            "__init__", [](TensorObject* self, const TensorObject& other) { new (self) TensorObject(Tensor(other)); },
            nb::arg("tensor"))
        .def(
            "__init__",
            [](TensorObject* self, const nb::list& data, nb::handle shape, DataType dtype, Layout layout,
               const std::shared_ptr<Device>& device, std::optional<MemoryConfig> config, std::optional<Tile> tile,
               double pad_value) {
                new (self) TensorObject(tensor_from_numbers(data, argument<Shape>(shape, "shape", "Shape"),
                                                            {.dtype = dtype,
                                                             .layout = layout,
                                                             .device = device,
                                                             .memory_config = std::move(config),
                                                             .tile = tile,
                                                             .pad_value = pad_value}));
            },
            nb::arg("data"), nb::arg("shape"), nb::arg("data_type"), nb::arg("layout"),
            nb::arg("device").none() = nb::none(), nb::arg("memory_config") = nb::none(), nb::arg("tile") = nb::none(),
            nb::arg("pad_value") = 0.0,
            nb::sig("def __init__(self, data: list, shape: Shape | collections.abc.Sequence[int], data_type: DataType, "
                    "layout: Layout, device: MeshDevice | None = None, memory_config: MemoryConfig | None = None, "
                    "tile: Tile | None = None, pad_value: float = 0) -> None"))
        .def(
            "__init__",
            [](TensorObject* self, nb::handle array, std::optional<DataType> dtype,
               const std::shared_ptr<Device>& device, std::optional<Layout> layout, std::optional<MemoryConfig> config,
               std::optional<Tile> tile, nb::handle, std::optional<double> pad_value, nb::handle mapper,
               bool col_tilize) {
                new (self)
                    TensorObject(tensor_from_array(array, {dtype, layout, device, std::move(config), tile, pad_value,
                                                           mapper_argument(mapper, "Tensor"), col_tilize}));
            },
            nb::arg("tensor"), nb::arg("data_type") = nb::none(), nb::arg("device").none() = nb::none(),
            nb::arg("layout") = nb::none(), nb::arg("mem_config") = nb::none(), nb::arg("tile") = nb::none(),
            nb::arg("cq_id").none() = nb::none(), nb::arg("pad_value") = nb::none(),
            nb::arg("mesh_mapper").none() = nb::none(), nb::arg("col_tilize") = false,
            nb::sig("def __init__(self, tensor: typing.Any, data_type: DataType | None = None, device: MeshDevice | "
                    "None = None, "
                    "layout: Layout | None = None, mem_config: MemoryConfig | None = None, tile: Tile | None = None, "
                    "cq_id: int | None = None, pad_value: float | None = None, mesh_mapper: typing.Any = None, "
                    "col_tilize: bool = False) -> None"));
}

void bind_facts(nb::class_<TensorObject>& tensor) {
    tensor.def_prop_ro("shape", [](const TensorObject& self) { return self.logical_shape(); })
        .def_prop_ro("padded_shape", [](const TensorObject& self) { return self.padded_shape(); })
        .def_prop_ro("dtype", [](const TensorObject& self) { return self.dtype(); })
        .def_prop_ro("layout", [](const TensorObject& self) { return self.layout(); })
        .def_prop_ro("tile", [](const TensorObject& self) { return self.spec().tile(); })
        .def_prop_ro("spec", [](const TensorObject& self) { return self.spec(); })
        .def_rw("tensor_id", &TensorObject::tensor_id, nb::arg().none(),
                "A number that tools give to this object, or None.")
        .def("get_dtype", [](const TensorObject& self) { return self.dtype(); })
        .def("get_layout", [](const TensorObject& self) { return self.layout(); })
        .def("get_tile", [](const TensorObject& self) { return self.spec().tile(); })
        .def("memory_config", [](const TensorObject& self) { return self.memory_config(); })
        .def("storage_type", [](const TensorObject& self) { return self.storage_type(); })
        .def(
            "device", [](const TensorObject& self) { return self.device(); },
            nb::sig("def device(self) -> MeshDevice | None"))
        .def("devices",
             [](const TensorObject& self) {
                 std::vector<std::shared_ptr<Device>> devices;
                 if (self.is_on_device()) {
                     devices.push_back(self.device());
                 }
                 return devices;
             })
        .def("is_allocated", [](const TensorObject& self) { return self.is_allocated(); })
        .def("is_sharded", [](const TensorObject& self) { return self.is_sharded(); })
        .def("buffer_address",
             [](const TensorObject& self) {
                 require(self.is_on_device(), "{} doesn't support buffer_address method", self.storage_type());
                 return self.buffer_address();
             })
        .def(
            "volume", [](const TensorObject& self) { return self.padded_shape().volume(); }, "Elements with padding.")
        .def("logical_volume", [](const TensorObject& self) { return self.logical_volume(); })
        .def("__repr__", [](const TensorObject& self) { return tensor_text(self); });
}

void bind_moves(nb::class_<TensorObject>& tensor) {
    tensor
        .def(
            "to",
            [](const TensorObject& self, const std::shared_ptr<Device>& device,
               const std::optional<MemoryConfig>& config, nb::handle) { return moved_to_device(self, device, config); },
            nb::arg("device"), nb::arg("mem_config") = nb::none(), nb::arg("cq_id").none() = nb::none(),
            nb::sig("def to(self, device: MeshDevice, mem_config: MemoryConfig | None = None, cq_id: int | None = "
                    "None) -> Tensor"))
        .def(
            "to",
            [](nb::handle_t<TensorObject> self, Layout layout) {
                return call("ttnn.to_layout", nb::borrow<nb::args>(nb::make_tuple(self, layout)));
            },
            nb::arg("target_layout"), nb::sig("def to(self, target_layout: Layout) -> Tensor"))
        .def(
            "cpu",
            [](const TensorObject& self, bool, nb::handle) {
                check_transfer(self.device(), "cpu");
                const nb::gil_scoped_release release;
                return TensorObject(copy_to_host(self));
            },
            nb::arg("blocking") = true, nb::arg("cq_id").none() = nb::none(),
            nb::sig("def cpu(self, blocking: bool = True, cq_id: int | None = None) -> Tensor"))
        .def("deallocate", &deallocate, nb::arg("force") = false)
        .def(
            "reshape", [](nb::handle_t<TensorObject> self, const nb::args& dims) { return reshape(self, dims); },
            nb::sig("def reshape(self, *shape: int | Shape | collections.abc.Sequence[int]) -> Tensor"))
        .def(
            "pad",
            [](const TensorObject& self, nb::handle shape, nb::handle start, double value) {
                return TensorObject(padded_on_host(self, argument<Shape>(shape, "output_tensor_shape", "Shape"),
                                                   argument<Shape>(start, "input_tensor_start", "Shape"), value));
            },
            nb::arg("output_tensor_shape"), nb::arg("input_tensor_start"), nb::arg("pad_value"),
            nb::sig(
                "def pad(self, output_tensor_shape: Shape | collections.abc.Sequence[int], input_tensor_start: Shape | "
                "collections.abc.Sequence[int], pad_value: float) -> Tensor"))
        .def(
            "unpad",
            [](const TensorObject& self, nb::handle begins, nb::handle ends) {
                return TensorObject(unpadded_on_host(self, argument<Shape>(begins, "output_tensor_start", "Shape"),
                                                     argument<Shape>(ends, "output_tensor_end", "Shape")));
            },
            nb::arg("output_tensor_start"), nb::arg("output_tensor_end"),
            nb::sig("def unpad(self, output_tensor_start: Shape | collections.abc.Sequence[int], output_tensor_end: "
                    "Shape | "
                    "collections.abc.Sequence[int]) -> Tensor"))
        .def(
            "pad_to_tile",
            [](const TensorObject& self, double value) {
                const Shape shape = tile_padded_shape(self);
                return TensorObject(padded_on_host(self, shape, Shape::filled(shape.rank(), 0), value));
            },
            nb::arg("pad_value"))
        .def(
            "unpad_from_tile",
            [](const TensorObject& self, nb::handle shape) {
                return TensorObject(unpadded_on_host(self, Shape::filled(self.logical_shape().rank(), 0),
                                                     argument<Shape>(shape, "output_tensor_shape", "Shape")));
            },
            nb::arg("output_tensor_shape"),
            nb::sig("def unpad_from_tile(self, output_tensor_shape: Shape | collections.abc.Sequence[int]) -> Tensor"))
        .def(
            "extract_shard",
            [](const TensorObject& self, nb::handle core) {
                if (const auto index = try_argument<uint32_t>(core)) {
                    return TensorObject(extract_shard(self, size_t{*index}));
                }
                return TensorObject(extract_shard(self, argument<CoreCoord>(core, "core", "CoreCoord | int")));
            },
            nb::arg("core"), nb::sig("def extract_shard(self, core: CoreCoord | int) -> Tensor"));
}

void bind_values(nb::class_<TensorObject>& tensor) {
    tensor
        .def(
            "to_torch",
            [](const TensorObject& self, nb::handle composer) {
                check_transfer(self.device(), "to_torch");
                return torch_of(values_of_mesh(self, composer_argument(composer, "Tensor.to_torch")), false);
            },
            nb::arg("mesh_composer").none() = nb::none(),
            nb::sig("def to_torch(self, mesh_composer: typing.Any = None) -> typing.Any"))
        .def(
            "to_torch_with_padded_shape",
            [](const TensorObject& self) {
                check_transfer(self.device(), "to_torch_with_padded_shape");
                return torch_of(self, true);
            },
            nb::sig("def to_torch_with_padded_shape(self) -> typing.Any"))
        .def(
            "to_numpy",
            [](const TensorObject& self, nb::handle composer) {
                check_transfer(self.device(), "to_numpy");
                return to_numpy(values_of_mesh(self, composer_argument(composer, "Tensor.to_numpy")));
            },
            nb::arg("mesh_composer").none() = nb::none(),
            nb::sig("def to_numpy(self, mesh_composer: typing.Any = None) -> numpy.typing.NDArray"))
        .def(
            "to_list",
            [](const TensorObject& self) {
                check_transfer(self.device(), "to_list");
                return to_nested_list(self);
            },
            nb::sig("def to_list(self) -> list"))
        .def(
            "item",
            [](const TensorObject& self) {
                check_transfer(self.device(), "item");
                return to_number(self);
            },
            nb::sig("def item(self) -> int | float"))
        .def(
            "__array__",
            [](const TensorObject& self, nb::handle dtype) {
                const nb::object array = to_numpy(self);
                return dtype.is_none() ? array : array.attr("astype")(dtype);
            },
            nb::arg("dtype").none() = nb::none(),
            nb::sig("def __array__(self, dtype: typing.Any = None) -> numpy.typing.NDArray"))
        .def(
            "__dlpack__", [](const TensorObject& self, const nb::kwargs&) { return to_dlpack_source(self, false); },
            nb::sig("def __dlpack__(self, **kwargs: typing.Any) -> typing.Any"))
        .def(
            "__dlpack_device__", [](const TensorObject&) { return nb::make_tuple(1, 0); },
            nb::sig("def __dlpack_device__(self) -> tuple[int, int]"));
}

}  // namespace

void bind_tensor(nb::module_& module) {
    nb::class_<TensorObject> tensor(module, "Tensor", "A tensor on the host or on a device.",
                                    nb::type_slots(tensor_slots), nb::is_weak_referenceable());
    bind_construction(tensor);
    bind_facts(tensor);
    bind_moves(tensor);
    bind_values(tensor);
    remember_type<TensorObject>();

    module.def("allocate_on_host", [](const TensorSpec& spec) { return TensorObject(Tensor::allocate_on_host(spec)); });
    module.def("allocate_on_device", [](const TensorSpec& spec, const std::shared_ptr<Device>& device) {
        return TensorObject(Tensor::allocate_on_device(spec, device));
    });
    // Fills an existing tensor of equal spec; its address stays.
    module.def("copy_into", [](const TensorObject& from, TensorObject& to) {
        require(
            from.logical_shape() == to.logical_shape() && from.dtype() == to.dtype() && from.layout() == to.layout(),
            "copying needs tensors of equal spec, got {} of {} in {} and {} of {} in {}", from.logical_shape(),
            from.dtype(), from.layout(), to.logical_shape(), to.dtype(), to.layout());
        copy_parts(from, to, [](const Tensor& source, Tensor& target) {
            if (is_integer(source.dtype())) {
                return write<uint32_t>(target, read<uint32_t>(source).span());
            }
            write<float>(target, read<float>(source).span());
        });
    });
}

}  // namespace ttnn::python
