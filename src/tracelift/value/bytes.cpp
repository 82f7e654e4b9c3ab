#include "tracelift/value/bytes.hpp"

#include <bit>

#include <fmt/format.h>

namespace tracelift {
namespace {

constexpr int deepest = 512;

static_assert(std::endian::native == std::endian::little, "floats are written as they lie in memory");

uint64_t zigzag(int64_t value) { return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63); }
int64_t unzigzag(uint64_t value) { return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1); }

}  // namespace

void ByteWriter::varint(uint64_t value) {
    while (value >= 0x80) {
        bytes_.push_back(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
}

void ByteWriter::raw_text(std::string_view value) {
    varint(value.size());
    bytes_.append(value);
}

void ByteWriter::integer(int64_t value) {
    tag('i');
    varint(zigzag(value));
}

void ByteWriter::number(double value) {
    tag('d');
    char raw[sizeof(double)];
    std::memcpy(raw, &value, sizeof(raw));
    bytes_.append(raw, sizeof(raw));
}

void ByteWriter::text(std::string_view value) {
    tag('s');
    raw_text(value);
}

void ByteWriter::enumerator(std::string_view type, std::string_view member) {
    tag('e');
    raw_text(type);
    raw_text(member);
}

void ByteWriter::object(std::string_view type, std::string_view text) {
    tag('o');
    raw_text(type);
    raw_text(text);
}

void ByteWriter::unparsed(std::string_view text, std::string_view reason) {
    tag('u');
    raw_text(text);
    raw_text(reason);
}

void ByteWriter::list(size_t size) {
    tag('l');
    varint(size);
}

void ByteWriter::dict(size_t size) {
    tag('m');
    varint(size);
}

void ByteWriter::record(std::string_view type, size_t size) {
    tag('r');
    raw_text(type);
    varint(size);
}

void ByteReader::fail(std::string_view what) const {
    throw BadBytes(fmt::format("byte {} of {}: {}", at_, bytes_.size(), what));
}

char ByteReader::byte() {
    if (at_ == bytes_.size()) {
        fail("the value ends too early");
    }
    return bytes_[at_++];
}

uint64_t ByteReader::varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const auto part = static_cast<uint8_t>(byte());
        value |= static_cast<uint64_t>(part & 0x7F) << shift;
        if (part < 0x80) {
            return value;
        }
    }
    fail("a number is longer than 64 bits");
}

std::string_view ByteReader::raw_text() {
    const uint64_t size = varint();
    if (size > bytes_.size() - at_) {
        fail(fmt::format("a string of {} bytes does not fit", size));
    }
    const std::string_view text = bytes_.substr(at_, size);
    at_ += size;
    return text;
}

Value ByteReader::value() { return value_at(0); }

Value::Dict ByteReader::entries(int depth) {
    const uint64_t size = varint();
    Value::Dict entries;
    for (uint64_t i = 0; i < size; ++i) {
        std::string key(raw_text());
        entries.push_back({std::move(key), value_at(depth + 1)});
    }
    return entries;
}

Value ByteReader::value_at(int depth) {
    if (depth > deepest) {
        fail("nested too deeply");
    }
    const auto pair = [&]<class T>() {
        std::string first(raw_text());
        return Value(T{std::move(first), std::string(raw_text())});
    };
    switch (const char tag = byte()) {
        case 'n': return {};
        case 't': return true;
        case 'f': return false;
        case 'i': return unzigzag(varint());
        case 'd': {
            if (bytes_.size() - at_ < sizeof(double)) {
                fail("a float ends too early");
            }
            double number = 0;
            std::memcpy(&number, bytes_.data() + at_, sizeof(number));
            at_ += sizeof(number);
            return number;
        }
        case 's': return std::string(raw_text());
        case 'e': return pair.operator()<Value::Enum>();
        case 'o': return pair.operator()<Value::Object>();
        case 'u': return pair.operator()<Value::Unparsed>();
        case 'l': {
            const uint64_t size = varint();
            Value::List list;
            for (uint64_t i = 0; i < size; ++i) {
                list.push_back(value_at(depth + 1));
            }
            return list;
        }
        case 'm': return entries(depth);
        case 'r': {
            std::string type(raw_text());
            return Value::Struct{std::move(type), entries(depth)};
        }
        default: fail(fmt::format("0x{:02x} is not a kind of value", static_cast<uint8_t>(tag)));
    }
}

}  // namespace tracelift
