#include <cmath>
#include <string>

#include "tracelift/dialects/serializer.hpp"
#include "tracelift/dialects/value_parts.hpp"

namespace tracelift {
namespace {

bool is_number_list(std::string_view text) {
    return text.starts_with('[') && text.find_first_not_of("0123456789, ", 1) == text.size() - 1 && text.ends_with(']');
}

}  // namespace

void SerializerSink::member(std::string_view key, std::string_view text) {
    json_.key(key);
    json_.text(text);
}

void SerializerSink::typed(std::string_view type, std::string_view text) {
    json_.begin_object();
    member("__type__", type);
    member("value", text);
    json_.end_object();
    done();
}

void SerializerSink::close(Kind kind) {
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
void SerializerSink::done() {
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

void SerializerSink::open(Kind kind, size_t size) {
    if (size == 0) {
        close(kind);
        done();
        return;
    }
    open_.push_back({kind, size});
}

void SerializerSink::key(std::string_view name) {
    if (around() != Kind::SET) {
        json_.key(name);
    }
}

void SerializerSink::null() {
    json_.raw("null");
    done();
}

void SerializerSink::boolean(bool value) {
    write_bool(json_, value);
    done();
}

void SerializerSink::integer(int64_t value) {
    json_.number(value);
    done();
}

void SerializerSink::number(double value) {
    if (!std::isfinite(value)) {
        return typed("float", non_finite_text(value));
    }
    write_finite(json_, value);
    done();
}

void SerializerSink::text(std::string_view value) {
    json_.text(value);
    done();
}

void SerializerSink::enumerator(std::string_view type, std::string_view member_name) {
    switch (around()) {
        case Kind::TENSOR: json_.text(std::string(class_name(type)) + "." + std::string(member_name)); break;
        case Kind::MEMORY: json_.text(member_name); break;
        default:
            json_.begin_object();
            member("__enum__", is_foreign(type) ? std::string(type) : "ttnn." + std::string(type));
            member("name", member_name);
            json_.end_object();
    }
    done();
}

void SerializerSink::object(std::string_view type, std::string_view text) {
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
        // The shape, where another ttnn or a line told it; single devices of this runtime have their board there.
        const std::string mesh = mesh_in(text);
        json_.raw(text == "null" || is_number_list(text) ? text : mesh.empty() ? "[1,1]" : std::string_view(mesh));
    } else {
        member("__type__", "repr");
        member("value", text);
        member("type", type);
        member("reason", not_rebuilt);
    }
    json_.end_object();
    done();
}

void SerializerSink::unparsed(std::string_view text, std::string_view) { typed("unparsed", text); }

void SerializerSink::list(size_t size) {
    json_.begin_array();
    open(Kind::LIST, size);
}

void SerializerSink::dict(size_t size) {
    json_.begin_object();
    open(Kind::DICT, size);
}

void SerializerSink::record(std::string_view type, size_t size) {
    // Ranges of cores stand in a list inside the set that stands in a memory config.
    const bool in_memory = around() == Kind::MEMORY || around() == Kind::SET ||
                           (open_.size() > 1 && around() == Kind::LIST && open_[open_.size() - 2].kind == Kind::SET);
    if (in_memory && type == "CoreRangeSet") {
        return open(Kind::SET, size);
    }
    json_.begin_object();
    if (in_memory) {
        if (type == "ShardSpec" && size < 4) {  // one of another ttnn may tell them
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
    // Records of a ttnn are written member by member, even those that it does not show by name, and so are program
    // configs of anybody.
    const bool program = class_name(type).find("ProgramConfig") != std::string_view::npos;
    const bool flat = array || program || !is_foreign(type) || type.starts_with("ttnn.");
    if (!flat) {
        member("__type__", type);
        json_.key("fields");
        json_.begin_object();
        return open(Kind::WRAPPED, size);
    }
    member("__type__", is_foreign(type) ? std::string(type) : "ttnn." + std::string(type));
    open(Kind::RECORD, size);
}

}  // namespace tracelift
