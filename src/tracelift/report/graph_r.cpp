// A report's graph under rules R: one pass over the nodes with a stack of open functions.
#include <array>

#include "tracelift/report/open_function.hpp"
#include "tracelift/report/operations.hpp"

namespace tracelift::report {
namespace {

// Machinery of tensors that nobody called as an operation.
bool is_looked_through(std::string_view name) {
    constexpr std::array<std::string_view, 6> prefixes = {"ttnn::convert_python_tensor_to_tt_tensor",
                                                          "tt::tt_metal::detail::convert_tt_tensor_to_framework_tensor",
                                                          "Tensor::deallocate",
                                                          "Tensor::to_device",
                                                          "Tensor::reshape",
                                                          "tt::tt_metal::to_dtype"};
    for (const std::string_view prefix : prefixes) {
        if (name.starts_with(prefix)) {
            return true;
        }
    }
    return false;
}

class GraphR {
public:
    GraphR(Context& context, const std::filesystem::path& path)
        : context_(context),
          reader_(context.report, kept_nodes),
          look_(context.report, reader_),
          python_(context.report, path),
          memory_(context, reader_),
          tensors_(context, memory_, reader_),
          operations_(context, memory_, tensors_, python_, reader_) {}

    int64_t run() {
        memory_.fill_at_start(operations_.next_id());
        const size_t nodes = context_.report.nodes();
        for (size_t position = 0; position < nodes; ++position) {
            context_.report.passed(position);
            const NodeView& node = reader_.read(position);
            last_ = node.is(NodeType::CAPTURE_END) ? last_ : position;
            step(node);
        }
        while (!stack_.empty()) {
            pop_unended();
        }
        memory_.other();
        memory_.spans().finish();
        operations_.finish_all();
        return operations_.last_id();
    }

private:
    // An operation has some ten nodes: when it ends, they need not be parsed again.
    static constexpr size_t kept_nodes = 64;

    struct Frame {
        std::string name;
        size_t position = 0;
        int64_t counter = 0;
        int64_t function_id = 0;
        std::optional<size_t> nested{};  // in open_->nested
        bool is_operation = false;
    };

    void step(const NodeView& node) {
        const auto operation = open_ ? std::optional(operations_.next_id()) : std::nullopt;
        switch (node.type.value_or(NodeType::CAPTURE_START)) {
            case NodeType::FUNCTION_START: start(node); break;
            case NodeType::FUNCTION_END: end(node); break;
            case NodeType::TENSOR: tensors_.see(node); break;
            case NodeType::BUFFER: memory_.buffer(node, operation); break;
            case NodeType::BUFFER_ALLOCATE: memory_.allocate(node, operation, operations_.next_id()); break;
            case NodeType::BUFFER_DEALLOCATE: free(node); break;
            case NodeType::CIRCULAR_BUFFER_ALLOCATE: memory_.circular_buffer(node, operation); break;
            case NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL: memory_.release_circular_buffers(node, operation); break;
            case NodeType::ERROR: error(node); break;
            default: memory_.other(); break;
        }
    }

    void start(const NodeView& node) {
        memory_.function_start(node);
        Frame frame{std::string(node.text("name")), node.position, node.counter, ++functions_};
        if (open_) {
            frame.nested = open_->nested.size();
            open_->nested.push_back({node.inputs(), {}});
        } else {
            auto record = python_.next(frame.name);
            const bool loads = frame.name == "ttnn.from_torch" && !computes_;
            frame.is_operation = !loads && !is_looked_through(frame.name);
            if (frame.is_operation) {
                computes_ = computes_ || (stack_.empty() && frame.name != "ttnn.from_torch");
                open_ = OpenOperation{frame.name, node.position, node.counter, node.inputs(), {}, {}, record};
            }
        }
        stack_.push_back(std::move(frame));
    }

    // An end belongs to the innermost open function of its name: those inside did not end. Without such a function
    // it ends the innermost one, and without any it is an operation of its own.
    void end(const NodeView& node) {
        memory_.function_end();
        if (stack_.empty()) {
            OpenOperation orphan{.name = std::string(node.text("name")), .start = {}, .counter = node.counter};
            operations_.finish(orphan, &node, node.position);
            return;
        }
        const std::string_view name = node.text("name");
        size_t depth = stack_.size();
        while (depth > 0 && stack_[depth - 1].name != name) {
            --depth;
        }
        while (depth > 0 && stack_.size() > depth) {
            pop_unended();
        }
        write_function(&node);
        const Frame& frame = stack_.back();
        if (frame.nested && open_) {
            open_->nested[*frame.nested].outputs = node.links();
        }
        if (frame.is_operation) {
            operations_.finish(*open_, &node, node.position);
            open_.reset();
        }
        stack_.pop_back();
    }

    // An exception ends what it left open: functions that are not linked to an end of their own.
    void error(const NodeView& node) {
        memory_.other();
        operations_.error(node, open_ ? &*open_ : nullptr);
        const size_t position = node.position;
        while (!stack_.empty() && !ends_after(context_.report, look_, stack_.back().position, position)) {
            memory_.function_end();
            pop_unended();
        }
    }

    void pop_unended() {
        write_function(nullptr);
        if (stack_.back().is_operation) {
            operations_.finish(*open_, nullptr, last_);
            open_.reset();
        }
        stack_.pop_back();
    }

    // Of the innermost open function.
    void write_function(const NodeView* end) {
        const Frame& frame = stack_.back();
        const auto parent = stack_.size() > 1 ? MaybeInt(stack_[stack_.size() - 2].function_id) : std::nullopt;
        const MaybeInt end_counter = end != nullptr ? MaybeInt(end->counter) : std::nullopt;
        context_.own->functions({frame.function_id, parent, static_cast<int64_t>(stack_.size()) - 1, frame.counter,
                                 end_counter, frame.name, end != nullptr ? end->duration_ns : 0,
                                 open_ ? MaybeInt(operations_.next_id()) : std::nullopt, context_.report_id});
    }

    void free(const NodeView& node) {
        const bool alone = stack_.empty();
        const auto operation = alone || open_ ? std::optional(operations_.next_id()) : std::nullopt;
        const Freed freed = memory_.free(node, operation);
        if (alone) {
            operations_.finish_free(node, freed);
        } else if (open_) {
            note_freed(freed);
        }
        if (freed.device_id && freed.address) {
            tensors_.freed(*freed.device_id, *freed.address);
        }
    }

    void note_freed(const Freed& freed) {
        std::optional<int64_t> tensor;
        if (open_->inputs.empty() && freed.tensor_position) {
            tensor = tensors_.use(*freed.tensor_position);
        } else if (open_->inputs.empty() && freed.device_id && freed.address) {
            tensor = tensors_.owner(*freed.device_id, *freed.address);
        }
        if (tensor) {
            open_->freed.push_back(*tensor);
        }
    }

    Context& context_;
    NodeReader reader_;
    NodeLookup look_;
    PythonRecords python_;
    Memory memory_;
    Tensors tensors_;
    Operations operations_;
    std::vector<Frame> stack_;
    std::optional<OpenOperation> open_;
    size_t last_ = 0;  // node, the end of the capture apart
    int64_t functions_ = 0;
    bool computes_ = false;  // something else than the loading of tensors has started
};

}  // namespace

int64_t import_graph_r(Context& context, const std::filesystem::path& path) { return GraphR(context, path).run(); }

}  // namespace tracelift::report
