// The selection registry (YAML): which traces stand for which models, and which of them a target means.
//
//   targets:                                  registry:
//     lead_models:                              - trace_id: 2
//       - model: [gpt_oss, deepseek_v3]           status: active        # draft | active | deprecated
//         trace: [9, 13]                          models: [deepseek_v3]
//     model_traced:                               hardware: {device_series: tt-galaxy-wh, ...}
//       - model: whisper                          trace_uid: ...
//         hardware: n300
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tracelift/catalog/catalog.hpp"

namespace tracelift {

// One trace that was selected, with the models it was selected for.
struct SelectedTrace {
    int64_t trace_id = 0;
    bool all_models = false;
    std::vector<std::string> models;
};

struct Selection {
    std::vector<SelectedTrace> traces;  // in the order of the targets
    std::vector<std::string> warnings;
};

// Resolves the targets of one group, or of all where `scope` is empty. Entries with `trace` mean those ids whatever
// their status; entries with `model` alone mean, per device series, the active trace with the highest id. Throws
// FileError with file, line and what was expected.
Selection resolve_selection(const std::filesystem::path& registry, const std::string& scope);

// Appends the runs that the registry does not know as drafts; comments and order of the file stay. How many.
size_t append_drafts(const std::filesystem::path& registry, const std::vector<RunSummary>& runs);

}  // namespace tracelift
