// Generated tests for pytest: a file per operation that needs nothing but `ttnn` (and torch, which that brings).
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "tracelift/replay/python_expression.hpp"
#include "tracelift/replay/test_case.hpp"

namespace tracelift {
namespace {

constexpr std::string_view imports = R"(
import dataclasses
{}import typing

import pytest
import torch

import ttnn
)";

constexpr std::string_view helpers = R"(
DEVICE = object()  # stands for the device of the test among the arguments


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor as it was traced: an input to be made, or an output to be found."""

    shape: tuple[int, ...]
    dtype: typing.Any
    layout: typing.Any
    memory_config: typing.Any
    kind: str = "real"  # or integer, binary, mask, one_hot: what the operation takes
    low: float = -1
    high: float = 1
    on_host: bool = False
    tile: typing.Any = None

    def values(self, generator):
        if self.kind == "real":
            unit = torch.rand(self.shape, generator=generator)
            return self.low + (self.high - self.low) * unit
        if self.kind == "one_hot":  # the columns in turn
            places = torch.arange(torch.Size(self.shape).numel()).reshape(self.shape)
            width = self.shape[-1]
            return (places % width == places // width % width).int()
        low, high = (self.low, self.high) if self.kind == "integer" else (0, 1)
        whole = torch.randint(int(low), int(high) + 1, self.shape, generator=generator)
        return whole * -1e4 if self.kind == "mask" else whole

    def make(self, device, generator):
        values = self.values(generator)
        whole = "INT" in str(self.dtype).upper()
        options = {} if self.tile is None else {"tile": self.tile}
        if not self.on_host:
            options.update(device=device, memory_config=self.memory_config)
        return ttnn.from_torch(
            values.to(torch.int32 if whole else torch.float32),
            dtype=self.dtype,
            layout=self.layout,
            **options,
        )


def cores(*corners):
    return ttnn.CoreRangeSet(
        [
            ttnn.CoreRange(ttnn.CoreCoord(x0, y0), ttnn.CoreCoord(x1, y1))
            for x0, y0, x1, y1 in corners
        ]
    )


def sharded(layout, buffer, grid, shape, orientation=ttnn.ShardOrientation.ROW_MAJOR):
    return ttnn.MemoryConfig(
        getattr(ttnn.TensorMemoryLayout, layout),
        getattr(ttnn.BufferType, buffer),
        ttnn.ShardSpec(grid, shape, orientation),
    )


def call(*args, **kwargs):
    return args, kwargs


)";

constexpr std::string_view any_device = R"(@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)
)";

// The emulated ttnn has a choice of boards; to any other the variable means nothing.
constexpr std::string_view traced_device = R"(@pytest.fixture(scope="module")
def device():
    with pytest.MonkeyPatch.context() as patch:
        if "TRACELIFT_BOARD" not in os.environ:
            patch.setenv("TRACELIFT_BOARD", BOARD)
        device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)
)";

constexpr std::string_view calls = R"(

def replaced(value, change):
    if isinstance(value, (list, tuple)):
        return type(value)(replaced(item, change) for item in value)
    if isinstance(value, dict):
        return {name: replaced(item, change) for name, item in value.items()}
    return change(value)


def prepare(operation, arguments, device):
    """The arguments with fresh tensors, and a function that makes the call and lists its outputs."""
    generator = torch.Generator().manual_seed(0)

    def on_device(value):
        if isinstance(value, Tensor):
            return value.make(device, generator)
        return device if value is DEVICE else value

    args, kwargs = replaced(arguments, on_device)
    return args, kwargs, lambda: listed(operation(*args, **kwargs))


def listed(outputs):
    if outputs is None:
        return []
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def golden_outputs(operation, args, kwargs):
    def in_torch(value):
        return ttnn.to_torch(value) if isinstance(value, ttnn.Tensor) else value

    numeric = {name: each for name, each in kwargs.items() if name not in HARDWARE}
    golden = ttnn.get_golden_function(operation)
    return listed(golden(*replaced(args, in_torch), **replaced(numeric, in_torch)))
)";

constexpr std::string_view description_check = R"(

def check_described(outputs, expected):
    assert len(outputs) == len(expected)
    for output, tensor in zip(outputs, expected):
        assert tuple(output.shape) == tensor.shape
        assert output.dtype == tensor.dtype
        assert output.layout == tensor.layout
        assert output.memory_config() == tensor.memory_config
)";

constexpr std::string_view value_check = R"(

def wrapped(integers, name):
    """As an unsigned dtype holds them: golden functions may count below zero."""
    return integers % 2 ** int(name[4:]) if name.startswith("UINT") else integers


def check_values(output, golden):
    actual = ttnn.to_torch(output).to(torch.float64).flatten()
    wanted = golden.to(torch.float64).flatten()
    assert actual.shape == wanted.shape
    name = str(output.dtype).upper().rpartition(".")[2]
    if "INT" in name:
        assert torch.equal(actual, wrapped(wanted, name))
        return
    finite = torch.isfinite(wanted)
    assert torch.equal(torch.isfinite(actual), finite)
    if not finite.all():
        actual, wanted = actual[finite], wanted[finite]
    if wanted.numel() < 2 or wanted.min() == wanted.max():
        assert torch.allclose(actual, wanted, rtol=0.05, atol=0.05)
        return
    assert actual.min() != actual.max(), "the output is constant, the golden one is not"
    block = {"BFLOAT8_B": 0.99, "BFLOAT4_B": 0.95}
    means = actual.mean(), wanted.mean()
    actual -= means[0]  # in place: some of these tensors are of gigabytes
    wanted -= means[1]
    pcc = torch.dot(actual, wanted) / (actual.norm() * wanted.norm())
    assert pcc >= block.get(name, 0.999)
    assert torch.allclose(*means, rtol=0.1, atol=0.1)
)";

constexpr std::string_view checks = R"(

def check(operation, arguments, expected, device):
    args, kwargs, outputs_of = prepare(operation, arguments, device)
    goldens = golden_outputs(operation, args, kwargs)  # before inputs are written into
    outputs = outputs_of()
    check_described(outputs, expected)
    for output, golden in zip(outputs, goldens):
        check_values(output, golden)


def check_shape_only(operation, arguments, expected, device):
    _, _, outputs_of = prepare(operation, arguments, device)
    check_described(outputs_of(), expected)
)";

// What is to fail as long as the operation is wrong asks for as much as the runtime's own comparison does. The golden
// function rounds too, which is the one more.
constexpr std::string_view close_check = R"(

def wrapped(integers, name):
    """As an unsigned dtype holds them: golden functions may count below zero."""
    return integers % 2 ** int(name[4:]) if name.startswith("UINT") else integers


def check_values(output, golden):
    actual = ttnn.to_torch(output).to(torch.float64).flatten()
    wanted = golden.to(torch.float64).flatten()
    assert actual.shape == wanted.shape
    name = str(output.dtype).upper().rpartition(".")[2]
    if name not in ULP:
        assert torch.equal(actual, wrapped(wanted, name))
        return
    bits = {"FLOAT32": 23, "BFLOAT16": 7, "BFLOAT8_B": 6, "BFLOAT4_B": 2}[name]
    size = wanted.abs().clamp(min=2.0**-126)
    if bits < 7 and size.isfinite().any():  # elements share an exponent
        size = size[size.isfinite()].max().expand_as(size)
    unit = torch.exp2(torch.floor(torch.log2(size)) - bits)
    near = (actual - wanted).abs() <= ABSOLUTE + (ULP[name] + 1) * unit
    same = (actual == wanted) | (actual.isnan() & wanted.isnan())
    wrong = (~(same | (near & wanted.isfinite()))).nonzero().flatten().tolist()
    assert not wrong, (
        f"element {wrong[0]} is {actual[wrong[0]]} "
        f"where the golden function gives {wanted[wrong[0]]}"
    )
)";

// The golden function comes last: it may refuse what the operation refuses, in other words.
constexpr std::string_view repro_check = R"(

def check_repro(operation, arguments, device):
    _, _, outputs_of = prepare(operation, arguments, device)
    outputs = outputs_of()
    args, kwargs, _ = prepare(operation, arguments, device)  # the same inputs once more
    for output, golden in zip(outputs, golden_outputs(operation, args, kwargs)):
        check_values(output, golden)
)";
constexpr std::string_view unjudged_repro_check = R"(

def check_repro(operation, arguments, device):
    _, _, outputs_of = prepare(operation, arguments, device)
    outputs_of()
)";

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

Expression tensor_expression(const Value& tensor, const ttnn::Domain* domain) {
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
    return Expression::call("Tensor", std::move(parts));
}

Expression argument_expression(const Value& value, const ttnn::Domain& domain) {
    if (const auto* record = value.as<Value::Struct>(); record != nullptr && record->type == "Tensor") {
        return tensor_expression(value, &domain);
    }
    if (const auto* list = value.as<Value::List>()) {
        std::vector<Expression> items;
        for (const Value& item : *list) {
            items.push_back(argument_expression(item, domain));
        }
        return Expression::list(std::move(items));
    }
    return python_expression(value);
}

Expression call_expression(const TestCase& test, std::string head = "call") {
    std::vector<Expression> arguments;
    for (const TestArgument& argument : test.arguments) {
        Expression value = argument_expression(argument.value, argument.domain);
        arguments.push_back(argument.positional ? std::move(value)
                                                : Expression::keyword(argument.name, std::move(value)));
    }
    return Expression::call(std::move(head), std::move(arguments));
}

Expression case_expression(const TestCase& test) {
    std::vector<Expression> outputs;
    for (const ttnn::TensorSpec& spec : test.outputs) {
        const auto described = ttnn::Tensor::without_bytes(spec, ttnn::StorageType::DEVICE);
        outputs.push_back(tensor_expression(ttnn::type_info<ttnn::Tensor>().encode(&described), nullptr));
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
    file.text += fmt::format(fmt::runtime(imports), board.empty() ? "" : "import os\n");
    if (!board.empty()) {
        file.text += fmt::format("\nBOARD = {}  # that the calls were traced on\n", python_text(board));
    }
    file.text += hardware_text(cases);
    file.text += helpers;
    file.text += board.empty() ? any_device : traced_device;
    file.text += calls;
    file.text += description_check;
    file.text += value_check;
    file.text += checks;
    for (size_t begin = 0; begin < cases.size();) {
        size_t end = begin;
        while (end < cases.size() && cases[end].group == cases[begin].group) {
            file.shape_only += cases[end].judged ? 0 : 1;
            ++end;
        }
        file.text += group_text(cases.subspan(begin, end - begin));
        begin = end;
    }
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
    file.text += fmt::format(fmt::runtime(imports), test.board.empty() ? "" : "import os\n");
    if (!test.board.empty()) {
        file.text += fmt::format("\nBOARD = {}  # that the call was traced on\n", python_text(test.board));
    }
    file.text += hardware_text(std::span(&test, 1));
    if (test.judged) {
        file.text += tolerance_text(test.op->tolerance);
    }
    file.text += helpers;
    file.text += test.board.empty() ? any_device : traced_device;
    file.text += calls;
    if (test.judged) {
        file.text += close_check;
    }
    file.text += test.judged ? repro_check : unjudged_repro_check;
    file.text += fmt::format("\n\ndef test_{}_repro(device):\n", plain_name(*test.op));
    if (!test.source.empty()) {
        file.text += fmt::format("    # from {}\n", test.source);
    }
    file.text += call_expression(test, "arguments = call").laid_out(4);
    file.text +=
        Expression::call("check_repro", {std::string(test.op->name), std::string("arguments"), std::string("device")})
            .laid_out(4);
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
