"""The network between chips: settings that hardware needs before collectives. They are checked and remembered."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ._devices import default_system
from ._enums import FabricConfig, FabricManagerMode, FabricReliabilityMode, FabricTensixConfig, FabricUDMMode


@dataclass
class FabricRouterConfig:
    max_packet_payload_size_bytes: int | None = None


@dataclass
class _Settings:
    config: FabricConfig = FabricConfig.DISABLED
    router: FabricRouterConfig | None = None


_settings = _Settings()
_1D = (FabricConfig.FABRIC_1D_NEIGHBOR_EXCHANGE, FabricConfig.FABRIC_1D, FabricConfig.FABRIC_1D_RING)
_USUAL_PAYLOAD = 4352  # bytes


def set_fabric_config(
    config: FabricConfig,
    reliability_mode: FabricReliabilityMode | None = FabricReliabilityMode.STRICT_INIT,
    num_planes: int | None = None,
    fabric_tensix_config: FabricTensixConfig | None = FabricTensixConfig.DISABLED,
    fabric_udm_mode: FabricUDMMode | None = FabricUDMMode.DISABLED,
    fabric_manager_mode: FabricManagerMode | None = FabricManagerMode.DEFAULT,
    router_config: FabricRouterConfig | None = None,
) -> None:
    """Needed on hardware before collectives; emulated chips are always linked."""
    wanted = (
        (config, FabricConfig, "config"),
        (reliability_mode, FabricReliabilityMode, "reliability_mode"),
        (fabric_tensix_config, FabricTensixConfig, "fabric_tensix_config"),
        (fabric_udm_mode, FabricUDMMode, "fabric_udm_mode"),
        (fabric_manager_mode, FabricManagerMode, "fabric_manager_mode"),
        (router_config, FabricRouterConfig, "router_config"),
    )
    for value, kind, name in wanted:
        optional = name != "config"
        if not isinstance(value, kind) and not (optional and value is None):
            raise TypeError(f"set_fabric_config(): {name} takes a {kind.__name__}, not {type(value).__name__}")
    _settings.config = config
    _settings.router = router_config


def get_fabric_config() -> FabricConfig:
    return _settings.config


def _enabled(function: str) -> FabricConfig:
    if _settings.config == FabricConfig.DISABLED:
        raise RuntimeError(f"{function}() needs a fabric; call ttnn.set_fabric_config first")
    return _settings.config


def get_tt_fabric_packet_header_size_bytes() -> int:
    """Of a packet: larger where a route may have more hops."""
    shape = default_system().mesh_shape
    if _enabled("get_tt_fabric_packet_header_size_bytes") in _1D:
        return 48 if max(shape) <= 16 else 64
    hops = math.prod(shape)
    return next(size for limit, size in ((8, 80), (16, 96), (32, 112), (math.inf, 128)) if hops <= limit)


def get_tt_fabric_max_payload_size_bytes() -> int:
    _enabled("get_tt_fabric_max_payload_size_bytes")
    return packet_payload_bytes()


def packet_payload_bytes() -> int:
    """The same, with or without a fabric."""
    asked = None if _settings.router is None else _settings.router.max_packet_payload_size_bytes
    return _USUAL_PAYLOAD if asked is None else asked
