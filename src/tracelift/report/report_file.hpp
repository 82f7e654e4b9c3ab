// ReportFile: a report taken apart into its keys and nodes. The file itself is the memory of a graph: a node is parsed
// where and when it is needed, also twice.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "tracelift/base/mapped_file.hpp"
#include "tracelift/report/element.hpp"
#include "tracelift/report/file_array.hpp"
#include "tracelift/report/json_scan.hpp"

namespace tracelift::report {

// A JSON file whose parts can be parsed one by one.
class JsonFile {
public:
    // One piece may not be larger: parsing needs a multiple of it in memory.
    static constexpr size_t largest_piece = size_t{16} << 20;

    explicit JsonFile(const std::filesystem::path& path);

    const std::string& name() const { return name_; }
    const MappedFile& file() const { return file_; }
    std::string_view text(Span span) const { return file_.text().substr(span.begin, span.size()); }
    // Valid until the parser is used again. `what` names the place in errors.
    Element parse(simdjson::dom::parser& parser, Span span, std::string_view what) const;
    Element parse(simdjson::dom::parser& parser, Span span, std::string_view what, size_t index) const;

    // The elements of an array, the members of an object; false when the span is something else.
    bool for_each_element(Span array, const std::function<void(Span)>& visit) const;
    bool for_each_member(Span object, const std::function<void(std::string_view key, Span)>& visit) const;
    JsonScan scan(size_t at) const { return JsonScan(file_.text(), name_, at); }

private:
    std::string name_;  // the file's name without its folder
    MappedFile file_;
};

class ReportFile {
public:
    // Called now and then with the bytes that have been gone through.
    using Progress = std::function<void(size_t done)>;

    // Finds all nodes; throws ReportError where that is not possible.
    explicit ReportFile(const std::filesystem::path& path, Progress progress = {});

    const JsonFile& json() const { return json_; }
    const std::string& name() const { return json_.name(); }
    std::optional<Span> find(std::string_view key) const;
    bool has_graph() const { return has_graph_; }
    size_t nodes() const { return offsets_.size() == 0 ? 0 : offsets_.size() - 1; }
    Span node(size_t position) const;
    // Where the node with this counter stands.
    std::optional<size_t> position_of(uint64_t counter) const;
    // Tells that nodes before `position` will hardly be asked for again.
    void passed(size_t position);
    std::string fingerprint() const;

private:
    void read_graph(JsonScan& scan);

    JsonFile json_;
    Progress progress_;
    std::map<std::string, Span, std::less<>> keys_;
    bool has_graph_ = false;
    FileArray<uint64_t> offsets_;  // of nodes, and one behind the last
    // Nodes whose counter is not their position: none in most reports.
    std::unordered_map<uint64_t, size_t> odd_counters_;
    std::unordered_set<size_t> odd_positions_;
    size_t released_ = 0;
};

}  // namespace tracelift::report
