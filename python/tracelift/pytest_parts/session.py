"""What all outputs of one pytest run share: its id, and what a test is called."""

from __future__ import annotations

import time
from pathlib import PurePosixPath
from typing import Any

import pytest

_MODULES = {
    "test_moe_gate.py": "MoEGate",
    "test_mla_1d.py": "MLA1D",
    "test_moe.py": "MoE",
    "test_model.py": "Model1D",
    "test_embedding_1d.py": "Embedding1D",
    "test_lm_head.py": "LMHead",
    "test_decoder_block.py": "DecoderBlock",
    "test_rms_norm.py": "RMSNorm",
}


def utc_text(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def arguments_of(item: pytest.Item) -> dict[str, Any]:
    """Parameters of a test, and the values of its fixtures once they are made."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return {**parameters, **getattr(item, "funcargs", {})}


def module_of(item: pytest.Item) -> str:
    """The part of a model that is tested: the class a fixture names, else what the file's name stands for."""
    arguments = arguments_of(item)
    for fixture in ("MLPClass", "RMSNormClass", "DecoderBlockClass"):
        if isinstance(arguments.get(fixture), type):
            return arguments[fixture].__name__
    return _MODULES.get(PurePosixPath(item.nodeid.partition("::")[0]).name, "")


class Session:
    def __init__(self, config: pytest.Config) -> None:
        workerinput = getattr(config, "workerinput", None)
        self.is_worker = workerinput is not None
        given = None if workerinput is None else workerinput.get("tracelift_run_id")
        self.run_id = given or utc_text(time.time())
        self.root = config.rootpath

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """xdist: workers use the id of the run."""
        node.workerinput["tracelift_run_id"] = self.run_id
