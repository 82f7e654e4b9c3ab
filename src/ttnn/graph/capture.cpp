#include "ttnn/graph/capture.hpp"

#include <algorithm>

#include "tracelift/value/bytes.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/later_names.hpp"
#include "ttnn/graph/stack.hpp"
#include "ttnn/op/argument_list.hpp"
#include "ttnn/op/op_info.hpp"

namespace ttnn::graph {
namespace {

uint64_t nanoseconds(std::chrono::nanoseconds span) { return static_cast<uint64_t>(span.count()); }

// Fields that are not at their default: what the caller gave, unless the caller knows better.
uint32_t count_given(const OpInfo& op, const void* params) {
    if (call_context.given != nullptr) {
        return static_cast<uint32_t>(call_context.given->count());
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

uint32_t Capture::record_tensor(const Tensor& tensor) {
    const auto [place, fresh] = tensor_nodes_.try_emplace(tensor.id(), 0);
    const std::shared_ptr<Buffer>& buffer = tensor.buffer();
    if (fresh) {
        TensorFact fact{tensor.id(), tensor.spec()};
        if (buffer != nullptr) {
            touch(*buffer->device());
        }
        if (buffer != nullptr && buffer->is_allocated()) {
            fact.device = buffer->device().get();
            fact.chip = tensor.chip();
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

// The name of a function that begins here.
std::string Capture::name_here(std::string_view name) const {
    if (!later_names_) {
        return std::string(name);
    }
    const bool nested = name == device_operation_name && open_.size() > 1;
    return later_name(name, nested ? functions_[records_[top()].fact].name : std::string());
}

void Capture::begin_function(FunctionFact fact, std::span<const Tensor> tensors) {
    if (stack_traces_enabled()) {
        fact.python_frames = current_python_frames();
        if (fact.python_frames.empty() || cpp_frames_wanted()) {
            fact.frames = current_frames();
        }
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
    error_on_its_way_ = none;
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
    FunctionFact fact{name_here(op.cpp_name()), count_given(op, params)};
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
    error_on_its_way_ = none;  // it was caught, if there was one
    end_function(outputs);
}

void Capture::function_begin(const FunctionCall& call) {
    if (!takes_events_here()) {
        return;
    }
    FunctionFact fact{{}, call.inputs};
    fact.is_device_operation = call.name == device_operation_name;
    if (detailed_arguments.load(std::memory_order_relaxed) && !call.arguments.empty()) {
        fact.arguments = argument_bytes(call.arguments);
        fact.is_step = true;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    fact.name = name_here(call.name);
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
    error_on_its_way_ = none;  // it was caught, if there was one
    end_function(outputs);
}

// An exception ends what it leaves open. The first to hear of it writes it down.
void Capture::fail_function(std::string_view operation, std::string_view message) {
    if (error_on_its_way_ == none) {
        error_on_its_way_ = append_error({"exception", std::string(message), std::string(operation)});
    }
    end_function({});
}

void Capture::operation_failed(const OpInfo& op, std::string_view message) {
    if (!takes_events_here()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    fail_function(name_here(op.cpp_name()), message);
}

// The primitive that is open, else the innermost function.
std::string Capture::failing_function() const {
    for (size_t i = open_.size(); i-- > 1;) {
        const std::string& name = functions_[records_[open_[i].counter].fact].name;
        if (name.starts_with("ttnn::prim::")) {
            return name;
        }
    }
    return open_.size() > 1 ? functions_[records_[top()].fact].name : std::string();
}

void Capture::function_failed(std::string_view, std::string_view message) {
    if (!takes_events_here()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    fail_function(failing_function(), message);
}

uint32_t Capture::append_error(ErrorFact fact) {
    errors_.push_back(std::move(fact));
    const auto index = static_cast<uint32_t>(errors_.size() - 1);
    connect(top(), append(NodeType::ERROR, static_cast<int32_t>(open_.size()), index));
    return index;
}

void Capture::add_error(std::string_view type, std::string_view message, std::string_view operation) {
    const std::lock_guard lock(mutex_);
    if (ended_) {
        return;
    }
    append_error({std::string(type), std::string(message), std::string(operation)});
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
