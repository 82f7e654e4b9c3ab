// From graph reports to the database of the ttnn-visualizer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tracelift/report/report_error.hpp"
#include "tracelift/report/tables.hpp"

namespace tracelift::report {

enum class Existing : uint8_t { REFUSE, REPLACE, APPEND };  // a database that is there already
enum class LayoutNumbers : uint8_t { IMPORTERS, VIEWER };   // 1, 2, 3 or 2, 3, 4 for sharded buffers

struct ImportOptions {
    std::vector<std::filesystem::path> inputs;  // reports, and folders of reports
    std::filesystem::path directory;
    std::string database = "db.sqlite";
    Rules rules = Rules::R;
    Existing existing = Existing::REFUSE;
    LayoutNumbers layout_numbers = LayoutNumbers::VIEWER;  // rules S have their own
    bool svg = false;
    bool materialize = false;           // `buffers` as a table, however long
    int64_t longest_table = 1'000'000;  // rows up to which `buffers` is a table anyway
    bool keep_going = false;            // leave out reports that cannot be read
    bool repeated_inputs = false;       // a tensor that is passed twice is two rows of input_tensors
    bool source_files = false;          // read the files that stack traces name
    // Called now and then: file, bytes gone through, bytes there are. What it throws ends the import, which changes
    // nothing then.
    std::function<void(const std::string& name, size_t done, size_t total)> progress;
};

struct ImportSummary {
    std::filesystem::path database;
    Rules rules = Rules::R;
    int64_t reports = 0;
    int64_t nodes = 0;
    std::vector<std::pair<std::string, int64_t>> rows;  // by what they are called for people, in order
    std::vector<std::string> files;                     // written beside the database
    std::set<std::string> derived;                      // of these: made from other parts of the report
    int64_t pictures = 0;
    std::map<std::string, int64_t> warnings;  // how often
    std::vector<std::string> skipped;         // reports left out, with the reason
};

// The database is replaced when everything has gone well, and not touched otherwise.
// Throws ReportError for a report that cannot be imported, StoreError for a database that cannot.
ImportSummary import_reports(const ImportOptions& options);

// What the command prints: the lines that importers have always printed.
std::string summary_text(const ImportSummary& summary);

}  // namespace tracelift::report
