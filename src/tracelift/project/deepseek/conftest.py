"""Loads the plugins that record calls and results. Both do nothing unless asked."""

pytest_plugins = [
    "models.demos.deepseek_v3.utils.op_capture_plugin",
    "models.demos.deepseek_v3.utils.results_csv_plugin",
]
