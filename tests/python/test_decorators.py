"""ttnn.decorators: what tools around operations import."""

import logging

import pytest
import torch

import ttnn
from ttnn import decorators


def test_operations_are_registered():
    registered = decorators.REGISTERED_OPERATIONS
    assert ttnn.add in registered and "ttnn.add" in registered and "ttnn.no_such" not in registered
    assert len(registered) == len(list(registered)) == len(set(registered))
    assert isinstance(ttnn.add, decorators.FastOperation) and isinstance(ttnn.from_torch, decorators.Operation)
    with pytest.raises(RuntimeError, match="must start with 'ttnn.'"):
        registered.add(ttnn.add, "add")
    registered.add(ttnn.add, "ttnn.made_here.plus")
    assert ttnn.made_here.plus is ttnn.add


def test_they_are_listed_from_z_to_a():
    names = [operation.python_fully_qualified_name for operation in ttnn.query_registered_operations()]
    assert names == sorted(names, reverse=True) and not any(".experimental." in name for name in names)
    everything = [operation.__name__ for operation in ttnn.query_registered_operations(include_experimental=True)]
    assert everything[: len(names)] == names and all(".experimental." in name for name in everything[len(names) :])


def test_modules_are_made_on_demand():
    module = decorators.create_module_if_not_exists("ttnn.made_here.below")
    assert ttnn.made_here.below is module is decorators.create_module_if_not_exists("ttnn.made_here.below")
    assert decorators.register_cpp_operation(module, "exp", ttnn.exp) is ttnn.exp and module.exp is ttnn.exp
    with pytest.raises(TypeError, match="takes an operation, not function"):
        decorators.register_cpp_operation(module, "f", lambda: None)
    with pytest.raises(RuntimeError, match="are below ttnn"):
        decorators.create_module_if_not_exists("torch.x")


def test_hooks_are_in_the_public_lists():
    def hook(operation, args, kwargs):
        assert decorators.OPERATION_CALL_STACK == ["ttnn.from_torch"]

    with decorators.register_pre_operation_hook(hook):
        assert decorators.PRE_OPERATION_HOOKS == [hook] and decorators.POST_OPERATION_HOOKS == []
        ttnn.from_torch(torch.ones(2))
    assert decorators.PRE_OPERATION_HOOKS == [] and decorators.OPERATION_CALL_STACK == []


def test_tensors_and_devices_in_arguments(device):
    x, y = ttnn.from_torch(torch.ones(2), device=device), torch.ones(3)
    arguments = ((x, [y]), {"other": x, "device": device, "number": 1})
    assert [each is x for each in decorators.get_ttnn_tensors(arguments)] == [True, True]
    assert [type(each) for each in decorators.get_all_tensors(arguments)] == [ttnn.Tensor, torch.Tensor, ttnn.Tensor]
    assert decorators.get_tensors(arguments, torch.Tensor)[0] is y
    assert decorators.get_devices(arguments) == [device] and decorators.get_devices((y, 5)) == []


def test_numbers_of_tensors():
    x, y = ttnn.from_torch(torch.ones(2)), torch.ones(3)
    for tensor in (x, y):
        decorators.set_tensor_id(tensor)
        first = tensor.tensor_id
        decorators.set_tensor_id(tensor)
        assert tensor.tensor_id == first is not None
        decorators.set_tensor_id(tensor, force=True)
        assert tensor.tensor_id != first


def test_conversions_around_goldens(device):
    x = ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    args, kwargs = decorators.default_preprocess_golden_function_inputs(([x, 2],), {"b": x})
    assert isinstance(args[0][0], torch.Tensor) and args[0][1] == 2 and isinstance(kwargs["b"], torch.Tensor)
    output = decorators.default_postprocess_golden_function_outputs((torch.ones(32, 32),), ([x],), {})
    assert output[0].dtype == ttnn.bfloat16 and output[0].device() is device and output[0].layout == ttnn.TILE_LAYOUT
    with pytest.raises(RuntimeError, match="Unsupported output type"):
        decorators.default_postprocess_golden_function_outputs(5, (x,), {})


def test_goldens_of_earlier_operations_are_remembered():
    x = ttnn.from_torch(torch.ones(2, 2))
    args, _ = decorators.preprocess_global_golden_function_inputs((x,), {})
    assert torch.equal(args[0], torch.ones(2, 2))
    decorators.postprocess_global_golden_function_outputs(x, torch.full((2, 2), 3.0))
    args, _ = decorators.preprocess_global_golden_function_inputs((x,), {})
    assert torch.equal(args[0], torch.full((2, 2), 3.0))
    number = x.tensor_id
    assert number in decorators.TENSOR_ID_TO_GLOBAL_LEVEL_GOLDEN_TENSOR
    del x
    assert number not in decorators.TENSOR_ID_TO_GLOBAL_LEVEL_GOLDEN_TENSOR


def compare(golden, output, **options):
    options = {"desired_pcc": 0.99, "level": "locally", "fail_on_bad_comparison": True, **options}
    return decorators.compare_tensors_using_pcc("ttnn.made_up", golden, output, **options)


def test_comparisons(caplog):
    torch.manual_seed(0)
    values, others = torch.rand(8, 8), torch.rand(8, 8)
    record = compare(values, ttnn.from_torch(values))[0]
    assert record.matches and record.actual_pcc == 1.0 and record.desired_pcc == 0.99
    assert record.golden_tensor_id == values.tensor_id
    assert len(compare([values, others], (ttnn.from_torch(values), others))) == 2
    text = r"ttnn.made_up: Comparing output tensor 0 against CPU locally failed: pcc is \S+ but should be >=0.99"
    with pytest.raises(RuntimeError, match=text):
        compare(values, ttnn.from_torch(others))
    with caplog.at_level(logging.ERROR, logger="ttnn"):
        assert not compare(values, others, fail_on_bad_comparison=False)[0].matches
    assert "against CPU locally failed" in caplog.text
    with pytest.raises(TypeError, match="Expected torch.Tensor, got <class 'int'>"):
        compare(5, values)
    with pytest.raises(TypeError, match="Expected list or tuple, got"):
        compare(values, [values])
