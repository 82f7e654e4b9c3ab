// ValueSink: receives one value piece by piece. Encoders talk to a sink, so that a traced argument goes straight into
// bytes and only becomes a tree of Values where somebody wants one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tracelift/value/value.hpp"

namespace tracelift {

class ValueSink {
public:
    virtual ~ValueSink() = default;
    virtual void null() = 0;
    virtual void boolean(bool value) = 0;
    virtual void integer(int64_t value) = 0;
    virtual void number(double value) = 0;
    virtual void text(std::string_view value) = 0;
    virtual void enumerator(std::string_view type, std::string_view member) = 0;
    virtual void object(std::string_view type, std::string_view text) = 0;
    virtual void unparsed(std::string_view text, std::string_view reason) = 0;
    // Followed by `size` values.
    virtual void list(size_t size) = 0;
    // Followed by `size` times a key and a value.
    virtual void dict(size_t size) = 0;
    virtual void record(std::string_view type, size_t size) = 0;
    virtual void key(std::string_view name) = 0;
};

// Sends a whole tree.
void emit(const Value& value, ValueSink& sink);
void emit(const Value::Dict& dict, ValueSink& sink);

// Puts the pieces together again.
class ValueBuilder final : public ValueSink {
public:
    // The finished value; the builder is empty afterwards.
    Value take();

    void null() override { add(Value()); }
    void boolean(bool value) override { add(Value(value)); }
    void integer(int64_t value) override { add(Value(value)); }
    void number(double value) override { add(Value(value)); }
    void text(std::string_view value) override { add(Value(value)); }
    void enumerator(std::string_view type, std::string_view member) override;
    void object(std::string_view type, std::string_view text) override;
    void unparsed(std::string_view text, std::string_view reason) override;
    void list(size_t size) override { open({Kind::LIST, {}, {}, {}, size, {}}); }
    void dict(size_t size) override { open({Kind::DICT, {}, {}, {}, size, {}}); }
    void record(std::string_view type, size_t size) override {
        open({Kind::RECORD, std::string(type), {}, {}, size, {}});
    }
    void key(std::string_view name) override { open_.back().key = name; }

private:
    enum class Kind : uint8_t { LIST, DICT, RECORD };
    struct Open {
        Kind kind;
        std::string type;
        Value::List items;
        Value::Dict entries;
        size_t left;
        std::string key;
    };
    void open(Open item);
    void add(Value value);
    void close_finished();

    std::vector<Open> open_;
    Value result_;
};

}  // namespace tracelift
