// Capture: an observer that records one graph capture. Nodes are kept compact; texts are made when they are read.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "ttnn/core/observer.hpp"
#include "ttnn/device/buffer.hpp"
#include "ttnn/graph/trace.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::graph {

enum class RunMode : uint8_t {
    NORMAL,       // everything really happens
    NO_DISPATCH,  // nothing is allocated, moved or computed; tensors may be larger than any memory
};

struct CaptureOptions {
    RunMode mode = RunMode::NORMAL;
    bool process_wide = false;  // events of all threads; default: of the thread that began
    // The guide's literal sample: no release nodes of circular buffers, and buffer_deallocate has size 0.
    bool literal_sample = false;
};

// Switches of all captures, off by default: the arguments of primitives and of device operations; the pages of L1
// buffers; names of functions as later releases of the original write them, for captures that begin then.
inline constinit std::atomic<bool> detailed_arguments{false};
inline constinit std::atomic<bool> buffer_pages{false};
inline constinit std::atomic<bool> later_names{false};

struct CapturedBuffer {
    uint64_t size = 0;
    uint64_t address = 0;
    uint64_t page_size = 0;
    uint32_t num_cores = 0;
    BufferType type = BufferType::DRAM;
    TensorMemoryLayout layout = TensorMemoryLayout::INTERLEAVED;
    int device_id = 0;
};

// A buffer that was in memory when the capture began.
struct BufferAtStart {
    CapturedBuffer facts;
    uint64_t id = 0;
    std::optional<uint32_t> node{};  // where the capture met it
};

// Where the pages of an L1 buffer lay from its allocation on.
struct AllocatedPages {
    uint32_t allocated_at = 0;  // counter of the buffer_allocate; 0: before the capture began
    uint64_t address = 0;
    BufferType type = BufferType::L1;
    PageMap pages;
    std::shared_ptr<const Device> device;
};

// A call that the program made itself, with its arguments by name.
struct NamedCall {
    std::string name;
    std::vector<std::pair<std::string, std::string>> arguments{};
};

class Capture final : public Observer {
public:
    explicit Capture(const CaptureOptions& options);
    ~Capture() override;

    const CaptureOptions& options() const { return options_; }
    // The thread whose events it takes; none when it is process-wide.
    bool takes_events_here() const;

    bool watches_steps() const override { return true; }
    void operation_begin(const OpInfo& op, const void* params) override;
    void operation_end(const OpInfo& op, const void* result) override;
    void operation_failed(const OpInfo& op, std::string_view message) override;
    void function_begin(const FunctionCall& call) override;
    void function_end(std::string_view name, std::span<const Tensor> outputs) override;
    void function_failed(std::string_view name, std::string_view message) override;
    void buffer_allocated(const Buffer& buffer) override;
    void buffer_deallocated(const Buffer& buffer) override;
    void circular_buffers_allocated(const Device& device, std::span<const PlacedCircularBuffer> placed,
                                    bool compiled) override;

    void add_error(std::string_view type, std::string_view message, std::string_view operation);
    // Appends capture_end. Nothing is recorded afterwards.
    void end();

    size_t size() const;
    Node node(size_t index) const;
    Trace trace() const;
    // Nothing for nodes that are no such call.
    std::optional<NamedCall> named_call(size_t index) const;
    // Devices that an event of this capture touched, in the order of their first event.
    const std::vector<std::shared_ptr<const Device>>& devices() const { return devices_; }
    // On these devices.
    std::vector<BufferAtStart> buffers_at_start() const;
    // Of buffers that were allocated, or met in memory, while the switch was on.
    const std::deque<AllocatedPages>& allocated_pages() const { return pages_; }
    uint64_t started_at_ns() const { return started_at_ns_; }  // Unix time
    uint64_t duration_ns() const { return duration_ns_; }      // 0 while it runs

private:
    using Clock = std::chrono::steady_clock;
    static constexpr uint32_t none = UINT32_MAX;

    // What all nodes have; `fact` is an index into the table of its type.
    struct Record {
        NodeType type;
        int32_t level = 0;
        uint32_t fact = none;
        std::vector<uint32_t> connections{};
    };
    struct FunctionFact {
        std::string name;
        uint32_t inputs = 0;
        std::vector<uint32_t> tensors{};
        std::string arguments{};     // byte form of the call's arguments
        const OpInfo* op = nullptr;  // whose declaration they have; null: they go by their order
        bool is_step = false;        // a primitive or its device operation
        bool is_device_operation = false;
        uint32_t created = none;      // create_device_tensor: index into created_
        std::vector<void*> frames{};  // return addresses
        std::string python_frames{};  // one a line
    };
    struct TensorFact {
        uint64_t id = 0;
        TensorSpec spec;
        const Device* device = nullptr;  // one of devices_; nullptr: it has no buffer
        std::optional<uint32_t> chip{};  // of a mesh, whose part it is; none: it is on all
        uint64_t address = 0;
    };
    struct CircularBufferFact {
        uint64_t size = 0;
        uint64_t address = 0;
        CoreRangeSet cores;
        bool global = false;
        int device_id = 0;
    };
    struct ErrorFact {
        std::string type, message, operation;
    };
    struct Open {
        uint32_t counter;
        Clock::time_point start;
    };

    uint32_t append(NodeType type, int32_t level, uint32_t fact = none);
    uint32_t top() const { return open_.back().counter; }
    void connect(uint32_t from, uint32_t to) { records_[from].connections.push_back(to); }
    int32_t inner_level() const { return static_cast<int32_t>(open_.size()) - 1; }
    void begin_function(FunctionFact fact, std::span<const Tensor> tensors);
    void end_function(std::span<const Tensor> outputs);
    void fail_function(std::string_view operation, std::string_view message);
    std::string failing_function() const;
    uint32_t record_tensor(const Tensor& tensor);
    uint32_t record_buffer(const Buffer& buffer);
    bool touch(const Device& device, uint64_t fresh_buffer = 0);
    void keep_at_start(const Buffer& buffer);
    void keep_pages(const Buffer& buffer, uint32_t allocated_at);

    uint32_t append_error(ErrorFact fact);
    std::string name_here(std::string_view name) const;
    Node node_unlocked(size_t index) const;
    std::vector<std::string> arguments_of(const FunctionFact& fact) const;
    std::vector<std::string> argument_texts_of(const FunctionFact& fact) const;
    Node::Params params_of(const Record& record) const;
    Node::Params buffer_params(const CapturedBuffer& fact, NodeType type) const;
    Node::Params tensor_params(const TensorFact& fact) const;

    const CaptureOptions options_;
    const bool later_names_ = later_names.load(std::memory_order_relaxed);
    const std::thread::id owner_;
    mutable std::mutex mutex_;
    bool ended_ = false;  // events that were on their way then are dropped
    std::deque<Record> records_;
    std::deque<FunctionFact> functions_;
    std::deque<TensorFact> tensors_;
    std::deque<TensorSpec> created_;
    std::deque<CapturedBuffer> buffers_;
    std::vector<BufferAtStart> at_start_;
    std::deque<AllocatedPages> pages_;
    std::deque<CircularBufferFact> circular_buffers_;
    std::deque<ErrorFact> errors_;
    std::unordered_map<uint32_t, uint64_t> durations_;     // by counter
    std::unordered_map<uint64_t, uint32_t> tensor_nodes_;  // by tensor id
    std::unordered_map<uint64_t, uint32_t> buffer_nodes_;  // by buffer id
    std::vector<Open> open_;
    uint32_t last_finished_ = none;
    uint32_t error_on_its_way_ = none;  // the error, whose exception has not been caught yet
    // Texts of arguments that were made before, by operation and bytes: a model makes the same calls again and again.
    mutable std::unordered_map<std::string, std::vector<std::string>> argument_texts_;
    std::vector<std::shared_ptr<const Device>> devices_;
    uint64_t started_at_ns_ = 0;
    uint64_t duration_ns_ = 0;
};

}  // namespace ttnn::graph
