#include "tracelift/calls/line_text.hpp"

#include <cmath>

#include "tracelift/calls/value_parts.hpp"

namespace tracelift {
namespace {

void write(JsonText& json, const Value& value);

void member(JsonText& json, std::string_view key, std::string_view text) {
    json.key(key);
    json.text(text);
}

void write_entries(JsonText& json, const Value::Dict& entries) {
    for (const auto& entry : entries) {
        json.key(entry.key);
        write(json, entry.value);
    }
}

void write_shard_spec(JsonText& json, const Value& spec) {
    json.begin_object();
    json.key("shape");
    write_integers(json, spec.find("shape"));
    json.key("dims");
    json.raw("null");
    json.key("grid");
    write_ranges(json, spec.find("grid"));
    member(json, "orientation", member_of(spec.find("orientation")));
    json.end_object();
}

void write_nd_shard_spec(JsonText& json, const Value& spec) {
    json.begin_object();
    json.key("shard_shape");
    write_integers(json, spec.find("shard_shape"));
    json.key("grid");
    write_ranges(json, spec.find("grid"));
    member(json, "orientation", member_of(spec.find("orientation")));
    member(json, "shard_distribution_strategy", member_of(spec.find("shard_distribution_strategy")));
    json.end_object();
}

void write_memory_config(JsonText& json, const Value& config) {
    json.begin_object();
    member(json, "__type__", "ttnn.MemoryConfig");
    member(json, "memory_layout", member_of(config.find("memory_layout")));
    member(json, "buffer_type", member_of(config.find("buffer_type")));
    if (const Value* spec = config.find("shard_spec"); spec != nullptr && !spec->is_null()) {
        json.key("shard_spec");
        write_shard_spec(json, *spec);
    }
    if (const Value* spec = config.find("nd_shard_spec"); spec != nullptr && !spec->is_null()) {
        json.key("nd_shard_spec");
        write_nd_shard_spec(json, *spec);
    }
    json.end_object();
}

// Shape, dtype and memory config as others write them; what rebuilds the tensor exactly comes after.
void write_tensor(JsonText& json, const Value& tensor) {
    json.begin_object();
    member(json, "__type__", "ttnn.TensorRef");
    json.key("shape");
    write_integers(json, tensor.find("shape"));
    member(json, "dtype", enum_text(tensor.find("dtype")));
    json.key("memory_config");
    if (const Value* config = tensor.find("memory_config")) {
        write_memory_config(json, *config);
    } else {
        json.raw("null");
    }
    member(json, "layout", enum_text(tensor.find("layout")));
    member(json, "storage_type", enum_text(tensor.find("storage_type")));
    for (const std::string_view extra : {"alignment", "tile"}) {
        if (const Value* field = tensor.find(extra)) {
            json.key(extra);
            write(json, *field);
        }
    }
    json.end_object();
}

void write_record(JsonText& json, const Value::Struct& record, const Value& value) {
    if (record.type == "Tensor") {
        return write_tensor(json, value);
    }
    if (record.type == "MemoryConfig") {
        return write_memory_config(json, value);
    }
    json.begin_object();
    if (is_foreign_array(record)) {
        member(json, "__type__", record.type);
        json.key("shape");
        write_integers(json, value.find("shape"));
        member(json, "dtype", member_of(value.find("dtype")));
    } else if (is_foreign(record.type)) {
        member(json, "__type__", record.type);
        json.key("fields");
        json.begin_object();
        write_entries(json, record.fields);
        json.end_object();
    } else {
        member(json, "__type__", "ttnn." + record.type);
        write_entries(json, record.fields);
    }
    json.end_object();
}

void write_typed(JsonText& json, std::string_view type, std::string_view text) {
    json.begin_object();
    member(json, "__type__", type);
    member(json, "value", text);
    json.end_object();
}

void write_object(JsonText& json, const Value::Object& object) {
    if (object.type == "int") {
        return json.raw(object.text);
    }
    if (object.type == "MeshDevice") {
        json.begin_object();
        member(json, "__type__", "ttnn.MeshDevice");
        json.key("mesh_shape");
        json.numbers(std::initializer_list<int>{1, 1});
        return json.end_object();
    }
    if (object.type == "path") {
        return write_typed(json, "path", object.text);
    }
    json.begin_object();
    member(json, "__type__", "repr");
    member(json, "value", object.text);
    member(json, "type", object.type);
    json.end_object();
}

void write(JsonText& json, const Value& value) {
    if (value.is_null()) {
        json.raw("null");
    } else if (const auto* flag = value.as<bool>()) {
        write_bool(json, *flag);
    } else if (const auto* integer = value.as<int64_t>()) {
        json.number(*integer);
    } else if (const auto* number = value.as<double>()) {
        std::isfinite(*number) ? write_finite(json, *number) : write_typed(json, "float", non_finite_text(*number));
    } else if (const auto* text = value.as<std::string>()) {
        json.text(*text);
    } else if (const auto* list = value.as<Value::List>()) {
        json.begin_array();
        for (const Value& item : *list) {
            write(json, item);
        }
        json.end_array();
    } else if (const auto* dict = value.as<Value::Dict>()) {
        json.begin_object();
        write_entries(json, *dict);
        json.end_object();
    } else if (const auto* enumerator = value.as<Value::Enum>()) {
        json.begin_object();
        member(json, "__enum__", is_foreign(enumerator->type) ? enumerator->type : "ttnn." + enumerator->type);
        member(json, "name", enumerator->member);
        json.end_object();
    } else if (const auto* record = value.as<Value::Struct>()) {
        write_record(json, *record, value);
    } else if (const auto* object = value.as<Value::Object>()) {
        write_object(json, *object);
    } else if (const auto* unparsed = value.as<Value::Unparsed>()) {
        write_typed(json, "unparsed", unparsed->text);
    }
}

}  // namespace

std::string call_line(const TracedCall& call, const CallContext& context, const LineFacts& facts) {
    JsonText json;
    json.begin_object();
    member(json, "run_id", context.run_id);
    member(json, "test_nodeid", context.test_nodeid);
    json.key("module");
    context.module.empty() ? json.raw("null") : json.text(context.module);
    json.key("op_index");
    json.number(facts.op_index);
    member(json, "op_name", call.operation);
    json.key("start_ts");
    write_finite(json, facts.started);
    json.key("duration_ms");
    write_finite(json, facts.milliseconds);
    json.key("inputs");
    json.begin_array();
    for (const Value& value : call.args) {
        write(json, value);
    }
    json.end_array();
    json.key("kwargs");
    json.begin_object();
    write_entries(json, call.kwargs);
    json.end_object();
    json.key("output");
    write(json, call.error ? Value() : call.result);
    if (call.error) {
        json.key("error");
        json.begin_object();
        member(json, "type", call.error->type);
        member(json, "message", call.error->message);
        json.end_object();
    }
    if (!call.board.empty()) {
        member(json, "board", call.board);
    }
    json.end_object();
    json.buffer() += '\n';
    return std::move(json.buffer());
}

}  // namespace tracelift
