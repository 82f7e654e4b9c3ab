// The texts of captured nodes, in the documented flavour.
#include <span>

#include "tracelift/value/bytes.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/argument_text.hpp"
#include "ttnn/graph/capture.hpp"
#include "ttnn/graph/stack.hpp"

namespace ttnn::graph {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return result;
}

std::string_view layout_text(TensorMemoryLayout layout) {
    switch (layout) {
        case TensorMemoryLayout::INTERLEAVED:
        case TensorMemoryLayout::HEIGHT_SHARDED:
        case TensorMemoryLayout::WIDTH_SHARDED:
        case TensorMemoryLayout::BLOCK_SHARDED: return member_name(layout);
        default: return "UNKNOWN";
    }
}

// Every chip of a mesh has its part at the same address.
std::string device_tensors_text(std::span<const int> chips, uint64_t address) {
    std::string text;
    for (const int chip : chips) {
        text += fmt::format(R"({}{{"address":{},"device_id":{}}})", text.empty() ? "" : ",", address, chip);
    }
    return "[" + text + "]";
}

bool is_dram(BufferType type) { return type == BufferType::DRAM || type == BufferType::TRACE; }

}  // namespace

Node::Params Capture::tensor_params(const TensorFact& fact) const {
    Node::Params params;
    if (fact.device != nullptr) {
        const std::span<const int> chips = fact.device->chip_ids();
        params = {
            {"address", std::to_string(fact.address)},
            {"buffer_type", std::string(member_name(fact.spec.memory_config().buffer_type()))},
            {"device_id", std::to_string(fact.device->id())},
            {"device_tensors", device_tensors_text(fact.chip ? chips.subspan(*fact.chip, 1) : chips, fact.address)}};
    }
    params.emplace_back("dtype", lower(member_name(fact.spec.dtype())));
    params.emplace_back("layout", member_name(fact.spec.layout()));
    if (fact.device != nullptr) {
        params.emplace_back("memory_config", fmt::format("{}", fact.spec.memory_config()));
    }
    params.emplace_back("shape", fmt::format("ttnn.{}", fact.spec.logical_shape()));
    params.emplace_back("tensor_id", std::to_string(fact.id));
    return params;
}

Node::Params Capture::buffer_params(const CapturedBuffer& fact, NodeType type) const {
    const bool literal_size = type == NodeType::BUFFER_DEALLOCATE && options_.literal_sample;
    Node::Params params;
    if (type == NodeType::BUFFER_ALLOCATE) {
        params.emplace_back("address", std::to_string(fact.address));
    }
    params.emplace_back("device_id", std::to_string(fact.device_id));
    params.emplace_back("layout", layout_text(fact.layout));
    if (type != NodeType::BUFFER) {
        params.emplace_back("num_cores", std::to_string(fact.num_cores));
        params.emplace_back("page_size", std::to_string(fact.page_size));
    }
    params.emplace_back("size", literal_size ? "0" : std::to_string(fact.size));
    params.emplace_back("type", is_dram(fact.type) ? "DRAM" : "L1");
    return params;
}

Node::Params Capture::params_of(const Record& record) const {
    switch (record.type) {
        case NodeType::CAPTURE_START:
        case NodeType::CAPTURE_END: return {};
        case NodeType::FUNCTION_START:
            return {{"inputs", std::to_string(functions_[record.fact].inputs)}, {"name", functions_[record.fact].name}};
        case NodeType::FUNCTION_END: return {{"name", functions_[record.fact].name}};
        case NodeType::TENSOR: return tensor_params(tensors_[record.fact]);
        case NodeType::BUFFER:
        case NodeType::BUFFER_ALLOCATE:
        case NodeType::BUFFER_DEALLOCATE: return buffer_params(buffers_[record.fact], record.type);
        case NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL:
            return {{"device_id", std::to_string(circular_buffers_[record.fact].device_id)}};
        case NodeType::CIRCULAR_BUFFER_ALLOCATE: {
            const CircularBufferFact& fact = circular_buffers_[record.fact];
            return {{"address", std::to_string(fact.address)},
                    {"core_range_set", fact.cores.to_string()},
                    {"device_id", std::to_string(fact.device_id)},
                    {"globally_allocated", fact.global ? "true" : "false"},
                    {"size", std::to_string(fact.size)}};
        }
        case NodeType::ERROR: {
            const ErrorFact& fact = errors_[record.fact];
            return {{"error_message", fact.message.empty() ? "Operation failed" : fact.message},
                    {"error_operation", fact.operation},
                    {"error_type", fact.type}};
        }
    }
    return {};
}

std::vector<std::string> Capture::arguments_of(const FunctionFact& fact) const {
    if (fact.created != none) {
        return creation_texts(created_[fact.created]);
    }
    if (fact.arguments.empty()) {
        return {};
    }
    auto [known, fresh] = argument_texts_.try_emplace(fact.name + '\0' + fact.arguments);
    if (fresh) {
        known->second = argument_texts_of(fact);
    }
    return known->second;
}

std::vector<std::string> Capture::argument_texts_of(const FunctionFact& fact) const {
    const tracelift::Value value = tracelift::ByteReader(fact.arguments).value();
    const auto& arguments = *value.as<tracelift::Value::Dict>();
    if (fact.op != nullptr) {
        return argument_texts(*fact.op, arguments);
    }
    if (fact.is_step) {
        return fact.is_device_operation ? device_operation_texts(arguments) : primitive_texts(arguments);
    }
    std::vector<std::string> texts;
    for (const auto& entry : arguments) {
        texts.push_back(argument_text(entry.value, {}));
    }
    return texts;
}

std::optional<NamedCall> Capture::named_call(size_t index) const {
    const std::lock_guard lock(mutex_);
    const Record& record = records_[index];
    if (record.type != NodeType::FUNCTION_START || record.level != 1) {
        return std::nullopt;
    }
    const FunctionFact& fact = functions_[record.fact];
    if (fact.is_step || fact.arguments.empty()) {
        return std::nullopt;
    }
    const std::vector<std::string> texts = arguments_of(fact);
    NamedCall call{fact.name};
    if (fact.op != nullptr) {
        const std::vector<const FieldInfo*> fields = fact.op->cpp_fields();
        for (size_t i = 0; i < texts.size(); ++i) {
            call.arguments.emplace_back(fields[i]->name, texts[i]);
        }
        return call;
    }
    const tracelift::Value value = tracelift::ByteReader(fact.arguments).value();
    for (size_t i = 0; const auto& entry : *value.as<tracelift::Value::Dict>()) {
        call.arguments.emplace_back(entry.key, texts[i++]);
    }
    return call;
}

Node Capture::node_unlocked(size_t index) const {
    const Record& record = records_[index];
    Node node;
    node.counter = static_cast<uint32_t>(index);
    node.type = record.type;
    node.stacking_level = record.level;
    node.params = params_of(record);
    node.connections = record.connections;
    if (record.type == NodeType::FUNCTION_START) {
        const FunctionFact& fact = functions_[record.fact];
        node.arguments = arguments_of(fact);
        node.input_tensors = fact.tensors;
        node.stack_trace = stack_texts(fact.frames, fact.python_frames);
    }
    if (const auto found = durations_.find(node.counter); found != durations_.end()) {
        node.duration_ns = found->second;
    }
    return node;
}

Node Capture::node(size_t index) const {
    const std::lock_guard lock(mutex_);
    return node_unlocked(index);
}

Trace Capture::trace() const {
    const std::lock_guard lock(mutex_);
    Trace trace;
    trace.reserve(records_.size());
    for (size_t i = 0; i < records_.size(); ++i) {
        trace.push_back(node_unlocked(i));
    }
    return trace;
}

}  // namespace ttnn::graph
