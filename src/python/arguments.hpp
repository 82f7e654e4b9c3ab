// Arguments of the bound classes and functions, converted by the same rules as those of operations.
#pragma once

#include <optional>
#include <string_view>

#include "python/type_codecs.hpp"
#include "ttnn/core/error.hpp"

namespace ttnn::python {

// "list of str", "torch.Tensor", ...: how messages name what was given.
std::string type_text(PyObject* object);

// The == of bound classes.
template <class T>
bool equal(const T& a, const T& b) {
    return a == b;
}
inline constexpr const char* equal_signature = "def __eq__(self, arg: object, /) -> bool";

template <class T>
std::optional<T> try_argument(nb::handle object) {
    T value{};
    return load(object.ptr(), value) ? std::optional<T>(std::move(value)) : std::nullopt;
}

// Throws TypeError with the name of the argument and what was expected.
template <class T>
T argument(nb::handle object, std::string_view name, std::string_view expected) {
    T value{};
    if (!load(object.ptr(), value)) {
        throw nb::type_error(
            fmt::format("argument '{}' must be {}, not {}", name, expected, type_text(object.ptr())).c_str());
    }
    return value;
}

}  // namespace ttnn::python
