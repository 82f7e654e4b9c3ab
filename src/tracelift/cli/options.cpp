#include "tracelift/cli/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "tracelift/cli/numbers.hpp"
#include "ttnn/op/nearest.hpp"

namespace tracelift::cli {
namespace {

std::optional<double> number_of(std::string_view text) {
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool read = problem == std::errc() || problem == std::errc::result_out_of_range;
    if (!read || end != text.data() + text.size()) {
        return std::nullopt;
    }
    // Beyond what a double holds: as far outside any range as one can be.
    return problem == std::errc() ? number : std::numeric_limits<double>::infinity();
}

std::string bound_text(double bound) {
    return bound == static_cast<double>(static_cast<int64_t>(bound)) ? grouped(static_cast<uint64_t>(bound))
                                                                     : fmt::format("{}", bound);
}

void check_value(const OptionInfo& option, const std::string& text) {
    const auto words = words_of(option);
    if (std::ranges::find(words, text) != words.end() || (words.empty() && !option.range)) {
        return;
    }
    std::string expected = fmt::format("{}", fmt::join(words, ", "));
    if (const size_t comma = expected.rfind(", "); comma != expected.npos && !option.range) {
        expected.replace(comma, 2, " or ");
    }
    if (!option.range) {
        const auto near = ttnn::nearest_names(text, words, 1);
        throw UsageError{fmt::format("{} takes {}, got '{}'{}", option.long_name(), expected, text,
                                     near.empty() ? "" : ttnn::did_you_mean(near))};
    }
    const auto number = number_of(text);
    const Range& range = *option.range;
    const bool whole =
        number &&
        (!range.whole || *number == static_cast<double>(static_cast<int64_t>(std::clamp(*number, -1e18, 1e18))));
    if (!number || !whole || !(*number >= range.least && *number <= range.most)) {
        throw UsageError{fmt::format("{} takes {}number from {} to {}{}, got '{}'", option.long_name(),
                                     range.whole ? "a whole " : "a ", bound_text(range.least), bound_text(range.most),
                                     expected.empty() ? "" : ", or " + expected, text)};
    }
}

std::string expected_arguments(std::span<const ArgumentInfo> arguments) {
    std::string text;
    for (const ArgumentInfo& argument : arguments) {
        text += fmt::format("{}{}{}", text.empty() ? "" : " ", argument.name, argument.most > 1 ? "..." : "");
    }
    return text;
}

void check_arguments(const Command& command, size_t count) {
    size_t least = 0;
    size_t most = 0;
    for (const ArgumentInfo& argument : command.arguments) {
        least += argument.least;
        most = argument.most == any_number ? any_number : most + (most == any_number ? 0 : argument.most);
    }
    if (count >= least && count <= most) {
        return;
    }
    if (command.arguments.empty()) {
        throw UsageError{fmt::format("takes no arguments, got {}", count)};
    }
    const std::string number = least == most        ? fmt::format("{}", least)
                               : most == any_number ? fmt::format("at least {}", least)
                               : count < least      ? fmt::format("at least {}", least)
                                                    : fmt::format("at most {}", most);
    throw UsageError{fmt::format("expected {} argument{} ({}), got {}", number,
                                 number.ends_with(" 1") || number == "1" ? "" : "s",
                                 expected_arguments(command.arguments), count)};
}

}  // namespace

Options::Options(const Command& command, Given given, std::vector<std::string> positional,
                 std::vector<std::string> rest)
    : command_(&command), given_(std::move(given)), positional_(std::move(positional)), rest_(std::move(rest)) {
    for (const auto& [name, text] : given_) {
        const auto option = std::ranges::find(command.options, name, &OptionInfo::long_name);
        if (option != command.options.end() && !option->value.empty()) {
            check_value(*option, text);
        }
    }
    check_arguments(command, positional_.size());
}

std::optional<std::string> Options::value(std::string_view name) const {
    const auto found = given_.find(name);
    return found == given_.end() ? std::nullopt : std::optional(found->second);
}

std::string Options::value_or(std::string_view name, std::string_view otherwise) const {
    return value(name).value_or(std::string(otherwise));
}

double Options::number_or(std::string_view name, double otherwise) const {
    const auto text = value(name);
    return text ? number_of(*text).value_or(otherwise) : otherwise;
}

int64_t Options::whole_or(std::string_view name, int64_t otherwise) const {
    return static_cast<int64_t>(number_or(name, static_cast<double>(otherwise)));
}

std::vector<std::string> words_of(const OptionInfo& option) {
    std::vector<std::string> words;
    std::string_view rest = option.value;
    if (rest.empty() || (rest.find('|') == rest.npos && std::islower(static_cast<unsigned char>(rest[0])) == 0)) {
        return words;
    }
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('|'), rest.size());
        const std::string_view word = rest.substr(0, end);
        if (!option.range || std::islower(static_cast<unsigned char>(word[0])) != 0) {
            words.emplace_back(word);
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return words;
}

}  // namespace tracelift::cli
