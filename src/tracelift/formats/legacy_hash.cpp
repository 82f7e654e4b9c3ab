#include "tracelift/formats/legacy_hash.hpp"

#include <cctype>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/formats/python_json.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

using nlohmann::json;

const json& null() {
    static const json value;
    return value;
}

// A member of an object; null where it is absent or `object` is none.
const json& member(const json& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    return found == object.end() ? null() : *found;
}

const json& first_of(const json& value) { return value.is_array() && !value.empty() ? value.front() : null(); }

// Calls `change` on every value inside, from the outside in.
template <class Change>
void rewrite(json& value, const Change& change) {
    change(value);
    if (value.is_structured()) {
        for (json& inner : value) {
            rewrite(inner, change);
        }
    }
}

void read_non_finite(json& value) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (value == "inf") {
        value = infinity;
    } else if (value == "-inf") {
        value = -infinity;
    } else if (value == "nan") {
        value = std::numeric_limits<double>::quiet_NaN();
    }
}

std::string without_addresses(std::string text) {
    static constexpr std::string_view mark = " at 0x";
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
        size_t end = at + mark.size();
        while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) {
            ++end;
        }
        if (end == at + mark.size()) {
            at = end;  // no digits: not an address
        } else {
            text.erase(at, end - at);
        }
    }
    return text;
}

void drop_volatile(json& value) {
    if (value.is_string()) {
        value = without_addresses(value.get<std::string>());
    } else if (value.is_object()) {
        if (member(value, "hash").is_number_integer()) {
            value.erase("hash");
        }
        if (value.contains("shard_spec") && value["shard_spec"].is_null()) {
            value["shard_spec"] = "None";
        }
    }
}

json hardware_of(const json& machine) {
    const json& board = member(machine, "board_type");
    if (board.is_null()) {
        return nullptr;
    }
    const json& series = member(machine, "device_series");
    const json& cards = member(machine, "card_count");
    return json::array({board, series.is_array() ? first_of(series) : series, cards.is_null() ? json(1) : cards});
}

// The dimension of the first "PlacementShard(<digits>)"; null where there is none.
json shard_dimension(const std::string& placement) {
    static constexpr std::string_view mark = "PlacementShard(";
    for (size_t at = placement.find(mark); at != std::string::npos; at = placement.find(mark, at + 1)) {
        const size_t begin = at + mark.size();
        const size_t end = placement.find_first_not_of("0123456789", begin);
        if (end != std::string::npos && end > begin && placement[end] == ')') {
            return json::parse(placement.substr(begin, end - begin), nullptr, /*allow_exceptions=*/false);
        }
    }
    return nullptr;
}

json mesh_of(const json& machine) {
    const json& placements = member(machine, "tensor_placements");
    if (!placements.is_array() || placements.empty()) {
        return nullptr;
    }
    const json& shape = member(placements.front(), "mesh_device_shape");
    const json& placement = member(placements.front(), "placement");
    const json dimension = shard_dimension(placement.is_string() ? placement.get<std::string>() : placement.dump());
    json mesh_shape = shape.is_string() ? json::parse(shape.get<std::string>(), nullptr, false) : shape;
    return {{"mesh_shape", mesh_shape.is_discarded() ? shape : std::move(mesh_shape)},
            {"placement_type", dimension.is_null() ? "replicate" : "shard"},
            {"shard_dim", dimension}};
}

}  // namespace

std::string_view variant_name(LegacyVariant variant) {
    switch (variant) {
        case LegacyVariant::H1: return "H1";
        case LegacyVariant::H1_NON_FINITE: return "H1 with non-finite floats";
        case LegacyVariant::H2: return "H2";
        case LegacyVariant::H2_REBUILT: return "H2 with wide integers";
    }
    return "unknown";
}

std::string legacy_hash(LegacyVariant variant, std::string_view operation, const json& configuration) {
    json arguments = member(configuration, "arguments");
    if (!arguments.is_object()) {
        throw std::invalid_argument(fmt::format("configuration of {}: expected an object \"arguments\"", operation));
    }
    if (variant == LegacyVariant::H1_NON_FINITE) {
        rewrite(arguments, read_non_finite);
    } else if (variant != LegacyVariant::H1) {
        rewrite(arguments, drop_volatile);
    }
    const json& machine = member(first_of(member(configuration, "executions")), "machine_info");
    const json hashed = {{"operation", operation},
                         {"arguments", std::move(arguments)},
                         {"hardware", hardware_of(machine)},
                         {"mesh", mesh_of(machine)}};
    const bool rebuilt = variant == LegacyVariant::H2_REBUILT;
    return sha256(python_json(hashed, rebuilt ? WideNumbers::IN_FULL : WideNumbers::AS_FLOATS));
}

std::optional<LegacyMatch> match_legacy_hash(std::string_view operation, const json& configuration) {
    const json& stored = member(configuration, "config_hash");
    if (!stored.is_string()) {
        return std::nullopt;
    }
    using enum LegacyVariant;
    for (auto variant : {H1, H1_NON_FINITE, H2, H2_REBUILT}) {
        std::string hash = legacy_hash(variant, operation, configuration);
        if (stored == hash) {
            return LegacyMatch{variant, std::move(hash)};
        }
    }
    return std::nullopt;
}

}  // namespace tracelift
