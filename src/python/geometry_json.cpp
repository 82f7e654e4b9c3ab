#include "python/geometry_json.hpp"

#include <nlohmann/json.hpp>

#include "ttnn/core/error.hpp"

namespace ttnn::python {
namespace {

using Json = nlohmann::json;

Json parsed(std::string_view text) {
    Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    require(!value.is_discarded(), "not JSON: {}", text);
    return value;
}

// All of them are parts of a memory config.
Json json_of(const MemoryConfig& config) { return Json::parse(config.to_json()); }
Json json_of(const ShardSpec& spec) {
    return json_of(MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1, spec)).at("shard_spec");
}
Json json_of(const CoreRangeSet& cores) {
    return json_of(ShardSpec{cores, {1, 1}, ShardOrientation::ROW_MAJOR}).at("grid");
}
Json json_of(const CoreRange& range) { return json_of(CoreRangeSet(range)).at(0); }

MemoryConfig config_of(const char* part, Json value) {
    const Json config = {{"memory_layout", static_cast<int>(TensorMemoryLayout::HEIGHT_SHARDED)},
                         {"buffer_type", static_cast<int>(BufferType::L1)},
                         {"created_with_nd_shard_spec", std::string_view(part) == "nd_shard_spec"},
                         {part, std::move(value)}};
    return MemoryConfig::from_json(config.dump());
}
ShardSpec shards_of(Json value) { return *config_of("shard_spec", std::move(value)).shard_spec(); }
CoreRangeSet cores_of(Json value) {
    return shards_of({{"grid", std::move(value)}, {"shape", {1, 1}}, {"orientation", 0}}).grid;
}
CoreRange range_of(const Json& value) { return cores_of(Json::array({value})).ranges().front(); }

}  // namespace

std::string to_json(const CoreCoord& core) { return json_of(CoreRange(core, core)).at("start").dump(); }
std::string to_json(const CoreRange& range) { return json_of(range).dump(); }
std::string to_json(const CoreRangeSet& cores) { return json_of(cores).dump(); }
std::string to_json(const ShardSpec& spec) { return json_of(spec).dump(); }
std::string to_json(const NdShardSpec& spec) {
    return json_of(MemoryConfig(BufferType::L1, spec)).at("nd_shard_spec").dump();
}

template <>
CoreCoord from_json(std::string_view text) {
    const Json core = parsed(text);
    return range_of({{"start", core}, {"end", core}}).start;
}
template <>
CoreRange from_json(std::string_view text) {
    return range_of(parsed(text));
}
template <>
CoreRangeSet from_json(std::string_view text) {
    return cores_of(parsed(text));
}
template <>
ShardSpec from_json(std::string_view text) {
    return shards_of(parsed(text));
}
template <>
NdShardSpec from_json(std::string_view text) {
    return *config_of("nd_shard_spec", parsed(text)).nd_shard_spec();
}

}  // namespace ttnn::python
