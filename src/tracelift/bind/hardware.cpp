#include "tracelift/bind/hardware.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace tracelift {
namespace {

struct Known {
    std::string_view board;
    std::string_view board_type;
    std::string_view device_series;
    int64_t card_count;
};
constexpr Known known_boards[] = {{"n150", "Wormhole", "n150", 1},
                                  {"n300", "Wormhole", "n300", 1},
                                  {"galaxy", "Wormhole", "tt-galaxy-wh", 32},
                                  {"p150", "Blackhole", "p150b", 1},
                                  {"p100", "Blackhole", "p100a", 1}};

const Json& required(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) {
        throw std::invalid_argument(fmt::format("machine_info has no '{}'", key));
    }
    return *found;
}

std::string text_of(const Json& object, const char* key) {
    const Json& value = required(object, key);
    const Json& text = value.is_array() && !value.empty() ? value.front() : value;  // older files: a list of series
    if (!text.is_string()) {
        throw std::invalid_argument(fmt::format("machine_info: '{}' must be a text, got {}", key, value.dump()));
    }
    return text.get<std::string>();
}

int64_t count_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) {
        return 1;
    }
    if (!found->is_number_integer()) {
        throw std::invalid_argument(fmt::format("machine_info: '{}' must be an int, got {}", key, found->dump()));
    }
    return found->get<int64_t>();
}

}  // namespace

std::optional<Hardware> hardware_of_board(std::string_view board) {
    const std::string_view name = board.substr(0, board.find(':'));
    for (const Known& known : known_boards) {
        if (known.board == name) {
            return Hardware{
                std::string(known.board_type), std::string(known.device_series), known.card_count, {1, 1}, 1};
        }
    }
    if (board.empty()) {
        return std::nullopt;
    }
    return Hardware{"unknown", std::string(board), 1, {1, 1}, 1};  // a board that somebody made up
}

std::string board_of_series(std::string_view device_series) {
    for (const Known& known : known_boards) {
        if (known.device_series == device_series || known.board == device_series) {
            return std::string(known.board);
        }
    }
    return {};
}

Json machine_info(const std::optional<Hardware>& hardware) {
    if (!hardware) {
        return nullptr;
    }
    Json info{{"board_type", hardware->board_type},
              {"device_series", hardware->device_series},
              {"card_count", hardware->card_count}};
    if (!hardware->mesh_shape.empty()) {
        info["mesh_device_shape"] = hardware->mesh_shape;
    }
    info["device_count"] = hardware->device_count;
    return info;
}

std::optional<Hardware> hardware_of(const Json& info) {
    if (info.is_null()) {
        return std::nullopt;
    }
    const Json& object = info.is_array() && !info.empty() ? info.front() : info;  // format 1.2: a list
    if (!object.is_object()) {
        throw std::invalid_argument(fmt::format("machine_info must be an object, got {}", info.dump()));
    }
    Hardware hardware{text_of(object, "board_type"),
                      text_of(object, "device_series"),
                      count_of(object, "card_count"),
                      {},
                      count_of(object, "device_count")};
    if (const auto mesh = object.find("mesh_device_shape"); mesh != object.end() && mesh->is_array()) {
        hardware.mesh_shape = mesh->get<std::vector<int64_t>>();
    }
    return hardware;
}

}  // namespace tracelift
