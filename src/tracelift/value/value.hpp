// Value: the one neutral form of an operation's argument. Every format is read into it and written from it.
//
// This library stands below the runtime and the tools and depends on neither.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tracelift {

class Value {
public:
    struct Entry;
    using List = std::vector<Value>;
    using Dict = std::vector<Entry>;  // keeps the order it was written in; keys are unique
    struct Enum {                     // DataType.BFLOAT16
        std::string type;
        std::string member;
        bool operator==(const Enum&) const = default;
    };
    struct Struct {  // a typed record: Tensor, MemoryConfig, program configs, ...
        std::string type;
        Dict fields;
        bool operator==(const Struct&) const;
    };
    struct Object {  // something that cannot be rebuilt from its text: a device, a semaphore
        std::string type;
        std::string text;
        bool operator==(const Object&) const = default;
    };
    struct Unparsed {  // text that could not be read, kept with the reason
        std::string text;
        std::string reason;
        bool operator==(const Unparsed&) const = default;
    };
    using Variant =
        std::variant<std::monostate, bool, int64_t, double, std::string, List, Dict, Enum, Struct, Object, Unparsed>;

    Value();
    ~Value();
    Value(const Value&);
    Value(Value&&) noexcept;
    Value& operator=(const Value&);
    Value& operator=(Value&&) noexcept;
    // From any of the alternatives; int and const char* are taken as int64_t and std::string.
    template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Value>)
        Value(T&& value);  // NOLINT(google-explicit-constructor): values are written as plain literals

    bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
    template <class T>
    const T* as() const {
        return std::get_if<T>(&data_);
    }
    // Moves out what it holds, which must be a T.
    template <class T>
    T take() && {
        return std::get<T>(std::move(data_));
    }
    const Variant& data() const { return data_; }

    // Field of a Struct or Dict, nullptr when absent or of another kind.
    const Value* find(std::string_view key) const;

    bool operator==(const Value& other) const;
    std::string_view kind() const;  // "null", "bool", "int", ... for messages
    std::string to_text() const;    // one line for people and messages

private:
    Variant data_;
};

struct Value::Entry {
    std::string key;
    Value value;
    bool operator==(const Entry&) const = default;
};

inline Value::Value() = default;
inline Value::~Value() = default;
inline Value::Value(const Value&) = default;
inline Value::Value(Value&&) noexcept = default;
inline Value& Value::operator=(const Value&) = default;
inline Value& Value::operator=(Value&&) noexcept = default;

template <class T>
requires(!std::is_same_v<std::remove_cvref_t<T>, Value>) Value::Value(T&& value) {
    using Plain = std::remove_cvref_t<T>;
    if constexpr (std::is_same_v<Plain, bool>) {
        data_ = value;
    } else if constexpr (std::is_integral_v<Plain>) {
        data_ = static_cast<int64_t>(value);
    } else if constexpr (std::is_floating_point_v<Plain>) {
        data_ = static_cast<double>(value);
    } else if constexpr (std::is_convertible_v<T, std::string_view> && !std::is_same_v<Plain, std::string>) {
        data_ = std::string(std::string_view(value));
    } else {
        data_ = std::forward<T>(value);
    }
}

}  // namespace tracelift
