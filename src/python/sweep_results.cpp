// Results that Python made into the store; python/tracelift/sweep_framework/stored_results.py says what they are.
#include <stdexcept>

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "python/bindings.hpp"
#include "tracelift/store/open.hpp"

namespace ttnn::python {
namespace {

using tracelift::Json;

std::string text_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? std::string() : found->get<std::string>();
}

tracelift::SweepRun run_of(const Json& json) {
    return {.started = text_at(json, "started"),
            .command = text_at(json, "command"),
            .contents = text_at(json, "contents"),
            .host = text_at(json, "host"),
            .card_type = text_at(json, "card_type"),
            .git_commit = text_at(json, "git_commit"),
            .git_branch = text_at(json, "git_branch"),
            .git_author = text_at(json, "git_author"),
            .environment = text_at(json, "environment")};
}

tracelift::ResultRecord record_of(const Json& json) {
    tracelift::ResultRecord record{.vector_id = text_at(json, "vector_id"),
                                   .sweep_name = text_at(json, "sweep_name"),
                                   .suite = text_at(json, "suite"),
                                   .operation = text_at(json, "operation"),
                                   .identity = text_at(json, "identity"),
                                   .message = text_at(json, "message"),
                                   .exception = text_at(json, "exception"),
                                   .milliseconds = json.at("milliseconds").get<double>(),
                                   .started = text_at(json, "started"),
                                   .ended = text_at(json, "ended"),
                                   .source = text_at(json, "source"),
                                   .parameters = json.at("parameters")};
    const std::string status = text_at(json, "status");
    const auto member = member_of<tracelift::Status>(status);
    if (!member) {
        throw std::invalid_argument(fmt::format("'{}' is not a status of a sweep", status));
    }
    record.status = *member;
    if (const auto& pcc = json.at("pcc"); pcc.is_number()) {
        record.pcc = pcc.get<double>();
    }
    for (const auto& [name, value] : json.at("metrics").items()) {
        record.metrics.push_back({name, value.get<double>()});
    }
    return record;
}

// All or nothing; the id of the sweep.
int64_t store_sweep(const std::filesystem::path& directory, const std::string& run, const std::string& results) {
    const nb::gil_scoped_release others_run;
    std::vector<tracelift::ResultRecord> records;
    for (const Json& each : Json::parse(results)) {
        records.push_back(record_of(each));
    }
    const auto store = tracelift::open_for_writing(directory);
    const int64_t sweep = store->begin_sweep(run_of(Json::parse(run)));
    store->add_results(sweep, records);
    store->finish_sweep(sweep);
    return sweep;
}

}  // namespace

void bind_sweep_results(nb::module_& module) {
    module.def("store_sweep", store_sweep, nb::arg("directory"), nb::arg("run"), nb::arg("results"));
}

}  // namespace ttnn::python
