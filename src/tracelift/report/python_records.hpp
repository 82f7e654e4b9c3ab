// PythonRecords: what the Python side recorded about calls ("python_io"), found by the name of the function. The n-th
// call of a name has the n-th record of that name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "tracelift/report/report_file.hpp"

namespace tracelift::report {

class PythonRecords {
public:
    // From the key of the report, else from the file beside it.
    PythonRecords(const ReportFile& report, const std::filesystem::path& path);

    bool empty() const { return records_.size() == 0; }
    // The next record of this name; each is given once.
    std::optional<Span> next(const std::string& name);
    Element parse(simdjson::dom::parser& parser, Span record) const {
        return json_->parse(parser, record, "python_io");
    }

private:
    struct Record {
        uint64_t begin, end, next;  // next: number of the next record of the same name, counted from 1
    };
    void read(Span list);

    const JsonFile* json_;
    std::unique_ptr<JsonFile> side_file_;
    FileArray<Record> records_;
    struct Queue {
        uint64_t first = 0, last = 0;  // counted from 1; 0: none
    };
    std::unordered_map<std::string, Queue> by_name_;
};

}  // namespace tracelift::report
