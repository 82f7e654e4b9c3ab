// The text that says where a call runs: a board, and a mesh of its chips behind an @ where it is more than one.
//
//   n150    n300:eth@1x2    galaxy@4x8
//
// The board is a name that ttnn::find_board knows; empty stands for the default one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tracelift/bind/hardware.hpp"
#include "ttnn/device/mesh.hpp"

namespace ttnn {
class Device;
}

namespace tracelift {

struct BoardText {
    std::string board;
    ttnn::MeshShape mesh{};  // 1x1 where the text names none

    // Throws ttnn::Error for a mesh that is none.
    static BoardText parse(std::string_view text);
    std::string to_string() const;
};

std::string board_text(const ttnn::Device& device);
std::string board_without_mesh(std::string_view text);
std::shared_ptr<ttnn::Device> open_board(std::string_view text);

// Where to replay a call: on this board, and on the mesh that the text names, or else the one that its tensors lie on,
// or else the one that its machine has.
std::string board_to_replay(const std::string& board, const std::optional<Hardware>& hardware,
                            const Value::Dict& arguments);

}  // namespace tracelift
