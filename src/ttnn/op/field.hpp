// Fields: how the members of a record are written down once and lowered to a plain table.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "ttnn/op/type_info.hpp"

namespace ttnn {

enum FieldFlag : uint8_t {
    kRequired = 1,     // no default
    kKeywordOnly = 2,  // Python: after the star
    kMutates = 4,      // a tensor that the operation writes into
    kVolatile = 8,     // says nothing about the configuration (semaphores, addresses): not part of its identity
};

// One member of a record, erased.
struct FieldInfo {
    std::string_view name;
    uint32_t offset = 0;
    uint8_t flags = 0;
    const TypeInfo* type = nullptr;
    std::string_view doc;
    std::string_view other_name;  // a second keyword for the same parameter, e.g. `value`; may be empty

    bool required() const { return (flags & kRequired) != 0; }
    bool keyword_only() const { return (flags & kKeywordOnly) != 0; }
    bool mutates() const { return (flags & kMutates) != 0; }
    bool is_volatile() const { return (flags & kVolatile) != 0; }
};

namespace detail {

// The member's own name, read off the compiler's text for the pointer to it.
template <auto Member>
constexpr std::string_view pretty_member() {
    std::string_view text = __PRETTY_FUNCTION__;
    text = text.substr(text.find("Member = ") + 9);
    // g++ goes on after a semicolon, clang ends with a bracket; template arguments in between may hold commas.
    const size_t semicolon = text.find(';');
    text = text.substr(0, semicolon != text.npos ? semicolon : text.rfind(']'));
    return text.substr(text.rfind(':') + 1);
}
template <auto Member>
struct MemberName {  // copied, so that the long signature does not stay in the binary
    static constexpr auto chars = [] {
        std::array<char, pretty_member<Member>().size()> copy{};
        for (size_t i = 0; i < copy.size(); ++i) {
            copy[i] = pretty_member<Member>()[i];
        }
        return copy;
    }();
    static constexpr std::string_view value{chars.data(), chars.size()};
};

template <class M>
struct MemberTraits;
template <class R, class T>
struct MemberTraits<T R::*> {
    using Record = R;
    using Type = T;
};

struct AnyValue {  // converts to anything; only used unevaluated
    template <class T>
    operator T() const;  // NOLINT(google-explicit-constructor)
};
template <size_t>
using AnyAt = AnyValue;
template <class T, size_t... Is>
constexpr bool takes_initialisers(std::index_sequence<Is...>) {
    return requires { T{AnyAt<Is>{}...}; };
}

}  // namespace detail

template <auto Member, uint8_t Flags>
struct Field {
    static constexpr auto member = Member;
    static constexpr uint8_t base_flags = Flags;
    using Type = typename detail::MemberTraits<decltype(Member)>::Type;

    std::string_view doc{};
    std::string_view other_name{};
    uint8_t extra_flags = 0;

    constexpr Field also(std::string_view keyword) const { return {doc, keyword, extra_flags}; }
    constexpr Field mutates() const { return {doc, other_name, static_cast<uint8_t>(extra_flags | kMutates)}; }
    constexpr Field is_volatile() const { return {doc, other_name, static_cast<uint8_t>(extra_flags | kVolatile)}; }
};

// Required positional / optional positional / optional keyword-only / required keyword-only.
template <auto Member>
constexpr Field<Member, kRequired> arg(std::string_view doc = {}) {
    return {doc};
}
template <auto Member>
constexpr Field<Member, 0> opt(std::string_view doc = {}) {
    return {doc};
}
template <auto Member>
constexpr Field<Member, kKeywordOnly> kw(std::string_view doc = {}) {
    return {doc};
}
template <auto Member>
constexpr Field<Member, kKeywordOnly | kRequired> kwreq(std::string_view doc = {}) {
    return {doc};
}

// Inherits from its elements, which are distinct types; lighter to compile than std::tuple.
template <class... Fs>
struct FieldList : Fs... {
    static constexpr size_t size = sizeof...(Fs);
    // NOLINTNEXTLINE(google-explicit-constructor): it is, where it takes one; clang-tidy 14 does not see that
    explicit(sizeof...(Fs) == 1) constexpr FieldList(Fs... fields) : Fs(fields)... {}

    // The table of this list; `record` is a live object that offsets are measured in.
    template <class Record>
    std::vector<FieldInfo> lower(const Record& record) const {
        static_assert(detail::takes_initialisers<Record>(std::make_index_sequence<size>{}) &&
                          !detail::takes_initialisers<Record>(std::make_index_sequence<size + 1>{}),
                      "a member of the record is missing from its fields (or listed twice)");
        return {lower_one<Fs>(record)...};
    }

    // Both lists, one after the other: what several records share is written once, for any record.
    template <class... Others>
    constexpr FieldList<Fs..., Others...> operator+(const FieldList<Others...>& others) const {
        return FieldList<Fs..., Others...>(static_cast<const Fs&>(*this)..., static_cast<const Others&>(others)...);
    }

private:
    template <class F, class Record>
    FieldInfo lower_one(const Record& record) const {
        const F& field = *this;
        const auto* base = reinterpret_cast<const char*>(&record);
        const auto* at = reinterpret_cast<const char*>(&(record.*F::member));
        return {detail::MemberName<F::member>::value,
                static_cast<uint32_t>(at - base),
                static_cast<uint8_t>(F::base_flags | field.extra_flags),
                &type_info<typename F::Type>(),
                field.doc,
                field.other_name};
    }
};

}  // namespace ttnn
