"""Names for any of the configurations of a kind: what annotations and isinstance() ask for."""

from __future__ import annotations

import abc

from tracelift import _ttnn


class MatmulProgramConfig(abc.ABC):
    """Any program config of a matrix product."""


class LayerNormProgramConfig(abc.ABC):
    """Any program config of a layer norm."""


class SoftmaxProgramConfig(abc.ABC):
    """Any program config of a softmax."""


for _family in (MatmulProgramConfig, LayerNormProgramConfig, SoftmaxProgramConfig):
    _start = _family.__name__.removesuffix("ProgramConfig")
    for _name, _member in vars(_ttnn).items():
        if _name.startswith(_start) and _name.endswith("ProgramConfig"):
            _family.register(_member)
