#include "tracelift/report/operations.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "tracelift/report/source_place.hpp"
#include "tracelift/report/viewer_text.hpp"

namespace tracelift::report {
namespace {

std::optional<Element> member_of_record(const std::optional<Element>& record, std::string_view key) {
    return record ? member(*record, key) : std::nullopt;
}

MaybeInt number(const Element& object, std::string_view key) {
    const auto found = member(object, key);
    return found ? as_integer(*found) : std::nullopt;
}

// Each id once, in order.
void keep_first(std::vector<int64_t>& ids) {
    std::unordered_set<int64_t> seen;
    std::erase_if(ids, [&](int64_t id) { return !seen.insert(id).second; });
}

}  // namespace

Operations::Operations(Context& context, Memory& memory, Tensors& tensors, PythonRecords& python,
                       const NodeReader& recent)
    : context_(context),
      memory_(memory),
      tensors_(tensors),
      python_(python),
      graph_(context, recent),
      listed_(context.own->spans, context.own->next_epoch),
      start_(context.report, recent) {
    read_lists();
}

void Operations::read_lists() {
    const auto lists = context_.report.find("per_operation_buffers");
    if (!lists) {
        return;
    }
    lists_.resize(context_.report.nodes());
    context_.report.json().for_each_member(*lists, [&](std::string_view key, Span list) {
        uint64_t counter = 0;
        const auto read = std::from_chars(key.data(), key.data() + key.size(), counter);
        const auto position = read.ec == std::errc() ? context_.report.position_of(counter) : std::nullopt;
        if (position) {
            lists_[*position] = list;
        } else {
            context_.warn("per_operation_buffers of nodes that are not in the graph, left out");
        }
    });
}

int64_t Operations::end_snapshot(std::optional<size_t> start, int64_t id) {
    if (lists_.size() == 0 || !start || lists_[*start].empty()) {
        context_.rows.buffers += static_cast<int64_t>(memory_.spans().size());
        return memory_.spans().end_operation(id);
    }
    std::vector<BufferFacts> list;
    const Element json = context_.report.json().parse(record_parser_, lists_[*start], "per_operation_buffers");
    if (json.is_array()) {
        for (const Element entry : items(json)) {
            list.push_back(
                {context_.devices.number_of(number(entry, "device_id").value_or(0)),
                 number(entry, "address").value_or(0), number(entry, "max_size_per_bank").value_or(0),
                 number(entry, "buffer_type").value_or(0),
                 layout_number(number(entry, "buffer_layout").value_or(0), context_.options.layout_numbers)});
        }
    }
    context_.rows.buffers += static_cast<int64_t>(list.size());
    return listed_.end_operation(id, std::move(list));
}

void Operations::write_row(const OpenOperation& operation, int64_t id, int64_t duration_ns) {
    context_.rows.operations({id, operation.name, static_cast<double>(duration_ns) / 1e9, context_.rank});
    if (operation.start) {
        context_.rows.nodes({id, operation.counter, count_, operation.name, context_.rank});
    }
    last_of_name_[operation.name] = id;
}

void Operations::write_arguments(int64_t id, const OpenOperation& operation, const std::optional<Element>& record) {
    const auto recorded = member_of_record(record, "arguments");
    bool any = false;
    if (recorded && recorded->is_object()) {
        for (const auto field : fields(*recorded)) {
            context_.rows.arguments({id, field.key, viewer_memory_config(plain_text(field.value)), context_.rank});
            any = true;
        }
    }
    if (any || !operation.start) {
        return;
    }
    const auto& arguments = start_.read(*operation.start).arguments;
    if (arguments && arguments->is_array()) {
        size_t index = 0;
        for (const Element argument : items(*arguments)) {
            const auto text = as_text(argument);
            const bool as_it_is = text && !has_shard_spec(*text);
            const std::string other = as_it_is ? std::string() : viewer_memory_config(plain_text(argument));
            context_.rows.arguments({id, fmt::format("arg_{}", index++), as_it_is ? *text : other, context_.rank});
        }
    }
}

std::optional<int64_t> Operations::source_file(const std::string& path) {
    if (!context_.options.source_files) {
        return std::nullopt;
    }
    const auto [known, is_new] = source_files_.try_emplace(path);
    if (is_new) {
        known->second = store_source_file(path);
    }
    return known->second;
}

std::optional<int64_t> Operations::store_source_file(const std::string& path) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem)) {
        return std::nullopt;
    }
    Statement find(context_.database, "SELECT id FROM source_files WHERE path = ?");
    if (find.with(path).step()) {
        return find.integer(0);
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        return std::nullopt;
    }
    std::string contents = text.str();
    if (!simdjson::validate_utf8(contents)) {
        std::ranges::replace_if(
            contents, [](char c) { return static_cast<uint8_t>(c) >= 0x80; }, '?');
    }
    context_.own->source_files({std::nullopt, path, contents});
    return context_.database.integer("SELECT last_insert_rowid()");
}

std::optional<Element> Operations::record_of(const OpenOperation& operation) {
    return operation.record ? std::optional(python_.parse(record_parser_, *operation.record)) : std::nullopt;
}

std::string Operations::stack_text(const OpenOperation& operation, const std::optional<Element>& record) {
    std::string text;
    if (const auto recorded = member_of_record(record, "python_stack_trace")) {
        text = joined_lines(*recorded);
    }
    if (text.empty() && operation.start) {
        const auto& frames = start_.read(*operation.start).stack_trace;
        text = frames ? joined_lines(*frames) : "";
    }
    return text;
}

std::string Operations::write_stack_trace(int64_t id, const OpenOperation& operation,
                                          const std::optional<Element>& record) {
    std::string text = stack_text(operation, record);
    if (!text.empty()) {
        const auto place = first_place(text);
        if (context_.options.source_files) {
            std::ranges::for_each(files_of(text), [&](const std::string& file) { source_file(file); });
        }
        context_.rows.stack_traces({id, operation.counter, operation.name, text,
                                    place ? source_file(place->file) : std::nullopt, context_.rank});
    }
    return text;
}

Operations::Ids Operations::recorded_ids(const std::optional<Element>& record, std::string_view key) {
    Ids ids;
    const auto list = member_of_record(record, key);
    if (list && list->is_array()) {
        for (const Element item : items(*list)) {
            if (const auto id = as_integer(item)) {
                ids.push_back(*id);
            }
        }
    }
    return ids;
}

std::vector<size_t> Operations::tensor_positions(const std::vector<uint64_t>& counters) {
    std::vector<size_t> positions;
    for (const uint64_t counter : counters) {
        const auto position = context_.report.position_of(counter);
        if (position && tensors_.id_at(*position)) {
            positions.push_back(*position);
        }
    }
    return positions;
}

Operations::Ids Operations::used(const std::vector<size_t>& positions) {
    Ids ids;
    for (const size_t position : positions) {
        if (const auto id = tensors_.use(position)) {
            ids.push_back(*id);
        }
    }
    return ids;
}

// What came from outside: taken by functions inside, and not made by them.
Operations::Ids Operations::lifted_inputs(const OpenOperation& operation) {
    std::unordered_set<size_t> produced;
    std::vector<size_t> taken;
    for (const NestedCall& call : operation.nested) {
        const auto inputs = tensor_positions(call.inputs);
        taken.insert(taken.end(), inputs.begin(), inputs.end());
        for (const size_t output : tensor_positions(call.outputs)) {
            if (std::ranges::find(inputs, output) == inputs.end()) {
                produced.insert(output);
            }
        }
    }
    std::erase_if(taken, [&](size_t position) { return produced.contains(position); });
    Ids ids = used(taken);
    std::unordered_set<int64_t> made;
    for (const size_t position : produced) {
        made.insert(*tensors_.id_at(position));
    }
    std::ranges::copy_if(operation.freed, std::back_inserter(ids), [&](int64_t id) { return !made.contains(id); });
    keep_first(ids);
    return ids;
}

// What nobody inside took.
std::vector<size_t> Operations::lifted_outputs(const OpenOperation& operation) {
    std::unordered_set<size_t> produced;
    std::unordered_set<size_t> consumed;
    std::vector<size_t> given;
    for (const NestedCall& call : operation.nested) {
        const auto inputs = tensor_positions(call.inputs);
        consumed.insert(inputs.begin(), inputs.end());
        for (const size_t output : tensor_positions(call.outputs)) {
            given.push_back(output);
            if (std::ranges::find(inputs, output) == inputs.end()) {
                produced.insert(output);
            }
        }
    }
    std::unordered_set<size_t> seen;
    std::erase_if(given, [&](size_t position) {
        return (produced.contains(position) && consumed.contains(position)) || !seen.insert(position).second;
    });
    return given;
}

void Operations::write_inputs(int64_t id, const OpenOperation& operation, const std::optional<Element>& record) {
    Ids ids = recorded_ids(record, "input_tensor_ids");
    if (!ids.empty()) {
        const size_t given = ids.size();
        std::erase_if(ids, [&](int64_t tensor) { return !tensors_.use_id(tensor); });
        if (ids.size() != given) {
            context_.warn("inputs that Python recorded and the graph does not know, left out");
        }
    } else if (!operation.inputs.empty()) {
        ids = used(tensor_positions(operation.inputs));
    } else {
        ids = lifted_inputs(operation);
    }
    if (!context_.options.repeated_inputs) {
        keep_first(ids);
    }
    for (size_t i = 0; i < ids.size(); ++i) {
        context_.rows.inputs({id, static_cast<int64_t>(i), ids[i], context_.rank});
    }
}

void Operations::write_outputs(int64_t id, const std::vector<size_t>& results, const std::optional<Element>& record) {
    Ids ids = recorded_ids(record, "output_tensor_ids");
    if (ids.empty()) {
        ids = used(results);
    } else {
        Ids known;
        for (size_t i = 0; i < ids.size(); ++i) {
            if (i < results.size()) {
                tensors_.use(results[i]);
            }
            if (!tensors_.use_id(ids[i])) {
                if (i >= results.size()) {
                    context_.warn("outputs that Python recorded and the graph does not know, left out");
                    continue;
                }
                tensors_.add_like(ids[i], results[i]);
            }
            known.push_back(ids[i]);
        }
        ids = known;
    }
    keep_first(ids);
    for (size_t i = 0; i < ids.size(); ++i) {
        context_.rows.outputs({id, static_cast<int64_t>(i), ids[i], context_.rank});
    }
}

void Operations::finish(OpenOperation& operation, const NodeView* end, size_t last) {
    const int64_t id = next_id();
    ++count_;
    const std::optional<Element> record = record_of(operation);
    write_row(operation, id, end != nullptr ? end->duration_ns : 0);
    write_arguments(id, operation, record);
    write_inputs(id, operation, record);

    std::vector<size_t> results;
    if (end != nullptr) {
        results = tensor_positions(end->links());
    }
    if (results.empty() && !operation.failed) {
        results = lifted_outputs(operation);
    }
    write_outputs(id, results, record);
    const std::string trace = write_stack_trace(id, operation, record);

    const auto recorded_graph = member_of_record(record, "captured_graph");
    if (recorded_graph && recorded_graph->is_array()) {
        graph_.write_recorded(id, *recorded_graph);
    } else {
        std::vector<size_t> tensors = results;
        const auto own = tensor_positions(operation.inputs);
        tensors.insert(tensors.end(), own.begin(), own.end());
        for (const NestedCall& call : operation.nested) {
            const auto inputs = tensor_positions(call.inputs);
            tensors.insert(tensors.end(), inputs.begin(), inputs.end());
        }
        graph_.write(id, operation.start.value_or(last), last, tensors);
    }
    const auto place = first_place(trace);
    const MaybeInt start_counter = operation.start ? MaybeInt(operation.counter) : std::nullopt;
    context_.own->details({id, context_.report_id, start_counter,
                           end != nullptr ? MaybeInt(end->counter) : std::nullopt, end_snapshot(operation.start, id),
                           place ? MaybeText(place->file) : std::nullopt, place ? MaybeInt(place->line) : std::nullopt,
                           context_.rank});
    if (end == nullptr && !operation.failed) {
        incomplete(operation, id);
    }
}

void Operations::finish_free(const NodeView& node, const Freed& freed) {
    const int64_t id = next_id();
    ++count_;
    write_row({.name = "ttnn::deallocate", .start = node.position, .counter = node.counter}, id, 0);
    std::optional<int64_t> tensor;
    if (freed.tensor_position) {
        tensor = tensors_.use(*freed.tensor_position);
    }
    if (!tensor && freed.device_id && freed.address) {
        tensor = tensors_.owner(*freed.device_id, *freed.address);
    }
    if (tensor) {
        context_.rows.inputs({id, 0, *tensor, context_.rank});
    }
    graph_.write_free(id, node.position);
    context_.own->details({id, context_.report_id, node.counter, node.counter, end_snapshot(std::nullopt, id),
                           std::nullopt, std::nullopt, context_.rank});
}

// The viewer shows an error at the operation of its id and name, so that is whose name it gets.
void Operations::error(const NodeView& node, OpenOperation* open) {
    const auto text = [&](std::string_view param, std::string_view otherwise) {
        return node.has(param) ? node.text(param) : otherwise;
    };
    const std::string function(text("error_operation", ""));
    std::string listed = function;
    std::string stack = node.stack_trace ? joined_lines(*node.stack_trace) : "";
    int64_t id = context_.base_id;
    if (open != nullptr) {
        open->failed = true;
        id = next_id();
        listed = open->name;
        stack = stack.empty() ? stack_text(*open, record_of(*open)) : stack;
    } else if (const auto latest = last_of_name_.find(function); latest != last_of_name_.end()) {
        id = latest->second;
    }
    context_.rows.errors(
        {id, text("error_type", "unknown"), text("error_message", ""), function, listed, stack, "", context_.rank});
    names_with_errors_.insert(function);
    names_with_errors_.insert(listed);
}

void Operations::incomplete(const OpenOperation& operation, int64_t id) {
    if (names_with_errors_.insert(operation.name).second) {
        const std::string message =
            fmt::format("Operation '{}' started but never completed (likely crashed)", operation.name);
        context_.rows.errors(
            {id, "incomplete_operation", message, operation.name, operation.name, "", "", context_.rank});
    }
}

}  // namespace tracelift::report
