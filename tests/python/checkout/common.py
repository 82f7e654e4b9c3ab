"""tests/scripts/common.py: how a checkout makes the arguments of open_device."""


def get_updated_device_params(device_params):
    import ttnn

    params = dict(device_params)
    axis = params.pop("dispatch_core_axis", None)
    kind = params.pop("dispatch_core_type", None)
    tensix = params.pop("fabric_tensix_config", None)
    if ttnn.device.is_blackhole() and axis == ttnn.DispatchCoreAxis.ROW:
        axis = ttnn.DispatchCoreAxis.COL
    params["dispatch_core_config"] = ttnn.DispatchCoreConfig(kind, axis, tensix)
    return params
