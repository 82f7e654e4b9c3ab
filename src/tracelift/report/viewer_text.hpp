// Texts in the forms that the viewer's parsers take, from the forms that captures of any era have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tracelift::report {

// "DataType.BFLOAT16" from "bfloat16", "BFLOAT16" or "DataType::BFLOAT16"; a dtype that is not ttnn's stays.
std::string viewer_dtype(std::string_view text);
// "Layout.TILE", likewise.
std::string viewer_layout(std::string_view text);
// Texts with a shard spec in braces get the form in parentheses; all others stay as they are.
bool has_shard_spec(std::string_view text);
std::string viewer_memory_config(std::string_view text);
// "1" and "0" from "true" and "false"; others stay.
std::string_view viewer_flag(std::string_view text);

// Bytes of a whole tensor as it lies in memory, from the texts of its node. Nothing for a shape or dtype that is not
// known.
std::optional<int64_t> tensor_bytes(std::string_view shape, std::string_view dtype, std::string_view layout);

}  // namespace tracelift::report
