#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "tracelift/bind/hardware.hpp"
#include "tracelift/dialects/parameter_file.hpp"
#include "tracelift/dialects/value_parts.hpp"
#include "tracelift/value/non_finite.hpp"
#include "ttnn/op/parameter_types.hpp"
#include "ttnn/op/tensor_placement.hpp"
#include "ttnn/op/type_info.hpp"

namespace tracelift {
namespace {

class Writer {
public:
    Writer(JsonText& json, const std::string& board) : json_(json), board_(board) {
        if (const auto hardware = hardware_of_board(board)) {
            mesh_ = hardware->mesh_shape;
        }
    }

    void value(const Value& value) {
        if (value.is_null()) {
            json_.raw("null");
        } else if (const auto* flag = value.as<bool>()) {
            write_bool(json_, *flag);
        } else if (const auto* integer = value.as<int64_t>()) {
            json_.number(*integer);
        } else if (const auto* number = value.as<double>()) {
            std::isfinite(*number) ? write_finite(json_, *number) : typed("float", "value", non_finite_text(*number));
        } else if (const auto* text = value.as<std::string>()) {
            non_finite_number(*text) ? typed("str", "value", *text) : json_.text(*text);
        } else if (const auto* list = value.as<Value::List>()) {
            json_.begin_array();
            for (const Value& item : *list) {
                this->value(item);
            }
            json_.end_array();
        } else if (const auto* dict = value.as<Value::Dict>()) {
            json_.begin_object();
            entries(*dict);
            json_.end_object();
        } else if (const auto* member = value.as<Value::Enum>()) {
            const std::string name(class_name(member->type));
            typed(name, "repr", name + "." + member->member);
        } else if (const auto* record = value.as<Value::Struct>()) {
            this->record(*record, value);
        } else if (const auto* object = value.as<Value::Object>()) {
            this->object(*object);
        } else if (const auto* unparsed = value.as<Value::Unparsed>()) {
            typed("unparsed", "value", unparsed->text, unparsed->reason);
        }
    }

    void entries(const Value::Dict& dict) {
        for (const auto& entry : dict) {
            json_.key(entry.key);
            value(entry.value);
        }
    }

private:
    void member(std::string_view key, std::string_view text) {
        json_.key(key);
        json_.text(text);
    }

    void typed(std::string_view type, std::string_view key, std::string_view text, std::string_view reason = {}) {
        json_.begin_object();
        member("type", type);
        member(key, text);
        if (!reason.empty()) {
            member("reason", reason);
        }
        json_.end_object();
    }

    void record(const Value::Struct& record, const Value& value) {
        if (record.type == "Tensor") {
            return tensor(value);
        }
        if (record.type == "MemoryConfig") {
            return memory_config(value);
        }
        if (record.type == "WormholeComputeKernelConfig") {
            return compute_kernel_config(record);
        }
        json_.begin_object();
        if (is_foreign_array(record.type)) {
            member("type", record.type);
            foreign_array(value);
        } else if (is_foreign(record.type)) {
            member("type", record.type);
            json_.key("fields");
            json_.begin_object();
            entries(record.fields);
            json_.end_object();
        } else {
            // Coordinates inside a record are plain {"x", "y"}, as the original writes program configs.
            if (depth_ == 0 || record.type != "CoreCoord") {
                member("type", record.type);
            }
            ++depth_;
            entries(record.fields);
            --depth_;
        }
        json_.end_object();
    }

    void tensor(const Value& tensor) {
        const Value* values = tensor.find("values");
        const std::string dtype = lower(member_of(tensor.find("dtype")));
        json_.begin_object();
        member("type", "ttnn.Tensor");
        json_.key("shape");
        write_integers(json_, tensor.find("shape"));
        member("dtype", values == nullptr ? dtype : numpy_dtype(dtype));
        write_values(values);
        json_.key("original_shape");
        write_integers(json_, tensor.find("shape"));
        member("original_dtype", enum_text(tensor.find("dtype")));
        member("layout", member_of(tensor.find("layout")));
        const bool on_device = member_of(tensor.find("storage_type")) == "DEVICE";
        member("storage_type", on_device ? "DEVICE_STORAGE" : "HOST_STORAGE");
        json_.key("memory_config");
        if (const Value* config = tensor.find("memory_config")) {
            memory_config(*config);
        } else {
            json_.raw("null");
        }
        for (const std::string_view extra : {"alignment", "tile"}) {
            if (const Value* field = tensor.find(extra)) {
                json_.key(extra);
                value(*field);
            }
        }
        if (const Value* placement = tensor.find(ttnn::placement_field)) {
            const auto placed = ttnn::TensorPlacement::decode(*placement);
            mesh_device(&placed.topology, {placed.mesh.dims.begin(), placed.mesh.dims.end()});
        } else if (on_device) {
            const ttnn::Topology one;
            mesh_device(num_devices(mesh_) == 1 ? &one : nullptr, mesh_);
        }
        json_.end_object();
    }

    // No topology: nobody said how the tensor is spread.
    void mesh_device(const ttnn::Topology* topology, const std::vector<int64_t>& mesh) {
        json_.key("mesh_device");
        json_.begin_object();
        if (topology != nullptr) {
            std::vector<std::string> placements;
            for (const ttnn::Placement& placement : topology->placements) {
                placements.push_back(placement.to_string());
            }
            json_.key("placements");
            json_.texts(placements);
            json_.key("distribution_shape");
            json_.numbers(topology->distribution.dims);
        }
        device_facts(mesh);
        json_.end_object();
    }

    static int64_t num_devices(const std::vector<int64_t>& mesh) {
        return std::accumulate(mesh.begin(), mesh.end(), int64_t{1}, std::multiplies<>());
    }

    // A value does not know the numbers of the chips; `board` is ours and tells the hardware.
    void device_facts(const std::vector<int64_t>& mesh) {
        std::vector<int64_t> ids(static_cast<size_t>(num_devices(mesh)));
        std::iota(ids.begin(), ids.end(), int64_t{0});
        json_.key("shape");
        json_.numbers(mesh);
        json_.key("device_ids");
        json_.numbers(ids);
        member("board", board_);
    }

    void foreign_array(const Value& array) {
        const Value* values = array.find("values");
        json_.key("shape");
        write_integers(json_, array.find("shape"));
        std::string dtype(class_name(member_of(array.find("dtype"))));
        member("dtype", values == nullptr ? dtype : numpy_dtype(dtype));
        write_values(values);
    }

    void write_values(const Value* values) {
        const auto* held = values == nullptr ? nullptr : values->as<Value::Object>();
        if (held != nullptr) {
            json_.key("values");
            json_.raw(held->text);
        }
    }

    static std::string lower(std::string_view text) {
        std::string out(text);
        std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return out;
    }

    // Values are shown as the array they are converted to.
    static std::string numpy_dtype(const std::string& dtype) { return dtype.starts_with("bfloat") ? "float32" : dtype; }

    void memory_config(const Value& config) {
        const std::string_view layout = member_of(config.find("memory_layout"));
        json_.begin_object();
        member("memory_layout", enum_text(config.find("memory_layout")));
        member("buffer_type", enum_text(config.find("buffer_type")));
        member("shard_spec", shard_spec_text(config.find("shard_spec")));
        json_.key("is_sharded");
        write_bool(json_, layout != "INTERLEAVED" && layout != "SINGLE_BANK");
        json_.key("interleaved");
        write_bool(json_, layout == "INTERLEAVED");
        json_.key("hash");
        json_.number(hash_of(config));
        if (const Value* nd = config.find("nd_shard_spec")) {
            json_.key("nd_shard_spec");
            nd_shard_spec(*nd);
        }
        json_.end_object();
    }

    static std::string shard_spec_text(const Value* spec) {
        if (spec == nullptr || spec->is_null()) {
            return "None";
        }
        JsonText grid;
        write_ranges(grid, spec->find("grid"));
        std::string shape;
        if (const auto* dims = spec->find("shape")->as<Value::List>()) {
            for (const Value& dim : *dims) {
                shape += (shape.empty() ? "" : ", ") + dim.to_text();
            }
        }
        return fmt::format("ShardSpec{{grid={}, shape=[{}], orientation=ShardOrientation::{}}}", grid.buffer(), shape,
                           member_of(spec->find("orientation")));
    }

    void nd_shard_spec(const Value& spec) {
        json_.begin_object();
        json_.key("shard_shape");
        write_integers(json_, spec.find("shard_shape"));
        json_.key("grid");
        write_ranges(json_, spec.find("grid"));
        member("orientation", member_of(spec.find("orientation")));
        member("shard_distribution_strategy", member_of(spec.find("shard_distribution_strategy")));
        json_.end_object();
    }

    // The number that hash(memory_config) gives in Python.
    static uint64_t hash_of(const Value& config) {
        try {
            ttnn::MemoryConfig decoded;
            ttnn::type_info<ttnn::MemoryConfig>().decode(config, {}, &decoded);
            return decoded.hash() >> 1U;
        } catch (const ttnn::DecodeError&) {
            return 0;
        }
    }

    void compute_kernel_config(const Value::Struct& config) {
        json_.begin_object();
        for (const auto& [key, field] : config.fields) {
            if (field.as<Value::Enum>() != nullptr) {
                member(key, enum_text(&field));
            } else if (const auto* flag = field.as<bool>(); flag != nullptr && key == "math_approx_mode") {
                member(key, *flag ? "True" : "False");
            } else {
                json_.key(key);
                value(field);
            }
        }
        json_.end_object();
    }

    void object(const Value::Object& object) {
        if (object.type == "int") {
            return json_.raw(object.text);  // too long for 64 bits; JSON does not mind
        }
        if (object.type == "MeshDevice") {
            json_.begin_object();
            member("type", "MeshDevice");
            member("repr", fmt::format("MeshDevice({} grid, {} devices)", mesh_text(mesh_), num_devices(mesh_)));
            device_facts(mesh_);
            return json_.end_object();
        }
        if (object.type == "path") {
            return typed("PosixPath", "value", object.text);
        }
        typed(class_name(object.type), "repr", object.text, not_rebuilt);
    }

    JsonText& json_;
    const std::string& board_;
    std::vector<int64_t> mesh_{1, 1};  // of the device
    int depth_ = 0;                    // records around the one that is written
};

}  // namespace

std::string parameter_text(const TracedCall& call, uint64_t number, std::string_view timestamp) {
    JsonText json(JsonForm::INDENTED);
    Writer writer(json, call.board);
    uint64_t tensors = count_tensors(call.result);
    json.begin_object();
    json.key("operation_number");
    json.number(number);
    json.key("operation_id");
    json.number(number);
    json.key("operation_name");
    json.text(call.operation);
    json.key("timestamp");
    json.text(timestamp);
    json.key("args");
    json.begin_array();
    for (size_t i = 0; i < call.args.size(); ++i) {
        json.begin_object();
        json.key("position");
        json.number(i);
        json.key("value");
        writer.value(call.args[i]);
        json.end_object();
        tensors += count_tensors(call.args[i]);
    }
    json.end_array();
    json.key("kwargs");
    json.begin_object();
    writer.entries(call.kwargs);
    json.end_object();
    for (const auto& entry : call.kwargs) {
        tensors += count_tensors(entry.value);
    }
    json.key("num_tensors");
    json.number(tensors);
    if (!call.result.is_null()) {
        json.key("return_value");
        writer.value(call.result);
    }
    json.end_object();
    json.buffer() += '\n';
    return std::move(json.buffer());
}

std::string parameter_value_text(const Value& value, const std::string& board) {
    JsonText json(JsonForm::COMPACT);
    Writer(json, board).value(value);
    return std::move(json.buffer());
}

std::string parameter_timestamp(int64_t microseconds_since_1970) {
    const std::time_t seconds = microseconds_since_1970 / 1'000'000;
    std::tm local{};
    localtime_r(&seconds, &local);
    return fmt::format("{:04}{:02}{:02}_{:02}{:02}{:02}_{:06}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                       local.tm_hour, local.tm_min, local.tm_sec, microseconds_since_1970 % 1'000'000);
}

}  // namespace tracelift
