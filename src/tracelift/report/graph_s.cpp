// A report's graph under rules S: row for row what the first importer made, also where later ones know better.
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "tracelift/report/context.hpp"
#include "tracelift/report/schema.hpp"
#include "tracelift/report/tensor_size.hpp"

namespace tracelift::report {
namespace {

class GraphS {
public:
    explicit GraphS(Context& context)
        : context_(context),
          reader_(context.report),
          start_(context.report),
          look_(context.report),
          ahead_(context.report, reader_),
          buffers_(context.database) {}

    int64_t run() {
        std::string graph = "[";
        for (size_t position = 0; position < context_.report.nodes(); ++position) {
            context_.report.passed(position);
            const NodeView& node = reader_.read(position);
            graph += position == 0 ? "" : ", ";
            append_python_json(graph, node.object);
            add_edges(node);
            step(node);
        }
        graph += ']';
        context_.rows.graphs({context_.base_id, graph, context_.rank});
        context_.rows.buffers += buffers_.count();
        return context_.base_id + std::max<int64_t>(ended_ - 1, 0);
    }

private:
    using Place = std::pair<int64_t, int64_t>;  // device, address

    void step(const NodeView& node) {
        switch (node.type.value_or(NodeType::CAPTURE_START)) {
            case NodeType::FUNCTION_START: start(node); break;
            case NodeType::FUNCTION_END: end(node); break;
            case NodeType::TENSOR: tensor(node); break;
            case NodeType::BUFFER_ALLOCATE: allocate(node); break;
            case NodeType::BUFFER_DEALLOCATE: free(node); break;
            case NodeType::ERROR: error(node); break;
            default: break;
        }
    }

    void add_edges(const NodeView& node) {
        std::unordered_map<uint64_t, int64_t> of_pair;
        int64_t index = 0;
        for (const uint64_t sink : node.links()) {
            context_.rows.edges({context_.base_id, node.counter, static_cast<int64_t>(sink), index++, reached_[sink]++,
                                 of_pair[sink]++, context_.rank});
        }
    }

    void start(const NodeView& node) {
        const std::string_view name = node.text("name");
        context_.rows.nodes({context_.base_id, node.counter, ended_, name, context_.rank});
        if (node.stack_trace) {
            const std::string text = joined_lines(*node.stack_trace);
            context_.rows.stack_traces({context_.base_id, node.counter, name, text, std::nullopt, context_.rank});
        }
        open_.push_back(node.position);
    }

    void end(const NodeView& node) {
        const int64_t id = context_.base_id + ended_++;
        context_.rows.operations({id, node.text("name"), static_cast<double>(node.duration_ns) / 1e9, context_.rank});
        int64_t output = 0;
        for (const uint64_t counter : node.links()) {
            const auto position = context_.report.position_of(counter);
            const NodeView* result = position ? &look_.read(*position) : nullptr;
            if (result != nullptr && result->is(NodeType::TENSOR)) {
                if (const auto tensor_id = result->integer("tensor_id")) {
                    context_.rows.outputs({id, output++, *tensor_id, context_.rank});
                }
            }
        }
        if (open_.empty()) {
            return;
        }
        const NodeView& begun = start_.read(open_.back());
        open_.pop_back();
        int64_t input = 0;
        for (const uint64_t counter : begun.inputs()) {
            context_.rows.inputs({id, input++, static_cast<int64_t>(counter), context_.rank});
        }
        if (begun.arguments && begun.arguments->is_array()) {
            size_t index = 0;
            for (const Element argument : items(*begun.arguments)) {
                context_.rows.arguments({id, fmt::format("arg_{}", index++), plain_text(argument), context_.rank});
            }
        }
    }

    void tensor(const NodeView& node) {
        const auto tensor_id = node.integer("tensor_id");
        if (!tensor_id) {
            return;
        }
        // Names only: a number in text form counts as 0, and no type at all as none.
        const MaybeInt number =
            node.has("buffer_type") ? MaybeInt(buffer_type_named(node.text("buffer_type")).value_or(0)) : std::nullopt;
        const auto address = node.integer("address");
        const auto before = context_.database.changes();
        context_.rows.tensors({*tensor_id, node.text("shape"), node.text("dtype"), node.text("layout"),
                               node.has("memory_config") ? MaybeText(node.text("memory_config")) : std::nullopt,
                               node.integer("device_id"), address, number, context_.rank, size_of(node)});
        if (context_.database.changes() == before || node.text("device_tensors").empty()) {
            return;
        }
        Element list;
        const std::string_view text = node.text("device_tensors");
        if (inner_.parse(text.data(), text.size()).get(list) != simdjson::SUCCESS || !list.is_array()) {
            return;
        }
        for (const Element entry : items(list)) {
            const auto device = member(entry, "device_id");
            const auto there = member(entry, "address");
            if (device && there) {
                context_.rows.device_tensors(
                    {*tensor_id, as_integer(*device).value_or(0), as_integer(*there).value_or(0), context_.rank});
            }
        }
    }

    void allocate(const NodeView& node) {
        const int64_t size = node.integer("size").value_or(0);
        const int64_t address = node.integer("address").value_or(0);
        const int64_t device = node.integer("device_id").value_or(0);
        if (address != 0) {
            sizes_[{device, address}] = size;
            places_[static_cast<uint64_t>(node.counter)] = {device, address};
            for (const uint64_t buffer : node.links()) {
                places_[buffer] = {device, address};
            }
        }
        buffers_({context_.base_id, device, address, size, node.text("type") == "L1" ? 1 : 0,
                  layout_number(node.text("layout"), LayoutNumbers::IMPORTERS), context_.rank});
    }

    // No row tells of it, but the next tensor at this place is another one.
    void free(const NodeView& node) {
        if (const auto address = node.integer("address")) {
            sizes_.erase({node.integer("device_id").value_or(0), *address});
        }
        for (const uint64_t buffer : node.links()) {
            if (const auto place = places_.find(buffer); place != places_.end()) {
                sizes_.erase(place->second);
                places_.erase(place);
            }
        }
    }

    MaybeInt size_of(const NodeView& tensor) {
        const Place place{tensor.integer("device_id").value_or(0), tensor.integer("address").value_or(0)};
        const auto allocated = sizes_.find(place);
        return allocated != sizes_.end() ? MaybeInt(allocated->second)
                                         : size_without_allocation(tensor, context_.report, ahead_);
    }

    void error(const NodeView& node) {
        const std::string_view operation = node.text("error_operation");
        context_.rows.errors({context_.base_id, node.has("error_type") ? node.text("error_type") : "unknown",
                              node.text("error_message"), operation, operation, "", "", context_.rank});
    }

    Context& context_;
    NodeReader reader_;
    NodeReader start_;
    NodeReader look_;
    NodeLookup ahead_;
    Insert<BufferRow> buffers_;
    simdjson::dom::parser inner_;
    std::vector<size_t> open_;  // positions of the starts
    int64_t ended_ = 0;
    std::unordered_map<uint64_t, int64_t> reached_;  // links that lead to a node
    std::map<Place, int64_t> sizes_;                 // of what is allocated
    std::unordered_map<uint64_t, Place> places_;     // by the counters of an allocation and its buffer
};

}  // namespace

int64_t import_graph_s(Context& context) { return GraphS(context).run(); }

}  // namespace tracelift::report
