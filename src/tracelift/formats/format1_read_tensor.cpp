#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "tracelift/formats/default_alignment.hpp"
#include "tracelift/formats/format1_values.hpp"

namespace tracelift::format1 {
namespace {

// Its fields are moved into it; a list in braces would be copied.
template <size_t N>
Value record(std::string_view type, Value::Entry (&&fields)[N]) {
    return Value::Struct{std::string(type),
                         {std::make_move_iterator(std::begin(fields)), std::make_move_iterator(std::end(fields))}};
}

}  // namespace

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

namespace {

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

Value read_grid(const Value& tree) {
    Value::List ranges;
    const auto* list = tree.as<Value::List>();
    if (list != nullptr && list->size() == 2 && is_core((*list)[0])) {
        ranges.push_back(read_range(tree));
    } else if (list != nullptr) {
        for (const Value& range : *list) {
            ranges.push_back(read_range(range));
        }
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

namespace {

bool is_flag_set(const Value* tree) {
    return tree != nullptr &&
           (*tree == Value(1) || *tree == Value(true) || *tree == Value("1") || *tree == Value("true"));
}

}  // namespace

Value read_shard_spec(const Value& tree) {
    return record("ShardSpec", {{"grid", read_grid(at(tree, "grid"))},
                                {"shape", read_int_list("shape", at(tree, "shape"))},
                                {"orientation", read_enum("ShardOrientation", at(tree, "orientation"))}});
}

Value read_nd_shard_spec(const Value& tree) {
    return record("NdShardSpec", {{"shard_shape", read_int_list("shard_shape", at(tree, "shard_shape"))},
                                  {"grid", read_grid(at(tree, "grid"))},
                                  {"orientation", read_enum("ShardOrientation", at(tree, "orientation"))},
                                  {"shard_distribution_strategy",
                                   read_enum("ShardDistributionStrategy", at(tree, "shard_distribution_strategy"))}});
}

// Of the two shard specs only the one that the config was made with: the other follows from it.
Value read_memory_config(const Value& tree) {
    Value::Dict fields;
    fields.reserve(3);
    fields.push_back({"memory_layout", read_enum("TensorMemoryLayout", at(tree, "memory_layout"))});
    fields.push_back({"buffer_type", read_enum("BufferType", at(tree, "buffer_type"))});
    const Value* spec = tree.find("shard_spec");
    const Value* nd_spec = tree.find("nd_shard_spec");
    if (is_flag_set(tree.find("created_with_nd_shard_spec")) && !is_absent(nd_spec)) {
        fields.push_back({"nd_shard_spec", read_nd_shard_spec(*nd_spec)});
    } else if (!is_absent(spec)) {
        fields.push_back({"shard_spec", read_shard_spec(*spec)});
    }
    return Value::Struct{"MemoryConfig", std::move(fields)};
}

namespace {

// Row-major tensors align only their width. Without an alignment either: TILE, as the original's loaders assume.
Value read_layout(const Value& tensor, const Value* alignment) {
    if (const Value* layout = tensor.find("layout"); !is_absent(layout)) {
        return read_enum("Layout", *layout);
    }
    const auto* list = alignment != nullptr ? alignment->as<Value::List>() : nullptr;
    return Value::Enum{"Layout", list != nullptr && list->size() == 1 ? "ROW_MAJOR" : "TILE"};
}

Value read_storage_type(const Value& tensor) {
    const Value* storage = tensor.find("storage_type");
    return is_absent(storage) ? Value::Enum{"StorageType", "DEVICE"} : read_enum("StorageType", *storage);
}

// The tile of a page config; null for the usual one, which traces leave out.
Value read_tile(const Value* page_config) {
    const Value* config = page_config != nullptr ? page_config->find("config") : nullptr;
    const Value* tile = config != nullptr ? config->find("tile") : nullptr;
    if (tile == nullptr) {
        return {};
    }
    Value::Dict fields = {{"tile_shape", read_int_list("tile_shape", at(*tile, "tile_shape"))}};
    const bool transposed = is_flag_set(tile->find("transpose_tile"));
    if (!transposed && fields.front().value == Value(Value::List{32, 32})) {
        return {};
    }
    if (transposed) {
        fields.push_back({"transpose_tile", 1});
    }
    return Value::Struct{"Tile", std::move(fields)};
}

}  // namespace

Value read_tensor(const Value& tree) {
    const Value& spec = at(tree, "tensor_spec");
    const Value& in = at(spec, "tensor_layout");
    const Value* alignment = in.find("alignment");
    Value::Dict fields;
    fields.reserve(8);
    fields.push_back({"shape", read_int_list("logical_shape", at(spec, "logical_shape"))});
    fields.push_back({"dtype", read_enum("DataType", at(in, "dtype"))});
    const Value& layout = fields.emplace_back(Value::Entry{"layout", read_layout(tree, alignment)}).value;
    fields.push_back({"storage_type", read_storage_type(tree)});
    const Value& memory =
        fields.emplace_back(Value::Entry{"memory_config", read_memory_config(at(in, "memory_config"))}).value;
    Value tile = read_tile(in.find("page_config"));
    if (!is_absent(alignment)) {
        Value given = read_int_list("alignment", *alignment);
        if (given != default_alignment(layout, memory, &tile)) {
            fields.push_back({"alignment", std::move(given)});
        }
    }
    if (!tile.is_null()) {
        fields.push_back({"tile", std::move(tile)});
    }
    const Value* placement = tree.find("tensor_placement");  // of format 2; a capture of graphs knows none
    if (const auto* texts = placement != nullptr ? placement->as<Value::Dict>() : nullptr) {
        fields.push_back({"tensor_placement", *texts});
    }
    return Value::Struct{"Tensor", std::move(fields)};
}

}  // namespace tracelift::format1
