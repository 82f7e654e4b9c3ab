#include "tracelift/formats/piece_parser.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/dialects/format1.hpp"
#include "tracelift/dialects/format2_values.hpp"

namespace tracelift {
namespace {

constexpr size_t most_positions = 1000;

// arg7 -> 7
std::optional<size_t> position_of(std::string_view key) {
    size_t position = 0;
    const char* end = key.data() + key.size();
    if (!key.starts_with("arg") || key.size() == 3 || (key[3] == '0' && key.size() > 4)) {
        return std::nullopt;
    }
    const auto [stopped, problem] = std::from_chars(key.data() + 3, end, position);
    return problem == std::errc() && stopped == end && position < most_positions ? std::optional(position)
                                                                                 : std::nullopt;
}

// What the writer did with the named arguments of a call without a declaration.
void take_keywords(CallView& call) {
    const Value* last = call.positional.empty() ? nullptr : call.positional.back();
    const auto* record = last != nullptr ? last->as<Value::Struct>() : nullptr;
    if (record != nullptr && record->type == keywords_type) {
        for (const auto& entry : record->fields) {
            call.keywords.push_back({entry.key, &entry.value});
        }
        call.positional.pop_back();
    }
}

std::vector<std::string> sources_of(const Value* tree) {
    const auto text_or_unknown = [](const Value& value) {
        const auto* text = value.as<std::string>();
        return text != nullptr ? *text : std::string(unknown_source);
    };
    std::vector<std::string> sources;
    const auto* list = tree != nullptr ? tree->as<Value::List>() : nullptr;
    for (const Value& item : list != nullptr ? *list : Value::List{}) {
        sources.push_back(text_or_unknown(item));
    }
    if (sources.empty()) {
        sources.push_back(tree != nullptr ? text_or_unknown(*tree) : std::string(unknown_source));
    }
    return sources;
}

uint64_t count_of(const Value& execution) {
    for (const auto* key : {"count", "execution_count"}) {
        const Value* count = execution.find(key);
        if (const auto* number = count != nullptr ? count->as<int64_t>() : nullptr; number != nullptr && *number >= 0) {
            return static_cast<uint64_t>(*number);
        }
    }
    return 1;
}

void set_machine(const Value& info, MasterExecution& execution) {
    execution.hardware = hardware_of(info);
    if (!execution.hardware) {
        return;
    }
    const Value* board = info.find("board");
    const auto* named = board != nullptr ? board->as<std::string>() : nullptr;
    execution.board = named != nullptr ? *named : board_of_series(execution.hardware->device_series);
}

// Every pair of source and machine.
void add_pairs(const Value* source, const Value* machine, const MasterExecution& like,
               std::vector<MasterExecution>& executions) {
    const auto* list = machine != nullptr ? machine->as<Value::List>() : nullptr;
    const Value none;
    for (const std::string& each : sources_of(source)) {
        MasterExecution execution = like;
        execution.source = each;
        if (list == nullptr || list->empty()) {
            set_machine(list != nullptr || machine == nullptr ? none : *machine, execution);
            executions.push_back(execution);
            continue;
        }
        for (const Value& one : *list) {
            set_machine(one, execution);
            executions.push_back(execution);
        }
    }
}

void add_execution(const Value& tree, std::vector<MasterExecution>& executions) {
    if (tree.as<Value::Dict>() == nullptr) {
        throw std::invalid_argument(fmt::format("expected an execution to be an object, got {}", tree.to_text()));
    }
    MasterExecution execution;
    const Value* uid = tree.find("trace_uid");
    if (const auto* text = uid != nullptr ? uid->as<std::string>() : nullptr) {
        execution.trace_uid = *text;
    }
    execution.count = count_of(tree);
    add_pairs(tree.find("source"), tree.find("machine_info"), execution, executions);
}

}  // namespace

Value PieceParser::parsed(std::string_view text) {
    try {
        return parser_.parse(text);
    } catch (const JsonError& error) {
        throw std::invalid_argument(fmt::format("not valid JSON: {}", error.what()));
    }
}

void PieceParser::read_format1(std::string_view arguments, CallView& call) {
    JsonStream stream(arguments);
    stream.items([&](size_t position) {
        const std::string_view text = stream.value();
        const auto read = [&] {
            Value value = shapes_.get(text, "logical_shape", position,
                                      [&] { return read_argument(parsed(text), position).value_or(Value()); });
            return Argument{position, value.is_null() ? std::nullopt : std::optional(std::move(value))};
        };
        const Argument* argument = &format1_.get(text, read);
        if (argument->position != position) {
            argument = &elsewhere_.emplace_back(read());
        }
        call.positional.push_back(argument->value ? &*argument->value : nullptr);
    });
    take_keywords(call);
}

void PieceParser::read_format2(std::string_view arguments, CallView& call) {
    JsonStream stream(arguments);
    stream.members([&](const std::string& key) {
        const std::string_view text = stream.value();
        const auto read = [&] {
            return shapes_.get(text, "original_shape", 0, [&] { return read_python_value(parsed(text)); });
        };
        const Value* value = &format2_.get(text, read);
        if (const auto position = position_of(key)) {
            call.positional.resize(std::max(call.positional.size(), *position + 1));
            call.positional[*position] = value;
            return;
        }
        // The last of several equal keys counts, as in Python.
        const auto same = std::ranges::find(call.keywords, key, &CallView::Keyword::name);
        if (same != call.keywords.end()) {
            same->value = value;
        } else {
            call.keywords.push_back({names_.emplace_back(key), value});
        }
    });
}

PieceCall PieceParser::call(const MasterPiece& piece) {
    format1_.forget();
    format2_.forget();
    elsewhere_.clear();
    names_.clear();
    PieceCall result{{piece.operation}, piece.is_format2() ? Order::PYTHON : Order::CPP};
    try {
        if (piece.is_format2()) {
            read_format2(piece.arguments, result.call);
        } else {
            read_format1(piece.arguments, result.call);
        }
    } catch (const JsonStreamError& error) {
        throw std::invalid_argument(fmt::format("not valid JSON: {}", error.what()));
    }
    return result;
}

std::vector<MasterExecution> PieceParser::executions(const MasterPiece& piece) {
    std::vector<MasterExecution> executions;
    for (const Value& execution : piece.told) {
        add_execution(execution, executions);
    }
    if (executions.empty() && !piece.executions.empty()) {
        const Value list = parsed(piece.executions);
        if (list.as<Value::List>() == nullptr) {
            throw std::invalid_argument("expected a list 'executions' (format 2)");
        }
        for (const Value& execution : *list.as<Value::List>()) {
            add_execution(execution, executions);
        }
    }
    if (executions.empty()) {
        const Value source = piece.source.empty() ? Value() : parsed(piece.source);
        const Value machine = piece.machine_info.empty() ? Value() : parsed(piece.machine_info);
        add_pairs(source.is_null() ? nullptr : &source, &machine, {}, executions);
    }
    return executions;
}

}  // namespace tracelift
