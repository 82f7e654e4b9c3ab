#include "ttnn/graph/capture.hpp"

#include <algorithm>

#include "tracelift/value/bytes.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/stack.hpp"
#include "ttnn/op/argument_list.hpp"
#include "ttnn/op/op_info.hpp"
#include "ttnn/op/run.hpp"

namespace ttnn::graph {
namespace {

uint64_t nanoseconds(std::chrono::nanoseconds span) { return static_cast<uint64_t>(span.count()); }

// Fields that are not at their default: what the caller gave, unless the caller knows better.
uint32_t count_given(const OpInfo& op, const void* params) {
    if (given_call != nullptr) {
        return static_cast<uint32_t>(given_call->count());
    }
    uint32_t count = 0;
    for (const FieldInfo& field : op.fields) {
        count += is_given(op, field, params) ? 1 : 0;
    }
    return count;
}

std::vector<Tensor> tensor_arguments(const OpInfo& op, const void* params) {
    std::vector<Tensor> tensors;
    for (const uint16_t index : op.tensor_fields) {
        const FieldInfo& field = op.fields[index];
        field.type->visit_tensors(static_cast<const char*>(params) + field.offset,
                                  [&](const Tensor& tensor) { tensors.push_back(tensor); });
    }
    return tensors;
}

// One dict, in order; the keys are the types, which tell shapes from other lists.
std::string argument_bytes(std::span<const ArgumentRef> arguments) {
    tracelift::ByteWriter bytes;
    bytes.dict(arguments.size());
    for (const ArgumentRef& argument : arguments) {
        bytes.key(argument.type != nullptr ? std::string_view(argument.type().name) : std::string_view());
        argument.put(argument, bytes);
    }
    return bytes.take();
}

}  // namespace

Capture::Capture(const CaptureOptions& options) : options_(options), owner_(std::this_thread::get_id()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    started_at_ns_ = nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(now));
    open_.push_back({append(NodeType::CAPTURE_START, 0), Clock::now()});
}

Capture::~Capture() = default;

bool Capture::takes_events_here() const { return options_.process_wide || std::this_thread::get_id() == owner_; }

uint32_t Capture::append(NodeType type, int32_t level, uint32_t fact) {
    records_.push_back({type, level, fact});
    return static_cast<uint32_t>(records_.size() - 1);
}

void Capture::touch(const Device& device) {
    const auto known = std::ranges::find(devices_, &device, [](const auto& each) { return each.get(); });
    if (known == devices_.end()) {
        devices_.push_back(device.shared_from_this());
    }
}

uint32_t Capture::record_buffer(const Buffer& buffer) {
    const auto [place, fresh] = buffer_nodes_.try_emplace(buffer.id(), 0);
    if (fresh) {
        BufferFact fact;
        fact.size = buffer.size();
        fact.address = buffer.address();
        fact.page_size = buffer.pages().page_size();
        fact.num_cores = buffer.pages().identity() ? 0 : static_cast<uint32_t>(buffer.pages().shard_cores().size());
        fact.type = buffer.buffer_type();
        fact.layout = buffer.memory_layout();
        fact.device_id = buffer.device()->id();
        buffers_.push_back(fact);
        place->second = append(NodeType::BUFFER, inner_level(), static_cast<uint32_t>(buffers_.size() - 1));
        connect(top(), place->second);
    }
    return place->second;
}

uint32_t Capture::record_tensor(const Tensor& tensor) {
    const auto [place, fresh] = tensor_nodes_.try_emplace(tensor.id(), 0);
    const std::shared_ptr<Buffer>& buffer = tensor.buffer();
    if (fresh) {
        TensorFact fact{tensor.id(), tensor.spec()};
        if (buffer != nullptr) {
            touch(*buffer->device());
        }
        if (buffer != nullptr && buffer->is_allocated()) {
            fact.has_buffer = true;
            fact.device_id = buffer->device()->id();
            fact.address = buffer->address();
        }
        tensors_.push_back(std::move(fact));
        place->second = append(NodeType::TENSOR, inner_level(), static_cast<uint32_t>(tensors_.size() - 1));
    }
    const uint32_t node = place->second;
    if (buffer != nullptr) {
        connect(record_buffer(*buffer), node);
    }
    return node;
}

void Capture::begin_function(FunctionFact fact, std::span<const Tensor> tensors) {
    if (stack_traces_enabled()) {
        fact.frames = current_frames();
        fact.python_frames = current_python_frames();
    }
    if (open_.size() == 1) {
        ++operation_run;
    }
    functions_.push_back(std::move(fact));
    const auto index = static_cast<uint32_t>(functions_.size() - 1);
    const uint32_t counter = append(NodeType::FUNCTION_START, static_cast<int32_t>(open_.size()), index);
    if (last_finished_ != none) {
        connect(last_finished_, counter);
        last_finished_ = none;
    }
    connect(top(), counter);
    open_.push_back({counter, Clock::now()});
    error_pending_ = false;
    for (const Tensor& tensor : tensors) {
        const uint32_t node = record_tensor(tensor);
        connect(node, counter);
        functions_[index].tensors.push_back(node);
    }
}

void Capture::end_function(std::span<const Tensor> outputs) {
    if (open_.size() < 2) {
        return;  // it began before the capture did
    }
    const Open call = open_.back();
    const uint32_t counter = append(NodeType::FUNCTION_END, records_[call.counter].level, records_[call.counter].fact);
    durations_[counter] = nanoseconds(Clock::now() - call.start);
    connect(call.counter, counter);
    last_finished_ = counter;
    for (const Tensor& tensor : outputs) {
        connect(counter, record_tensor(tensor));
    }
    open_.pop_back();
}

void Capture::operation_begin(const OpInfo& op, const void* params) {
    if (!takes_events_here()) {
        return;
    }
    tracelift::ByteWriter arguments;
    put_call(op, params, arguments);
    const std::vector<Tensor> tensors = tensor_arguments(op, params);
    const bool declared = op.call != nullptr;  // the table of a Python function may go with the function
    FunctionFact fact{op.cpp_name(), count_given(op, params)};
    fact.arguments = arguments.take();
    fact.op = declared ? &op : nullptr;
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    begin_function(std::move(fact), tensors);
}

void Capture::operation_end(const OpInfo& op, const void* result) {
    if (!takes_events_here()) {
        return;
    }
    std::vector<Tensor> outputs;
    op.result->visit_tensors(result, [&](const Tensor& tensor) { outputs.push_back(tensor); });
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    end_function(outputs);
}

void Capture::function_begin(const FunctionCall& call) {
    if (!takes_events_here()) {
        return;
    }
    FunctionFact fact{std::string(call.name), call.inputs};
    if (detailed_arguments.load(std::memory_order_relaxed) && !call.arguments.empty()) {
        fact.arguments = argument_bytes(call.arguments);
        fact.is_step = true;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    if (call.created != nullptr) {
        created_.push_back(*call.created);
        fact.created = static_cast<uint32_t>(created_.size() - 1);
    }
    begin_function(std::move(fact), call.tensors);
}

void Capture::function_end(std::string_view, std::span<const Tensor> outputs) {
    if (!takes_events_here()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    end_function(outputs);
}

// A function that fails gets no end, and what follows is recorded inside it: as the spec says, so that readers see
// where things went wrong. The first to hear of an exception writes it down.
void Capture::operation_failed(const OpInfo& op, std::string_view message) {
    if (!takes_events_here()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    if (!error_pending_) {
        append_error({"exception", std::string(message), op.cpp_name()});
        error_pending_ = true;
    }
}

// Functions that failed are still open, so the primitive need not be the one right outside.
std::string Capture::innermost_primitive() const {
    for (size_t i = open_.size(); i-- > 1;) {
        const std::string& name = functions_[records_[open_[i].counter].fact].name;
        if (name.starts_with("ttnn::prim::")) {
            return name;
        }
    }
    return std::string(device_operation_name);
}

void Capture::function_failed(std::string_view name) {
    if (!takes_events_here() || name != device_operation_name) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    append_error({"exception", "Operation failed", innermost_primitive()});
    error_pending_ = true;
}

void Capture::append_error(ErrorFact fact) {
    errors_.push_back(std::move(fact));
    const auto index = static_cast<uint32_t>(errors_.size() - 1);
    connect(top(), append(NodeType::ERROR, static_cast<int32_t>(open_.size()), index));
}

void Capture::add_error(std::string_view type, std::string_view message, std::string_view operation) {
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    append_error({std::string(type), std::string(message), std::string(operation)});
}

void Capture::buffer_allocated(const Buffer& buffer) {
    if (!takes_events_here() || buffer.size() == 0) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    touch(*buffer.device());
    const uint32_t node = record_buffer(buffer);
    const uint32_t counter = append(NodeType::BUFFER_ALLOCATE, inner_level(), records_[node].fact);
    connect(counter, node);
    connect(top(), counter);
}

void Capture::buffer_deallocated(const Buffer& buffer) {
    if (!takes_events_here() || buffer.size() == 0) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    touch(*buffer.device());
    const uint32_t node = record_buffer(buffer);
    const uint32_t counter = append(NodeType::BUFFER_DEALLOCATE, inner_level(), records_[node].fact);
    connect(counter, node);
    connect(top(), counter);
}

void Capture::circular_buffers_allocated(const Device& device, std::span<const PlacedCircularBuffer> placed,
                                         bool compiled) {
    if (!takes_events_here()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    touch(device);
    const bool mocked = dispatch_blocked();
    if (!options_.literal_sample) {
        CircularBufferFact release;
        release.device_id = device.id();
        circular_buffers_.push_back(release);
        const auto fact = static_cast<uint32_t>(circular_buffers_.size() - 1);
        const uint32_t counter = append(NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL, inner_level(), fact);
        connect(counter, top());
        connect(top(), counter);
    }
    for (const PlacedCircularBuffer& each : placed) {
        const bool global = each.request->global != nullptr;
        if (!compiled || (global && !mocked)) {
            continue;
        }
        circular_buffers_.push_back(
            {each.request->size, mocked ? 0 : each.address, each.request->cores, global, device.id()});
        const auto fact = static_cast<uint32_t>(circular_buffers_.size() - 1);
        connect(top(), append(NodeType::CIRCULAR_BUFFER_ALLOCATE, inner_level(), fact));
    }
}

void Capture::end() {
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    const uint32_t counter = append(NodeType::CAPTURE_END, 0);
    duration_ns_ = std::max<uint64_t>(nanoseconds(Clock::now() - open_.front().start), 1);
    durations_[counter] = duration_ns_;
    connect(last_finished_ != none ? last_finished_ : open_.front().counter, counter);
    ended_ = true;
}

size_t Capture::size() const {
    const std::lock_guard lock(mutex_);
    return records_.size();
}

}  // namespace ttnn::graph
