// The serializer: values as op-call lines and to_jsonable have them.
//
//   {"__type__": "ttnn.TensorRef", "shape", "dtype", "memory_config" [, "layout", "storage_type", ...]
//    [, "tensor_placement": {...} on a mesh]}
//   {"__enum__": class, "name"}   {"__type__": "ttnn.MemoryConfig", ...}   {"__type__": "ttnn.MeshDevice",
//   "mesh_shape"}
//   {"__type__": "ttnn.<record>" | "<module>.<name with ProgramConfig>", <fields>}
//   {"__type__": "<module>.<class>", "fields": {...}}
//   {"__type__": "path" | "float", "value"}   {"__type__": "repr", "value", "type", "reason"}
#pragma once

#include <vector>

#include "tracelift/base/json_text.hpp"
#include "tracelift/value/sink.hpp"

namespace tracelift {

// Writes a value piece by piece, without a tree in between.
class SerializerSink final : public ValueSink {
public:
    explicit SerializerSink(JsonText& json) : json_(json) {}

    void null() override;
    void boolean(bool value) override;
    void integer(int64_t value) override;
    void number(double value) override;
    void text(std::string_view value) override;
    void enumerator(std::string_view type, std::string_view member) override;
    void object(std::string_view type, std::string_view text) override;
    void unparsed(std::string_view text, std::string_view reason) override;
    void list(size_t size) override;
    void dict(size_t size) override;
    void record(std::string_view type, size_t size) override;
    void key(std::string_view name) override;

private:
    enum class Kind : uint8_t {
        LIST,
        DICT,
        RECORD,
        TENSOR,   // enumerators as "DataType.BFLOAT16"
        MEMORY,   // a memory config and what is in it: enumerators as "DRAM", records without their type
        SET,      // only the list that is in it is written
        WRAPPED,  // a record of another library: its fields in an object of their own
    };
    struct Open {
        Kind kind;
        size_t left;
    };
    Kind around() const { return open_.empty() ? Kind::LIST : open_.back().kind; }
    void open(Kind kind, size_t size);
    void done();
    void close(Kind kind);
    void typed(std::string_view type, std::string_view text);
    void member(std::string_view key, std::string_view text);

    JsonText& json_;
    std::vector<Open> open_;
};

// Reads a value from its plain tree. What lacks something that it needs becomes Value::Unparsed. A tensor of which
// layout and storage are not written down is read as TILE and DEVICE.
Value read_call_value(const Value& tree);

}  // namespace tracelift
