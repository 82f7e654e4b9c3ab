"""What comparisons with torch share: tensors as devices hold them, how near a result must come, tables of comparisons."""

import operator

import torch

from tracelift import ttnn
from tracelift.testing import comp_pcc


def put(device, values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, memory_config=None):
    """The tensor on the device, and the values that it holds: floats in fp64, integers as they are."""
    tensor = ttnn.from_torch(values, dtype=dtype, layout=layout, device=device, memory_config=memory_config)
    held = ttnn.to_torch(tensor)
    return tensor, held.double() if held.is_floating_point() else held


def rows(device, values, dtype=ttnn.bfloat16, **more):
    return put(device, values, dtype, ttnn.ROW_MAJOR_LAYOUT, **more)


def check(actual, expected, dtype=ttnn.bfloat16):
    assert list(actual.shape) == list(expected.shape)
    if dtype == ttnn.bfloat8_b:  # what the output's dtype can hold of it
        expected = ttnn.to_torch(ttnn.from_torch(expected.float(), dtype=dtype, layout=ttnn.TILE_LAYOUT))
    passed, pcc = comp_pcc(expected.double(), actual.double(), 0.9999)
    assert passed, pcc
    ratio = actual.double().norm() / expected.double().norm().clamp_min(1e-9)
    assert 0.98 < ratio < 1.02 or not expected.any()  # PCC does not see a factor


def check_exact(actual, expected):
    assert list(actual.shape) == list(expected.shape)
    assert torch.equal(actual.double(), expected.double())


class Comparisons(dict):
    """Functions by the name, below ttnn, of the operation that they compare. Each takes a device and yields pairs of a
    tensor and of what torch makes of the same values."""

    def __call__(self, *names, exact=False):
        """exact: the operation only moves numbers, or they are whole ones."""

        def keep(function):
            assert not self.keys() & set(names), "compared twice"
            self.update({name: (function, check_exact if exact else check) for name in names})
            return function

        return keep

    def run(self, name, device):
        operation = operator.attrgetter(name)(ttnn)
        called = set()
        torch.manual_seed(len(name))
        with ttnn.register_pre_operation_hook(lambda each, *_: called.add(each.__name__)):
            function, nearness = self[name]
            pairs = 0
            for actual, expected in function(device):
                nearness(ttnn.to_torch(actual) if isinstance(actual, ttnn.Tensor) else actual, expected)
                pairs += 1
        assert pairs and operation.__name__ in called
