#include "tracelift/value/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "tracelift/value/bytes.hpp"

namespace tracelift {
namespace {

bool is_volatile(const Value::Entry& entry) {
    return entry.value.as<int64_t>() != nullptr &&
           (entry.key == "hash" || entry.key == "address" || entry.key == "buffer_address");
}

std::string without_addresses(std::string text) {
    constexpr std::string_view mark = " at 0x";
    for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
        const size_t end = text.find_first_not_of("0123456789abcdefABCDEF", at + mark.size());
        text.erase(at, end == text.npos ? end : end - at);
    }
    return text;
}

Value::Dict normalised_entries(Value::Dict entries) {
    std::erase_if(entries, is_volatile);
    for (auto& entry : entries) {
        entry.value = normalised(std::move(entry.value));
    }
    std::ranges::sort(entries, {}, &Value::Entry::key);
    return entries;
}

}  // namespace

Value normalised(Value value) {
    if (const auto* number = value.as<double>()) {
        return std::isnan(*number) ? std::numeric_limits<double>::quiet_NaN() : *number;
    }
    if (const auto* list = value.as<Value::List>()) {
        Value::List items = *list;
        for (Value& item : items) {
            item = normalised(std::move(item));
        }
        return items;
    }
    if (const auto* dict = value.as<Value::Dict>()) {
        return normalised_entries(*dict);
    }
    if (const auto* record = value.as<Value::Struct>()) {
        return Value::Struct{record->type, normalised_entries(record->fields)};
    }
    if (const auto* text = value.as<std::string>()) {
        return without_addresses(*text);
    }
    if (const auto* unparsed = value.as<Value::Unparsed>()) {
        return Value::Unparsed{without_addresses(unparsed->text), {}};
    }
    if (const auto* object = value.as<Value::Object>()) {
        return Value::Object{object->type, {}};
    }
    return value;
}

std::string canonical_bytes(const Value& value) {
    ByteWriter writer;
    writer.varint(canonical_version);
    emit(normalised(value), writer);
    return writer.take();
}

std::string sha256(std::string_view bytes) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("SHA-256 is not available from the crypto library");
    }
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
        text += fmt::format("{:02x}", digest[i]);
    }
    return text;
}

}  // namespace tracelift
