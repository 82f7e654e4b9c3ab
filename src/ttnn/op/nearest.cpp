#include "ttnn/op/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <tuple>

#include "ttnn/op/edit_distance.hpp"

namespace ttnn {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

// How a name fits: the kind of hit, then how far it is off; smaller is better.
using Fit = std::pair<int, size_t>;
constexpr int begins = 0, contains = 1, resembles = 2;

std::optional<Fit> fit(std::string_view wanted, std::string_view known) {
    if (known.starts_with(wanted)) {
        return Fit{begins, known.size() - wanted.size()};
    }
    if (known.find(wanted) != known.npos) {
        return Fit{contains, known.size() - wanted.size()};
    }
    // A third of what was typed may be wrong. The beginning of a longer name costs one letter more than a whole name.
    const size_t allowed = std::max<size_t>(1, wanted.size() / 3);
    size_t distance = edit_distance(wanted, known);
    for (size_t length = wanted.size() - allowed; length < std::min(known.size(), wanted.size() + allowed); ++length) {
        distance = std::min(distance, edit_distance(wanted, known.substr(0, length)) + 1);
    }
    return distance <= allowed ? std::optional(Fit{resembles, distance}) : std::nullopt;
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known, size_t count) {
    if (wanted.empty()) {
        return {};
    }
    const std::string typed = lower(wanted);
    std::vector<std::tuple<Fit, size_t, std::string>> ranked;
    for (const std::string& name : known) {
        const std::string whole = lower(name);
        const std::string_view last = std::string_view(whole).substr(whole.find_last_of('.') + 1);
        auto best = fit(typed, whole);
        if (const auto other = fit(typed, last); other && (!best || *other < *best)) {
            best = other;
        }
        if (best) {
            ranked.emplace_back(*best, name.size(), name);
        }
    }
    std::ranges::sort(ranked);
    std::vector<std::string> names;
    for (size_t i = 0; i < ranked.size() && names.size() < count; ++i) {
        if (std::ranges::find(names, std::get<2>(ranked[i])) == names.end()) {
            names.push_back(std::get<2>(ranked[i]));
        }
    }
    return names;
}

std::string did_you_mean(std::span<const std::string> names) {
    std::string text = names.empty() ? "" : "; did you mean ";
    for (size_t i = 0; i < names.size(); ++i) {
        text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
        text += names[i];
    }
    return text + (names.empty() ? "" : "?");
}

}  // namespace ttnn
