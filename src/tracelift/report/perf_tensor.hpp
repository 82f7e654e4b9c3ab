// A tensor of a report as the columns of a performance report.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tracelift/report/node_view.hpp"

namespace tracelift::report {

struct PerfTensor {
    std::array<std::string, 4> dims{};  // W, Z, Y, X, each "padded[logical]"
    std::string layout;                 // "TILE"
    std::string dtype;                  // "BFLOAT16"
    std::string memory;                 // "DEV_0_L1_INTERLEAVED", "HOST"
    int64_t device_id = 0;
};

inline constexpr std::array<std::string_view, 7> perf_tensor_columns = {
    "W_PAD[LOGICAL]", "Z_PAD[LOGICAL]", "Y_PAD[LOGICAL]", "X_PAD[LOGICAL]", "LAYOUT", "DATATYPE", "MEMORY"};

PerfTensor perf_tensor(const NodeView& tensor);

}  // namespace tracelift::report
