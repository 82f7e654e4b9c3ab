// Results that Python made, into the files and the store that the runner's go to; the face of it is
// python/tracelift/sweep_framework/results.py.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"
#include "tracelift/store/open.hpp"
#include "tracelift/sweep/record_json.hpp"
#include "tracelift/sweep/result_files.hpp"
#include "tracelift/sweep/run_facts.hpp"

namespace ttnn::python {
namespace {

using tracelift::Json;

void store_results(const std::filesystem::path& folder, const tracelift::SweepRun& run,
                   const std::vector<tracelift::ResultRecord>& results) {
    const auto store = tracelift::open_for_writing(folder);
    const int64_t sweep = store->begin_sweep(run);
    store->add_results(sweep, results);
    store->finish_sweep(sweep);
}

// `results` is a JSON list of records as journals have them; the paths of the files.
std::vector<std::filesystem::path> write_sweep_results(const std::string& results, const std::string& command,
                                                       const std::string& contents, const std::string& card_type,
                                                       const std::string& stamp, const std::filesystem::path& folder,
                                                       const std::optional<std::filesystem::path>& store) {
    const nb::gil_scoped_release others_run;
    std::vector<tracelift::ResultRecord> records;
    for (const Json& each : Json::parse(results)) {
        records.push_back(tracelift::record_from_json(each));
    }
    tracelift::SweepRun run = tracelift::run_of_now(command, contents, {});
    run.card_type = card_type;
    if (!records.empty()) {
        run.started = records.front().started;
        run.finished = records.back().ended;
    }
    if (store) {
        store_results(*store, run, records);
    }
    return tracelift::write_result_files(folder, run, records, stamp);
}

}  // namespace

void bind_sweep_results(nb::module_& module) {
    module.def("write_sweep_results", write_sweep_results, nb::arg("results"), nb::arg("command"), nb::arg("contents"),
               nb::arg("card_type"), nb::arg("stamp"), nb::arg("folder"), nb::arg("store").none());
}

}  // namespace ttnn::python
