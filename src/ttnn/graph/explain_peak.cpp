#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "tracelift/base/json_text.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/memory_count.hpp"

namespace ttnn::graph {

namespace {

// Keeps what is alive, counted as L1Count and DramCount do.
class LiveMemory : public MemoryVisitor {
public:
    LiveMemory(const Trace& trace, MemoryKind kind) : trace_(trace), kind_(kind) {}

    bool input(const Node& buffer) {
        if (kind_ != MemoryKind::L1 || !is_l1(buffer)) {
            return false;
        }
        add(place(buffer), bytes(buffer, "size"), "input");
        return true;
    }
    void begin(const Node& node) { stack_.push(node); }
    void end() { stack_.pop(); }
    void allocate(const Node& node) {
        if (counts(node)) {
            add(place(buffer_of(trace_, node)), bytes(node, "size"), stack_.current());
        }
    }
    void deallocate(const Node& event, const Node& buffer) {
        if (!counts(buffer)) {
            return;
        }
        std::vector<size_t>& entries = entries_of_[place(buffer)];
        if (entries.empty()) {
            add(place(buffer), -bytes(buffer, "size"), stack_.current());
            return;
        }
        PeakBuffer& last = buffers_[entries.back()];
        add_bytes(last.size, -bytes(buffer, "size"), event);
        if (last.size == 0) {
            entries.pop_back();
        }
    }
    void circular_buffer(const Node& node) {
        if (kind_ == MemoryKind::L1) {
            circular_buffers_.push_back({bytes(node, "size"), node.counter,
                                         std::string(node.find("core_range_set").value_or("")), stack_.current()});
        }
    }
    void release_circular_buffers() { circular_buffers_.clear(); }

    void describe(PeakExplanation& explanation) {
        explanation.function = stack_.current();
        explanation.circular_buffers = std::move(circular_buffers_);
        for (PeakBuffer& buffer : buffers_) {
            if (buffer.size != 0) {
                buffer.tensors = tensors_of(trace_[buffer.buffer]);
                explanation.buffers.push_back(std::move(buffer));
            }
        }
    }

private:
    bool counts(const Node& node) const { return kind_ == MemoryKind::L1 ? is_l1(node) : is_dram(node); }

    // Not its counter: that may be wrong in a trace made by hand.
    uint32_t place(const Node& node) const { return static_cast<uint32_t>(&node - trace_.data()); }

    void add(uint32_t buffer, int64_t size, std::string function) {
        entries_of_[buffer].push_back(buffers_.size());
        buffers_.push_back({size, buffer, {}, std::move(function)});
    }

    std::vector<PeakTensor> tensors_of(const Node& buffer) const {
        std::vector<uint32_t> counters = buffer.connections;
        std::sort(counters.begin(), counters.end());
        counters.erase(std::unique(counters.begin(), counters.end()), counters.end());
        std::vector<PeakTensor> tensors;
        for (const uint32_t counter : counters) {
            const Node& tensor = connected(trace_, buffer, counter);
            if (tensor.type == NodeType::TENSOR) {
                tensors.push_back({counter, std::string(tensor.find("tensor_id").value_or("")),
                                   std::string(tensor.find("shape").value_or(""))});
            }
        }
        return tensors;
    }

    const Trace& trace_;
    MemoryKind kind_;
    OperationStack stack_;
    std::vector<PeakBuffer> buffers_;  // in the order they came; those of size 0 are gone again
    // A buffer has several entries when a trace allocates it more than once.
    std::unordered_map<uint32_t, std::vector<size_t>> entries_of_;
    std::vector<PeakCircularBuffer> circular_buffers_;
};

Peak find_peak(const Trace& trace, MemoryKind kind) {
    if (kind == MemoryKind::L1) {
        L1Count count;
        walk_memory(trace, count);
        return count.peak();
    }
    DramCount count;
    walk_memory(trace, count);
    return count.peak();
}

}  // namespace

PeakExplanation explain_peak(const Trace& trace, MemoryKind kind) {
    const Peak peak = find_peak(trace, kind);
    PeakExplanation explanation;
    if (peak.bytes > 0) {
        explanation.peak = static_cast<uint64_t>(peak.bytes);
        explanation.step = static_cast<uint32_t>(peak.step);
        LiveMemory live(trace, kind);
        walk_memory(trace, live, peak.step + 1);
        live.describe(explanation);
    }
    return explanation;
}

std::string to_json(const PeakExplanation& explanation) {
    tracelift::JsonText json;
    const auto number = [&](std::string_view name, auto value) {
        json.key(name);
        json.number(value);
    };
    const auto text = [&](std::string_view name, std::string_view value) {
        json.key(name);
        json.text(value);
    };
    json.begin_object();
    json.key("buffers");
    json.begin_array();
    for (const PeakBuffer& buffer : explanation.buffers) {
        json.begin_object();
        number("buffer", buffer.buffer);
        text("function", buffer.function);
        number("size", buffer.size);
        json.key("tensors");
        json.begin_array();
        for (const PeakTensor& tensor : buffer.tensors) {
            json.begin_object();
            number("counter", tensor.counter);
            text("shape", tensor.shape);
            text("tensor_id", tensor.tensor_id);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.key("circular_buffers");
    json.begin_array();
    for (const PeakCircularBuffer& buffer : explanation.circular_buffers) {
        json.begin_object();
        text("core_range_set", buffer.core_range_set);
        number("counter", buffer.counter);
        text("function", buffer.function);
        number("size", buffer.size);
        json.end_object();
    }
    json.end_array();
    text("function", explanation.function);
    number("peak", explanation.peak);
    number("step", explanation.step);
    json.end_object();
    return std::move(json.buffer());
}

}  // namespace ttnn::graph
