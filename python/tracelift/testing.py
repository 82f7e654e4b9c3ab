"""Helpers for tests that compare tensors: the functions that TT-NN's own tests use, by the same names."""

from __future__ import annotations

import math
import time
from typing import Any

import torch

from tracelift import _metrics, ttnn
from tracelift.ttnn._device_facts import is_blackhole as is_blackhole
from tracelift.ttnn._device_facts import is_wormhole_b0 as is_wormhole_b0
from tracelift.ttnn._rounding import divup as divup
from tracelift.ttnn._rounding import roundup as roundup
from tracelift.ttnn._verdict import correlation

__all__ = [
    "assert_allclose",
    "assert_equal",
    "assert_relative_frobenius",
    "assert_with_pcc",
    "assert_with_ulp",
    "check_with_pcc",
    "check_with_pcc_without_tensor_printout",
    "comp_allclose",
    "comp_allclose_and_pcc",
    "comp_equal",
    "comp_pcc",
    "comp_relative_frobenius",
    "comp_ulp",
    "divup",
    "flush_subnormal_values_to_zero",
    "generate_all_bfloat16_bitpatterns",
    "is_blackhole",
    "is_close",
    "is_wormhole_b0",
    "maybe_trace",
    "nearest_32",
    "nearest_y",
    "pad_by_zero",
    "roundup",
    "roundup32",
    "start_measuring_time",
    "stop_measuring_time",
    "tilize",
    "torch2tt_tensor",
    "torch_random",
    "tt2torch_tensor",
    "ulp",
    "unpad_from_zero",
    "untilize",
]


def _as_torch(tensor: Any) -> torch.Tensor:
    """A torch tensor of a signed type; ttnn tensors are read back."""
    if isinstance(tensor, ttnn.Tensor):
        tensor = ttnn.to_torch(tensor)
    wider = {"torch.uint16": torch.int32, "torch.uint32": torch.int64}.get(str(tensor.dtype))
    return tensor if wider is None else tensor.to(wider)


def _check_shapes(expected: torch.Tensor, actual: torch.Tensor) -> None:
    if expected.shape != actual.shape:
        raise AssertionError(f"list(expected.shape)={list(expected.shape)} vs list(actual.shape)={list(actual.shape)}")


# --- correlation -------------------------------------------------------------------------------------------------------


def comp_pcc(golden: Any, calculated: Any, pcc: float = 0.99) -> tuple[bool, float]:
    """Whether the Pearson correlation reaches `pcc`, and its value."""
    value = correlation(_as_torch(golden), _as_torch(calculated))
    return value >= pcc, value


def assert_with_pcc(expected: Any, actual: Any, pcc: float = 0.9999) -> tuple[bool, float]:
    expected, actual = _as_torch(expected), _as_torch(actual)
    _check_shapes(expected, actual)
    passed, value = comp_pcc(expected, actual, pcc)
    _metrics.report_pcc(value, passed)
    assert passed, str(value)
    return passed, value


def check_with_pcc(
    expected: Any, actual: Any, pcc: float | None = None, *, threshold: float | None = None
) -> tuple[bool, str]:
    """The same without an assertion: (passed, message). `threshold` is another name for `pcc` (0.9999)."""
    if pcc is not None and threshold is not None:
        raise TypeError("check_with_pcc() takes pcc or threshold, which mean the same, not both")
    pcc = next((value for value in (pcc, threshold) if value is not None), 0.9999)
    expected, actual = _as_torch(expected), _as_torch(actual)
    if expected.shape != actual.shape:
        return False, f"list(expected.shape)={list(expected.shape)} vs list(actual.shape)={list(actual.shape)}"
    passed, value = comp_pcc(expected, actual, pcc)
    _metrics.report_pcc(value, passed)
    return passed, str(value)


check_with_pcc_without_tensor_printout = check_with_pcc


# --- closeness ---------------------------------------------------------------------------------------------------------


def _delta_text(golden: torch.Tensor, calculated: torch.Tensor) -> str:
    a, b = golden.double(), calculated.double()
    distance = (a - b).abs()
    absolute = float(distance.max()) if distance.numel() else 0.0
    relative = distance / b.abs()
    relative = relative.masked_fill(torch.isnan(relative), 0.0)
    return f"Max ATOL Delta: {absolute}, Max RTOL Delta: {float(relative.max()) if relative.numel() else 0.0}"


def _same_dtype(golden: Any, calculated: Any) -> tuple[torch.Tensor, torch.Tensor]:
    golden, calculated = _as_torch(golden), _as_torch(calculated)
    return golden, calculated.to(golden.dtype)


def comp_allclose(golden: Any, calculated: Any, rtol: float = 1e-05, atol: float = 1e-08) -> tuple[bool, str]:
    golden, calculated = _same_dtype(golden, calculated)
    text = _delta_text(golden, calculated)
    return torch.allclose(golden, calculated, rtol=rtol, atol=atol, equal_nan=True), text


def comp_equal(golden: Any, calculated: Any) -> tuple[bool, str]:
    golden, calculated = _same_dtype(golden, calculated)
    return torch.equal(golden, calculated), _delta_text(golden, calculated)


def comp_allclose_and_pcc(
    golden: Any, calculated: Any, rtol: float = 1e-05, atol: float = 1e-08, pcc: float = 0.99
) -> tuple[bool, str]:
    golden, calculated = _same_dtype(golden, calculated)
    close, text = comp_allclose(golden, calculated, rtol, atol)
    if golden.numel() == 1:
        return close, text
    correlated, value = comp_pcc(golden, calculated, pcc)
    return close and correlated, f"{text}, {value}"


def assert_allclose(expected: Any, actual: Any, rtol: float = 1e-05, atol: float = 1e-08) -> tuple[bool, str]:
    expected, actual = _as_torch(expected), _as_torch(actual)
    _check_shapes(expected, actual)
    passed, text = comp_allclose(expected, actual, rtol, atol)
    _metrics.report_message("allclose", text, passed)
    assert passed, text
    return passed, text


def assert_equal(expected: Any, actual: Any) -> tuple[bool, str]:
    expected, actual = _as_torch(expected), _as_torch(actual)
    _check_shapes(expected, actual)
    passed, text = comp_equal(expected, actual)
    assert passed, text
    return passed, text


# --- units in the last place -------------------------------------------------------------------------------------------


def ulp(x: torch.Tensor) -> torch.Tensor:
    """Distance from |x| to the next larger number of its dtype."""
    magnitude = x.abs()
    if x.dtype == torch.bfloat16:  # torch.nextafter knows bfloat16 only in newer versions
        bits = magnitude.view(torch.int16) + 1
        return bits.view(torch.bfloat16) - magnitude
    return torch.nextafter(magnitude, torch.full_like(magnitude, math.inf)) - magnitude


def comp_ulp(golden: Any, calculated: Any, ulp_threshold: float, allow_nonfinite: bool = False) -> tuple[bool, str]:
    """Whether every element lies within `ulp_threshold` units in the last place of the calculated dtype."""
    golden, calculated = _as_torch(golden), _as_torch(calculated)
    if not allow_nonfinite and not bool(torch.isfinite(calculated).all()):
        return False, "Calculated tensor contains non-finite values"
    if not torch.equal(torch.isfinite(golden), torch.isfinite(calculated)) or not torch.equal(
        torch.nan_to_num(golden, 0.0, 1.0, -1.0)[~torch.isfinite(golden)],
        torch.nan_to_num(calculated, 0.0, 1.0, -1.0)[~torch.isfinite(calculated)].to(golden.dtype),
    ):
        return False, "Tensors are not finite at the same positions"
    finite = torch.isfinite(golden)
    unit = ulp(golden.to(calculated.dtype)).double()
    distance = (golden.double() - calculated.double()).abs() / unit
    distance = distance.masked_fill(~finite, 0.0)
    if distance.numel() == 0:
        return True, "Max ULP Delta: 0.0"
    worst = float(distance.max())
    text = f"Max ULP Delta: {worst}"
    if worst <= ulp_threshold:
        return True, text
    flat = int(distance.argmax())
    place = []
    for size in reversed(distance.shape):
        place.append(flat % size)
        flat //= size
    where = tuple(reversed(place))
    return (
        False,
        f"{text} @ {list(where)}: |{calculated[where].item()} - {golden[where].item()}| / {unit[where].item()}",
    )


def assert_with_ulp(
    expected: Any, actual: Any, ulp_threshold: float = 10, allow_nonfinite: bool = False
) -> tuple[bool, str]:
    blocks = isinstance(actual, ttnn.Tensor) and actual.dtype == ttnn.bfloat8_b
    expected, actual = _as_torch(expected), _as_torch(actual)
    _check_shapes(expected, actual)
    passed, text = comp_ulp(expected, actual.bfloat16() if blocks else actual, ulp_threshold, allow_nonfinite)
    _metrics.report_message("ulp", text, passed)
    assert passed, text
    return passed, text


def comp_relative_frobenius(expected: Any, actual: Any) -> tuple[float, bool]:
    """norm(expected - actual) / norm(expected), or the absolute norm and True when expected is 0."""
    expected, actual = _as_torch(expected).double(), _as_torch(actual).double()
    norm = float(torch.linalg.norm(expected))
    distance = float(torch.linalg.norm(expected - actual))
    return (distance, True) if norm == 0 else (distance / norm, False)


def assert_relative_frobenius(expected: Any, actual: Any, threshold: float = 0.01) -> tuple[bool, str]:
    expected, actual = _as_torch(expected), _as_torch(actual)
    _check_shapes(expected, actual)
    value, absolute = comp_relative_frobenius(expected, actual)
    kind = "absolute" if absolute else "relative"
    assert value <= threshold, f"{kind} Frobenius distance {value} is above {threshold}"
    return True, str(value)


def is_close(
    a: Any, b: Any, rtol: float = 1e-2, atol: float = 1e-2, max_mag: float = 2.0, max_mag_fraction: float = 0.02
) -> bool:
    """Lenient: each element may be close absolutely, relatively or against the largest magnitude."""
    a, b = _as_torch(a).double(), _as_torch(b).double()
    distance = (a - b).abs()
    scale = torch.maximum(a.abs(), b.abs())
    close = (distance / scale < rtol) | (distance < atol) | (distance < max_mag * max_mag_fraction)
    return bool(close.all())


# --- numbers, data and devices -----------------------------------------------------------------------------------------


def nearest_y(x: int, y: int) -> int:
    return math.ceil(x / y) * y


def nearest_32(x: int) -> int:
    return nearest_y(x, 32)


def roundup32(a: int) -> int:
    return roundup(a, 32)


def torch_random(shape: Any, low: float, high: float, dtype: torch.dtype) -> torch.Tensor:
    """Integers by randint, floats uniformly in [low, high)."""
    if dtype in (torch.bool, torch.uint8, torch.int16, torch.int32, torch.int64):
        return torch.randint(int(low), int(high), tuple(shape), dtype=dtype)
    return torch.rand(tuple(shape), dtype=torch.float32).mul_(high - low).add_(low).to(dtype)


def generate_all_bfloat16_bitpatterns(dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
    """All 65536 of them as a 256 x 256 tensor."""
    bits = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16)
    return bits.view(torch.bfloat16).reshape(256, 256).to(dtype)


def flush_subnormal_values_to_zero(tensor: torch.Tensor) -> torch.Tensor:
    smallest = torch.finfo(tensor.dtype).tiny
    return tensor.masked_fill(tensor.abs() < smallest, 0.0)


def torch2tt_tensor(
    tensor: torch.Tensor,
    device: Any,
    tt_layout: Any = ttnn.TILE_LAYOUT,
    tt_memory_config: Any = ttnn.DRAM_MEMORY_CONFIG,
    tt_dtype: Any = ttnn.bfloat16,
) -> Any:
    return ttnn.from_torch(tensor, dtype=tt_dtype, layout=tt_layout, device=device, memory_config=tt_memory_config)


def tt2torch_tensor(tensor: Any) -> torch.Tensor:
    return ttnn.to_torch(tensor)


def tilize(x: torch.Tensor) -> torch.Tensor:
    """Reorders a 4-D tensor of whole tiles so that each 32x32 tile follows its predecessor."""
    *leading, height, width = x.shape
    assert height % 32 == 0 and width % 32 == 0, f"expected whole tiles, got {list(x.shape)}"
    blocks = x.reshape(*leading, height // 32, 32, width // 32, 32)
    return blocks.transpose(-3, -2).reshape(x.shape)


def untilize(x: torch.Tensor) -> torch.Tensor:
    *leading, height, width = x.shape
    assert height % 32 == 0 and width % 32 == 0, f"expected whole tiles, got {list(x.shape)}"
    blocks = x.reshape(*leading, height // 32, width // 32, 32, 32)
    return blocks.transpose(-3, -2).reshape(x.shape)


def pad_by_zero(
    x: torch.Tensor, device: Any = None, tt_memory_config: Any = None, tt_dtype: Any = ttnn.bfloat16
) -> tuple[Any, list[int]]:
    """A tile tensor padded with zeros to whole tiles, and the shape before."""
    shape = list(x.shape)
    padding = [0, nearest_32(shape[-1]) - shape[-1]]
    if len(shape) > 1:
        padding += [0, nearest_32(shape[-2]) - shape[-2]]
    padded = torch.nn.functional.pad(x, padding)
    options = {} if device is None else {"device": device, "memory_config": tt_memory_config}
    return ttnn.from_torch(padded, dtype=tt_dtype, layout=ttnn.TILE_LAYOUT, **options), shape


def unpad_from_zero(x: Any, desired_shape: Any) -> torch.Tensor:
    return ttnn.to_torch(x)[tuple(slice(0, size) for size in desired_shape)]


def maybe_trace(op_func: Any, enable_trace: bool, device: Any) -> Any:
    """The result of op_func(); with a trace it is captured and executed once."""
    if not enable_trace:
        return op_func()
    op_func()
    ttnn.synchronize_device(device)
    trace_id = ttnn.begin_trace_capture(device, cq_id=0)
    output = op_func()
    ttnn.end_trace_capture(device, trace_id, cq_id=0)
    ttnn.execute_trace(device, trace_id, cq_id=0, blocking=False)
    ttnn.synchronize_device(device)
    ttnn.release_trace(device, trace_id)
    return output


def start_measuring_time() -> int:
    return time.time_ns()


def stop_measuring_time(start: int) -> int:
    """Nanoseconds since start_measuring_time."""
    return time.time_ns() - start
