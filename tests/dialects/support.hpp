// Short ways to write format-1 JSON and the values it stands for.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tracelift/dialects/format1.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::testing {

inline std::optional<Value> read_one(const Json& body) { return read_arguments(Json::array({{{"arg0", body}}})).at(0); }

inline std::optional<Value> read_unparsed(const std::string& text, size_t position = 0) {
    Json list = Json::array();
    for (size_t i = 0; i < position; ++i) {
        list.push_back({{"arg" + std::to_string(i), "nullopt"}});
    }
    list.push_back({{"UnparsedElement", {{"error", "Expecting ',' delimiter"}, {"element_info", text}}}});
    return read_arguments(list).at(position);
}

inline Value core(int x, int y) { return Value::Struct{"CoreCoord", {{"x", x}, {"y", y}}}; }
inline Value range(const Value& start, const Value& end) {
    return Value::Struct{"CoreRange", {{"start", start}, {"end", end}}};
}
inline Value grid(Value::List ranges) { return Value::Struct{"CoreRangeSet", {{"ranges", std::move(ranges)}}}; }
inline Value shard_spec(const Value& cores, int height, int width) {
    return Value::Struct{"ShardSpec",
                         {{"grid", cores},
                          {"shape", Value::List{height, width}},
                          {"orientation", Value::Enum{"ShardOrientation", "ROW_MAJOR"}}}};
}
inline Value nd_shard_spec(const Value& cores, Value::List shape) {
    return Value::Struct{"NdShardSpec",
                         {{"shard_shape", std::move(shape)},
                          {"grid", cores},
                          {"orientation", Value::Enum{"ShardOrientation", "COL_MAJOR"}},
                          {"shard_distribution_strategy", Value::Enum{"ShardDistributionStrategy", "ROUND_ROBIN_1D"}}}};
}
inline Value memory_config(const std::string& layout, const std::string& buffer, std::optional<Value> spec = {}) {
    Value::Dict fields = {{"memory_layout", Value::Enum{"TensorMemoryLayout", layout}},
                          {"buffer_type", Value::Enum{"BufferType", buffer}}};
    if (spec) {
        const bool nd = spec->as<Value::Struct>()->type == "NdShardSpec";
        fields.push_back({nd ? "nd_shard_spec" : "shard_spec", *spec});
    }
    return Value::Struct{"MemoryConfig", std::move(fields)};
}
inline Value::Struct tensor(Value::List shape, const std::string& dtype, const std::string& layout,
                            const Value& memory) {
    return {"Tensor",
            {{"shape", std::move(shape)},
             {"dtype", Value::Enum{"DataType", dtype}},
             {"layout", Value::Enum{"Layout", layout}},
             {"storage_type", Value::Enum{"StorageType", "DEVICE"}},
             {"memory_config", memory}}};
}
inline Value with(Value::Struct record, const std::string& name, const Value& value) {
    record.fields.push_back({name, value});
    return record;
}

inline std::filesystem::path master_path(const std::string& name) {
    const char* given = std::getenv("TRACELIFT_DATA");
    const auto data = given != nullptr ? std::filesystem::path(given)
                                       : std::filesystem::path(TRACELIFT_SOURCE_DIR) / "../shared/data";
    return data / "masters" / name;
}

}  // namespace tracelift::testing

// The rest of the test runs only where the master `name` is.
#define REQUIRE_MASTER_FILE(name)                                                                           \
    if (!std::filesystem::exists(::tracelift::testing::master_path(name))) {                                \
        GTEST_SKIP() << "no master " << (name) << ": set TRACELIFT_DATA to the folder that holds masters/"; \
    }

// The same, and it is read as `master`.
#define REQUIRE_MASTER(AnyJson, master, name) \
    REQUIRE_MASTER_FILE(name)                 \
    const AnyJson master = AnyJson::parse(std::ifstream(::tracelift::testing::master_path(name)))
