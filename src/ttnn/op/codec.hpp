// Codecs between C++ parameter types and tracelift::Value, one per type: `put` writes a value into a sink, `decode`
// makes one from a Value. Internal to type_info.cpp.
#pragma once

#include <charconv>
#include <cmath>

#include "ttnn/op/config_fields.hpp"
#include "ttnn/op/parameter_types.hpp"
#include "ttnn/op/tensor_placement.hpp"
#include "ttnn/op/type_info.hpp"
#include "ttnn/op/values_text.hpp"

namespace ttnn::codec {

using tracelift::Value;
using tracelift::ValueSink;

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
void put(const T& value, ValueSink& sink) {
    Codec<T>::put(value, sink);
}
template <class T>
void put_field(std::string_view key, const T& value, ValueSink& sink) {
    sink.key(key);
    put(value, sink);
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
    static void put(bool value, ValueSink& sink) { sink.boolean(value); }
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
    static void put(int64_t value, ValueSink& sink) { sink.integer(value); }
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
    static void put(uint32_t value, ValueSink& sink) { sink.integer(value); }
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
    static void put(double value, ValueSink& sink) { sink.number(value); }
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
    static void put(float value, ValueSink& sink) { sink.number(value); }
    static float decode(const Value& value, const DecodeContext& context) {
        return static_cast<float>(Codec<double>::decode(value, context));
    }
};
template <>
struct Codec<std::string> {
    static std::string name() { return "str"; }
    static void put(const std::string& value, ValueSink& sink) { sink.text(value); }
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
    static void put(E value, ValueSink& sink) { sink.enumerator(EnumInfo<E>::type, member_name(value)); }
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
    static void put(const std::optional<T>& value, ValueSink& sink) { value ? codec::put(*value, sink) : sink.null(); }
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
    static void put(const std::vector<T>& values, ValueSink& sink) {
        sink.list(values.size());
        for (const auto& value : values) {
            codec::put<T>(value, sink);
        }
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
    static void put(const std::array<T, N>& values, ValueSink& sink) {
        sink.list(N);
        for (const T& value : values) {
            codec::put(value, sink);
        }
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
    static void put(const std::tuple<Ts...>& values, ValueSink& sink) {
        sink.list(sizeof...(Ts));
        std::apply([&](const auto&... items) { (codec::put(items, sink), ...); }, values);
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
    static void put(const std::variant<Ts...>& value, ValueSink& sink) {
        std::visit([&](const auto& held) { codec::put(held, sink); }, value);
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
    static void put(const Shape& shape, ValueSink& sink) {
        sink.list(shape.rank());
        for (uint32_t dim : shape) {
            sink.integer(dim);
        }
    }
    static Shape decode(const Value& value, const DecodeContext& context) {
        return Shape::from_ints(codec::decode<std::vector<int64_t>>(value, context));
    }
};
template <>
struct Codec<CoreCoord> {
    static std::string name() { return "CoreCoord"; }
    static void put(const CoreCoord& core, ValueSink& sink) {
        sink.record("CoreCoord", 2);
        put_field("x", core.x, sink);
        put_field("y", core.y, sink);
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
    static void put(const CoreRange& range, ValueSink& sink) {
        sink.record("CoreRange", 2);
        put_field("start", range.start, sink);
        put_field("end", range.end, sink);
    }
    static CoreRange decode(const Value& value, const DecodeContext& context) {
        return {decode_field<CoreCoord>(value, "start", context), decode_field<CoreCoord>(value, "end", context)};
    }
};
template <>
struct Codec<CoreRangeSet> {
    static std::string name() { return "CoreRangeSet"; }
    static void put(const CoreRangeSet& set, ValueSink& sink) {
        sink.record("CoreRangeSet", 1);
        put_field("ranges", set.ranges(), sink);
    }
    static CoreRangeSet decode(const Value& value, const DecodeContext& context) {
        if (value.as<Value::List>() != nullptr) {  // texts of C++ calls: pairs of corners
            std::vector<CoreRange> ranges;
            for (const auto& corners : codec::decode<std::vector<std::array<CoreCoord, 2>>>(value, context)) {
                ranges.emplace_back(corners[0], corners[1]);
            }
            return CoreRangeSet(std::move(ranges));
        }
        return CoreRangeSet(decode_field<std::vector<CoreRange>>(value, "ranges", context));
    }
};
template <>
struct Codec<CoreGrid> {
    static std::string name() { return "CoreGrid"; }
    static void put(const CoreGrid& grid, ValueSink& sink) {
        sink.record("CoreGrid", 2);
        put_field("x", grid.x, sink);
        put_field("y", grid.y, sink);
    }
    static CoreGrid decode(const Value& value, const DecodeContext& context) {
        return {decode_field<uint32_t>(value, "x", context), decode_field<uint32_t>(value, "y", context)};
    }
};
template <>
struct Codec<Tile> {
    static std::string name() { return "Tile"; }
    static void put(const Tile& tile, ValueSink& sink) {
        sink.record("Tile", tile.transposed() ? 2 : 1);
        put_field("tile_shape", tile.shape(), sink);
        if (tile.transposed()) {
            put_field("transpose_tile", true, sink);
        }
    }
    static Tile decode(const Value& value, const DecodeContext& context) {
        return Tile(decode_field<std::array<uint32_t, 2>>(value, "tile_shape", context),
                    value.find("transpose_tile") != nullptr && decode_field<bool>(value, "transpose_tile", context));
    }
};
template <>
struct Codec<ShardSpec> {
    static std::string name() { return "ShardSpec"; }
    static void put(const ShardSpec& spec, ValueSink& sink) {
        sink.record("ShardSpec", 3);
        put_field("grid", spec.grid, sink);
        put_field("shape", spec.shape, sink);
        put_field("orientation", spec.orientation, sink);
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
    static void put(const NdShardSpec& spec, ValueSink& sink) {
        sink.record("NdShardSpec", 4);
        put_field("shard_shape", spec.shard_shape, sink);
        put_field("grid", spec.grid, sink);
        put_field("orientation", spec.orientation, sink);
        put_field("shard_distribution_strategy", spec.shard_distribution_strategy, sink);
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
    static void put(const MemoryConfig& config, ValueSink& sink) {
        const bool nd = config.created_with_nd_shard_spec();
        const bool sharded = nd || config.shard_spec().has_value();
        sink.record("MemoryConfig", sharded ? 3 : 2);
        put_field("memory_layout", config.memory_layout(), sink);
        put_field("buffer_type", config.buffer_type(), sink);
        if (nd) {
            put_field("nd_shard_spec", config.nd_shard_spec(), sink);
        } else if (sharded) {
            put_field("shard_spec", config.shard_spec(), sink);
        }
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
    static void put(const Tensor& tensor, ValueSink& sink) {
        if (!tensor) {
            return sink.null();
        }
        const TensorSpec& spec = tensor.spec();
        const bool aligned = !spec.has_default_alignment();
        const bool tiled = spec.tile() != Tile();
        const std::optional<TensorPlacement> placement = TensorPlacement::of(tensor);
        const bool valued = call_context.encode_values && tensor.is_allocated();
        sink.record("Tensor", size_t{5} + (aligned ? 1 : 0) + (tiled ? 1 : 0) + (placement ? 1 : 0) + (valued ? 1 : 0));
        put_field("shape", spec.logical_shape(), sink);
        put_field("dtype", spec.dtype(), sink);
        put_field("layout", spec.layout(), sink);
        put_field("storage_type", tensor.storage_type(), sink);
        put_field("memory_config", spec.memory_config(), sink);
        if (aligned) {
            put_field("alignment", spec.alignment(), sink);
        }
        if (tiled) {
            put_field("tile", spec.tile(), sink);
        }
        if (placement) {
            sink.key(placement_field);
            placement->put(sink);
        }
        if (valued) {
            sink.key("values");
            sink.object("values", values_text(tensor));
        }
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
        const TensorSpec spec(
            decode_field<Shape>(value, "shape", context), decode_field<DataType>(value, "dtype", context),
            decode_field<Layout>(value, "layout", context),
            decode_field<MemoryConfig>(value, "memory_config", context).with_shards_of_any_size(), tile, alignment);
        const auto storage = decode_field<StorageType>(value, "storage_type", context);
        const Value* placement = value.find(placement_field);
        Tensor tensor = make(spec, storage, context);
        if (placement != nullptr) {
            return placed(std::move(tensor), *placement, context.device);
        }
        if (tensor && tensor.num_parts() > 1) {
            tensor.set_topology({});  // nobody said how it is spread, and nobody will
        }
        return tensor;
    }

private:
    static Tensor make(const TensorSpec& spec, StorageType storage, const DecodeContext& context) {
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
    static void put(const DeviceHandle& device, ValueSink& sink) {
        if (!device) {
            return sink.null();
        }
        const uint32_t chips = device->num_chips();
        sink.object("MeshDevice",
                    chips == 1 ? device->board().name
                               : fmt::format("MeshDevice({} grid, {} devices)", device->mesh().to_string(), chips));
    }
    static DeviceHandle decode(const Value& value, const DecodeContext& context) {
        if (const auto* object = value.as<Value::Object>(); object != nullptr && object->type == "MeshDevice") {
            return context.device;
        }
        mismatch("a device", value);
    }
};
template <>
struct Codec<MeshCoordinate> {
    static std::string name() { return "MeshCoordinate"; }
    static void put(const MeshCoordinate& coordinate, ValueSink& sink) {
        sink.record("MeshCoordinate", 1);
        put_field("values", coordinate.values, sink);
    }
    // Masters have its text, "MeshCoordinate([0, 1])", or what readers of C++ text make of that.
    static MeshCoordinate decode(const Value& value, const DecodeContext& context) {
        if (value.as<Value::List>() != nullptr) {
            return {codec::decode<std::vector<uint32_t>>(value, context)};
        }
        const auto* text = value.as<Value::Object>();
        if (text != nullptr && text->type == name()) {
            return {numbers_in(text->text)};
        }
        const auto* record = value.as<Value::Struct>();
        if (record == nullptr || record->type != name() || record->fields.size() != 1) {
            mismatch("a MeshCoordinate", value);
        }
        const Value& inside = record->fields.front().value;
        const auto* words = inside.as<std::string>();
        return {words != nullptr ? numbers_in(*words) : codec::decode<std::vector<uint32_t>>(inside, context)};
    }

private:
    static std::vector<uint32_t> numbers_in(std::string_view text) {
        std::vector<uint32_t> numbers;
        const char* const end = text.data() + text.size();
        for (const char* at = text.data(); at != end;) {
            uint32_t number = 0;
            const auto [stopped, problem] = std::from_chars(at, end, number);
            if (problem == std::errc()) {
                numbers.push_back(number);
            }
            at = problem == std::errc() ? stopped : at + 1;
        }
        return numbers;
    }
};
// Python's tracers write a set's text, {"type": "set", "value": "{MeshCoordinate([0, 1]), ...}"}; so do we. Readers of
// C++ text take that apart and make a list of it.
template <>
struct Codec<MeshCoordinateSet> {
    static std::string name() { return "set[MeshCoordinate]"; }
    static void put(const MeshCoordinateSet& coordinates, ValueSink& sink) {
        sink.record("set", 1);
        put_field("value", coordinates.to_string(), sink);
    }
    static MeshCoordinateSet decode(const Value& value, const DecodeContext& context) {
        const Value* inside = inside_of(value);
        if (value.as<Value::List>() != nullptr || (inside != nullptr && inside->as<Value::List>() != nullptr)) {
            return MeshCoordinateSet(
                codec::decode<std::vector<MeshCoordinate>>(inside != nullptr ? *inside : value, context));
        }
        const auto* object = value.as<Value::Object>();
        const std::string* text = inside != nullptr                            ? inside->as<std::string>()
                                  : object != nullptr && object->type == "set" ? &object->text
                                                                               : nullptr;
        if (text == nullptr) {
            mismatch(name(), value);
        }
        std::vector<MeshCoordinate> members;
        for (size_t at = text->find('['); at != text->npos; at = text->find('[', at + 1)) {
            const std::string one = text->substr(at, text->find(']', at) - at + 1);
            members.push_back(codec::decode<MeshCoordinate>(Value(Value::Object{"MeshCoordinate", one}), context));
        }
        return MeshCoordinateSet(std::move(members));
    }

private:
    static const Value* inside_of(const Value& value) {
        const auto* record = value.as<Value::Struct>();
        const bool is_set = record != nullptr && record->type == "set" && record->fields.size() == 1;
        return is_set ? &record->fields.front().value : nullptr;
    }
};
// Traces mention that there was one and no more: an address means nothing in another process.
template <>
struct Codec<GlobalSemaphore> {
    static std::string name() { return "global_semaphore"; }
    static void put(const GlobalSemaphore&, ValueSink& sink) { sink.object("global_semaphore", ""); }
    static GlobalSemaphore decode(const Value& value, const DecodeContext&) {
        const auto* object = value.as<Value::Object>();
        const auto* record = value.as<Value::Struct>();
        const std::string_view type = object != nullptr   ? std::string_view(object->type)
                                      : record != nullptr ? std::string_view(record->type)
                                                          : std::string_view();
        if (type != "global_semaphore" && type != "GlobalSemaphore") {  // of Python and of C++ calls
            mismatch("a global semaphore", value);
        }
        return {};
    }
};
template <>
struct Codec<UnaryWithParam> {
    static std::string name() { return "UnaryWithParam"; }
    static void put(const UnaryWithParam& unary, ValueSink& sink) {
        sink.record("UnaryWithParam", unary.params.empty() ? 1 : 2);
        put_field("op_type", unary.op_type, sink);
        if (!unary.params.empty()) {
            put_field("params", unary.params, sink);
        }
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
    static void put(const T& config, ValueSink& sink) {
        sink.record(RecordInfo<T>::name, record_fields<T>().size());
        for (const FieldInfo& field : record_fields<T>()) {
            sink.key(field.name);
            field.type->put(reinterpret_cast<const char*>(&config) + field.offset, sink);
        }
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
