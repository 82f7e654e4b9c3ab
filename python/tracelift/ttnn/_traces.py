"""Device traces: operations recorded once and run again on the same buffers; events."""

from __future__ import annotations

import itertools
import threading
import weakref
from dataclasses import dataclass
from typing import Any, Callable

from tracelift import _ttnn
from tracelift._ttnn import MeshDevice

from ._hooks import tensors_in

_BYTES_PER_OPERATION = 2048  # of trace buffer; a guess in the order of real programs
_TRANSFERS = frozenset(
    ["ttnn.from_torch", "ttnn.to_torch", "ttnn.from_numpy", "ttnn.to_numpy", "ttnn.as_tensor", "ttnn.to_device"]
    + ["ttnn.from_device", "ttnn.copy_host_to_device_tensor", "ttnn.copy_device_to_host_tensor", "ttnn.load_tensor"]
)

_next_id = itertools.count(0)


class MeshTraceId:
    """Names a recorded trace."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __int__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeshTraceId) and int(other) == self._number

    def __hash__(self) -> int:
        return hash(self._number)

    def __repr__(self) -> str:
        return f"MeshTraceId({self._number})"


@dataclass(frozen=True)
class _Made:
    """Stands for a tensor that an earlier step made, so that the trace does not keep its buffer."""

    step: int
    place: int


@dataclass
class _Step:
    operation: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outputs: list[weakref.ref[_ttnn.Tensor]]
    last_use: int = -1  # the last step that takes an output of this one


def _replaced(value: Any, replace: Callable[[Any], Any]) -> Any:
    """The value with replace() applied to everything in it that is not a list, tuple or dict."""
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(item, replace) for item in value)
    if isinstance(value, dict):
        return {name: _replaced(item, replace) for name, item in value.items()}
    return replace(value)


class _Recorder:
    """Writes down the outermost operations on one device."""

    def __init__(self, device: MeshDevice) -> None:
        self._device = weakref.ref(device)
        self.steps: list[_Step] = []
        self._made: dict[int, tuple[weakref.ref[_ttnn.Tensor], _Made]] = {}  # by id of the tensor

    def device(self) -> MeshDevice | None:
        """None when it is closed: a capture that was not ended, because the model failed, is over then."""
        device = self._device()
        return device if device is not None and device.is_open() else None

    def record(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        number = len(self.steps)

        def known(value: Any) -> Any:
            reference, made = self._made.get(id(value), (None, None))
            if made is None or reference is None or reference() is not value:
                return value
            self.steps[made.step].last_use = number
            return made

        step = _Step(operation, _replaced(args, known), _replaced(kwargs, known), [])
        for place, tensor in enumerate(tensors_in(output)):
            reference = weakref.ref(tensor)
            step.outputs.append(reference)
            self._made[id(tensor)] = (reference, _Made(number, place))
        self.steps.append(step)


def _devices_of(*values: Any) -> list[MeshDevice]:
    """The devices among the values and those that tensors among them are on."""
    found: list[MeshDevice] = []
    for value in tensors_in(values, (_ttnn.Tensor, MeshDevice)):
        device = value if isinstance(value, MeshDevice) else value.device()
        if device is not None and not any(device is known for known in found):
            found.append(device)
    return found


class _Captures:
    """The interceptor while traces are captured: each is of one device, which other calls do not concern."""

    def __init__(self) -> None:
        self.before: Any = None
        self._recorders: list[_Recorder] = []
        self._nested = threading.local()

    def recorder_of(self, device: MeshDevice) -> _Recorder | None:
        return next((recorder for recorder in self._recorders if recorder.device() is device), None)

    def begin(self, device: MeshDevice) -> _Recorder:
        if self.recorder_of(device) is not None:
            raise RuntimeError(f"a trace is being captured on {device} already")
        if not self._recorders:
            self.before = _ttnn.get_interceptor()
            _ttnn.set_interceptor(self)
        recorder = _Recorder(device)
        self._recorders.append(recorder)
        device._is_captured = True  # methods of tensors look here
        return recorder

    def end(self, recorder: _Recorder) -> None:
        self._recorders.remove(recorder)
        device = recorder.device()
        if device is not None:
            device._is_captured = False
        if not self._recorders:
            self._leave()

    def _leave(self) -> None:
        """Takes itself out of the chain of interceptors, which others may have joined since."""
        outer, present = None, _ttnn.get_interceptor()
        while present is not None and present is not self:
            outer, present = present, getattr(present, "before", None)
        if outer is None:
            _ttnn.set_interceptor(self.before)
        elif present is self:
            outer.before = self.before
        self.before = None

    def __call__(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        run = self.before or _ttnn.call_directly
        for recorder in [recorder for recorder in self._recorders if recorder.device() is None]:
            self.end(recorder)
        if getattr(self._nested, "active", False) or not self._recorders:
            return run(operation, args, kwargs)
        captured = [device for device in _devices_of(args, kwargs) if self.recorder_of(device) is not None]
        if captured and operation.__name__ in _TRANSFERS:
            raise RuntimeError(f"{operation.__name__}: host reads and writes are not allowed during trace capture")
        programs = {recorder: _programs_on(recorder) for recorder in self._recorders}
        self._nested.active = True
        try:
            output = run(operation, args, kwargs)
        finally:
            self._nested.active = False
        for device in _devices_of(args, kwargs, output):
            known = self.recorder_of(device)
            if known is None:
                continue
            if _programs_on(known) > programs.get(known, 0):
                raise RuntimeError(
                    f"{operation.__name__}: a program must have been run once before it is captured in a trace; "
                    "compiling it writes to the device"
                )
            known.record(operation, args, kwargs, output)
        return output


def _programs_on(recorder: _Recorder) -> int:
    device = recorder.device()
    return 0 if device is None else device.num_program_cache_entries()


_captures = _Captures()


def _traces(device: MeshDevice) -> dict[MeshTraceId, Any]:
    traces = getattr(device, "_traces", None)
    if traces is None:
        traces = device._traces = {}
    return traces


def begin_trace_capture(mesh_device: MeshDevice, cq_id: int | None = None) -> MeshTraceId:
    """Records every operation on the device until end_trace_capture. Their programs must have been run once before."""
    recorder = _captures.begin(mesh_device)
    trace_id = MeshTraceId(next(_next_id))
    _traces(mesh_device)[trace_id] = recorder
    return trace_id


def end_trace_capture(mesh_device: MeshDevice, trace_id: MeshTraceId, cq_id: int | None = None) -> None:
    recorder = _traces(mesh_device).get(trace_id)
    if not isinstance(recorder, _Recorder):
        raise RuntimeError(f"{trace_id} is not being captured on {mesh_device}")
    _captures.end(recorder)
    size, region = _BYTES_PER_OPERATION * len(recorder.steps), getattr(mesh_device, "trace_region_size", 0)
    if size > region:
        del _traces(mesh_device)[trace_id]
        raise RuntimeError(
            f"Creating trace buffers of size {size}B on device {mesh_device.id()}, "
            f"but only {region}B is allocated for trace region."
        )
    _traces(mesh_device)[trace_id] = recorder.steps


def _steps(mesh_device: MeshDevice, trace_id: MeshTraceId) -> list[_Step]:
    steps = _traces(mesh_device).get(trace_id)
    if not isinstance(steps, list):
        raise RuntimeError(f"{trace_id} is not a finished trace of {mesh_device}")
    return steps


def execute_trace(
    mesh_device: MeshDevice, trace_id: MeshTraceId, cq_id: int | None = None, blocking: bool = True
) -> None:
    """Runs the recorded operations again; results land in the tensors of the capture."""
    made: dict[int, list[_ttnn.Tensor]] = {}  # outputs that later steps take, by number of the step

    def current(value: Any) -> Any:
        return made[value.step][value.place] if isinstance(value, _Made) else value

    steps = _steps(mesh_device, trace_id)
    for number, step in enumerate(steps):
        output = _ttnn.call_directly(step.operation, _replaced(step.args, current), _replaced(step.kwargs, current))
        outputs = []
        for reference, now in zip(step.outputs, tensors_in(output)):
            captured = reference()
            if captured is None or not captured.is_allocated():
                captured = now
            elif captured is not now:
                _ttnn.copy_into(now, captured)
            outputs.append(captured)
        made[number] = outputs
        for earlier in [earlier for earlier in made if steps[earlier].last_use <= number]:
            del made[earlier]


def release_trace(mesh_device: MeshDevice, trace_id: MeshTraceId) -> None:
    """Forgets a trace."""
    trace = _traces(mesh_device).pop(trace_id, None)
    if trace is None:
        raise RuntimeError(f"{trace_id} is not a trace of {mesh_device}")
    if isinstance(trace, _Recorder):  # which nobody can end any more
        _captures.end(trace)


class MeshEvent:
    """A point in a queue; emulated queues are always empty."""

    def __init__(self, device: MeshDevice, cq_id: int) -> None:
        self.device = device
        self.cq_id = cq_id


def record_event(
    mesh_device: MeshDevice, cq_id: int | None = None, sub_device_ids: Any = (), device_range: Any = None
) -> MeshEvent:
    return MeshEvent(mesh_device, 0 if cq_id is None else cq_id)


def wait_for_event(cq_id: int, mesh_event: MeshEvent) -> None:
    _check_event(mesh_event)


def event_synchronize(mesh_event: MeshEvent) -> None:
    _check_event(mesh_event)


def _check_event(event: Any) -> None:
    if not isinstance(event, MeshEvent):
        raise TypeError(f"expected an event from record_event, not {type(event).__name__}")
