#include "tracelift/catalog/sqlite/model_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "tracelift/base/sqlite.hpp"

namespace tracelift {
namespace {

constexpr std::array families = {std::string_view("llama"),    std::string_view("qwen"),
                                 std::string_view("deepseek"), std::string_view("mistral"),
                                 std::string_view("whisper"),  std::string_view("efficientnet"),
                                 std::string_view("resnet"),   std::string_view("bert")};

// Segments of a path that say nothing of the model.
constexpr std::array telling_nothing = {std::string_view("models"),
                                        std::string_view("tests"),
                                        std::string_view("demos"),
                                        std::string_view("experimental"),
                                        std::string_view("wormhole"),
                                        std::string_view("vision"),
                                        std::string_view("classification"),
                                        std::string_view("audio"),
                                        std::string_view("nightly"),
                                        std::string_view("single_card"),
                                        std::string_view("demo"),
                                        std::string_view("pcc"),
                                        std::string_view("segmentation_evaluation")};

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

void strip_suffix(std::string& text, std::string_view suffix) {
    if (text.ends_with(suffix)) {
        text.resize(text.size() - suffix.size());
    }
}

std::string name_of_path(std::string_view path) {
    path = path.substr(0, path.find("::"));
    std::string fallback;
    while (!path.empty()) {
        const size_t slash = std::min(path.find('/'), path.size());
        std::string segment = lower(path.substr(0, slash));
        path.remove_prefix(std::min(slash + 1, path.size()));
        strip_suffix(segment, ".py");
        strip_suffix(segment, ".json");
        if (segment.starts_with("test_")) {
            segment.erase(0, std::string_view("test_").size());
        }
        if (segment.empty() || segment == "." || segment == "..") {
            continue;
        }
        if (std::ranges::find(telling_nothing, segment) == telling_nothing.end()) {
            return segment;
        }
        fallback = segment;
    }
    return fallback.empty() ? "unknown" : fallback;
}

}  // namespace

ModelName model_name_of(std::string_view source) {
    ModelName name;
    const std::string whole = lower(source);
    for (const std::string_view family : families) {
        if (name.family.empty() && whole.find(family) != whole.npos) {
            name.family = family;
        }
    }
    const size_t tag = source.find(" [");
    name.source_file = source.substr(0, tag);
    constexpr std::string_view mark = "[HF_MODEL:";
    if (const size_t at = source.find(mark); at != source.npos) {
        const size_t begin = at + mark.size();
        name.hf_model = source.substr(begin, std::min(source.find(']', begin), source.size()) - begin);
    }
    name.name = name.hf_model.empty() ? name_of_path(name.source_file)
                                      : lower(name.hf_model.substr(name.hf_model.rfind('/') + 1));  // npos + 1 is 0
    return name;
}

std::string free_short_name(Database& database, const std::string& name) {
    Statement find(database, "SELECT 1 FROM model WHERE short_name = ?");
    std::string candidate = name;
    for (int number = 2; find.with(candidate).value<int64_t>(); ++number) {
        candidate = fmt::format("{}_{}", name, number);
    }
    return candidate;
}

}  // namespace tracelift
