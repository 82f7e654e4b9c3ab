#include "tracelift/calls/line_sink.hpp"

#include <cmath>
#include <string>

#include "tracelift/calls/value_parts.hpp"

namespace tracelift {

void LineSink::member(std::string_view key, std::string_view text) {
    json_.key(key);
    json_.text(text);
}

void LineSink::typed(std::string_view type, std::string_view text) {
    json_.begin_object();
    member("__type__", type);
    member("value", text);
    json_.end_object();
    done();
}

void LineSink::close(Kind kind) {
    if (kind == Kind::LIST) {
        json_.end_array();
    } else if (kind != Kind::SET) {
        json_.end_object();
    }
    if (kind == Kind::WRAPPED) {
        json_.end_object();
    }
}

// A value is complete; so may be what it is in.
void LineSink::done() {
    while (!open_.empty()) {
        Open& last = open_.back();
        if (last.left > 0 && --last.left > 0) {
            return;
        }
        const Kind kind = last.kind;
        open_.pop_back();
        close(kind);
    }
}

void LineSink::open(Kind kind, size_t size) {
    if (size == 0) {
        close(kind);
        done();
        return;
    }
    open_.push_back({kind, size});
}

void LineSink::key(std::string_view name) {
    if (around() != Kind::SET) {
        json_.key(name);
    }
}

void LineSink::null() {
    json_.raw("null");
    done();
}

void LineSink::boolean(bool value) {
    write_bool(json_, value);
    done();
}

void LineSink::integer(int64_t value) {
    json_.number(value);
    done();
}

void LineSink::number(double value) {
    if (!std::isfinite(value)) {
        return typed("float", non_finite_text(value));
    }
    write_finite(json_, value);
    done();
}

void LineSink::text(std::string_view value) {
    json_.text(value);
    done();
}

void LineSink::enumerator(std::string_view type, std::string_view member_name) {
    switch (around()) {
        case Kind::TENSOR: json_.text(std::string(type) + "." + std::string(member_name)); break;
        case Kind::MEMORY: json_.text(member_name); break;
        default:
            json_.begin_object();
            member("__enum__", is_foreign(type) ? std::string(type) : "ttnn." + std::string(type));
            member("name", member_name);
            json_.end_object();
    }
    done();
}

void LineSink::object(std::string_view type, std::string_view text) {
    if (type == "int") {
        json_.raw(text);  // too long for 64 bits; JSON does not mind
        return done();
    }
    if (type == "path") {
        return typed(type, text);
    }
    json_.begin_object();
    if (type == "MeshDevice") {
        member("__type__", "ttnn.MeshDevice");
        json_.key("mesh_shape");
        json_.numbers(std::initializer_list<int>{1, 1});
    } else {
        member("__type__", "repr");
        member("value", text);
        member("type", type);
    }
    json_.end_object();
    done();
}

void LineSink::unparsed(std::string_view text, std::string_view) { typed("unparsed", text); }

void LineSink::list(size_t size) {
    json_.begin_array();
    open(Kind::LIST, size);
}

void LineSink::dict(size_t size) {
    json_.begin_object();
    open(Kind::DICT, size);
}

void LineSink::record(std::string_view type, size_t size) {
    // Ranges of cores stand in a list inside the set that stands in a memory config.
    const bool in_memory = around() == Kind::MEMORY || around() == Kind::SET ||
                           (open_.size() > 1 && around() == Kind::LIST && open_[open_.size() - 2].kind == Kind::SET);
    if (in_memory && type == "CoreRangeSet") {
        return open(Kind::SET, size);
    }
    json_.begin_object();
    if (in_memory) {
        if (type == "ShardSpec") {
            json_.key("dims");
            json_.raw("null");
        }
        return open(Kind::MEMORY, size);
    }
    if (type == "Tensor") {
        member("__type__", "ttnn.TensorRef");
        return open(Kind::TENSOR, size);
    }
    if (type == "MemoryConfig") {
        member("__type__", "ttnn.MemoryConfig");
        return open(Kind::MEMORY, size);
    }
    const bool array = is_foreign_array(type);
    if (is_foreign(type) && !array) {
        member("__type__", type);
        json_.key("fields");
        json_.begin_object();
        return open(Kind::WRAPPED, size);
    }
    member("__type__", array ? std::string(type) : "ttnn." + std::string(type));
    open(Kind::RECORD, size);
}

}  // namespace tracelift
