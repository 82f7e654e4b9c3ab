// The compact byte form of a value: what raw traces hold, and what identity is computed from.
//
// One tag byte, then: bool in the tag; int as zig-zag varint; float as 8 bytes, little-endian; strings as varint length
// and UTF-8 bytes; list, dict and struct as varint count and their parts. The form is self-delimiting.
#pragma once

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

#include "tracelift/value/sink.hpp"

namespace tracelift {

class ByteWriter final : public ValueSink {
public:
    const std::string& bytes() const { return bytes_; }
    std::string take() { return std::exchange(bytes_, {}); }
    void clear() { bytes_.clear(); }
    void reserve(size_t bytes) { bytes_.reserve(bytes); }

    void null() override { tag('n'); }
    void boolean(bool value) override { tag(value ? 't' : 'f'); }
    void integer(int64_t value) override;
    void number(double value) override;
    void text(std::string_view value) override;
    void enumerator(std::string_view type, std::string_view member) override;
    void object(std::string_view type, std::string_view text) override;
    void unparsed(std::string_view text, std::string_view reason) override;
    void list(size_t size) override;
    void dict(size_t size) override;
    void record(std::string_view type, size_t size) override;
    void key(std::string_view name) override { raw_text(name); }

    void varint(uint64_t value);
    void raw_text(std::string_view value);

private:
    void tag(char value) { bytes_.push_back(value); }

    std::string bytes_;
};

// Bytes that are not a value: says where and why.
class BadBytes : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Reads values off the front of a run of bytes.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

    bool done() const { return at_ == bytes_.size(); }
    size_t position() const { return at_; }
    Value value();
    uint64_t varint();
    std::string_view raw_text();

private:
    Value value_at(int depth);
    Value::Dict entries(int depth);
    char byte();
    [[noreturn]] void fail(std::string_view what) const;

    std::string_view bytes_;
    size_t at_ = 0;
};

}  // namespace tracelift
