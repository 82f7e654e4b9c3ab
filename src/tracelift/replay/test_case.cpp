#include "tracelift/replay/test_case.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/ranges.h>

#include "tracelift/bind/board_text.hpp"
#include "tracelift/bind/left_out.hpp"
#include "tracelift/bind/positional_names.hpp"
#include "tracelift/sweep/memory_check.hpp"
#include "ttnn/check/case_maker.hpp"

namespace tracelift {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

bool is_tensor(const Value& value) {
    const auto* record = value.as<Value::Struct>();
    return record != nullptr && record->type == "Tensor";
}

std::string member_at(const Value* record, std::string_view field) {
    const Value* found = record != nullptr ? record->find(field) : nullptr;
    const auto* member = found != nullptr ? found->as<Value::Enum>() : nullptr;
    return member != nullptr ? member->member : "";
}

std::string shape_text(const Value& tensor) {
    std::vector<std::string> sizes;
    const Value* shape = tensor.find("shape");
    if (const auto* list = shape != nullptr ? shape->as<Value::List>() : nullptr) {
        for (const Value& size : *list) {
            sizes.push_back(size.to_text());
        }
    }
    return sizes.empty() ? "scalar" : fmt::format("{}", fmt::join(sizes, "x"));
}

// "1x1x32x32_bfloat16_tile_l1_height_sharded"
std::string tensor_text(const Value& tensor) {
    const Value* memory = tensor.find("memory_config");
    const std::string layout = member_at(memory, "memory_layout");
    return fmt::format("{}_{}_{}_{}{}", shape_text(tensor), lower(member_at(&tensor, "dtype")),
                       lower(member_at(&tensor, "layout")), lower(member_at(memory, "buffer_type")),
                       layout == "INTERLEAVED" || layout.empty() ? "" : "_" + lower(layout));
}

const Value* first_tensor(const Value& value) {
    if (is_tensor(value)) {
        return &value;
    }
    const auto* list = value.as<Value::List>();
    return list != nullptr && !list->empty() && is_tensor(list->front()) ? &list->front() : nullptr;
}

std::string id_of(const TestCase& test) {
    const std::string hash = test.identity.substr(0, 8);
    for (const TestArgument& argument : test.arguments) {
        if (const Value* tensor = first_tensor(argument.value)) {
            return fmt::format("{}_{}", tensor_text(*tensor), hash);
        }
    }
    return test.outputs.empty() ? hash
                                : fmt::format("{}_{}", fmt::join(test.outputs.front().logical_shape(), "x"), hash);
}

std::string kind_of(const Value& value) {
    if (const auto* record = value.as<Value::Struct>()) {
        return record->type;
    }
    if (const auto* list = value.as<Value::List>()) {
        return fmt::format("list of {}", list->empty() ? "nothing" : kind_of(list->front()));
    }
    return std::string(value.kind());
}

std::string signature_of(const TestCase& test) {
    std::vector<std::string> parts;
    for (const TestArgument& argument : test.arguments) {
        parts.push_back(fmt::format("{}: {}", argument.name, kind_of(argument.value)));
    }
    return fmt::format("{}{}", fmt::join(parts, ", "), test.judged ? "" : " (shape only)");
}

// "add_with_dtype_and_memory_config": what is beyond the required arguments tells signatures apart.
std::string group_of(const TestCase& test) {
    std::vector<std::string_view> extra;
    for (const TestArgument& argument : test.arguments) {
        if (!argument.positional) {
            extra.push_back(argument.name);
        }
    }
    return fmt::format("{}{}{}", plain_name(*test.op), extra.empty() ? "" : "_with_", fmt::join(extra, "_and_"));
}

// Program and compute configs and memory configs, by type; outputs that the caller provides, by declaration.
bool is_for_hardware(const ttnn::FieldInfo& field, const Value& value, bool is_judged_after) {
    const auto* record = value.as<Value::Struct>();
    const bool config =
        record != nullptr &&
        (record->type == "MemoryConfig" || record->type.ends_with("ProgramConfig") ||
         record->type.ends_with("ComputeKernelConfig") || record->type == "CoreRangeSet" || record->type == "CoreGrid");
    return config || value.as<Value::Object>() != nullptr || (field.mutates() && !field.required() && !is_judged_after);
}

// Whether something says what each output and each argument that is written into has to hold. A golden function gets
// what one chip has, so there is none for an operation that looks at several.
bool is_judged(const ttnn::OpInfo& op, const std::string& board, TestForm form) {
    const bool looks_at_several = op.mesh_reference != nullptr && BoardText::parse(board).mesh.num_chips() > 1;
    return op.is_judged() && (form == TestForm::GTEST || !looks_at_several);
}

ttnn::AnyParams without_bytes(const ttnn::OpInfo& op, const Value::Dict& arguments,
                              const std::shared_ptr<ttnn::Device>& device) {
    return ttnn::decode_call(op, {}, arguments, {device, ttnn::Tensor::without_bytes});
}

// `params` are null where the arguments cannot be decoded: then tensors get any values.
std::vector<TestArgument> arguments_of(const ttnn::OpInfo& op, const Value::Dict& given,
                                       const ttnn::AnyParams* params) {
    std::vector<TestArgument> arguments;
    bool leading = true;  // an argument can only be positional while all before it are
    for (const ttnn::FieldInfo& field : op.fields) {
        const auto found = std::ranges::find(given, field.name, &Value::Entry::key);
        if (found == given.end()) {
            leading = false;
            continue;
        }
        leading = leading && field.required() && !field.keyword_only();
        const bool judged_after = field.mutates() && field.type->has_tensors && op.mutated_reference != nullptr;
        TestArgument argument{.name = std::string(field.name),
                              .value = found->value,
                              .positional = leading,
                              .for_hardware = is_for_hardware(field, found->value, judged_after),
                              .written_into = judged_after};
        if (params != nullptr) {
            field.type->visit_tensors(params->field(field), [&](const ttnn::Tensor& tensor) {
                argument.domain = ttnn::domain_of(*params, field.name, tensor.dtype());
            });
        }
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

// One line without what could end a comment.
std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text.substr(0, 70)) {
        line.push_back(static_cast<unsigned char>(c) < 0x20 || c == '\\' ? ' ' : c);
    }
    return line;
}

class Planner {
public:
    explicit Planner(const PlanOptions& options) : options_(options) {}

    void add(const ReplayCall& call) {
        const ttnn::OpInfo* op = ttnn::find_operation(call.call.operation);
        if (op == nullptr) {
            ++plan_.left_out.unknown;
        } else if (!call.call.bound) {
            ++plan_.left_out.undecodable;
        } else if (!seen_.insert(call.identity).second) {
            ++plan_.left_out.repeated;
        } else if (options_.per_operation == 0 || counts_[op->name] < options_.per_operation) {
            add_test(call);
        }
    }

    TestPlan take() {
        std::ranges::sort(plan_.cases, [](const TestCase& a, const TestCase& b) {
            return std::tie(a.op->name, a.board, a.signature, a.id) < std::tie(b.op->name, b.board, b.signature, b.id);
        });
        name_groups();
        return std::move(plan_);
    }

private:
    void add_test(const ReplayCall& call) {
        const Value::Dict given = replayable(call.call.arguments);
        if (is_too_large(tensor_bytes(given), bytes_on_mesh(given))) {
            ++plan_.left_out.too_large;
            return;
        }
        const std::string board = board_to_replay(call.board, call.hardware, given);
        const std::shared_ptr<ttnn::Device>& device = device_of(board);
        const ttnn::OpInfo& op = overload_of({call.call.operation, given, true, {}});
        const MemoryCheck check = check_memory(op, given, device);
        if (!check.inferred || !check.problem.empty()) {
            ++plan_.left_out.refused;
            return;
        }
        if (is_too_large(tensor_bytes(given) + check.output_bytes(), bytes_on_mesh(given) + check.outputs_on_mesh)) {
            ++plan_.left_out.too_large;
            return;
        }
        TestCase test;
        test.op = &op;
        const ttnn::AnyParams params = without_bytes(op, given, device);
        test.arguments = arguments_of(op, given, &params);
        test.outputs = check.outputs;
        const bool anything = !check.outputs.empty() || op.mutated_reference != nullptr;
        test.judged = anything && is_judged(op, board, options_.form);
        test.board = board;
        test.source = one_line(call.source);
        test.identity = call.identity;
        test.id = id_of(test);
        test.signature = signature_of(test);
        ++counts_[ttnn::find_operation(call.call.operation)->name];
        plan_.cases.push_back(std::move(test));
    }

    // Of a chip's tensors a test has copies: packed, plain, reference, comparison. Those of a whole mesh are packed,
    // and in Python they are made as one.
    bool is_too_large(uint64_t on_chip, uint64_t on_mesh) const {
        constexpr uint64_t copies = 4;
        const uint64_t whole = options_.form == TestForm::PYTEST ? on_mesh * copies : on_mesh;
        return options_.memory_limit != 0 && std::max(on_chip * copies, whole) > options_.memory_limit;
    }

    const std::shared_ptr<ttnn::Device>& device_of(const std::string& board) {
        auto& device = devices_[board];
        if (!device) {
            device = open_board(board);
        }
        return device;
    }

    // Signatures that differ only in kinds are numbered, in their order.
    void name_groups() {
        std::map<std::string, size_t> used;
        for (size_t i = 0; i < plan_.cases.size(); ++i) {
            TestCase& test = plan_.cases[i];
            const TestCase* before = i == 0 ? nullptr : &plan_.cases[i - 1];
            if (before != nullptr && before->op == test.op && before->board == test.board &&
                before->signature == test.signature) {
                test.group = before->group;
                continue;
            }
            const std::string name = group_of(test);
            const size_t number = ++used[name];
            test.group = fmt::format("{}{}{}", name, number == 1 ? "" : fmt::format("_{}", number),
                                     test.judged ? "" : "_shape_only");
        }
    }

    PlanOptions options_;
    TestPlan plan_;
    std::set<std::string> seen_;
    std::map<std::string_view, size_t> counts_;
    std::map<std::string, std::shared_ptr<ttnn::Device>> devices_;
};

}  // namespace

std::string quoted_lines(std::string_view message, std::string_view prefix, size_t width) {
    std::string text;
    std::string line(prefix);
    const auto end_line = [&] {
        if (line.size() > prefix.size()) {
            text += line + "\n";
            line = prefix;
        }
    };
    for (size_t begin = 0; begin < message.size();) {
        const size_t end = std::min(message.find_first_of(" \n", begin), message.size());
        std::string word(message.substr(begin, end - begin));
        std::ranges::replace(word, '"', '\'');
        std::ranges::replace(word, '\\', '/');
        std::erase_if(word, [](unsigned char c) { return c < 0x20; });
        if (line.size() + 1 + word.size() > width) {
            end_line();
        }
        line += (line.size() > prefix.size() && !word.empty() ? " " : "") + word;
        if (end < message.size() && message[end] == '\n') {
            end_line();
        }
        begin = end + 1;
    }
    end_line();
    return text;
}

TestCase failing_test(const ReplayCall& call, std::string failure, TestForm form) {
    const Value::Dict given = replayable(call.call.arguments);
    TestCase test;
    test.op = ttnn::find_operation(call.call.operation);
    test.board = board_to_replay(call.board, call.hardware, given);
    try {
        test.op = &overload_of({call.call.operation, given, true, {}});
        const ttnn::AnyParams params = without_bytes(*test.op, given, open_board(test.board));
        test.arguments = arguments_of(*test.op, given, &params);
    } catch (const ttnn::Error&) {  // the arguments themselves are what is refused
        test.arguments = arguments_of(*test.op, given, nullptr);
    }
    test.judged = is_judged(*test.op, test.board, form);
    test.source = one_line(call.source);
    test.identity = call.identity;
    test.id = id_of(test);
    test.signature = signature_of(test);
    test.group = group_of(test);
    test.failure = std::move(failure);
    return test;
}

std::string plain_name(const ttnn::OpInfo& op) {
    std::string name(op.name.substr(op.name.find('.') + 1));
    std::ranges::replace(name, '.', '_');
    return name;
}

TestPlan plan_tests(std::span<const ReplayCall> calls, const PlanOptions& options) {
    Planner planner(options);
    for (const ReplayCall& call : calls) {
        planner.add(call);
    }
    return planner.take();
}

}  // namespace tracelift
