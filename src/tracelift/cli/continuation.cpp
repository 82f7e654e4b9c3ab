#include "tracelift/cli/continuation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/cli/interrupts.hpp"

namespace tracelift::cli {
namespace {

bool is_flag(const Command& command, std::string_view name) {
    return std::ranges::any_of(command.options, [name](const OptionInfo& option) {
        return option.long_name() == name && option.value.empty();
    });
}

}  // namespace

std::string continuation(std::string_view command, const Options& options, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& without, const std::vector<std::string>& with) {
    std::vector<std::string> words = arguments;
    for (const auto& [name, value] : options.given()) {
        if (std::ranges::find(without, name) != without.end() || std::ranges::find(with, name) != with.end()) {
            continue;
        }
        if (is_flag(options.command(), name)) {
            words.push_back(name);
        } else if (value.empty() || value.starts_with('-')) {  // alone it would be taken for an option
            words.push_back(fmt::format("{}={}", name, value));
        } else {
            words.insert(words.end(), {name, value});
        }
    }
    words.insert(words.end(), with.begin(), with.end());
    return fmt::format("tracelift {}{}{}", command, words.empty() ? "" : " ", shell_words(words));
}

}  // namespace tracelift::cli
