// TraceRecorder: writes traces by the recording rules of the specification, for tests without a device.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttnn/graph/trace.hpp"

namespace ttnn::graph::testing {

struct FakeTensor {
    uint32_t id = 0;
    std::string shape;
    uint64_t size = 0;  // 0: on the host, without buffer
    std::string type = "L1";
    std::optional<uint32_t> buffer{};  // its own unless given
    uint64_t page_size = 2048;
    uint32_t num_cores = 0;
};

class TraceRecorder {
public:
    enum class Flavour : uint8_t {
        FULL,    // all params
        SAMPLE,  // those of the guide's sample
    };

    explicit TraceRecorder(Flavour flavour = Flavour::FULL) : flavour_(flavour) {
        push(NodeType::CAPTURE_START, 0, {});
        open_.push_back(0);
    }

    void begin(const std::string& name, size_t inputs, const std::vector<FakeTensor>& tensors = {},
               std::vector<std::string> arguments = {}) {
        const uint32_t start = push(NodeType::FUNCTION_START, static_cast<int32_t>(open_.size()),
                                    {{"inputs", std::to_string(inputs)}, {"name", name}});
        trace_[start].arguments = std::move(arguments);
        follow_last_finished(start);
        connect(open_.back(), start);
        open_.push_back(start);
        for (const FakeTensor& tensor : tensors) {
            const uint32_t node = record_tensor(tensor);
            connect(node, start);
            trace_[start].input_tensors.push_back(node);
        }
    }

    void end(const std::vector<FakeTensor>& outputs = {}, uint64_t duration_ns = 0) {
        const std::string name(trace_[open_.back()].text("name"));
        const uint32_t end = push(NodeType::FUNCTION_END, static_cast<int32_t>(open_.size()) - 1, {{"name", name}});
        trace_[end].duration_ns = duration_ns;
        connect(open_.back(), end);
        last_finished_ = end;
        for (const FakeTensor& tensor : outputs) {
            connect(end, record_tensor(tensor));
        }
        open_.pop_back();
    }

    void allocate(const FakeTensor& tensor, uint64_t address = 0) {
        Node::Params params = buffer_params(tensor, tensor.size);
        params.insert(params.begin(), {"address", std::to_string(address)});
        buffer_event(NodeType::BUFFER_ALLOCATE, tensor, std::move(params));
    }

    void deallocate(const FakeTensor& tensor) {
        buffer_event(NodeType::BUFFER_DEALLOCATE, tensor,
                     buffer_params(tensor, flavour_ == Flavour::SAMPLE ? 0 : tensor.size));
    }

    void circular_buffer(uint64_t size, const std::string& cores, const std::string& globally_allocated = "false") {
        Node::Params params{{"address", "0"}, {"core_range_set", cores}};
        if (flavour_ == Flavour::FULL) {
            params.emplace_back("device_id", "0");
        }
        params.emplace_back("globally_allocated", globally_allocated);
        params.emplace_back("size", std::to_string(size));
        connect(open_.back(), push(NodeType::CIRCULAR_BUFFER_ALLOCATE, inner_level(), std::move(params)));
    }

    void release_circular_buffers() {
        const uint32_t node = push(NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL, inner_level(), {{"device_id", "0"}});
        connect(node, open_.back());
        connect(open_.back(), node);
    }

    void error(const std::string& message) {
        connect(open_.back(), push(NodeType::ERROR, static_cast<int32_t>(open_.size()),
                                   {{"error_message", message}, {"error_operation", ""}, {"error_type", "exception"}}));
    }

    // create_device_tensor around the allocation of an output.
    void create(const FakeTensor& tensor, uint64_t address = 0) {
        begin("create_device_tensor", 5);
        allocate(tensor, address);
        end({tensor});
    }

    Trace finish(uint64_t duration_ns = 0) {
        const uint32_t end = push(NodeType::CAPTURE_END, 0, {});
        trace_[end].duration_ns = duration_ns;
        if (!follow_last_finished(end)) {
            connect(0, end);
        }
        return std::move(trace_);
    }

private:
    uint32_t push(NodeType type, int32_t level, Node::Params params) {
        Node& node = trace_.emplace_back();
        node.counter = static_cast<uint32_t>(trace_.size() - 1);
        node.type = type;
        node.stacking_level = level;
        node.params = std::move(params);
        return node.counter;
    }

    void connect(uint32_t from, uint32_t to) { trace_[from].connections.push_back(to); }
    int32_t inner_level() const { return static_cast<int32_t>(open_.size()) - 1; }

    bool follow_last_finished(uint32_t node) {
        if (!last_finished_) {
            return false;
        }
        connect(*std::exchange(last_finished_, std::nullopt), node);
        return true;
    }

    uint32_t record_tensor(const FakeTensor& tensor) {
        auto found = tensors_.find(tensor.id);
        if (found == tensors_.end()) {
            Node::Params params{{"shape", tensor.shape}};
            if (flavour_ == Flavour::FULL) {
                params = {{"dtype", "bfloat16"},
                          {"layout", "TILE"},
                          {"shape", tensor.shape},
                          {"tensor_id", std::to_string(tensor.id)}};
            }
            found = tensors_.emplace(tensor.id, push(NodeType::TENSOR, inner_level(), std::move(params))).first;
        }
        if (tensor.size > 0) {
            connect(record_buffer(tensor), found->second);
        }
        return found->second;
    }

    uint32_t record_buffer(const FakeTensor& tensor) {
        const uint32_t id = tensor.buffer.value_or(tensor.id);
        auto found = buffers_.find(id);
        if (found == buffers_.end()) {
            Node::Params params{
                {"layout", "INTERLEAVED"}, {"size", std::to_string(tensor.size)}, {"type", tensor.type}};
            if (flavour_ == Flavour::FULL) {
                params.insert(params.begin(), {"device_id", "0"});
            }
            found = buffers_.emplace(id, push(NodeType::BUFFER, inner_level(), std::move(params))).first;
            connect(open_.back(), found->second);
        }
        return found->second;
    }

    Node::Params buffer_params(const FakeTensor& tensor, uint64_t size) const {
        if (flavour_ == Flavour::SAMPLE) {
            return {{"layout", "INTERLEAVED"}, {"size", std::to_string(size)}, {"type", tensor.type}};
        }
        return {{"device_id", "0"},
                {"layout", tensor.num_cores > 0 ? "HEIGHT_SHARDED" : "INTERLEAVED"},
                {"num_cores", std::to_string(tensor.num_cores)},
                {"page_size", std::to_string(tensor.page_size)},
                {"size", std::to_string(size)},
                {"type", tensor.type}};
    }

    void buffer_event(NodeType type, const FakeTensor& tensor, Node::Params params) {
        const uint32_t buffer = record_buffer(tensor);
        const uint32_t event = push(type, inner_level(), std::move(params));
        connect(event, buffer);
        connect(open_.back(), event);
    }

    Flavour flavour_;
    Trace trace_;
    std::vector<uint32_t> open_;
    std::optional<uint32_t> last_finished_;
    std::map<uint32_t, uint32_t> tensors_;
    std::map<uint32_t, uint32_t> buffers_;
};

}  // namespace ttnn::graph::testing
