// Hardware: where a call ran, as masters name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/value/json.hpp"

namespace tracelift {

struct Hardware {
    std::string board_type;     // "Wormhole", "Blackhole"
    std::string device_series;  // "n150", "tt-galaxy-wh", ...
    int64_t card_count = 1;
    std::vector<int64_t> mesh_shape;  // empty: not known
    int64_t device_count = 1;
    bool operator==(const Hardware&) const = default;
};

std::string mesh_text(const std::vector<int64_t>& shape);  // "4x8"

// Of an emulated board ("n300:eth", with a mesh as in board_text.hpp); nothing for an empty name, which stands for
// calls on the host only.
std::optional<Hardware> hardware_of_board(std::string_view board);
// The emulated board that stands for a series, so that traces of real cards can be replayed; empty when there is none.
std::string board_of_series(std::string_view device_series);

// `machine_info` of masters, and back. Throws std::invalid_argument that names the missing or wrong key.
Json machine_info(const std::optional<Hardware>& hardware);
std::optional<Hardware> hardware_of(const Value& machine_info);  // a plain tree

}  // namespace tracelift
