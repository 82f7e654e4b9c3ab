#include "tracelift/replay/call_size.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "tracelift/replay/call_parts.hpp"

namespace tracelift {
namespace {

constexpr uint64_t largest = uint64_t{1} << 40;  // sums of these stay far below 2^64

// From the plainest on; a dtype of another kind is never tried instead.
constexpr std::string_view float_order[] = {"FLOAT32", "BFLOAT16", "BFLOAT8_B", "BFLOAT4_B"};
constexpr std::string_view whole_order[] = {"INT32", "UINT32", "UINT16", "UINT8"};

uint64_t weight_of(double number) {
    if (!std::isfinite(number)) {
        return 4 * largest;
    }
    const double distance = std::min(std::ceil(std::abs(number)), static_cast<double>(largest));
    const uint64_t fraction = number == std::trunc(number) ? 0 : 2 * largest;
    return 2 * static_cast<uint64_t>(distance) + (number < 0 ? 1 : 0) + fraction;
}

void add_size(const Part& part, CallSize& size) {
    const auto* number = part.value->as<int64_t>();
    if (number != nullptr) {
        ++size.ranks;
        size.sizes += std::min(static_cast<uint64_t>(std::max<int64_t>(*number, 0)), largest);
    }
}

void add_value(const Value& value, CallSize& size) {
    if (const auto* member = value.as<Value::Enum>()) {
        size.dtypes += member->type == "DataType" ? plainer_dtypes(member->member).size() : 0;
        size.tiles += member->type == "Layout" && member->member == "TILE" ? 1 : 0;
    } else if (is_memory_config(value)) {
        size.shards += is_sharded(value) ? 1 : 0;
        size.buffers += member_at(value, "buffer_type") == "DRAM" ? 0 : 1;
    } else if (is_record(value, "CoreRange")) {
        const Cores cores = cores_of(value);
        size.cores += static_cast<uint64_t>(cores.across() * cores.down());
    }
}

}  // namespace

std::span<const std::string_view> plainer_dtypes(std::string_view dtype) {
    for (const std::span<const std::string_view> order : {std::span(float_order), std::span(whole_order)}) {
        const auto found = std::ranges::find(order, dtype);
        if (found != order.end()) {
            return order.first(static_cast<size_t>(found - order.begin()));
        }
    }
    return {};
}

uint64_t number_weight(const Value& value) {
    if (const auto* number = value.as<int64_t>()) {
        return weight_of(static_cast<double>(*number));
    }
    if (const auto* number = value.as<double>()) {
        return weight_of(*number);
    }
    if (const auto* flag = value.as<bool>()) {
        return *flag ? 1 : 0;
    }
    const auto* text = value.as<std::string>();
    return text != nullptr ? text->size() : 0;
}

CallSize size_of(const Value::Dict& arguments) {
    CallSize size;
    for (const Part& part : parts_of(arguments)) {
        if (part.is_size) {
            add_size(part, size);
            continue;
        }
        // What every tensor has counts for nothing; a tile or an alignment of its own does.
        const bool always_there = part.in_tensor && part.name != "tile" && part.name != "alignment";
        size.parts += part.value->is_null() || always_there ? 0 : 1;
        size.numbers += number_weight(*part.value);
        add_value(*part.value, size);
    }
    return size;
}

}  // namespace tracelift
