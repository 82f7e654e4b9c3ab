// Generated tests for pytest: a file per operation that needs nothing but `ttnn` (and torch, which that brings).
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "tracelift/bind/board_text.hpp"
#include "tracelift/replay/pytest_parts.hpp"
#include "tracelift/replay/python_expression.hpp"
#include "tracelift/replay/test_case.hpp"
#include "ttnn/op/tensor_placement.hpp"

namespace tracelift {
namespace {

std::string whole_or_real(double number) {
    return number == static_cast<double>(static_cast<int64_t>(number)) ? fmt::format("{}", static_cast<int64_t>(number))
                                                                       : fmt::format("{}", number);
}

// What a tensor's values may be, where that is not the default.
void add_domain(const ttnn::Domain& domain, std::vector<Expression>& parts) {
    using Kind = ttnn::Domain::Kind;
    const char* kind = domain.kind == Kind::INTEGER   ? "integer"
                       : domain.kind == Kind::BINARY  ? "binary"
                       : domain.kind == Kind::MASK    ? "mask"
                       : domain.kind == Kind::ONE_HOT ? "one_hot"
                                                      : "real";
    if (std::string_view(kind) != "real") {
        parts.push_back(Expression::keyword("kind", python_text(kind)));
    }
    const bool bounded = domain.kind == Kind::INTEGER || domain.kind == Kind::REAL;
    if (bounded && domain.low != -1) {
        parts.push_back(Expression::keyword("low", whole_or_real(domain.low)));
    }
    if (bounded && domain.high != 1) {
        parts.push_back(Expression::keyword("high", whole_or_real(domain.high)));
    }
}

Expression shape_tuple(const Value& shape) {
    std::vector<Expression> sizes;
    if (const auto* list = shape.as<Value::List>()) {
        for (const Value& size : *list) {
            sizes.push_back(python_expression(size));
        }
    }
    return Expression::tuple(std::move(sizes));
}

// How the tensor is cut for the chips of a mesh, where it is.
void add_placement(const Value& placement, std::vector<Expression>& parts) {
    const auto [topology, mesh] = ttnn::TensorPlacement::decode(placement);
    if (std::ranges::none_of(topology.placements, &ttnn::Placement::is_shard)) {
        return;
    }
    std::vector<Expression> cuts;
    for (const ttnn::Placement& cut : topology.placements) {
        cuts.emplace_back(cut.dim ? fmt::format("{}", *cut.dim) : "None");
    }
    parts.push_back(Expression::keyword("spread", Expression::tuple(std::move(cuts))));
    if (topology.distribution != mesh) {
        std::vector<Expression> chips;
        for (const uint32_t count : topology.distribution.dims) {
            chips.emplace_back(fmt::format("{}", count));
        }
        parts.push_back(Expression::keyword("chips", Expression::tuple(std::move(chips))));
    }
}

// `domain` is null for outputs.
Expression tensor_expression(const Value& tensor, const ttnn::Domain* domain, bool on_mesh) {
    const auto part = [&](std::string_view name) {
        const Value* found = tensor.find(name);
        return found != nullptr ? *found : Value();
    };
    std::vector<Expression> parts{shape_tuple(part("shape")), python_expression(part("dtype")),
                                  python_expression(part("layout")), python_expression(part("memory_config"))};
    if (domain != nullptr) {
        add_domain(*domain, parts);
    }
    const Value storage = part("storage_type");
    if (const auto* member = storage.as<Value::Enum>();
        domain != nullptr && member != nullptr && member->member == "HOST") {
        parts.push_back(Expression::keyword("on_host", std::string("True")));
    }
    if (const Value* tile = tensor.find("tile"); domain != nullptr && tile != nullptr) {
        parts.push_back(Expression::keyword("tile", python_expression(*tile)));
    }
    if (const Value* placement = tensor.find(ttnn::placement_field); on_mesh && placement != nullptr) {
        add_placement(*placement, parts);
    }
    return Expression::call("Tensor", std::move(parts));
}

Expression argument_expression(const Value& value, const ttnn::Domain& domain, bool on_mesh) {
    if (const auto* record = value.as<Value::Struct>(); record != nullptr && record->type == "Tensor") {
        return tensor_expression(value, &domain, on_mesh);
    }
    if (const auto* list = value.as<Value::List>()) {
        std::vector<Expression> items;
        for (const Value& item : *list) {
            items.push_back(argument_expression(item, domain, on_mesh));
        }
        return Expression::list(std::move(items));
    }
    return python_expression(value);
}

ttnn::MeshShape mesh_of(const TestCase& test) { return BoardText::parse(test.board).mesh; }

Expression call_expression(const TestCase& test, std::string head = "call") {
    std::vector<Expression> arguments;
    bool by_position = true;
    const bool on_mesh = mesh_of(test).num_chips() > 1;
    for (const TestArgument& argument : test.arguments) {
        Expression value = argument_expression(argument.value, argument.domain, on_mesh);
        by_position = by_position && argument.positional && !argument.written_into;  // which are found by their names
        arguments.push_back(by_position ? std::move(value) : Expression::keyword(argument.name, std::move(value)));
    }
    return Expression::call(std::move(head), std::move(arguments));
}

Expression case_expression(const TestCase& test) {
    std::vector<Expression> outputs;
    for (const ttnn::TensorSpec& spec : test.outputs) {
        const auto described = ttnn::Tensor::without_bytes(spec, ttnn::StorageType::DEVICE);
        outputs.push_back(tensor_expression(ttnn::type_info<ttnn::Tensor>().encode(&described), nullptr, false));
    }
    return Expression::call("pytest.param", {call_expression(test), Expression::list(std::move(outputs)),
                                             Expression::keyword("id", python_text(test.id))});
}

// A board's name as part of a file's: "n300:eth" has a colon.
std::string word(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return text.empty() ? "any" : text;
}

std::string upper(std::string text) {
    for (char& c : text) {
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return text;
}

// The cases of one signature and the test that takes them.
std::string group_text(std::span<const TestCase> cases) {
    const TestCase& first = cases.front();
    const std::string name = upper(first.group);
    std::string text = fmt::format("\n\n{} = [\n", name);
    for (const TestCase& test : cases) {
        text += fmt::format("    # {}{}configuration {}\n", test.source, test.source.empty() ? "" : "; ",
                            test.identity.substr(0, 16));
        text += case_expression(test).laid_out(4, ",");
    }
    text += "]\n\n\n";
    text += Expression::call("@pytest.mark.parametrize", {python_text("arguments, expected"), name}).laid_out(0);
    text += Expression::call("def test_" + first.group,
                             {std::string("device"), std::string("arguments"), std::string("expected")})
                .laid_out(0, ":");
    text += Expression::call(
                first.judged ? "check" : "check_shape_only",
                {std::string(first.op->name), std::string("arguments"), std::string("expected"), std::string("device")})
                .laid_out(4);
    return text;
}

// Keywords that goldens do not take.
std::string hardware_text(std::span<const TestCase> cases) {
    std::map<std::string, bool> names;
    for (const TestCase& test : cases) {
        for (const TestArgument& argument : test.arguments) {
            if (argument.for_hardware && !argument.positional) {
                names[argument.name] = true;
            }
        }
    }
    std::vector<Expression> parts;
    for (const auto& [name, used] : names) {
        parts.emplace_back(python_text(name));
    }
    const Expression tuple = Expression::tuple(std::move(parts));
    std::string text = Expression::keyword("HARDWARE", tuple).laid_out(0);
    return "\n# What decides how the hardware works, not what comes out: golden functions do not take it.\n" +
           text.replace(text.find('='), 1, " = ");
}

PytestNeeds needs_of(std::span<const TestCase> cases, std::string_view tests) {
    const BoardText board = BoardText::parse(cases.front().board);
    const auto writes = [](const TestCase& test) {
        return test.judged && std::ranges::any_of(test.arguments, &TestArgument::written_into);
    };
    return {.board = board.board,
            .mesh = board.mesh,
            .written_into = std::ranges::any_of(cases, writes),
            .semaphores = tests.find("SEMAPHORE") != tests.npos,
            .golden = std::ranges::any_of(cases, &TestCase::judged),
            .plural = cases.front().failure.empty() ? "calls were" : "call was"};
}

TestFile file_of(std::span<const TestCase> cases, bool several_boards) {
    TestFile file;
    const ttnn::OpInfo& op = *cases.front().op;
    const std::string& board = cases.front().board;
    file.name = fmt::format("test_{}_traced_configs{}.py", plain_name(op), several_boards ? "_on_" + word(board) : "");
    file.tests = cases.size();
    file.text = fmt::format(
        "\"\"\"{}: {} traced configuration{}.\n\nWritten by `tracelift generate-tests`; the same configurations give "
        "the "
        "same file.\n\"\"\"\n",
        op.name, cases.size(), cases.size() == 1 ? "" : "s");
    std::string tests;
    for (size_t begin = 0; begin < cases.size();) {
        size_t end = begin;
        while (end < cases.size() && cases[end].group == cases[begin].group) {
            file.shape_only += cases[end].judged ? 0 : 1;
            ++end;
        }
        tests += group_text(cases.subspan(begin, end - begin));
        begin = end;
    }
    const PytestNeeds needs = needs_of(cases, tests);
    file.text += pytest_imports(needs) + hardware_text(cases) + pytest_helpers(needs) + pytest_calls(needs) +
                 pytest_checks(needs) + tests;
    return file;
}

std::string tolerance_text(const ttnn::Tolerance& tolerance) {
    return fmt::format(
        "\n# How many units in the last place a value may be off, and what is near enough in any case.\n"
        "ULP = {{\"FLOAT32\": {}, \"BFLOAT16\": {}, \"BFLOAT8_B\": {}, \"BFLOAT4_B\": {}}}\nABSOLUTE = {}\n",
        tolerance.ulp_float32, tolerance.ulp_bfloat16, tolerance.ulp_block_float, tolerance.ulp_block_float,
        tolerance.absolute);
}

}  // namespace

TestFile pytest_repro(const TestCase& test) {
    TestFile file;
    file.name = fmt::format("test_{}_repro.py", plain_name(*test.op));
    file.tests = 1;
    file.shape_only = test.judged ? 0 : 1;
    file.text = fmt::format(
        "\"\"\"{}: the smallest call that was found to end like this:\n\n{}\nWritten by `tracelift shrink`.\n\"\"\"\n",
        test.op->name, quoted_lines(test.failure, "    ", 88));
    std::string text = fmt::format("\n\ndef test_{}_repro(device):\n", plain_name(*test.op));
    if (!test.source.empty()) {
        text += fmt::format("    # from {}\n", test.source);
    }
    text += call_expression(test, "arguments = call").laid_out(4);
    text +=
        Expression::call("check_repro", {std::string(test.op->name), std::string("arguments"), std::string("device")})
            .laid_out(4);
    const PytestNeeds needs = needs_of(std::span(&test, 1), text);
    file.text += pytest_imports(needs) + hardware_text(std::span(&test, 1)) +
                 (test.judged ? tolerance_text(test.op->tolerance) : "") + pytest_helpers(needs) + pytest_calls(needs) +
                 pytest_repro_check(needs) + text;
    return file;
}

std::vector<TestFile> pytest_files(std::span<const TestCase> cases) {
    std::map<std::string_view, std::set<std::string_view>> boards;
    for (const TestCase& test : cases) {
        boards[test.op->name].insert(test.board);
    }
    std::vector<TestFile> files;
    for (size_t begin = 0; begin < cases.size();) {
        const TestCase& first = cases[begin];
        size_t end = begin;
        while (end < cases.size() && cases[end].op->name == first.op->name && cases[end].board == first.board) {
            ++end;
        }
        files.push_back(file_of(cases.subspan(begin, end - begin), boards[first.op->name].size() > 1));
        begin = end;
    }
    return files;
}

}  // namespace tracelift
