#include "tracelift/catalog/catalog.hpp"

#include <algorithm>
#include <charconv>

namespace tracelift {

std::vector<Configuration> Catalog::configurations(std::string_view operation, std::string_view model) {
    std::vector<Configuration> all;
    visit({std::string(operation), std::string(model)}, [&](Configuration& configuration) {
        all.push_back(std::move(configuration));
        return true;
    });
    return all;
}

std::optional<SweepRun> Catalog::find_sweep(std::string_view text) {
    constexpr std::string_view latest = "latest";
    const bool by_age = text.starts_with(latest);
    std::string_view digits = text == latest ? "0" : text;
    if (by_age && text != latest) {
        if (!text.starts_with("latest~")) {
            return std::nullopt;
        }
        digits = text.substr(latest.size() + 1);
    }
    int64_t number = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (problem != std::errc() || end != digits.data() + digits.size() || number < 0) {
        return std::nullopt;
    }
    auto runs = sweeps();
    const auto found =
        by_age ? runs.begin() + std::min(number, std::ssize(runs)) : std::ranges::find(runs, number, &SweepRun::id);
    return found == runs.end() ? std::nullopt : std::optional(std::move(*found));
}

}  // namespace tracelift
