"""Counters of the process that the original keeps: get, set, and get with a step."""

from __future__ import annotations

_numbers = {"python_operation_id": 0, "device_operation_id": 1, "tensor_id": 0}


def _step(name: str) -> int:
    number = _numbers[name]
    _numbers[name] = number + 1
    return number


def get_python_operation_id() -> int:
    return _numbers["python_operation_id"]


def set_python_operation_id(id: int) -> None:
    _numbers["python_operation_id"] = id


def fetch_and_increment_python_operation_id() -> int:
    return _step("python_operation_id")


def get_device_operation_id() -> int:
    return _numbers["device_operation_id"]


def set_device_operation_id(id: int) -> None:
    _numbers["device_operation_id"] = id


def fetch_and_increment_device_operation_id() -> int:
    return _step("device_operation_id")


def get_tensor_id() -> int:
    return _numbers["tensor_id"]


def set_tensor_id(id: int) -> None:
    _numbers["tensor_id"] = id


def fetch_and_increment_tensor_id() -> int:
    return _step("tensor_id")
