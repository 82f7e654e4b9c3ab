#include "python/tensor_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "python/arguments.hpp"
#include "python/bindings.hpp"
#include "ttnn/tensor/pack.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn::python {
namespace {

using Code = nb::dlpack::dtype_code;
using SourceArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

// Below this many elements the interpreter lock is kept: giving it back and taking it again would cost more.
constexpr size_t elements_worth_releasing = size_t{1} << 16;

template <class Work>
void without_gil(size_t elements, Work work) {
    if (elements < elements_worth_releasing) {
        return work();
    }
    const nb::gil_scoped_release release;
    work();
}

// --- sources ---------------------------------------------------------------------------------------------------------

bool is_torch(nb::handle object) {
    const auto name = nb::cast<std::string>(nb::str(object.type().attr("__module__")));
    return name == "torch" || name.starts_with("torch.");
}

// torch refuses to hand out tensors that need a gradient, and (before 2.x) booleans.
nb::object prepared(nb::handle source) {
    if (is_torch(source)) {
        nb::object tensor = source.attr("detach")().attr("cpu")().attr("contiguous")();
        const nb::object kind = tensor.attr("dtype");
        const auto dtype = nb::cast<std::string>(nb::str(nb::handle(kind)));
        return dtype == "torch.bool" ? tensor.attr("byte")() : tensor;
    }
    const nb::object numpy = nb::module_::import_("numpy");
    nb::object array = numpy.attr("asarray")(source, nb::arg("order") = "C");
    if (nb::cast<std::string>(array.attr("dtype").attr("kind")) == "b") {
        array = array.attr("view")("uint8");
    }
    return nb::cast<bool>(array.attr("flags").attr("writeable")) ? array : array.attr("copy")();
}

// The source with its last two dimensions exchanged.
nb::object turned(nb::handle source, const ArrayTarget& target) {
    require(target.dtype && is_block_float(*target.dtype), "col_tilize needs dtype BFLOAT8_B or BFLOAT4_B, got {}",
            target.dtype ? to_string(*target.dtype) : "None");
    require(target.layout.value_or(Layout::TILE) == Layout::TILE, "col_tilize needs Layout::TILE or None, got {}",
            target.layout.value_or(Layout::TILE));
    const nb::object array = prepared(source);
    const auto rank = nb::cast<int64_t>(array.attr("ndim"));
    require(rank >= 2, "col_tilize needs a tensor of rank 2 or more, got rank {}", rank);
    return array.attr("swapaxes")(-2, -1);
}

SourceArray import_array(nb::handle source) {
    SourceArray array;
    const nb::object ready = prepared(source);
    if (!nb::try_cast(ready, array)) {
        throw nb::type_error(fmt::format("a tensor is made from a torch tensor or a numpy array of numbers, not {}",
                                         type_text(source.ptr()))
                                 .c_str());
    }
    return array;
}

std::string source_type_text(nb::dlpack::dtype type) {
    const char* names[] = {"int", "uint", "float", "?", "bfloat", "complex", "bool"};
    return fmt::format("{}{}", type.code < std::size(names) ? names[type.code] : "?", int{type.bits});
}

DataType default_dtype(nb::dlpack::dtype type) {
    const auto is = [&](Code code, int bits) { return type.code == static_cast<uint8_t>(code) && type.bits == bits; };
    if (is(Code::Bfloat, 16) || is(Code::Float, 16)) {
        return DataType::BFLOAT16;
    }
    if (is(Code::Float, 32)) {
        return DataType::FLOAT32;
    }
    if (is(Code::Int, 32)) {
        return DataType::INT32;
    }
    if (is(Code::Int, 64) || is(Code::UInt, 32)) {
        return DataType::UINT32;
    }
    if (is(Code::Int, 16) || is(Code::UInt, 16)) {
        return DataType::UINT16;
    }
    if (is(Code::UInt, 8) || is(Code::Bool, 8)) {
        return DataType::UINT8;
    }
    fail("ttnn has no dtype for {}; pass the dtype to convert to", source_type_text(type));
}

float half_to_float(uint16_t bits) {
    const int exponent = (bits >> 10) & 0x1F;
    const int mantissa = bits & 0x3FF;
    const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
    if (exponent == 31) {
        return mantissa != 0 ? NAN : sign * INFINITY;
    }
    return sign * (exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                 : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25));
}

struct Half {
    uint16_t bits;
};
struct BFloat {
    uint16_t bits;
};

float number_of(float value) { return value; }
double number_of(double value) { return value; }
float number_of(Half value) { return half_to_float(value.bits); }
float number_of(BFloat value) { return pack::from_bfloat16(value.bits); }
template <std::integral T>
T number_of(T value) {
    return value;
}

// Calls use(const T*) with the elements as their own type.
template <class Use>
void visit_elements(const SourceArray& array, Use use) {
    const nb::dlpack::dtype type = array.dtype();
    const void* data = array.data();
    const auto as = [&]<class T>(std::type_identity<T>) { use(static_cast<const T*>(data)); };
    const int key = type.code * 256 + type.bits;
    const auto code = [](Code kind, int bits) { return static_cast<int>(kind) * 256 + bits; };
    if (key == code(Code::Float, 32)) {
        as(std::type_identity<float>{});
    } else if (key == code(Code::Float, 64)) {
        as(std::type_identity<double>{});
    } else if (key == code(Code::Float, 16)) {
        as(std::type_identity<Half>{});
    } else if (key == code(Code::Bfloat, 16)) {
        as(std::type_identity<BFloat>{});
    } else if (key == code(Code::Int, 8)) {
        as(std::type_identity<int8_t>{});
    } else if (key == code(Code::Int, 16)) {
        as(std::type_identity<int16_t>{});
    } else if (key == code(Code::Int, 32)) {
        as(std::type_identity<int32_t>{});
    } else if (key == code(Code::Int, 64)) {
        as(std::type_identity<int64_t>{});
    } else if (key == code(Code::UInt, 8) || key == code(Code::Bool, 8)) {
        as(std::type_identity<uint8_t>{});
    } else if (key == code(Code::UInt, 16)) {
        as(std::type_identity<uint16_t>{});
    } else if (key == code(Code::UInt, 32)) {
        as(std::type_identity<uint32_t>{});
    } else if (key == code(Code::UInt, 64)) {
        as(std::type_identity<uint64_t>{});
    } else {
        fail("elements of type {} cannot be put into a tensor", source_type_text(type));
    }
}

// Integers keep their low bits, as a cast does; floats are cut towards zero and held in the dtype's range.
template <class T>
uint32_t pattern_of(T value, DataType dtype) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<uint32_t>(value);
    } else {
        if (std::isnan(value)) {
            return 0;
        }
        const double low = dtype == DataType::INT32 ? -2147483648.0 : 0.0;
        const double high = dtype == DataType::INT32    ? 2147483647.0
                            : dtype == DataType::UINT32 ? 4294967295.0
                            : dtype == DataType::UINT16 ? 65535.0
                                                        : 255.0;
        return static_cast<uint32_t>(static_cast<int64_t>(std::clamp<double>(std::trunc(value), low, high)));
    }
}

template <class T>
bool same_elements(DataType dtype) {
    switch (dtype) {
        case DataType::BFLOAT16: return std::is_same_v<T, BFloat>;
        case DataType::FLOAT32: return std::is_same_v<T, float>;
        case DataType::INT32: return std::is_same_v<T, int32_t>;
        case DataType::UINT32: return std::is_same_v<T, uint32_t>;
        case DataType::UINT16: return std::is_same_v<T, uint16_t>;
        case DataType::UINT8: return std::is_same_v<T, uint8_t>;
        default: return false;
    }
}

template <class T>
void write_elements(Tensor& tensor, const T* elements, size_t count, double pad) {
    if (drops_writes(tensor)) {
        return;
    }
    const TensorSpec& spec = tensor.spec();
    const bool plain = spec.layout() == Layout::ROW_MAJOR && spec.padded_shape() == spec.logical_shape() &&
                       (!tensor.is_on_device() || tensor.pages().identity());
    if (same_elements<T>(spec.dtype()) && plain) {
        std::memcpy(tensor.mutable_bytes().data(), elements, count * sizeof(T));
        return;
    }
    if (is_integer(spec.dtype())) {
        Dense<uint32_t> patterns(count);
        for (size_t i = 0; i < count; ++i) {
            patterns[i] = pattern_of(number_of(elements[i]), spec.dtype());
        }
        return write<uint32_t>(tensor, patterns.span(), pattern_of(pad, spec.dtype()));
    }
    if constexpr (std::is_same_v<T, float>) {
        return write<float>(tensor, std::span<const float>(elements, count), static_cast<float>(pad));
    } else {
        Dense<float> numbers(count);
        for (size_t i = 0; i < count; ++i) {
            numbers[i] = static_cast<float>(number_of(elements[i]));
        }
        write<float>(tensor, numbers.span(), static_cast<float>(pad));
    }
}

TensorSpec spec_of(const Shape& shape, DataType dtype, const ArrayTarget& target) {
    const Layout layout = is_block_float(dtype) ? Layout::TILE : target.layout.value_or(Layout::ROW_MAJOR);
    const MemoryConfig config = target.memory_config.value_or(MemoryConfig());
    require(!config.is_sharded() || config.shard_spec() || config.nd_shard_spec(),
            "a sharded memory config must carry a shard spec to make a tensor, got {}", config);
    return TensorSpec(shape, dtype, layout, config, target.tile.value_or(Tile()));
}

// `fill` writes the elements of the whole. Where a mapper cuts it, that is done before anything is rounded or padded:
// shards are tensors of their own.
template <class Fill>
Tensor make_tensor(const Shape& shape, DataType dtype, const ArrayTarget& target, Fill fill) {
    if (!target.mapper) {
        const TensorSpec spec = spec_of(shape, dtype, target);
        Tensor tensor =
            target.device ? Tensor::allocate_on_device(spec, target.device) : Tensor::allocate_on_host(spec);
        fill(tensor);
        return tensor;
    }
    const DataType plain = is_block_float(dtype) ? DataType::FLOAT32 : dtype;
    Tensor whole = Tensor::allocate_on_host(TensorSpec(shape, plain, Layout::ROW_MAJOR));
    fill(whole);
    const Tensor cut = distributed(whole, *target.mapper);
    const Tensor parts = with_spec(cut, spec_of(cut.logical_shape(), dtype, target), target.pad_value.value_or(0.0));
    return target.device ? copy_to_device(parts, target.device) : parts;
}

// --- results ---------------------------------------------------------------------------------------------------------

template <class T>
nb::ndarray<> owned_array(Dense<T> values, const Shape& shape, nb::dlpack::dtype type) {
    auto* kept = new Dense<T>(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Dense<T>*>(p); });
    std::vector<size_t> dims(shape.begin(), shape.end());
    return nb::ndarray<>(kept->data(), dims.size(), dims.data(), owner, nullptr, type, nb::device::cpu::value, 0);
}
template <class T>
nb::ndarray<> owned_array(Dense<T> values, const Shape& shape) {
    return owned_array(std::move(values), shape, nb::dtype<T>());
}

template <class To, class From>
Dense<To> converted(const Dense<From>& from) {
    Dense<To> to(from.size());
    std::ranges::transform(from, to.begin(), [](From value) { return static_cast<To>(value); });
    return to;
}

enum class Receiver : uint8_t { Numpy, Torch, TorchWithoutUnsigned };

nb::ndarray<> integers_out(const Dense<uint32_t>& patterns, const Shape& shape, DataType dtype, Receiver receiver) {
    const bool widen = receiver == Receiver::TorchWithoutUnsigned;
    switch (dtype) {
        case DataType::INT32: return owned_array(converted<int32_t>(patterns), shape);
        case DataType::UINT8: return owned_array(converted<uint8_t>(patterns), shape);
        case DataType::UINT16:
            return widen ? owned_array(converted<int32_t>(patterns), shape)
                         : owned_array(converted<uint16_t>(patterns), shape);
        default:
            return widen ? owned_array(converted<int64_t>(patterns), shape)
                         : owned_array(converted<uint32_t>(patterns), shape);
    }
}

nb::ndarray<> floats_out(Dense<float> values, const Shape& shape, DataType dtype, Receiver receiver) {
    if (dtype != DataType::BFLOAT16 || receiver == Receiver::Numpy) {
        return owned_array(std::move(values), shape);
    }
    Dense<uint16_t> bits(values.size());
    pack::encode(DataType::BFLOAT16, values.data(), reinterpret_cast<std::byte*>(bits.data()), values.size());
    return owned_array(std::move(bits), shape, {static_cast<uint8_t>(Code::Bfloat), 16, 1});
}

nb::ndarray<> array_out(const Tensor& given, Receiver receiver, bool padded) {
    const Tensor tensor = values_of_mesh(given, std::nullopt);
    const Shape shape = padded ? tensor.padded_shape() : tensor.logical_shape();
    if (is_integer(tensor.dtype())) {
        Dense<uint32_t> patterns;
        without_gil(shape.volume(),
                    [&] { patterns = padded ? read_padded<uint32_t>(tensor) : read<uint32_t>(tensor); });
        return integers_out(patterns, shape, tensor.dtype(), receiver);
    }
    Dense<float> values;
    without_gil(shape.volume(), [&] { values = padded ? read_padded<float>(tensor) : read<float>(tensor); });
    return floats_out(std::move(values), shape, tensor.dtype(), receiver);
}

nb::object number_object(double value, DataType dtype) {
    return is_integer(dtype) ? nb::steal(put(static_cast<int64_t>(value))) : nb::steal(put(value));
}

nb::object nested(const Dense<double>& values, const Shape& shape, DataType dtype, size_t dim, size_t& next) {
    if (dim == shape.rank()) {
        return number_object(values[next++], dtype);
    }
    nb::list list;
    for (uint32_t i = 0; i < shape[static_cast<int64_t>(dim)]; ++i) {
        list.append(nested(values, shape, dtype, dim + 1, next));
    }
    return list;
}

void flatten(nb::handle numbers, std::vector<double>& to) {
    if (!is_sequence(numbers.ptr())) {
        to.push_back(argument<double>(numbers, "data", "numbers"));
        return;
    }
    for (size_t i = 0; i < sequence_size(numbers.ptr()); ++i) {
        flatten(sequence_item(numbers.ptr(), i), to);
    }
}

}  // namespace

Tensor tensor_from_array(nb::handle source, const ArrayTarget& target) {
    const SourceArray array = target.col_tilize ? import_array(turned(source, target)) : import_array(source);
    std::vector<int64_t> dims;
    for (size_t i = 0; i < array.ndim(); ++i) {
        dims.push_back(static_cast<int64_t>(array.shape(i)));
    }
    const DataType dtype = target.dtype ? *target.dtype : default_dtype(array.dtype());
    return make_tensor(Shape::from_ints(dims), dtype, target, [&](Tensor& tensor) {
        visit_elements(array, [&](const auto* elements) {
            without_gil(array.size(),
                        [&] { write_elements(tensor, elements, array.size(), target.pad_value.value_or(0.0)); });
        });
    });
}

Tensor tensor_from_numbers(nb::handle numbers, const Shape& shape, const ArrayTarget& target) {
    std::vector<double> values;
    flatten(numbers, values);
    require(values.size() == shape.volume(), "{} numbers do not fill a tensor of {}", values.size(), shape);
    return make_tensor(shape, target.dtype.value_or(DataType::FLOAT32), target, [&](Tensor& tensor) {
        write_elements(tensor, values.data(), values.size(), target.pad_value.value_or(0.0));
    });
}

nb::object to_numpy(const Tensor& tensor, bool padded) {
    return nb::cast(nb::ndarray<nb::numpy>(array_out(tensor, Receiver::Numpy, padded)));
}

nb::object to_dlpack_source(const Tensor& tensor, bool widen_unsigned, bool padded) {
    return nb::cast(array_out(tensor, widen_unsigned ? Receiver::TorchWithoutUnsigned : Receiver::Torch, padded));
}

nb::object to_nested_list(const Tensor& given) {
    const Tensor tensor = values_of_mesh(given, std::nullopt);
    size_t next = 0;
    return nested(read<double>(tensor), tensor.logical_shape(), tensor.dtype(), 0, next);
}

nb::object to_number(const Tensor& given) {
    const Tensor tensor = values_of_mesh(given, std::nullopt);
    require(tensor.logical_volume() == 1,
            "tensor.item() requires tensor to have exactly one element, but got {} elements", tensor.logical_volume());
    return number_object(read<double>(tensor)[0], tensor.dtype());
}

void bind_tensor_data(nb::module_& module) {
    module.def(
        "tensor_from_array",
        [](nb::handle source, std::optional<DataType> dtype, std::optional<Layout> layout,
           std::shared_ptr<Device> device, std::optional<MemoryConfig> memory_config, std::optional<Tile> tile,
           std::optional<double> pad_value, bool col_tilize, nb::handle mapper, const std::string& function) {
            return TensorObject(
                tensor_from_array(source, {dtype, layout, std::move(device), std::move(memory_config), tile, pad_value,
                                           mapper_argument(mapper, function), col_tilize}));
        },
        nb::arg("source"), nb::arg("dtype").none() = nb::none(), nb::arg("layout").none() = nb::none(),
        nb::arg("device").none() = nb::none(), nb::arg("memory_config").none() = nb::none(),
        nb::arg("tile").none() = nb::none(), nb::arg("pad_value").none() = nb::none(), nb::arg("col_tilize") = false,
        nb::arg("mapper").none() = nb::none(), nb::arg("function") = "from_torch",
        nb::sig(
            "def tensor_from_array(source: typing.Any, dtype: DataType | None = None, layout: Layout | None = None, "
            "device: MeshDevice | None = None, memory_config: MemoryConfig | None = None, tile: Tile | None = None, "
            "pad_value: float | None = None, col_tilize: bool = False, mapper: typing.Any = None, function: str = "
            "'from_torch') -> Tensor"));
    module.def(
        "tensor_to_numpy", [](const TensorObject& tensor, bool padded) { return to_numpy(tensor, padded); },
        nb::arg("tensor"), nb::arg("padded") = false);
    module.def(
        "tensor_to_dlpack",
        [](const TensorObject& tensor, bool widen_unsigned, bool padded) {
            return to_dlpack_source(tensor, widen_unsigned, padded);
        },
        nb::arg("tensor"), nb::arg("widen_unsigned") = false, nb::arg("padded") = false);
    module.def("tensor_to_bytes", [](const TensorObject& tensor) {
        const Tensor host = copy_to_host(tensor);
        return nb::bytes(host.bytes().data(), host.bytes().size());
    });
    module.def("tensor_from_bytes", [](const TensorSpec& spec, const nb::bytes& bytes) {
        Tensor tensor = Tensor::allocate_on_host(spec);
        require(bytes.size() == tensor.bytes().size(), "{} bytes do not fill a tensor of {}: it needs {}", bytes.size(),
                spec.logical_shape(), tensor.bytes().size());
        std::memcpy(tensor.mutable_bytes().data(), bytes.data(), bytes.size());
        return TensorObject(tensor);
    });
    module.def("spec_of_file", [](nb::handle shape, DataType dtype, Layout layout, const MemoryConfig& config,
                                  const Tile& tile, nb::handle alignment) {
        return TensorSpec(argument<Shape>(shape, "shape", "Shape"), dtype, layout, config.with_shards_of_any_size(),
                          tile, argument<Shape>(alignment, "alignment", "Shape"));
    });
    module.def(
        "tensor_number", [](const TensorObject& tensor) { return tensor.id(); }, nb::arg("tensor"),
        "The number of a tensor in this process, which graph captures show as its tensor_id.");
    module.def(
        "tensor_bytes", [](const TensorObject& tensor) { return tensor.spec().buffer_size(); }, nb::arg("tensor"),
        "Bytes of the whole tensor, with the padding of tiles.");
    module.def("alignment_of", [](const TensorSpec& spec) {
        return nb::steal(put(std::vector<int64_t>(spec.alignment().begin(), spec.alignment().end())));
    });
}

}  // namespace ttnn::python
