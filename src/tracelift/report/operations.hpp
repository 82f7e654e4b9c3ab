// Operations of a graph under rules R: which functions are operations, and the rows of each.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracelift/report/captured_graph.hpp"
#include "tracelift/report/context.hpp"
#include "tracelift/report/memory.hpp"
#include "tracelift/report/python_records.hpp"
#include "tracelift/report/snapshots.hpp"
#include "tracelift/report/tensors.hpp"

namespace tracelift::report {

// A function inside an operation: what it took and gave, by counters.
struct NestedCall {
    std::vector<uint64_t> inputs;
    std::vector<uint64_t> outputs;
};

// The operation that is open; there is one at most, since functions inside an operation are none.
struct OpenOperation {
    std::string name{};
    std::optional<size_t> start{};  // position; nothing for an end without a start
    int64_t counter = 0;
    std::vector<uint64_t> inputs{};
    std::vector<NestedCall> nested{};  // in the order of their starts
    std::vector<int64_t> freed{};      // tensors
    std::optional<Span> record{};      // of Python
    bool failed = false;               // an error was recorded in it
};

class Operations {
public:
    Operations(Context& context, Memory& memory, Tensors& tensors, PythonRecords& python, const NodeReader& recent);

    // The id of the operation that ends next, also while it is open.
    int64_t next_id() const { return context_.base_id + count_ + 1; }
    int64_t last_id() const { return context_.base_id + count_; }

    // `end`: the function_end; nothing for an operation that did not end, which then reaches up to `last`.
    void finish(OpenOperation& operation, const NodeView* end, size_t last);
    void finish_free(const NodeView& node, const Freed& freed);
    void error(const NodeView& node, OpenOperation* open);
    void finish_all() { listed_.finish(); }

private:
    using Ids = std::vector<int64_t>;

    void read_lists();
    int64_t end_snapshot(std::optional<size_t> start, int64_t id);
    void write_row(const OpenOperation& operation, int64_t id, int64_t duration_ns);
    void write_arguments(int64_t id, const OpenOperation& operation, const std::optional<Element>& record);
    std::optional<Element> record_of(const OpenOperation& operation);
    std::string stack_text(const OpenOperation& operation, const std::optional<Element>& record);
    std::string write_stack_trace(int64_t id, const OpenOperation& operation, const std::optional<Element>& record);
    std::optional<int64_t> source_file(const std::string& path);
    std::optional<int64_t> store_source_file(const std::string& path);
    Ids recorded_ids(const std::optional<Element>& record, std::string_view key);
    std::vector<size_t> tensor_positions(const std::vector<uint64_t>& counters);
    Ids used(const std::vector<size_t>& positions);
    Ids lifted_inputs(const OpenOperation& operation);
    std::vector<size_t> lifted_outputs(const OpenOperation& operation);
    void write_inputs(int64_t id, const OpenOperation& operation, const std::optional<Element>& record);
    void write_outputs(int64_t id, const std::vector<size_t>& results, const std::optional<Element>& record);
    void incomplete(const OpenOperation& operation, int64_t id);

    Context& context_;
    Memory& memory_;
    Tensors& tensors_;
    PythonRecords& python_;
    CapturedGraph graph_;
    ListedSnapshots listed_;
    NodeLookup start_;
    simdjson::dom::parser record_parser_;
    FileArray<Span> lists_;  // "per_operation_buffers" by position of the function_start
    int64_t count_ = 0;
    std::unordered_map<std::string, int64_t> last_of_name_;
    std::unordered_set<std::string> names_with_errors_;
    std::unordered_map<std::string, std::optional<int64_t>> source_files_;  // ids by path
};

}  // namespace tracelift::report
