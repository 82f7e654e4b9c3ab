"""Modules of torch whose parameters are ttnn tensors; they take ttnn tensors and give them."""

from __future__ import annotations

from typing import Any

import torch

from tracelift import ttnn

from ._conversion import on_ttnn_tensors, to_torch


def _read(parameter: Any, shape: Any = None) -> Any:
    if parameter is None:
        return None
    values = to_torch(parameter) if isinstance(parameter, ttnn.Tensor) else parameter.float()
    return values.reshape(-1 if shape is None else shape)


class _OnTTNNTensors(torch.nn.Module):
    """Runs a torch module; `forward` takes output_layout and output_on_device besides."""

    def __init__(self, module: torch.nn.Module, **parameters: Any) -> None:
        super().__init__()
        self.pt_fallback = module.eval()
        for name, value in parameters.items():
            if value is not None:
                getattr(module, name).data = value
        self._run = on_ttnn_tensors(self._torch)

    def _torch(self, input: Any) -> Any:
        with torch.no_grad():
            return self.pt_fallback(input)

    def forward(self, input: ttnn.Tensor, **options: Any) -> ttnn.Tensor:
        return self._run(input, **options)


class Conv2d(_OnTTNNTensors):
    def __init__(
        self,
        weights: Any,
        biases: Any,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
    ) -> None:
        module = torch.nn.Conv2d(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode
        )
        super().__init__(module, weight=_read(weights, module.weight.shape), bias=_read(biases) if bias else None)


class BatchNorm2d(_OnTTNNTensors):
    def __init__(
        self,
        weights: Any,
        biases: Any,
        running_mean: Any,
        running_var: Any,
        num_batches_tracked: Any,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ) -> None:
        module = torch.nn.BatchNorm2d(num_features, eps, momentum, affine, track_running_stats)
        super().__init__(
            module,
            weight=_read(weights),
            bias=_read(biases),
            running_mean=_read(running_mean),
            running_var=_read(running_var),
        )


class GroupNorm(_OnTTNNTensors):
    def __init__(
        self, weights: Any, biases: Any, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True
    ) -> None:
        module = torch.nn.GroupNorm(num_groups, num_channels, eps, affine)
        super().__init__(module, weight=_read(weights), bias=_read(biases))


class LayerNorm(_OnTTNNTensors):
    def __init__(
        self, weights: Any, biases: Any, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True
    ) -> None:
        module = torch.nn.LayerNorm(normalized_shape, eps, elementwise_affine)
        shape = module.normalized_shape
        super().__init__(module, weight=_read(weights, shape), bias=_read(biases, shape))


class MaxPool2d(_OnTTNNTensors):
    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(torch.nn.MaxPool2d(kernel_size, stride, padding, dilation, return_indices, ceil_mode))


class AdaptiveAvgPool2d(_OnTTNNTensors):
    def __init__(self, output_size: Any) -> None:
        super().__init__(torch.nn.AdaptiveAvgPool2d(output_size))
