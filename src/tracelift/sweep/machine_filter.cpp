#include "tracelift/sweep/machine_filter.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <regex>
#include <stdexcept>

#include <fmt/format.h>

namespace tracelift {
namespace {

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

const Json* member(const Json& info, const char* key) {
    const auto found = info.is_object() ? info.find(key) : info.end();
    return found == info.end() || found->is_null() ? nullptr : &*found;
}

// "4x8" of [4, 8], and of the text of it; empty where it is neither.
std::string mesh_of(const Json& info) {
    const Json* mesh = member(info, "mesh_device_shape");
    if (mesh == nullptr) {
        return {};
    }
    const std::string text = mesh->is_string() ? mesh->get<std::string>() : mesh->dump();
    std::smatch sizes;
    const bool two = std::regex_search(text, sizes, std::regex(R"(^\D*(\d+)\D+(\d+)\D*$)"));
    return two ? fmt::format("{}x{}", sizes[1].str(), sizes[2].str()) : "";
}

bool same_text(const Json& info, const char* key, const std::string& wanted) {
    const Json* found = member(info, key);
    if (found == nullptr || !found->is_string()) {
        return true;
    }
    const std::string text = lower(found->get<std::string>());
    const auto is_wormhole = [](const std::string& name) { return name.find("wormhole") != name.npos; };
    return text == lower(wanted) || (is_wormhole(text) && is_wormhole(lower(wanted)));
}

bool same_count(const Json& info, const char* key, int64_t wanted) {
    const Json* found = member(info, key);
    return found == nullptr || !found->is_number_integer() || found->get<int64_t>() == wanted;
}

bool takes_entry(const MachineFilter& filter, const Json& info) {
    const std::string mesh = mesh_of(info);
    if (!filter.mesh.empty() && !mesh.empty() && mesh != filter.mesh) {
        return false;
    }
    if (!filter.hardware) {
        return true;
    }
    const Hardware& wanted = *filter.hardware;
    return same_text(info, "board_type", wanted.board_type) && same_text(info, "device_series", wanted.device_series) &&
           same_count(info, "card_count", wanted.card_count) && same_count(info, "device_count", wanted.device_count);
}

std::string variable(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? "" : text;
}

}  // namespace

MachineFilter MachineFilter::from_environment() {
    MachineFilter filter{.mesh = lower(variable("MESH_DEVICE_SHAPE"))};
    if (!filter.mesh.empty() && !std::regex_match(filter.mesh, std::regex(R"(\d+x\d+)"))) {
        throw std::invalid_argument(fmt::format("MESH_DEVICE_SHAPE is '{}', expected a mesh such as 4x8", filter.mesh));
    }
    if (variable("LEAD_MODELS_RUN") == "1") {
        std::string board = variable("TRACELIFT_BOARD");
        board = board.empty() ? "n150" : board;
        const bool names_mesh = filter.mesh.empty() || board.find('@') != board.npos;
        filter.hardware = hardware_of_board(names_mesh ? board : fmt::format("{}@{}", board, filter.mesh));
    }
    return filter;
}

bool MachineFilter::takes(const Json& machine_info) const {
    if (!machine_info.is_array()) {
        return takes_entry(*this, machine_info);
    }
    return machine_info.empty() ||
           std::ranges::any_of(machine_info, [&](const Json& info) { return takes_entry(*this, info); });
}

}  // namespace tracelift
