"""The callable type: attributes, signatures, overloads, errors."""

import gc
import inspect
import keyword
import pickle
import weakref

import numpy as np
import pytest
import torch

from tracelift import _ttnn, ttnn


@pytest.fixture
def tensor(device):
    return ttnn.from_torch(torch.rand(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def test_attributes():
    operation = ttnn.exp
    assert operation.python_fully_qualified_name == operation.__name__ == operation.__qualname__ == "ttnn.exp"
    assert operation.__ttnn_operation__ and operation.is_cpp_operation and not operation.is_experimental
    assert callable(operation.function) and operation.golden_function is not None
    assert "memory_config" in operation.__doc__ and repr(operation) == "<operation ttnn.exp>"
    assert operation.preprocess_golden_function_inputs is None
    assert not ttnn.from_torch.is_cpp_operation and inspect.isfunction(ttnn.from_torch.function)
    assert "torch" in ttnn.from_torch.__doc__


def test_operations_are_hashable_sortable_and_picklable():
    assert sorted([ttnn.log, ttnn.exp, ttnn.abs]) == [ttnn.abs, ttnn.exp, ttnn.log]
    assert {ttnn.exp: 1}[ttnn.exp] == 1 and ttnn.exp != ttnn.log
    assert pickle.loads(pickle.dumps(ttnn.exp)) is ttnn.exp
    ttnn.exp.note = "attributes can be set"
    assert ttnn.exp.__dict__["note"] and weakref.ref(ttnn.exp)() is ttnn.exp
    del ttnn.exp.note


def test_function_of_an_operation_calls_it(tensor):
    assert torch.equal(ttnn.to_torch(ttnn.abs.function(tensor)), ttnn.to_torch(ttnn.abs(tensor)))


def test_dotted_names_make_modules():
    experimental = [name for name in _ttnn.operations() if name.startswith("ttnn.experimental.")]
    for name in experimental:
        module, _, last = name.removeprefix("ttnn.").rpartition(".")
        target = ttnn
        for part in module.split("."):
            target = getattr(target, part)
        operation = getattr(target, last)
        assert operation is _ttnn.operations()[name]
        # ttnn.experimental.plus_one is only another name of ttnn.plus_one, which is no experiment.
        assert operation.is_experimental == operation.__name__.startswith("ttnn.experimental.")


def test_aliases_are_the_same_object():
    by_object = {}
    for name, operation in _ttnn.operations().items():
        by_object.setdefault(operation, []).append(name)
    aliased = {names[0] for names in by_object.values() if len(names) > 1}
    assert aliased
    assert ttnn.mul is ttnn.multiply and ttnn.sub is ttnn.subtract


ACTIVATIONS = (
    "activations=[], input_tensor_a_activations=[], input_tensor_b_activations=[], use_legacy=None, sub_core_grids=None"
)
PRODUCT = (
    "transpose_a=False, transpose_b=False, memory_config=None, dtype=None, program_config=None, activation=None, "
    "compute_kernel_config=None, core_grid=None, output_tile=None, optional_output_tensor=None, global_cb=None, "
    "sub_device_id=None)"
)
SIGNATURES = {
    "add": f"(input_tensor_a, input_tensor_b, *, dtype=None, memory_config=None, output_tensor=None, {ACTIVATIONS})",
    "add_": f"(input_a, input_b, {ACTIVATIONS})",
    "matmul": f"(input_tensor_a, input_tensor_b, *, {PRODUCT}",
    "linear": f"(input_tensor_a, input_tensor_b, *, bias=None, {PRODUCT}",
    "where": "(predicate, true_value, false_value, *, memory_config=None, output_tensor=None, sub_core_grids=None)",
    "softmax": "(input_tensor, dim=-1, *, memory_config=None, compute_kernel_config=None, numeric_stable=True)",
    "embedding": (
        "(input_tensor, weight, *, padding_idx=None, layout=None, embeddings_type=EmbeddingsType.GENERIC, dtype=None, "
        "output_tensor=None, memory_config=None)"
    ),
    "permute": "(input_tensor, dims, *, memory_config=None, pad_value=0.0)",
    "transpose": "(input_tensor, dim1, dim2, *, memory_config=None, pad_value=0.0)",
    "pad": "(input_tensor, padding, value, *, use_multicore=True, memory_config=None, sub_core_grids=None)",
    "to_layout": "(tensor, layout, dtype=None, memory_config=None, sub_core_grids=None)",
    "zeros": "(shape, dtype=None, layout=None, device=None, memory_config=None)",
    "full": "(shape, fill_value, dtype=None, layout=None, device=None, memory_config=None, optional_tensor=None)",
    "exp": "(input_tensor, *, fast_and_approximate_mode=False, memory_config=None, output_tensor=None, sub_core_grids=None)",
    "abs": "(input_tensor, *, memory_config=None, output_tensor=None)",
    "typecast": "(input_tensor, dtype, *, memory_config=None, output_tensor=None, sub_core_grids=None)",
    "concat": "(tensors, dim=0, *, output_tensor=None, memory_config=None, groups=1, sub_core_grids=None)",
    "slice": "(input_tensor, slice_start, slice_end, slice_step=None, *, memory_config=None, output_tensor=None, pad_value=None, sub_core_grids=None)",
    "unsqueeze": "(input_tensor, dim)",
    "squeeze": "(input_tensor, dim=None)",
    "from_torch": (
        "(tensor, dtype=None, *, spec=None, tile=None, pad_value=None, layout=None, device=None, memory_config=None, "
        "mesh_mapper=None, cq_id=None, col_tilize=False)"
    ),
    "to_torch": "(tensor, dtype=None, *, torch_rank=None, mesh_composer=None, device=None, cq_id=None)",
    "from_device": "(tensor, blocking=True, *, queue_id=None)",
    "load_tensor": "(file_name, *, device=None)",
}


def plain(signature):
    """Without annotations."""
    parameters = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_those_of_the_original(name):
    assert plain(inspect.signature(getattr(ttnn, name))) == SIGNATURES[name]


def test_every_operation_has_a_signature_and_a_doc():
    for operation in ttnn.query_registered_operations(include_experimental=True):
        if "made_here" in operation.__name__:  # by a test
            continue
        assert isinstance(inspect.signature(operation), inspect.Signature)
        assert operation.__doc__, operation


def test_no_parameter_is_named_like_a_python_keyword():
    for operation in ttnn.query_registered_operations(include_experimental=True):
        assert not any(keyword.iskeyword(name) for name in inspect.signature(operation).parameters)
    second = list(inspect.signature(ttnn.uniform).parameters)[1]
    with pytest.raises(TypeError, match="'from' must be"):
        ttnn.uniform(ttnn.from_torch(torch.ones(2)), **{second: "x"})


def test_tensor_or_number_arguments_name_all_their_types(tensor):
    with pytest.raises(TypeError) as caught:
        ttnn.add(tensor, "2")
    first = str(caught.value).splitlines()[0]
    assert first == "ttnn.add(): argument 'input_tensor_b' must be Tensor | int | float, not str"


def test_wrong_type_names_argument_types_and_signature():
    with pytest.raises(TypeError) as caught:
        ttnn.exp("x")
    assert str(caught.value).splitlines()[0] == "ttnn.exp(): argument 'input_tensor' must be Tensor, not str"
    assert "incompatible function arguments" in str(caught.value)
    assert "ttnn.exp(input_tensor: Tensor, *, fast_and_approximate_mode: bool = False" in str(caught.value)


TYPE_ERRORS = {
    "argument 'input_tensor' is missing": lambda x: ttnn.exp(),
    "takes 1 positional arguments but 2 were given": lambda x: ttnn.exp(x, x),
    "argument 'input_tensor' is given twice": lambda x: ttnn.exp(x, input_tensor=x),
    "has no argument 'memory_confg'": lambda x: ttnn.exp(x, memory_confg=None),
    "argument 'memory_config' must be MemoryConfig | None, not str": lambda x: ttnn.exp(x, memory_config="DRAM"),
    "argument 'dtype' must be DataType, not int": lambda x: ttnn.typecast(x, 1),
    "must be Tensor, not torch.Tensor": lambda x: ttnn.exp(torch.ones(2)),
    "not list of Tensor": lambda x: ttnn.concat([x, 1]),
    "argument 'dim' must be int, not float": lambda x: ttnn.unsqueeze(x, 1.5),
    "beyond 64 bits": lambda x: ttnn.unsqueeze(x, 2**70),
    "must be bool, not int": lambda x: ttnn.exp(x, fast_and_approximate_mode=2),
    "must be Tensor, not NoneType": lambda x: ttnn.exp(None),
}


@pytest.mark.parametrize("text", TYPE_ERRORS)
def test_type_errors(tensor, allocated_bytes, text):
    before = allocated_bytes()
    with pytest.raises(TypeError) as caught:
        TYPE_ERRORS[text](tensor)
    assert text in str(caught.value)
    assert allocated_bytes() == before


def test_overloads_are_all_listed(tensor):
    overloaded = [
        op for op in ttnn.query_registered_operations() if op.is_cpp_operation and len(_ttnn.describe(op)) > 1
    ]
    assert ttnn.reshape in overloaded
    with pytest.raises(TypeError) as caught:
        ttnn.reshape(tensor, "x")
    text = str(caught.value)
    assert "1. ttnn.reshape(" in text and "2. ttnn.reshape(" in text and "must be list[int], not str" in text


def test_overloads_are_chosen_by_arguments(tensor):
    assert ttnn.reshape(tensor, [64, 16]).shape == [64, 16]
    assert ttnn.reshape(tensor, (1, 32, 32)).shape == [1, 32, 32]
    assert ttnn.reshape(tensor, ttnn.Shape([1, 32, 32]), ttnn.Shape([1, 32, 32])).shape == [1, 32, 32]


def test_illegal_calls_raise_runtime_error_and_keep_memory(tensor, device, allocated_bytes):
    before = allocated_bytes()
    with pytest.raises(RuntimeError, match="must be on device"):
        ttnn.exp(tensor.cpu())
    with pytest.raises(RuntimeError):
        ttnn.reshape(tensor, [7, 7])
    with pytest.raises(RuntimeError):
        ttnn.concat([tensor], dim=9)
    gone = ttnn.from_torch(torch.ones(32, 32), device=device)
    gone.deallocate(force=True)
    with pytest.raises(RuntimeError, match="deallocated"):
        ttnn.exp(gone)
    assert allocated_bytes() == before


def test_tensors_of_two_devices_are_refused(tensor):
    with ttnn.manage_device(device_id=0, board="p150") as other:
        elsewhere = ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=other)
        with pytest.raises(RuntimeError, match="same device"):
            ttnn.concat([tensor, elsewhere])


def test_out_of_memory_is_a_runtime_error(device, allocated_bytes):
    before = allocated_bytes()
    with pytest.raises(RuntimeError, match="Out of Memory"):
        ttnn.allocate_tensor_on_device(
            [1, 1, 16384, 16384], ttnn.float32, ttnn.TILE_LAYOUT, device, ttnn.L1_MEMORY_CONFIG
        )
    assert allocated_bytes() == before


def test_tensors_are_allocated_by_their_spec(device):
    grid = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 1))])
    for spec in (
        ttnn.TensorSpec([3, 5], ttnn.float32, ttnn.ROW_MAJOR_LAYOUT, ttnn.BufferType.L1),
        ttnn.TensorSpec([64, 32], ttnn.bfloat16, ttnn.TILE_LAYOUT, ttnn.BufferType.L1).height_sharded(grid),
        ttnn.TensorSpec([16, 32], ttnn.bfloat16, ttnn.TILE_LAYOUT, tile=ttnn.Tile((16, 32))),
    ):
        made = ttnn.allocate_tensor_on_device(spec, device)
        assert made.spec == spec and made.device() is device
        assert ttnn.allocate_tensor_on_host(spec, device).spec == spec
        assert ttnn.allocate_tensor_on_device(made.spec, device=device).spec == spec
    with pytest.raises(TypeError, match="the signature is"):
        ttnn.allocate_tensor_on_device(spec)
    with pytest.raises(TypeError, match="the signature is"):
        ttnn.allocate_tensor_on_device([1, 2], device)


def test_queue_keywords_are_accepted_everywhere(tensor):
    expected = ttnn.to_torch(ttnn.exp(tensor))
    assert torch.equal(ttnn.to_torch(ttnn.exp(tensor, queue_id=0)), expected)
    assert torch.equal(ttnn.to_torch(ttnn.exp(tensor, cq_id=1)), expected)
    assert torch.equal(ttnn.to_torch(ttnn.from_torch(torch.ones(2), queue_id=0)), torch.ones(2))


def test_arguments_convert_like_the_original_ones(tensor):
    assert ttnn.unsqueeze(tensor, np.int64(0)).shape == [1, 32, 32]
    assert ttnn.unsqueeze(tensor, True).shape == [32, 1, 32]
    expected = ttnn.to_torch(ttnn.leaky_relu(tensor, 0.5))
    for slope in (np.float32(0.5), np.float64(0.5), torch.tensor(0.5)):
        assert torch.equal(ttnn.to_torch(ttnn.leaky_relu(tensor, slope)), expected)
    assert torch.equal(
        ttnn.to_torch(ttnn.exp(tensor, fast_and_approximate_mode=1)),
        ttnn.to_torch(ttnn.exp(tensor, fast_and_approximate_mode=True)),
    )
    joined = "".join(["memory", "_config"])  # not interned
    assert ttnn.exp(tensor, **{joined: ttnn.L1_MEMORY_CONFIG}).memory_config() == ttnn.L1_MEMORY_CONFIG
    chain = [ttnn.UnaryOpType.RELU, (ttnn.UnaryOpType.RELU_MAX, 0.5), ttnn.UnaryWithParam(ttnn.UnaryOpType.EXP)]
    assert torch.allclose(
        ttnn.to_torch(ttnn.unary_chain(tensor, chain)).float(),
        ttnn.to_torch(tensor).float().clamp(0, 0.5).exp(),
        rtol=1e-2,
    )


def test_output_tensor_comes_back_as_the_same_object(tensor, device):
    output = ttnn.from_torch(torch.zeros(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    assert ttnn.exp(tensor, output_tensor=output) is output


def test_registering_python_operations(tensor):
    @ttnn.register_python_operation(name="ttnn.made_here.twice", doc="Twice the input.")
    def twice(input_tensor, *, memory_config=None):
        return ttnn.concat([input_tensor, input_tensor], dim=0)

    assert ttnn.made_here.twice is twice and twice.__doc__ == "Twice the input."
    assert twice(tensor).shape == [64, 32] and twice(tensor, queue_id=0).shape == [64, 32]
    assert plain(inspect.signature(twice)) == "(input_tensor, *, memory_config=None)"
    assert twice in ttnn.query_registered_operations()
    with pytest.raises(RuntimeError, match="already registered"):
        ttnn.register_python_operation(name="ttnn.made_here.twice")(lambda x: x)
    with pytest.raises(RuntimeError, match="must start with 'ttnn.'"):
        ttnn.register_python_operation(name="made.here")
    with pytest.raises(TypeError):
        twice()

    @ttnn.register_python_operation(name="ttnn.Tensor.made_here", is_method=True, is_experimental=True)
    def method(self):
        return self

    assert not hasattr(ttnn.Tensor, "made_here")
    assert method not in ttnn.query_registered_operations()
    assert method in ttnn.query_registered_operations(include_experimental=True)


def test_dump_operations(tmp_path):
    ttnn.dump_operations(tmp_path / "operations.csv")
    lines = (tmp_path / "operations.csv").read_text().splitlines()
    assert len(lines) == len(ttnn.query_registered_operations()) + 1
    assert lines[0] == "python_fully_qualified_name,is_cpp_operation,has_golden_function,is_experimental"
    assert "ttnn.exp,True,True,False" in lines


def test_calls_leave_no_references(tensor):
    import sys

    count = sys.getrefcount(tensor)
    for _ in range(100):
        ttnn.exp(tensor, memory_config=None)
        try:
            ttnn.exp(tensor, bad=tensor)
        except TypeError:
            pass
    gc.collect()
    assert sys.getrefcount(tensor) == count


@pytest.mark.parametrize("name", ["reshape_tile_mode", "recreate_mapping_tensor"])
def test_reshape_takes_its_mode_under_both_names(device, name):
    values = torch.arange(64 * 32.0).reshape(64, 32)
    tensor = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device)
    result = ttnn.reshape(tensor, [32, 64], **{name: ttnn.TileReshapeMapMode.RECREATE})
    assert torch.equal(ttnn.to_torch(result), values.reshape(32, 64))


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat16, ttnn.bfloat8_b], ids=str)
def test_floats_cast_to_uint8_wrap_around(device, dtype):
    torch.manual_seed(0)
    tensor = ttnn.from_torch((torch.rand(64, 64) - 0.5) * 3000, dtype, layout=ttnn.TILE_LAYOUT, device=device)
    stored = tensor.to_numpy().astype(np.float64)
    expected = np.trunc(stored).astype(np.int64) % 256
    assert np.array_equal(ttnn.typecast(tensor, ttnn.uint8).to_numpy(), expected)
    assert np.array_equal(ttnn.typecast(tensor.cpu(), ttnn.uint8).to_numpy(), expected)
