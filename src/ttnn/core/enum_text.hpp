// Names of enum members, declared once per enum and used for printing, Python, tracing and decoding.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ttnn {

template <class E>
struct EnumMember {
    E value;
    std::string_view name;
};

// Specialised beside each enum: `type` is the class name, `members` all members in value order.
template <class E>
struct EnumInfo;

template <class E>
concept NamedEnum = requires {
    EnumInfo<E>::type;
    EnumInfo<E>::members;
};

template <NamedEnum E>
constexpr std::string_view member_name(E value) {
    for (const auto& member : EnumInfo<E>::members) {
        if (member.value == value) {
            return member.name;
        }
    }
    return "?";
}

template <NamedEnum E>
constexpr std::optional<E> member_of(std::string_view name) {
    for (const auto& member : EnumInfo<E>::members) {
        if (member.name == name) {
            return member.value;
        }
    }
    return std::nullopt;
}

// C++ text form, e.g. "DataType::BFLOAT16".
template <NamedEnum E>
std::string to_string(E value) {
    return std::string(EnumInfo<E>::type) + "::" + std::string(member_name(value));
}

}  // namespace ttnn

template <ttnn::NamedEnum E>
struct fmt::formatter<E> : fmt::formatter<std::string_view> {
    template <class Context>
    auto format(E value, Context& context) const {
        return fmt::formatter<std::string_view>::format(ttnn::to_string(value), context);
    }
};
