#include "tracelift/report/device_operation.hpp"

#include <algorithm>
#include <cctype>

#include "ttnn/core/observer.hpp"

namespace tracelift::report {
namespace {

constexpr std::string_view suffix = "DeviceOperation";
constexpr std::string_view create_tensor = "create_device_tensor";
constexpr std::string_view create_tensor_shown = "tt::tt_metal::create_device_tensor";

std::string_view last_part(std::string_view name) {
    const size_t at = name.find_last_of(":.");
    return at == std::string_view::npos ? name : name.substr(at + 1);
}

std::string plain(std::string_view name) {
    name = last_part(name);
    for (const std::string_view end : {suffix, std::string_view("Operation")}) {
        if (name.size() > end.size() && name.ends_with(end)) {
            name.remove_suffix(end.size());
        }
    }
    std::string text;
    for (const char c : name) {
        if (c != '_') {
            text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return text;
}

}  // namespace

bool is_device_operation(std::string_view name) {
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    return !name.empty() && name != create_tensor && !has("(torch)") && !has("::") && !has("ttnn.");
}

std::string device_operation_code(std::string_view primitive) {
    std::string code;
    bool begins = true;
    for (const char c : last_part(primitive)) {
        if (c == '_') {
            begins = true;
        } else {
            code += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
            begins = false;
        }
    }
    return code + std::string(suffix);
}

bool same_device_operation(std::string_view a, std::string_view b) { return plain(a) == plain(b); }

std::string DeviceOperationNames::begin(std::string_view name) {
    std::string shown(name);
    if (name == create_tensor) {
        shown = create_tensor_shown;
    } else if (name == ttnn::device_operation_name && !open_.empty()) {
        shown = device_operation_code(open_.back().name);
    }
    open_.push_back({std::string(name), shown});
    return shown;
}

std::string DeviceOperationNames::end(std::string_view name) {
    const auto found = std::ranges::find(open_.rbegin(), open_.rend(), name, &Open::name);
    if (found == open_.rend()) {
        return std::string(name);
    }
    std::string shown = found->shown;
    open_.erase(found.base() - 1, open_.end());
    return shown;
}

}  // namespace tracelift::report
