#include "tracelift/bind/hardware.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/bind/board_text.hpp"
#include "ttnn/core/error.hpp"
#include "ttnn/device/board.hpp"

namespace tracelift {
namespace {

// Nothing for a board that somebody made up.
const ttnn::System* system_of(std::string_view board) {
    const std::string_view name = board.substr(0, board.find(':'));
    const auto names = ttnn::board_names();
    return std::ranges::find(names, name) != names.end() ? &ttnn::find_system(name) : nullptr;
}

// Older files: a list of series.
const Value& first_of(const Value& value) {
    const auto* list = value.as<Value::List>();
    return list != nullptr && !list->empty() ? list->front() : value;
}

std::string text_of(const Value& object, std::string_view key) {
    const Value* value = object.find(key);
    if (value == nullptr) {
        throw std::invalid_argument(fmt::format("machine_info has no '{}'", key));
    }
    const auto* text = first_of(*value).as<std::string>();
    if (text == nullptr) {
        throw std::invalid_argument(fmt::format("machine_info: '{}' must be a string, got {}", key, value->to_text()));
    }
    return *text;
}

int64_t count_of(const Value& object, std::string_view key) {
    const Value* value = object.find(key);
    if (value == nullptr || value->is_null()) {
        return 1;
    }
    if (value->as<int64_t>() == nullptr) {
        throw std::invalid_argument(fmt::format("machine_info: '{}' must be an int, got {}", key, value->to_text()));
    }
    return *value->as<int64_t>();
}

// A list, or the text of one.
std::vector<int64_t> mesh_of(const Value* shape) {
    std::vector<int64_t> mesh;
    if (const auto* text = shape != nullptr ? shape->as<std::string>() : nullptr) {
        for (size_t at = 0; (at = text->find_first_of("0123456789", at)) != text->npos;) {
            const size_t end = std::min(text->find_first_not_of("0123456789", at), text->size());
            mesh.push_back(std::stoll(text->substr(at, std::min<size_t>(end - at, 18))));
            at = end;
        }
    }
    const auto* list = shape != nullptr ? shape->as<Value::List>() : nullptr;
    for (const Value& dim : list != nullptr ? *list : Value::List{}) {
        if (dim.as<int64_t>() == nullptr) {
            throw std::invalid_argument(
                fmt::format("machine_info: 'mesh_device_shape' must be ints, got {}", shape->to_text()));
        }
        mesh.push_back(*dim.as<int64_t>());
    }
    return mesh;
}

}  // namespace

std::string mesh_text(const std::vector<int64_t>& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::optional<Hardware> hardware_of_board(std::string_view board) {
    if (board.empty()) {
        return std::nullopt;
    }
    BoardText text{std::string(board)};
    try {
        text = BoardText::parse(board);
    } catch (const ttnn::Error&) {  // no mesh
    }
    Hardware hardware{"unknown", text.board, 1, {text.mesh.dims.begin(), text.mesh.dims.end()}, text.mesh.num_chips()};
    if (const ttnn::System* system = system_of(text.board)) {
        hardware.board_type = system->board_type;
        hardware.device_series = system->device_series;
        hardware.card_count = system->card_count;
    }
    return hardware;
}

std::string board_of_series(std::string_view device_series) {
    for (const std::string_view name : ttnn::board_names()) {
        const ttnn::System& system = ttnn::find_system(name);
        if (system.device_series == device_series || system.name == device_series) {
            return fmt::format("{}{}", name, system.dispatch == ttnn::DispatchCoreType::ETH ? ":eth" : "");
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

std::optional<Hardware> hardware_of(const Value& info) {
    if (info.is_null()) {
        return std::nullopt;
    }
    const Value& object = first_of(info);  // format 1.2: a list
    if (object.as<Value::Dict>() == nullptr) {
        throw std::invalid_argument(fmt::format("machine_info must be an object, got {}", info.to_text()));
    }
    return Hardware{text_of(object, "board_type"), text_of(object, "device_series"), count_of(object, "card_count"),
                    mesh_of(object.find("mesh_device_shape")), count_of(object, "device_count")};
}

}  // namespace tracelift
