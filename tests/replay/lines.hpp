// Lines of calls for the tests.
#pragma once

#include <string>

#include <fmt/format.h>

namespace tracelift {

inline std::string tensor_line(const std::string& shape, const std::string& dtype = "BFLOAT16",
                               const std::string& layout = "TILE") {
    return fmt::format(
        R"({{"__type__":"ttnn.TensorRef","shape":{},"dtype":"DataType.{}","layout":"Layout.{}","memory_config":)"
        R"({{"__type__":"ttnn.MemoryConfig","memory_layout":"INTERLEAVED","buffer_type":"DRAM"}}}})",
        shape, dtype, layout);
}

inline std::string call_line(const std::string& operation, const std::string& inputs,
                             const std::string& kwargs = "{}") {
    return fmt::format(R"({{"op_name":"{}","inputs":[{}],"kwargs":{},"output":null}})", operation, inputs, kwargs);
}

}  // namespace tracelift
