#include "tracelift/dialects/record_read.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "tracelift/dialects/format1_values.hpp"
#include "tracelift/dialects/graph_text.hpp"

namespace tracelift::records {
namespace {

// Its fields are moved into it; a list in braces would be copied.
template <size_t N>
Value record(std::string_view type, Value::Entry (&&fields)[N]) {
    return Value::Struct{std::string(type),
                         {std::make_move_iterator(std::begin(fields)), std::make_move_iterator(std::end(fields))}};
}

Value core_range(const Value& start, const Value& end) {
    return record("CoreRange", {{"start", read_core(start)}, {"end", read_core(end)}});
}

Value read_range(const Value& tree) {
    if (const auto* pair = tree.as<Value::List>(); pair != nullptr && pair->size() == 2) {
        return core_range((*pair)[0], (*pair)[1]);
    }
    return core_range(at(tree, "start"), at(tree, "end"));
}

bool is_empty_dict(const Value& tree) {
    const auto* dict = tree.as<Value::Dict>();
    return dict != nullptr && dict->empty();
}

}  // namespace

const Value& at(const Value& dict, std::string_view name) {
    const Value* found = dict.find(name);
    if (found == nullptr) {
        throw std::invalid_argument(fmt::format("no field '{}'", name));
    }
    return *found;
}

bool is_core(const Value& tree) {
    const auto* dict = tree.as<Value::Dict>();
    const auto is_int = [&](std::string_view name) {
        const Value* number = tree.find(name);
        return number != nullptr && number->as<int64_t>() != nullptr;
    };
    return dict != nullptr && dict->size() == 2 && is_int("x") && is_int("y");
}

Value read_core(const Value& tree) {
    if (!is_core(tree)) {
        throw std::invalid_argument("expected a core {x, y}");
    }
    return record("CoreCoord", {{"x", *tree.find("x")}, {"y", *tree.find("y")}});
}

Value read_grid(const Value& tree) {
    Value::List ranges;
    const auto* list = tree.as<Value::List>();
    if (list != nullptr && list->size() == 2 && is_core((*list)[0])) {
        ranges.push_back(read_range(tree));
    } else if (list != nullptr) {
        for (const Value& range : *list) {
            ranges.push_back(read_range(range));
        }
    } else if (const auto* text = tree.as<std::string>()) {
        const std::optional<Value> parsed = cpp_tree(*text);
        if (!parsed || parsed->as<Value::List>() == nullptr) {
            throw std::invalid_argument(
                "grid: expected a list of core ranges, or their text {[(x=0,y=0) - (x=7,y=7)]}");
        }
        return read_grid(*parsed);
    } else if (!is_empty_dict(tree)) {
        throw std::invalid_argument("grid: expected a list of core ranges");
    }
    return record("CoreRangeSet", {{"ranges", std::move(ranges)}});
}

bool is_grid(const Value& tree) {
    const auto* list = tree.as<Value::List>();
    if (list == nullptr || list->empty()) {
        return list != nullptr || is_empty_dict(tree);
    }
    const Value& first = list->front();
    const auto* pair = first.as<Value::List>();
    return is_core(first) || (pair != nullptr && !pair->empty() && is_core(pair->front())) ||
           (first.as<Value::Dict>() != nullptr && first.find("start") != nullptr);
}

Value read_shard_spec(const Value& tree, const Spelling& spelling) {
    return record("ShardSpec", {{"grid", read_grid(at(tree, "grid"))},
                                {"shape", format1::read_int_list("shape", at(tree, "shape"))},
                                {"orientation", spelling.read_enum("ShardOrientation", at(tree, "orientation"))}});
}

Value read_nd_shard_spec(const Value& tree, const Spelling& spelling) {
    const Value* strategy = tree.find("shard_distribution_strategy");
    return record(
        "NdShardSpec",
        {{"shard_shape", format1::read_int_list("shard_shape", at(tree, "shard_shape"))},
         {"grid", read_grid(at(tree, "grid"))},
         {"orientation", spelling.read_enum("ShardOrientation", at(tree, "orientation"))},
         {"shard_distribution_strategy",
          spelling.read_enum("ShardDistributionStrategy", strategy != nullptr ? *strategy : Value("ROUND_ROBIN_1D"))}});
}

Value::Dict read_memory_kind(const Value& tree, const Spelling& spelling) {
    Value::Dict fields;
    fields.reserve(3);
    fields.push_back({"memory_layout", spelling.read_enum("TensorMemoryLayout", at(tree, "memory_layout"))});
    fields.push_back({"buffer_type", spelling.read_enum("BufferType", at(tree, "buffer_type"))});
    return fields;
}

Value read_memory_config(const Value& tree, const Spelling& spelling, Value (*shard_spec)(const Value& tree)) {
    Value::Dict fields = read_memory_kind(tree, spelling);
    if (const Value* nd = tree.find("nd_shard_spec"); !spelling.is_absent(nd)) {
        fields.push_back({"nd_shard_spec", read_nd_shard_spec(*nd, spelling)});
    } else if (const Value* spec = tree.find("shard_spec"); !spelling.is_absent(spec)) {
        fields.push_back({"shard_spec", shard_spec(*spec)});
    }
    return Value::Struct{"MemoryConfig", std::move(fields)};
}

Value dram_interleaved() {
    return record("MemoryConfig", {{"memory_layout", Value::Enum{"TensorMemoryLayout", "INTERLEAVED"}},
                                   {"buffer_type", Value::Enum{"BufferType", "DRAM"}}});
}

Value read_enum_of_any_case(std::string_view type, const Value& tree) {
    const auto* text = tree.as<std::string>();
    if (text == nullptr || text->empty()) {
        throw std::invalid_argument(fmt::format("expected a {}, got {}", type, tree.to_text()));
    }
    std::string member = text->substr(text->find_last_of(".:") + 1);  // npos + 1 is 0
    if (type != "MathFidelity") {
        std::ranges::transform(member, member.begin(),
                               [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    }
    if (type == "StorageType" && member.ends_with("_STORAGE")) {
        member.resize(member.size() - std::string_view("_STORAGE").size());
    }
    return Value::Enum{std::string(type), std::move(member)};
}

}  // namespace tracelift::records
