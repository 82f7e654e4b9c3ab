"""Traced calls of this process: parameter files, op-call lines, result rows. The compiled half is src/python/tracing.cpp."""

from ._ttnn import RESULT_COLUMNS, LineFile
from ._ttnn import tracing_append_result as append_result
from ._ttnn import tracing_collect_parts as collect_parts
from ._ttnn import tracing_is_serializing as is_serializing
from ._ttnn import tracing_parameter_count as parameter_count
from ._ttnn import tracing_parameter_directory as parameter_directory
from ._ttnn import tracing_private_text as private_text
from ._ttnn import tracing_remember_parameter_files as remember_parameter_files
from ._ttnn import tracing_remove_parameter_files as remove_parameter_files
from ._ttnn import tracing_set_context as set_context
from ._ttnn import tracing_set_parameter_count as set_parameter_count
from ._ttnn import tracing_set_parameter_directory as set_parameter_directory
from ._ttnn import tracing_trace_parameters as trace_parameters
from ._ttnn import tracing_trace_values as trace_values
from ._ttnn import tracing_traces_parameters as traces_parameters
from ._ttnn import tracing_traces_values as traces_values
from ._ttnn import tracing_value_text as value_text
from ._ttnn import tracing_write_lines as write_lines
from ._ttnn import tracing_write_parameters as write_parameters

__all__ = [
    "LineFile",
    "RESULT_COLUMNS",
    "append_result",
    "collect_parts",
    "is_serializing",
    "parameter_count",
    "parameter_directory",
    "private_text",
    "remember_parameter_files",
    "remove_parameter_files",
    "set_context",
    "set_parameter_count",
    "set_parameter_directory",
    "trace_parameters",
    "trace_values",
    "traces_parameters",
    "traces_values",
    "value_text",
    "write_lines",
    "write_parameters",
]
