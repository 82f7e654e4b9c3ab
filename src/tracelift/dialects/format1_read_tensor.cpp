#include <string_view>
#include <utility>

#include "tracelift/dialects/default_alignment.hpp"
#include "tracelift/dialects/format1_values.hpp"
#include "tracelift/dialects/record_read.hpp"

namespace tracelift::format1 {

using records::at;

namespace {

bool is_flag_set(const Value* tree) {
    return tree != nullptr &&
           (*tree == Value(1) || *tree == Value(true) || *tree == Value("1") || *tree == Value("true"));
}

constexpr records::Spelling spelling{read_enum, is_absent};

}  // namespace

Value read_shard_spec(const Value& tree) { return records::read_shard_spec(tree, spelling); }

// Captures always say how shards are dealt.
Value read_nd_shard_spec(const Value& tree) {
    at(tree, "shard_distribution_strategy");
    return records::read_nd_shard_spec(tree, spelling);
}

// Of the two shard specs only the one that the config was made with: the other follows from it.
Value read_memory_config(const Value& tree) {
    Value::Dict fields = records::read_memory_kind(tree, spelling);
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
