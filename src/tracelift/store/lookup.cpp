#include "tracelift/store/lookup.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fnmatch.h>

#include "ttnn/op/nearest.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

constexpr std::string_view namespaces[] = {"", "experimental.", "transformer.", "moreh.", "kv_cache.", "prim."};

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::string message(std::string_view wanted, const std::vector<OperationSummary>& stored) {
    std::string text = fmt::format("no stored operation matches '{}'", wanted);
    if (stored.empty()) {
        return text + "; the store is empty";
    }
    std::vector<std::string> known;
    for (const OperationSummary& operation : stored) {
        known.push_back(operation.name.substr(std::string_view("ttnn.").size()));
    }
    std::vector<std::string> near =
        ttnn::nearest_names(dotted_name(wanted).substr(std::string_view("ttnn.").size()), known);
    if (near.empty()) {
        return text + fmt::format("; 'tracelift ops' lists the {} that are stored", stored.size());
    }
    std::ranges::transform(near, near.begin(), [](const std::string& name) { return cpp_name(name); });
    return text + ttnn::did_you_mean(near);
}

}  // namespace

UnknownOperation::UnknownOperation(std::string_view wanted, const std::vector<OperationSummary>& stored)
    : std::runtime_error(message(wanted, stored)) {}

std::vector<OperationSummary> find_stored(const std::vector<OperationSummary>& stored, std::string_view wanted) {
    const std::string bare = dotted_name(wanted).substr(std::string_view("ttnn.").size());
    std::vector<OperationSummary> found;
    for (const OperationSummary& operation : stored) {
        const bool hit = std::ranges::any_of(namespaces, [&](std::string_view prefix) {
            return operation.name == fmt::format("ttnn.{}{}", prefix, bare);
        });
        if (hit) {
            found.push_back(operation);
        }
    }
    // An alias of an operation: `sub` is stored as `subtract`.
    if (const ttnn::OpInfo* op = ttnn::find_operation(wanted); found.empty() && op != nullptr) {
        std::ranges::copy_if(stored, std::back_inserter(found),
                             [&](const OperationSummary& operation) { return operation.name == op->name; });
    }
    if (found.empty()) {
        std::ranges::copy_if(stored, std::back_inserter(found), [&](const OperationSummary& operation) {
            const bool hidden = operation.name.ends_with('_') && bare.find('_') == bare.npos;
            return !hidden && lower(operation.name).find(lower(bare)) != std::string::npos;
        });
    }
    if (found.empty()) {
        throw UnknownOperation(wanted, stored);
    }
    return found;
}

std::vector<OperationSummary> matching_pattern(const std::vector<OperationSummary>& stored, std::string_view pattern) {
    const std::string wanted = lower(dotted_name(pattern)).substr(std::string_view("ttnn.").size());
    std::vector<OperationSummary> found;
    std::ranges::copy_if(stored, std::back_inserter(found), [&](const OperationSummary& operation) {
        const std::string name = lower(operation.name).substr(std::string_view("ttnn.").size());
        return name.find(wanted) != name.npos || fnmatch(wanted.c_str(), name.c_str(), 0) == 0;
    });
    return found;
}

void check_model(Catalog& store, std::string_view model) {
    const auto models = store.models();
    const bool known = std::ranges::any_of(
        models, [&](const std::string& name) { return lower(name).find(lower(model)) != std::string::npos; });
    if (!known) {
        throw std::runtime_error(
            fmt::format("no stored model matches '{}'; stored: {}", model, fmt::join(models, ", ")));
    }
}

}  // namespace tracelift
