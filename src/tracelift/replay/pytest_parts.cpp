#include "tracelift/replay/pytest_parts.hpp"

#include <fmt/ranges.h>

#include "tracelift/replay/python_expression.hpp"

namespace tracelift {
namespace {

constexpr std::string_view imports = R"(
import dataclasses
{}import typing

import pytest
import torch

import ttnn
)";

// What stands between the two halves is of meshes.
constexpr std::string_view tensor_fields = R"(
DEVICE = object()  # stands for the device of the test among the arguments
@SEMAPHORE@

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
)";

constexpr std::string_view mesh_fields =
    R"(    # Of the tensor, what each dimension of the mesh cuts; None: all of it is everywhere.
    spread: tuple[int | None, ...] = (None,) * len(MESH)
    chips: tuple[int, ...] = MESH  # or another mesh of the same chips

    def whole_shape(self):
        shape = list(self.shape)
        for dim, count in zip(self.spread, self.chips):
            if dim is not None:
                shape[dim] *= count
        return shape

    def place(self, chip):
        """Which part of the whole the chip has."""
        place = []
        for dim, count in zip(reversed(self.spread), reversed(self.chips)):
            chip, at = divmod(chip, count)
            place.append(0 if dim is None else at)
        return tuple(place)

    def mapper(self, device):
        cuts = [
            ttnn.PlacementReplicate() if dim is None else ttnn.PlacementShard(dim)
            for dim in self.spread
        ]
        config = ttnn.MeshMapperConfig(cuts, ttnn.MeshShape(*self.chips))
        return ttnn.create_mesh_mapper(device, config)
)";

constexpr std::string_view tensor_values = R"(
    def values(self, generator):
@SHAPE@        if self.kind == "real":
            unit = torch.rand(@shape@, generator=generator)
            return self.low + (self.high - self.low) * unit
        if self.kind == "one_hot":  # the columns in turn
            places = torch.arange(torch.Size(@shape@).numel()).reshape(@shape@)
            width = @shape@[-1]
            return (places % width == places // width % width).int()
        low, high = (self.low, self.high) if self.kind == "integer" else (0, 1)
        whole = torch.randint(int(low), int(high) + 1, @shape@, generator=generator)
        return whole * -1e4 if self.kind == "mask" else whole

    def make(self, device, generator):
        values = self.values(generator)
        whole = "INT" in str(self.dtype).upper()
        options = {} if self.tile is None else {"tile": self.tile}
        if not self.on_host:
            options.update(device=device, memory_config=self.memory_config)
@MAPPER@        return ttnn.from_torch(
            values.to(torch.int32 if whole else torch.float32),
            dtype=self.dtype,
            layout=self.layout,
            **options,
        )
)";

constexpr std::string_view configurations = R"(

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
    device = @OPEN@
    yield device
    @CLOSE@(device)
)";

// The emulated ttnn has a choice of boards; to any other the variable means nothing.
constexpr std::string_view traced_device = R"(@pytest.fixture(scope="module")
def device():
    with pytest.MonkeyPatch.context() as patch:
        if "TRACELIFT_BOARD" not in os.environ:
            patch.setenv("TRACELIFT_BOARD", BOARD)
        device = @OPEN@
    yield device
    @CLOSE@(device)
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
@NEW_SEMAPHORE@        return device if value is DEVICE else value

    args, kwargs = replaced(arguments, on_device)
    return args, kwargs, lambda: listed(operation(*args, **kwargs))


def listed(outputs):
    if outputs is None:
        return []
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
)";

// What a chip has of tensors, and which chips have the same.
constexpr std::string_view parts = R"(

def part(tensor, chip):
    """What the chip has of the tensor."""
    parts = ttnn.get_device_tensors(tensor)
    return parts[chip] if len(parts) > 1 else tensor


def places(arguments, chip):
    """Chips where this is the same have the same inputs."""

    def place(value):
        return value.place(chip) if isinstance(value, Tensor) else None

    return str(replaced(arguments, place))
)";

constexpr std::string_view golden_outputs = R"(

def golden_outputs(operation, args, kwargs@, chip@):
    def in_torch(value):
@in_torch@
    numeric = {name: each for name, each in kwargs.items() if name not in HARDWARE}
    golden = ttnn.get_golden_function(operation)
    return listed(golden(*replaced(args, in_torch), **replaced(numeric, in_torch)))
)";

constexpr std::string_view golden_arguments = R"(

def golden_arguments(operation, args, kwargs@, chip@):
    """What those hold afterwards that the operation writes into, by name."""

    def in_torch(value):
@in_torch@
    numeric = {name: each for name, each in kwargs.items() if name not in HARDWARE}
    golden = ttnn.get_golden_function(operation)
    return golden.written(*replaced(args, in_torch), **replaced(numeric, in_torch))
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

constexpr std::string_view outputs_check = R"(

def check_outputs(outputs, goldens):
    assert len(outputs) == len(goldens)
    for output, golden in zip(outputs, goldens):
        check_values(output, golden)
)";

constexpr std::string_view arguments_check = R"(

def is_compared(tensor, outputs):
    """Whether it is one of the outputs, or is gone."""
    if not tensor.is_allocated():
        return True
    if not ttnn.is_tensor_storage_on_device(tensor):
        return False
    return any(each.buffer_address() == tensor.buffer_address() for each in outputs)


def check_arguments(kwargs, outputs, written@, chip@):
    for name, golden in written.items():
        if not is_compared(kwargs[name], outputs):
            check_values(@argument@, golden)
)";

constexpr std::string_view checks = R"(

def check(operation, arguments, expected, device):
    args, kwargs, outputs_of = prepare(operation, arguments, device)
    goldens = golden_outputs(operation, args, kwargs)  # before inputs are written into
@WRITTEN@    outputs = outputs_of()
    check_described(outputs, expected)
    check_outputs(outputs, goldens)
@CHECK_WRITTEN@)";

constexpr std::string_view mesh_checks = R"(

def check(operation, arguments, expected, device):
    args, kwargs, outputs_of = prepare(operation, arguments, device)
    goldens = {}  # before inputs are written into; one for all chips with the same inputs
@NONE_WRITTEN@    for chip in range(device.get_num_devices()):
        place = places(arguments, chip)
        if place not in goldens:
            goldens[place] = golden_outputs(operation, args, kwargs, chip)
@WRITTEN@    outputs = outputs_of()
    check_described(outputs, expected)
    for chip in range(device.get_num_devices()):
        place = places(arguments, chip)
        check_outputs([part(output, chip) for output in outputs], goldens[place])
@CHECK_WRITTEN@)";

constexpr std::string_view shape_check = R"(

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
    _, @kwargs@, outputs_of = prepare(operation, arguments, device)
    outputs = outputs_of()
    args, kwargs, _ = prepare(operation, arguments, device)  # the same inputs once more
    check_outputs(outputs, golden_outputs(operation, args, kwargs))
@CHECK_WRITTEN@)";
constexpr std::string_view mesh_repro_check = R"(

def check_repro(operation, arguments, device):
    _, @kwargs@, outputs_of = prepare(operation, arguments, device)
    outputs = outputs_of()
    args, kwargs, _ = prepare(operation, arguments, device)  # the same inputs once more
    for chip in range(device.get_num_devices()):
        goldens = golden_outputs(operation, args, kwargs, chip)
        check_outputs([part(output, chip) for output in outputs], goldens)
@CHECK_WRITTEN@)";
constexpr std::string_view unjudged_repro_check = R"(

def check_repro(operation, arguments, device):
    _, _, outputs_of = prepare(operation, arguments, device)
    outputs_of()
)";

struct Gap {
    std::string_view mark;
    std::string_view text;
};

// The text with its gaps filled in.
std::string filled(std::string_view text, std::initializer_list<Gap> gaps) {
    std::string result(text);
    for (const Gap& gap : gaps) {
        for (size_t at = result.find(gap.mark); at != result.npos; at = result.find(gap.mark, at + gap.text.size())) {
            result.replace(at, gap.mark.size(), gap.text);
        }
    }
    return result;
}

std::string per_chip(std::string_view text, const PytestNeeds& needs) {
    const bool mesh = needs.on_mesh();
    return filled(text, {{"@, chip@", mesh ? ", chip" : ""},
                         {"@in_torch@", mesh ? "        if isinstance(value, ttnn.Tensor):\n"
                                               "            return ttnn.to_torch(part(value, chip))\n"
                                               "        return value\n"
                                             : "        return ttnn.to_torch(value) if isinstance(value, ttnn.Tensor) "
                                               "else value\n"},
                         {"@argument@", mesh ? "part(kwargs[name], chip)" : "kwargs[name]"}});
}

}  // namespace

std::string pytest_imports(const PytestNeeds& needs) {
    std::string text = fmt::format(fmt::runtime(imports), needs.board.empty() ? "" : "import os\n");
    if (!needs.board.empty()) {
        text += fmt::format("\nBOARD = {}  # that the {} traced on\n", python_text(needs.board), needs.plural);
    }
    if (needs.on_mesh()) {
        text += fmt::format("{}MESH = ({}{})  # of chips, that the {} made on\n", needs.board.empty() ? "\n" : "",
                            fmt::join(needs.mesh.dims, ", "), needs.mesh.rank() == 1 ? "," : "", needs.plural);
    }
    return text;
}

std::string pytest_helpers(const PytestNeeds& needs) {
    const bool mesh = needs.on_mesh();
    std::string text = filled(
        tensor_fields,
        {{"@SEMAPHORE@", needs.semaphores ? "SEMAPHORE = object()  # stands for a new global semaphore\n" : ""}});
    text += mesh ? mesh_fields : "";
    text += filled(tensor_values, {{"@SHAPE@", mesh ? "        shape = self.whole_shape()\n" : ""},
                                   {"@shape@", mesh ? "shape" : "self.shape"},
                                   {"@MAPPER@", mesh ? "        if any(dim is not None for dim in self.spread):\n"
                                                       "            options[\"mesh_mapper\"] = self.mapper(device)\n"
                                                     : ""}});
    text += configurations;
    return text +
           filled(needs.board.empty() ? any_device : traced_device,
                  {{"@OPEN@", mesh ? "ttnn.open_mesh_device(ttnn.MeshShape(*MESH))" : "ttnn.open_device(device_id=0)"},
                   {"@CLOSE@", mesh ? "ttnn.close_mesh_device" : "ttnn.close_device"}});
}

std::string pytest_calls(const PytestNeeds& needs) {
    std::string text = filled(
        calls,
        {{"@NEW_SEMAPHORE@", needs.semaphores ? "        if value is SEMAPHORE:\n"
                                                "            one_core = cores((0, 0, 0, 0))\n"
                                                "            return ttnn.create_global_semaphore(device, one_core, 0)\n"
                                              : ""}});
    if (needs.golden) {
        text += needs.on_mesh() ? parts : "";
        text += per_chip(golden_outputs, needs);
        text += needs.written_into ? per_chip(golden_arguments, needs) : "";
    }
    return text;
}

std::string pytest_checks(const PytestNeeds& needs) {
    std::string text(description_check);
    if (needs.golden) {
        text += value_check;
        text += outputs_check;
        text += needs.written_into ? per_chip(arguments_check, needs) : "";
        if (!needs.on_mesh()) {
            text += filled(
                checks,
                {{"@WRITTEN@", needs.written_into ? "    written = golden_arguments(operation, args, kwargs)\n" : ""},
                 {"@CHECK_WRITTEN@", needs.written_into ? "    check_arguments(kwargs, outputs, written)\n" : ""}});
        } else {
            text += filled(
                mesh_checks,
                {{"@NONE_WRITTEN@", needs.written_into ? "    written = {}\n" : ""},
                 {"@WRITTEN@", needs.written_into
                                   ? "            written[place] = golden_arguments(operation, args, kwargs, chip)\n"
                                   : ""},
                 {"@CHECK_WRITTEN@",
                  needs.written_into ? "        check_arguments(kwargs, outputs, written[place], chip)\n" : ""}});
        }
    }
    return text + std::string(shape_check);
}

std::string pytest_repro_check(const PytestNeeds& needs) {
    if (!needs.golden) {
        return std::string(unjudged_repro_check);
    }
    std::string text(close_check);
    text += outputs_check;
    text += needs.written_into ? per_chip(arguments_check, needs) : "";
    const bool mesh = needs.on_mesh();
    return text +
           filled(mesh ? mesh_repro_check : repro_check,
                  {{"@kwargs@", needs.written_into ? "used" : "_"},
                   {"@CHECK_WRITTEN@", !needs.written_into ? ""
                                       : mesh ? "        written = golden_arguments(operation, args, kwargs, chip)\n"
                                                "        check_arguments(used, outputs, written, chip)\n"
                                              : "    written = golden_arguments(operation, args, kwargs)\n"
                                                "    check_arguments(used, outputs, written)\n"}});
}

}  // namespace tracelift
