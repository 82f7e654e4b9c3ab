#include "tracelift/value/canonical.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_Init and its like, which stay usable
#include <openssl/sha.h>

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

namespace {

// Entries that count, by key. Calls are hashed by the million: the usual few need no memory of their own.
class SortedEntries {
public:
    explicit SortedEntries(const Value::Dict& dict) {
        if (dict.size() > few_.size()) {
            many_.resize(dict.size());
        }
        const Value::Entry** first = dict.size() > few_.size() ? many_.data() : few_.data();
        const Value::Entry** last = first;
        for (const auto& entry : dict) {
            if (!is_volatile(entry)) {
                *last++ = &entry;
            }
        }
        entries_ = {first, last};
        std::ranges::sort(entries_, {}, [](const Value::Entry* entry) -> const std::string& { return entry->key; });
    }
    SortedEntries(const SortedEntries&) = delete;
    SortedEntries& operator=(const SortedEntries&) = delete;

    size_t size() const { return entries_.size(); }
    void put(ByteWriter& writer) const {
        for (const Value::Entry* entry : entries_) {
            writer.key(entry->key);
            put_canonical(entry->value, writer);
        }
    }

private:
    std::array<const Value::Entry*, 24> few_;
    std::vector<const Value::Entry*> many_;
    std::span<const Value::Entry*> entries_;
};

// What normalised() changes in a value without parts.
bool needs_normalising(const Value& leaf) {
    return leaf.as<double>() != nullptr || leaf.as<std::string>() != nullptr || leaf.as<Value::Object>() != nullptr ||
           leaf.as<Value::Unparsed>() != nullptr;
}

}  // namespace

void put_canonical(const Value::Dict& dict, ByteWriter& writer) {
    const SortedEntries entries(dict);
    writer.dict(entries.size());
    entries.put(writer);
}

void put_canonical(const Value& value, ByteWriter& writer) {
    if (const auto* list = value.as<Value::List>()) {
        writer.list(list->size());
        for (const Value& item : *list) {
            put_canonical(item, writer);
        }
    } else if (const auto* dict = value.as<Value::Dict>()) {
        put_canonical(*dict, writer);
    } else if (const auto* record = value.as<Value::Struct>()) {
        const SortedEntries entries(record->fields);
        writer.record(record->type, entries.size());
        entries.put(writer);
    } else if (needs_normalising(value)) {
        emit(normalised(value), writer);
    } else {
        emit(value, writer);
    }
}

std::string canonical_bytes(const Value& value) {
    ByteWriter writer;
    writer.varint(canonical_version);
    put_canonical(value, writer);
    return writer.take();
}

namespace {

// The algorithm itself. Asking the library for "a digest of that name" makes it set up all it has first, which takes
// longer than many a command of ours.
SHA256_CTX* state_of(void* context) { return static_cast<SHA256_CTX*>(context); }

void check(int status) {
    if (status != 1) {
        throw std::runtime_error("the crypto library could not compute SHA-256");
    }
}

}  // namespace

Sha256::Sha256() : context_(new SHA256_CTX) { check(SHA256_Init(state_of(context_))); }

Sha256::~Sha256() { delete state_of(context_); }

Sha256& Sha256::add(std::string_view bytes) {
    check(SHA256_Update(state_of(context_), bytes.data(), bytes.size()));
    return *this;
}

std::string Sha256::hex() {
    static constexpr char digits[] = "0123456789abcdef";
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    check(SHA256_Final(digest.data(), state_of(context_)));
    check(SHA256_Init(state_of(context_)));
    std::string text;
    text.reserve(2 * digest.size());
    for (const unsigned char byte : digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::string sha256(std::string_view bytes) {
    thread_local Sha256 hash;
    return hash.add(bytes).hex();
}

}  // namespace tracelift
