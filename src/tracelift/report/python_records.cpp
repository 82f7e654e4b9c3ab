#include "tracelift/report/python_records.hpp"

namespace tracelift::report {

PythonRecords::PythonRecords(const ReportFile& report, const std::filesystem::path& path) : json_(&report.json()) {
    if (const auto list = report.find("python_io")) {
        read(*list);
        return;
    }
    std::filesystem::path beside = path;
    beside.replace_extension(".python_io.json");
    if (std::filesystem::exists(beside)) {
        side_file_ = std::make_unique<JsonFile>(beside);
        json_ = side_file_.get();
        JsonScan scan = json_->scan(0);
        read(scan.value());
    }
}

void PythonRecords::read(Span list) {
    simdjson::dom::parser parser;
    json_->for_each_element(list, [&](Span span) {
        const auto name = member(json_->parse(parser, span, "python_io", records_.size()), "name");
        const auto text = name ? as_text(*name) : std::nullopt;
        if (!text) {
            return;
        }
        records_.push_back({span.begin, span.end, 0});
        Queue& queue = by_name_[std::string(*text)];
        if (queue.first == 0) {
            queue.first = records_.size();
        } else {
            records_[queue.last - 1].next = records_.size();
        }
        queue.last = records_.size();
    });
}

std::optional<Span> PythonRecords::next(const std::string& name) {
    const auto queue = by_name_.find(name);
    if (queue == by_name_.end() || queue->second.first == 0) {
        return std::nullopt;
    }
    const Record& record = records_[queue->second.first - 1];
    queue->second.first = record.next;
    return Span{record.begin, record.end};
}

}  // namespace tracelift::report
