#include "tracelift/value/sink.hpp"

#include <algorithm>

namespace tracelift {
namespace {

void emit_entries(const Value::Dict& entries, ValueSink& sink) {
    for (const auto& entry : entries) {
        sink.key(entry.key);
        emit(entry.value, sink);
    }
}

struct Emitter {
    ValueSink& sink;

    void operator()(std::monostate) const { sink.null(); }
    void operator()(bool value) const { sink.boolean(value); }
    void operator()(int64_t value) const { sink.integer(value); }
    void operator()(double value) const { sink.number(value); }
    void operator()(const std::string& value) const { sink.text(value); }
    void operator()(const Value::List& list) const {
        sink.list(list.size());
        for (const Value& item : list) {
            emit(item, sink);
        }
    }
    void operator()(const Value::Dict& dict) const { emit(dict, sink); }
    void operator()(const Value::Enum& value) const { sink.enumerator(value.type, value.member); }
    void operator()(const Value::Struct& value) const {
        sink.record(value.type, value.fields.size());
        emit_entries(value.fields, sink);
    }
    void operator()(const Value::Object& value) const { sink.object(value.type, value.text); }
    void operator()(const Value::Unparsed& value) const { sink.unparsed(value.text, value.reason); }
};

}  // namespace

void emit(const Value::Dict& dict, ValueSink& sink) {
    sink.dict(dict.size());
    emit_entries(dict, sink);
}

void emit(const Value& value, ValueSink& sink) { std::visit(Emitter{sink}, value.data()); }

Value ValueBuilder::take() { return std::exchange(result_, Value()); }

void ValueBuilder::enumerator(std::string_view type, std::string_view member) {
    add(Value::Enum{std::string(type), std::string(member)});
}
void ValueBuilder::object(std::string_view type, std::string_view text) {
    add(Value::Object{std::string(type), std::string(text)});
}
void ValueBuilder::unparsed(std::string_view text, std::string_view reason) {
    add(Value::Unparsed{std::string(text), std::string(reason)});
}

void ValueBuilder::open(Open item) {
    constexpr size_t most_reserved = 64;  // sizes may come from a file
    if (item.kind == Kind::LIST) {
        item.items.reserve(std::min(item.left, most_reserved));
    } else {
        item.entries.reserve(std::min(item.left, most_reserved));
    }
    open_.push_back(std::move(item));
    close_finished();
}

void ValueBuilder::add(Value value) {
    if (open_.empty()) {
        result_ = std::move(value);
        return;
    }
    Open& top = open_.back();
    if (top.kind == Kind::LIST) {
        top.items.push_back(std::move(value));
    } else {
        top.entries.push_back({std::move(top.key), std::move(value)});
    }
    --top.left;
    close_finished();
}

void ValueBuilder::close_finished() {
    if (open_.empty() || open_.back().left != 0) {
        return;
    }
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.kind == Kind::LIST) {
        add(std::move(done.items));
    } else if (done.kind == Kind::DICT) {
        add(std::move(done.entries));
    } else {
        add(Value::Struct{std::move(done.type), std::move(done.entries)});
    }
}

}  // namespace tracelift
