// Codecs between C++ parameter types and tracelift::Value, one per type. Internal to type_info.cpp.
#pragma once

#include <cmath>

#include "ttnn/op/config_fields.hpp"
#include "ttnn/op/parameter_types.hpp"
#include "ttnn/op/type_info.hpp"

namespace ttnn::codec {

using tracelift::Value;

template <class T>
struct Codec;

[[noreturn]] inline void mismatch(std::string_view expected, const Value& got) {
    throw DecodeError(fmt::format("expected {}, got {} {}", expected, got.kind(), got.to_text()));
}

template <class T>
T decode(const Value& value, const DecodeContext& context) {
    return Codec<T>::decode(value, context);
}
template <class T>
Value encode(const T& value) {
    return Codec<T>::encode(value);
}
template <class T>
T decode_field(const Value& record, std::string_view key, const DecodeContext& context) {
    const Value* field = record.find(key);
    if (field == nullptr) {
        mismatch(fmt::format("a field '{}'", key), record);
    }
    try {
        return decode<T>(*field, context);
    } catch (const DecodeError& error) {
        throw DecodeError(fmt::format("{}: {}", key, error.what()));
    }
}

template <>
struct Codec<bool> {
    static std::string name() { return "bool"; }
    static Value encode(bool value) { return value; }
    static bool decode(const Value& value, const DecodeContext&) {
        if (const auto* flag = value.as<bool>()) {
            return *flag;
        }
        if (const auto* number = value.as<int64_t>(); number != nullptr && (*number == 0 || *number == 1)) {
            return *number == 1;  // traces of C++ calls print flags as 0 and 1
        }
        mismatch("a bool", value);
    }
};
template <>
struct Codec<int64_t> {
    static std::string name() { return "int"; }
    static Value encode(int64_t value) { return value; }
    static int64_t decode(const Value& value, const DecodeContext&) {
        if (const auto* number = value.as<int64_t>()) {
            return *number;
        }
        mismatch("an int", value);
    }
};
template <>
struct Codec<uint32_t> {
    static std::string name() { return "int"; }
    static Value encode(uint32_t value) { return int64_t{value}; }
    static uint32_t decode(const Value& value, const DecodeContext& context) {
        const int64_t number = Codec<int64_t>::decode(value, context);
        if (number < 0 || number > UINT32_MAX) {
            mismatch("an int between 0 and 4294967295", value);
        }
        return static_cast<uint32_t>(number);
    }
};
template <>
struct Codec<double> {
    static std::string name() { return "float"; }
    static Value encode(double value) { return value; }
    static double decode(const Value& value, const DecodeContext&) {
        if (const auto* number = value.as<double>()) {
            return *number;
        }
        if (const auto* number = value.as<int64_t>()) {
            return static_cast<double>(*number);
        }
        mismatch("a float", value);
    }
};
template <>
struct Codec<float> {
    static std::string name() { return "float"; }
    static Value encode(float value) { return static_cast<double>(value); }
    static float decode(const Value& value, const DecodeContext& context) {
        return static_cast<float>(Codec<double>::decode(value, context));
    }
};
template <>
struct Codec<std::string> {
    static std::string name() { return "str"; }
    static Value encode(const std::string& value) { return value; }
    static std::string decode(const Value& value, const DecodeContext&) {
        if (const auto* text = value.as<std::string>()) {
            return *text;
        }
        mismatch("a string", value);
    }
};

template <NamedEnum E>
struct Codec<E> {
    static std::string name() { return std::string(EnumInfo<E>::type); }
    static Value encode(E value) {
        return Value::Enum{std::string(EnumInfo<E>::type), std::string(member_name(value))};
    }
    static E decode(const Value& value, const DecodeContext&) {
        std::string_view member;
        if (const auto* tagged = value.as<Value::Enum>(); tagged != nullptr && tagged->type == EnumInfo<E>::type) {
            member = tagged->member;
        } else if (const auto* text = value.as<std::string>()) {
            member = *text;
        }
        if (const auto found = member_of<E>(member)) {
            return *found;
        }
        mismatch(fmt::format("a member of {}", EnumInfo<E>::type), value);
    }
};

template <class T>
struct Codec<std::optional<T>> {
    static std::string name() { return Codec<T>::name() + " | None"; }
    static Value encode(const std::optional<T>& value) { return value ? codec::encode(*value) : Value(); }
    static std::optional<T> decode(const Value& value, const DecodeContext& context) {
        return value.is_null() ? std::nullopt : std::optional<T>(codec::decode<T>(value, context));
    }
};

template <class T>
const Value::List& list_of(const Value& value) {
    const auto* list = value.as<Value::List>();
    if (list == nullptr) {
        mismatch(fmt::format("a list of {}", Codec<T>::name()), value);
    }
    return *list;
}

template <class T>
struct Codec<std::vector<T>> {
    static std::string name() { return "list[" + Codec<T>::name() + "]"; }
    static Value encode(const std::vector<T>& values) {
        Value::List list;
        for (const auto& value : values) {
            list.push_back(codec::encode<T>(value));
        }
        return list;
    }
    static std::vector<T> decode(const Value& value, const DecodeContext& context) {
        std::vector<T> values;
        for (const auto& item : list_of<T>(value)) {
            values.push_back(codec::decode<T>(item, context));
        }
        return values;
    }
};
template <class T, size_t N>
struct Codec<std::array<T, N>> {
    static std::string name() {
        std::string inner;
        for (size_t i = 0; i < N; ++i) {
            inner += (i == 0 ? "" : ", ") + Codec<T>::name();
        }
        return "tuple[" + inner + "]";
    }
    static Value encode(const std::array<T, N>& values) {
        return codec::encode(std::vector<T>(values.begin(), values.end()));
    }
    static std::array<T, N> decode(const Value& value, const DecodeContext& context) {
        const auto& list = list_of<T>(value);
        if (list.size() != N) {
            mismatch(fmt::format("a list of {} entries", N), value);
        }
        std::array<T, N> values{};
        for (size_t i = 0; i < N; ++i) {
            values[i] = codec::decode<T>(list[i], context);
        }
        return values;
    }
};
template <class... Ts>
struct Codec<std::tuple<Ts...>> {
    static std::string name() {
        std::string inner;
        ((inner += (inner.empty() ? "" : ", ") + Codec<Ts>::name()), ...);
        return "tuple[" + inner + "]";
    }
    static Value encode(const std::tuple<Ts...>& values) {
        Value::List list;
        std::apply([&](const auto&... items) { (list.push_back(codec::encode(items)), ...); }, values);
        return list;
    }
    static std::tuple<Ts...> decode(const Value& value, const DecodeContext& context) {
        const auto* list = value.as<Value::List>();
        if (list == nullptr || list->size() != sizeof...(Ts)) {
            mismatch(fmt::format("a list of {} entries", sizeof...(Ts)), value);
        }
        return decode_items(*list, context, std::index_sequence_for<Ts...>{});
    }

private:
    template <size_t... Is>
    static std::tuple<Ts...> decode_items(const Value::List& list, const DecodeContext& context,
                                          std::index_sequence<Is...>) {
        return {codec::decode<Ts>(list[Is], context)...};
    }
};
// The first alternative that decodes wins; the order of the variant is the order of preference.
template <class... Ts>
struct Codec<std::variant<Ts...>> {
    static std::string name() {
        std::string text;
        ((text += (text.empty() ? "" : " | ") + Codec<Ts>::name()), ...);
        return text;
    }
    static Value encode(const std::variant<Ts...>& value) {
        return std::visit([](const auto& held) { return codec::encode(held); }, value);
    }
    static std::variant<Ts...> decode(const Value& value, const DecodeContext& context) {
        std::optional<std::variant<Ts...>> result;
        (void)(attempt<Ts>(value, context, result) || ...);
        if (!result) {
            mismatch(name(), value);
        }
        return std::move(*result);
    }

private:
    template <class T>
    static bool attempt(const Value& value, const DecodeContext& context, std::optional<std::variant<Ts...>>& result) {
        try {
            result.emplace(std::in_place_type<T>, codec::decode<T>(value, context));
            return true;
        } catch (const DecodeError&) {
            return false;
        }
    }
};

template <>
struct Codec<Shape> {
    static std::string name() { return "Shape"; }
    static Value encode(const Shape& shape) {
        Value::List list;
        for (uint32_t dim : shape) {
            list.push_back(int64_t{dim});
        }
        return list;
    }
    static Shape decode(const Value& value, const DecodeContext& context) {
        return Shape::from_ints(codec::decode<std::vector<int64_t>>(value, context));
    }
};
template <>
struct Codec<CoreCoord> {
    static std::string name() { return "CoreCoord"; }
    static Value encode(const CoreCoord& core) {
        return Value::Struct{"CoreCoord", {{"x", int64_t{core.x}}, {"y", int64_t{core.y}}}};
    }
    static CoreCoord decode(const Value& value, const DecodeContext& context) {
        if (value.as<Value::List>() != nullptr) {
            const auto pair = codec::decode<std::array<uint32_t, 2>>(value, context);
            return {pair[0], pair[1]};
        }
        return {decode_field<uint32_t>(value, "x", context), decode_field<uint32_t>(value, "y", context)};
    }
};
template <>
struct Codec<CoreRange> {
    static std::string name() { return "CoreRange"; }
    static Value encode(const CoreRange& range) {
        return Value::Struct{"CoreRange", {{"start", codec::encode(range.start)}, {"end", codec::encode(range.end)}}};
    }
    static CoreRange decode(const Value& value, const DecodeContext& context) {
        return {decode_field<CoreCoord>(value, "start", context), decode_field<CoreCoord>(value, "end", context)};
    }
};
template <>
struct Codec<CoreRangeSet> {
    static std::string name() { return "CoreRangeSet"; }
    static Value encode(const CoreRangeSet& set) {
        return Value::Struct{"CoreRangeSet", {{"ranges", codec::encode(set.ranges())}}};
    }
    static CoreRangeSet decode(const Value& value, const DecodeContext& context) {
        return CoreRangeSet(decode_field<std::vector<CoreRange>>(value, "ranges", context));
    }
};
template <>
struct Codec<CoreGrid> {
    static std::string name() { return "CoreGrid"; }
    static Value encode(const CoreGrid& grid) {
        return Value::Struct{"CoreGrid", {{"x", int64_t{grid.x}}, {"y", int64_t{grid.y}}}};
    }
    static CoreGrid decode(const Value& value, const DecodeContext& context) {
        return {decode_field<uint32_t>(value, "x", context), decode_field<uint32_t>(value, "y", context)};
    }
};
template <>
struct Codec<Tile> {
    static std::string name() { return "Tile"; }
    static Value encode(const Tile& tile) {
        Value::Struct record{"Tile", {{"tile_shape", codec::encode(tile.shape())}}};
        if (tile.transposed()) {
            record.fields.push_back({"transpose_tile", true});
        }
        return record;
    }
    static Tile decode(const Value& value, const DecodeContext& context) {
        return Tile(decode_field<std::array<uint32_t, 2>>(value, "tile_shape", context),
                    value.find("transpose_tile") != nullptr && decode_field<bool>(value, "transpose_tile", context));
    }
};
template <>
struct Codec<ShardSpec> {
    static std::string name() { return "ShardSpec"; }
    static Value encode(const ShardSpec& spec) {
        return Value::Struct{"ShardSpec",
                             {{"grid", codec::encode(spec.grid)},
                              {"shape", codec::encode(spec.shape)},
                              {"orientation", codec::encode(spec.orientation)}}};
    }
    static ShardSpec decode(const Value& value, const DecodeContext& context) {
        return {decode_field<CoreRangeSet>(value, "grid", context),
                decode_field<std::array<uint32_t, 2>>(value, "shape", context),
                decode_field<ShardOrientation>(value, "orientation", context)};
    }
};
template <>
struct Codec<NdShardSpec> {
    static std::string name() { return "NdShardSpec"; }
    static Value encode(const NdShardSpec& spec) {
        return Value::Struct{"NdShardSpec",
                             {{"shard_shape", codec::encode(spec.shard_shape)},
                              {"grid", codec::encode(spec.grid)},
                              {"orientation", codec::encode(spec.orientation)},
                              {"shard_distribution_strategy", codec::encode(spec.shard_distribution_strategy)}}};
    }
    static NdShardSpec decode(const Value& value, const DecodeContext& context) {
        return {decode_field<Shape>(value, "shard_shape", context), decode_field<CoreRangeSet>(value, "grid", context),
                decode_field<ShardOrientation>(value, "orientation", context),
                decode_field<ShardDistributionStrategy>(value, "shard_distribution_strategy", context)};
    }
};
template <>
struct Codec<MemoryConfig> {
    static std::string name() { return "MemoryConfig"; }
    static Value encode(const MemoryConfig& config) {
        Value::Struct record{"MemoryConfig",
                             {{"memory_layout", codec::encode(config.memory_layout())},
                              {"buffer_type", codec::encode(config.buffer_type())}}};
        if (config.created_with_nd_shard_spec()) {
            record.fields.push_back({"nd_shard_spec", codec::encode(config.nd_shard_spec())});
        } else if (config.shard_spec()) {
            record.fields.push_back({"shard_spec", codec::encode(config.shard_spec())});
        }
        return record;
    }
    static MemoryConfig decode(const Value& value, const DecodeContext& context) {
        const auto buffer_type = decode_field<BufferType>(value, "buffer_type", context);
        if (const Value* nd = value.find("nd_shard_spec"); nd != nullptr && !nd->is_null()) {
            return {buffer_type, decode_field<NdShardSpec>(value, "nd_shard_spec", context)};
        }
        std::optional<ShardSpec> spec;
        if (value.find("shard_spec") != nullptr) {
            spec = decode_field<std::optional<ShardSpec>>(value, "shard_spec", context);
        }
        return MemoryConfig(decode_field<TensorMemoryLayout>(value, "memory_layout", context), buffer_type,
                            std::move(spec));
    }
};
template <>
struct Codec<Tensor> {
    static std::string name() { return "Tensor"; }
    static Value encode(const Tensor& tensor) {
        if (!tensor) {
            return {};
        }
        const TensorSpec& spec = tensor.spec();
        Value::Struct record{"Tensor",
                             {{"shape", codec::encode(spec.logical_shape())},
                              {"dtype", codec::encode(spec.dtype())},
                              {"layout", codec::encode(spec.layout())},
                              {"storage_type", codec::encode(tensor.storage_type())},
                              {"memory_config", codec::encode(spec.memory_config())}}};
        const TensorSpec plain(spec.logical_shape(), spec.dtype(), spec.layout(), spec.memory_config(), spec.tile());
        if (plain.alignment() != spec.alignment()) {
            record.fields.push_back({"alignment", codec::encode(spec.alignment())});
        }
        if (spec.tile() != Tile()) {
            record.fields.push_back({"tile", codec::encode(spec.tile())});
        }
        return record;
    }
    static Tensor decode(const Value& value, const DecodeContext& context) {
        const auto* record = value.as<Value::Struct>();
        if (record == nullptr || record->type != "Tensor") {
            mismatch("a Tensor", value);
        }
        std::optional<Alignment> alignment;
        if (value.find("alignment") != nullptr) {
            alignment = decode_field<Shape>(value, "alignment", context);
        }
        const Tile tile = value.find("tile") != nullptr ? decode_field<Tile>(value, "tile", context) : Tile();
        const TensorSpec spec(decode_field<Shape>(value, "shape", context),
                              decode_field<DataType>(value, "dtype", context),
                              decode_field<Layout>(value, "layout", context),
                              decode_field<MemoryConfig>(value, "memory_config", context), tile, alignment);
        const auto storage = decode_field<StorageType>(value, "storage_type", context);
        if (context.make_tensor) {
            return context.make_tensor(spec, storage);
        }
        return storage == StorageType::HOST ? Tensor::allocate_on_host(spec)
                                            : Tensor::allocate_on_device(spec, context.device);
    }
};
template <>
struct Codec<DeviceHandle> {
    static std::string name() { return "MeshDevice"; }
    static Value encode(const DeviceHandle& device) {
        return device ? Value(Value::Object{"MeshDevice", device->board().name}) : Value();
    }
    static DeviceHandle decode(const Value& value, const DecodeContext& context) {
        if (const auto* object = value.as<Value::Object>(); object != nullptr && object->type == "MeshDevice") {
            return context.device;
        }
        mismatch("a device", value);
    }
};
template <>
struct Codec<UnaryWithParam> {
    static std::string name() { return "UnaryWithParam"; }
    static Value encode(const UnaryWithParam& unary) {
        Value::Struct record{"UnaryWithParam", {{"op_type", codec::encode(unary.op_type)}}};
        if (!unary.params.empty()) {
            record.fields.push_back({"params", codec::encode(unary.params)});
        }
        return record;
    }
    static UnaryWithParam decode(const Value& value, const DecodeContext& context) {
        if (value.as<Value::Enum>() != nullptr) {
            return {codec::decode<UnaryOpType>(value, context)};
        }
        UnaryWithParam unary(decode_field<UnaryOpType>(value, "op_type", context));
        if (value.find("params") != nullptr) {
            unary.params = decode_field<std::vector<float>>(value, "params", context);
        }
        return unary;
    }
};
// Configuration records, from their field tables.
template <Record T>
struct Codec<T> {
    static std::string name() { return std::string(RecordInfo<T>::name); }
    static Value encode(const T& config) {
        Value::Struct record{name(), {}};
        for (const FieldInfo& field : record_fields<T>()) {
            record.fields.push_back(
                {std::string(field.name), field.type->encode(reinterpret_cast<const char*>(&config) + field.offset)});
        }
        return record;
    }
    static T decode(const Value& value, const DecodeContext& context) {
        const auto* record = value.as<Value::Struct>();
        if (record == nullptr || record->type != RecordInfo<T>::name) {
            mismatch(RecordInfo<T>::name, value);
        }
        T config{};
        for (const FieldInfo& field : record_fields<T>()) {
            if (const Value* given = value.find(field.name)) {
                field.type->decode(*given, context, reinterpret_cast<char*>(&config) + field.offset);
            }
        }
        return config;
    }
};

// --- tensors inside a parameter --------------------------------------------------------------------------------
inline void visit_tensors(const Tensor& tensor, TensorVisitor visit) {
    if (tensor) {
        visit(tensor);
    }
}
template <class T>
void visit_tensors(const T&, TensorVisitor) {}
template <class T>
void visit_tensors(const std::optional<T>& value, TensorVisitor visit);
template <class T>
void visit_tensors(const std::vector<T>& values, TensorVisitor visit);
template <class... Ts>
void visit_tensors(const std::variant<Ts...>& value, TensorVisitor visit);
template <class... Ts>
void visit_tensors(const std::tuple<Ts...>& values, TensorVisitor visit);

template <class T>
void visit_tensors(const std::optional<T>& value, TensorVisitor visit) {
    if (value) {
        visit_tensors(*value, visit);
    }
}
template <class T>
void visit_tensors(const std::vector<T>& values, TensorVisitor visit) {
    for (const auto& value : values) {
        visit_tensors(value, visit);
    }
}
template <class... Ts>
void visit_tensors(const std::variant<Ts...>& value, TensorVisitor visit) {
    std::visit([&](const auto& held) { visit_tensors(held, visit); }, value);
}
template <class... Ts>
void visit_tensors(const std::tuple<Ts...>& values, TensorVisitor visit) {
    std::apply([&](const auto&... items) { (visit_tensors(items, visit), ...); }, values);
}

template <class T>
inline constexpr bool holds_tensors = false;
template <>
inline constexpr bool holds_tensors<Tensor> = true;
template <class T>
inline constexpr bool holds_tensors<std::optional<T>> = holds_tensors<T>;
template <class T>
inline constexpr bool holds_tensors<std::vector<T>> = holds_tensors<T>;
template <class... Ts>
inline constexpr bool holds_tensors<std::variant<Ts...>> = (holds_tensors<Ts> || ...);
template <class... Ts>
inline constexpr bool holds_tensors<std::tuple<Ts...>> = (holds_tensors<Ts> || ...);

}  // namespace ttnn::codec
