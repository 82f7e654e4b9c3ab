// ArgumentList: what a primitive is called with, borrowed until its launch returns.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "ttnn/core/enum_text.hpp"
#include "ttnn/core/error.hpp"
#include "ttnn/op/type_info.hpp"

namespace ttnn {

struct ArgumentRef {
    void (*put)(const ArgumentRef& argument, tracelift::ValueSink& sink) = nullptr;
    const TypeInfo& (*type)() = nullptr;  // null: none of the parameter types
    const void* value = nullptr;
    size_t count = 0;            // of a span's values or a text's characters; the value of an enum
    bool tells_programs = true;  // false: handed to the program when it runs, so that another value needs no other
    bool is_tensor = false;      // or several of them
};

// Calls chain, in the order of the primitive's C++ arguments: list.add(input).add(dims).add(std::nullopt).
class ArgumentList {
public:
    template <class T>
    ArgumentList& add(const T& value) {
        constexpr bool is_tensor = std::is_same_v<T, Tensor> || std::is_same_v<T, std::optional<Tensor>>;
        return append({.put = put_value, .type = &type_info<T>, .value = &value, .is_tensor = is_tensor});
    }
    template <class T>
    ArgumentList& add(const T&& value) = delete;  // would be gone before it is read
    // nullptr: an empty optional.
    template <class T>
    ArgumentList& add(const T* value) {
        return value != nullptr ? add(*value) : append({.put = put_nothing});
    }
    template <class T>
    ArgumentList& add(std::span<const T> values) {
        return append({.put = put_span<T>,
                       .value = values.data(),
                       .count = values.size(),
                       .is_tensor = std::is_same_v<T, Tensor>});
    }
    ArgumentList& add_text(std::string_view text) {
        return append({.put = put_text, .value = text.data(), .count = text.size()});
    }
    template <NamedEnum E>
    ArgumentList& add_enum(E value) {
        return append({.put = put_enum<E>, .count = static_cast<size_t>(value)});
    }
    ArgumentList& add(const std::nullopt_t&) { return append({.put = put_nullopt}); }
    // A value that the program gets when it runs.
    template <class T>
    ArgumentList& add_at_run(const T& value) {
        add(value);
        list_[size_ - 1].tells_programs = false;
        return *this;
    }

    std::span<const ArgumentRef> view() const { return {list_.data(), size_}; }

private:
    static void put_value(const ArgumentRef& argument, tracelift::ValueSink& sink) {
        argument.type().put(argument.value, sink);
    }
    static void put_text(const ArgumentRef& argument, tracelift::ValueSink& sink) {
        sink.text({static_cast<const char*>(argument.value), argument.count});
    }
    static void put_nothing(const ArgumentRef&, tracelift::ValueSink& sink) { sink.null(); }
    static void put_nullopt(const ArgumentRef&, tracelift::ValueSink& sink) { sink.object("std::nullopt_t const", ""); }
    template <class T>
    static void put_span(const ArgumentRef& argument, tracelift::ValueSink& sink) {
        sink.list(argument.count);
        for (size_t i = 0; i < argument.count; ++i) {
            type_info<T>().put(static_cast<const T*>(argument.value) + i, sink);
        }
    }
    template <class E>
    static void put_enum(const ArgumentRef& argument, tracelift::ValueSink& sink) {
        sink.enumerator(EnumInfo<E>::type, member_name(static_cast<E>(argument.count)));
    }
    ArgumentList& append(const ArgumentRef& argument) {
        require(size_ < list_.size(), "a primitive has at most {} arguments", list_.size());
        list_[size_++] = argument;
        return *this;
    }

    std::array<ArgumentRef, 32> list_{};
    size_t size_ = 0;
};

}  // namespace ttnn
