#include "tracelift/bind/board_text.hpp"

#include <charconv>

#include <fmt/format.h>

#include "ttnn/core/error.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/tensor_placement.hpp"
#include "ttnn/op/type_info.hpp"

namespace tracelift {
namespace {

constexpr char mesh_mark = '@';
constexpr uint64_t most_chips = 1024;  // every buffer has an entry for each

// "4x8"; nothing where that is no mesh.
std::optional<ttnn::MeshShape> mesh_of(std::string_view text) {
    ttnn::MeshShape mesh{{}};
    uint64_t chips = 1;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        uint32_t size = 0;
        const auto [next, problem] = std::from_chars(at, end, size);
        chips *= size;
        if (problem != std::errc() || chips == 0 || chips > most_chips) {
            return std::nullopt;
        }
        mesh.dims.push_back(size);
        if (next == end) {
            return mesh;
        }
        if (*next != 'x') {
            return std::nullopt;
        }
        at = next + 1;
    }
}

// Of the first tensor that lies on one.
std::optional<ttnn::MeshShape> mesh_of_tensors(const Value& value) {
    if (const auto* list = value.as<Value::List>()) {
        for (const Value& item : *list) {
            if (auto found = mesh_of_tensors(item)) {
                return found;
            }
        }
        return std::nullopt;
    }
    const Value* placement = value.as<Value::Struct>() != nullptr ? value.find(ttnn::placement_field) : nullptr;
    if (placement == nullptr) {
        return std::nullopt;
    }
    try {
        return ttnn::TensorPlacement::decode(*placement).mesh;
    } catch (const ttnn::DecodeError&) {
        return std::nullopt;  // who decodes the tensor tells why
    }
}

}  // namespace

BoardText BoardText::parse(std::string_view text) {
    BoardText parsed{board_without_mesh(text)};
    if (const size_t mark = text.find(mesh_mark); mark != text.npos) {
        const auto mesh = mesh_of(text.substr(mark + 1));
        ttnn::require(mesh.has_value(), "'{}': expected a mesh of up to {} chips behind the {}, such as 4x8", text,
                      most_chips, mesh_mark);
        parsed.mesh = *mesh;
    }
    return parsed;
}

std::string BoardText::to_string() const {
    return mesh.num_chips() == 1 ? board : fmt::format("{}{}{}", board, mesh_mark, mesh.to_string());
}

std::string board_text(const ttnn::Device& device) { return BoardText{device.board().name, device.mesh()}.to_string(); }

std::string board_without_mesh(std::string_view text) { return std::string(text.substr(0, text.find(mesh_mark))); }

std::shared_ptr<ttnn::Device> open_board(std::string_view text) {
    BoardText parsed = BoardText::parse(text);
    return ttnn::Device::open({.board = std::move(parsed.board), .mesh = std::move(parsed.mesh)});
}

std::string board_to_replay(const std::string& board, const std::optional<Hardware>& hardware,
                            const Value::Dict& arguments) {
    if (board.find(mesh_mark) != board.npos) {
        return board;
    }
    for (const auto& argument : arguments) {
        if (const auto mesh = mesh_of_tensors(argument.value)) {
            return BoardText{board, *mesh}.to_string();
        }
    }
    const auto mesh = hardware ? mesh_of(mesh_text(hardware->mesh_shape)) : std::nullopt;
    return mesh ? BoardText{board, *mesh}.to_string() : board;
}

}  // namespace tracelift
