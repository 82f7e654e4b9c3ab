#include "tracelift/formats/legacy_hash.hpp"

#include <cctype>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/base/python_json.hpp"
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

// "Shape([1, 32])" -> [1, 32]; null where it holds anything but digits.
json shape_list(const std::string& text) {
    constexpr std::string_view open = "Shape([";
    if (!text.starts_with(open) || !text.ends_with("])")) {
        return nullptr;
    }
    const std::string inner = text.substr(open.size(), text.size() - open.size() - 2);
    if (inner.find_first_not_of("0123456789, ") != std::string::npos) {
        return nullptr;
    }
    const json list = json::parse("[" + inner + "]", nullptr, /*allow_exceptions=*/false);
    return list.is_array() ? list : json();
}

// Only under a key; items of lists stay.
void list_shapes(json& value) {
    if (!value.is_object()) {
        return;
    }
    for (json& inner : value) {
        if (inner.is_object() && inner.size() == 2 && member(inner, "type") == "Shape" &&
            member(inner, "value").is_string()) {
            if (json list = shape_list(member(inner, "value").get<std::string>()); !list.is_null()) {
                inner = std::move(list);
            }
        }
    }
}

void drop_unset_cores(json& value) {
    if (value.is_object() && value.contains("allowed_worker_cores") && value["allowed_worker_cores"].is_null()) {
        value.erase("allowed_worker_cores");
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
    const json mesh_shape = shape.is_string() ? json::parse(shape.get<std::string>(), nullptr, false) : shape;
    return {{"mesh_shape", mesh_shape.is_discarded() ? shape : mesh_shape},
            {"placement_type", dimension.is_null() ? "replicate" : "shard"},
            {"shard_dim", dimension}};
}

json mesh_of_machine(const json& machine) {
    json shape = member(machine, "mesh_device_shape");
    if (shape.is_string()) {
        shape = json::parse(shape.get<std::string>(), nullptr, /*allow_exceptions=*/false);
    }
    if (shape.is_array()) {
        return {{"mesh_shape", shape}, {"placement_type", nullptr}, {"shard_dim", nullptr}};
    }
    const json& count = member(machine, "device_count");
    if (count.is_number_integer() && count.get<int64_t>() > 0) {
        return {{"mesh_shape", nullptr}, {"device_count", count}, {"placement_type", nullptr}, {"shard_dim", nullptr}};
    }
    return nullptr;
}

constexpr LegacyVariant all_variants[] = {LegacyVariant::H1, LegacyVariant::H1_NON_FINITE,
                                          LegacyVariant::H2, LegacyVariant::H2_REBUILT,
                                          LegacyVariant::H3, LegacyVariant::H4,
                                          LegacyVariant::H5};

}  // namespace

std::optional<LegacyVariant> variant_of_name(std::string_view name) {
    for (const LegacyVariant variant : all_variants) {
        const std::string_view known = variant_name(variant);
        if (known.size() == name.size() && (name[0] == 'H' || name[0] == 'h') && name.substr(1) == known.substr(1)) {
            return variant;
        }
    }
    return std::nullopt;
}

std::string_view variant_name(LegacyVariant variant) {
    switch (variant) {
        case LegacyVariant::H1: return "H1";
        case LegacyVariant::H1_NON_FINITE: return "H1 with non-finite floats";
        case LegacyVariant::H2: return "H2";
        case LegacyVariant::H2_REBUILT: return "H2 with wide integers";
        case LegacyVariant::H3: return "H3";
        case LegacyVariant::H4: return "H4";
        case LegacyVariant::H5: return "H5";
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
    if (variant >= LegacyVariant::H3) {
        rewrite(arguments, list_shapes);
    }
    if (variant >= LegacyVariant::H4) {
        rewrite(arguments, drop_unset_cores);
    }
    const json& machine = member(first_of(member(configuration, "executions")), "machine_info");
    json mesh = mesh_of(machine);
    if (variant == LegacyVariant::H5 && mesh.is_null()) {
        mesh = mesh_of_machine(machine);
    }
    const json hashed = {{"operation", operation},
                         {"arguments", std::move(arguments)},
                         {"hardware", hardware_of(machine)},
                         {"mesh", std::move(mesh)}};
    const bool rebuilt = variant == LegacyVariant::H2_REBUILT;
    return sha256(python_json(hashed, rebuilt ? WideNumbers::IN_FULL : WideNumbers::AS_FLOATS));
}

std::optional<LegacyMatch> match_legacy_hash(std::string_view operation, const json& configuration) {
    const json& stored = member(configuration, "config_hash");
    if (!stored.is_string()) {
        return std::nullopt;
    }
    for (const LegacyVariant variant : all_variants) {
        std::string hash = legacy_hash(variant, operation, configuration);
        if (stored == hash) {
            return LegacyMatch{variant, std::move(hash)};
        }
    }
    return std::nullopt;
}

std::string format2_hash(LegacyVariant variant, std::string_view operation, const Json& arguments,
                         const Json& machine_info) {
    // Keys are sorted for the hash: nlohmann's plain json does that.
    const nlohmann::json configuration{
        {"arguments", nlohmann::json(arguments)},
        {"executions", nlohmann::json::array({{{"machine_info", nlohmann::json(machine_info)}}})}};
    return legacy_hash(variant, operation, configuration);
}

}  // namespace tracelift
