// Export: configurations of a store as a master of format 1 or 2, as JSON lines or as CSV.
#pragma once

#include "tracelift/base/text_sink.hpp"
#include "tracelift/catalog/catalog.hpp"
#include "tracelift/formats/legacy_hash.hpp"

namespace tracelift {

enum class ExportFormat { FORMAT_1, FORMAT_2, JSONL, CSV };

struct ExportOptions {
    ExportFormat format = ExportFormat::FORMAT_2;
    LegacyVariant hash = LegacyVariant::H5;  // for configurations that bring no config_hash
    ConfigurationQuery query{};              // its operation is ignored where `operations` is not empty
    std::vector<std::string> operations{};   // dotted
    // Which configurations of those; empty: all.
    std::function<bool(const Configuration&)> wanted{};
    std::function<void(uint64_t)> progress{};  // called with the number of configurations gone through
};

struct ExportReport {
    size_t operations = 0;
    size_t configurations = 0;
    size_t new_hashes = 0;  // config_hash computed by us
};

// Streams the text; memory does not grow with the store.
ExportReport export_configurations(Catalog& store, const ExportOptions& options, const TextSink& sink);

}  // namespace tracelift
