// Vector: one case of a sweep, from a stored configuration, a vector file or a Python module.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tracelift/sweep/call.hpp"

namespace tracelift {

// What a vector of an operation runs: no module is needed.
struct NativeCall {
    CallRequest request{};      // without an id
    std::string identity{};     // of the configuration; empty: of a combination that was never traced
    int64_t configuration = 0;  // the store's row; 0: none
    bool bound = true;          // false: no declaration takes it, so that it is not run
};

struct Vector {
    std::string id{};          // `input_hash`
    std::string sweep_name{};  // "eltwise.unary.x.x"; of native sweeps the operation, "ttnn.x"
    std::string suite{};
    bool valid = true;
    std::string invalid_reason{};
    std::string source{};  // models it was traced from, joined by ", "
    std::string tag{};
    int64_t executions = 0;            // how often models executed it; 0: not known
    Json parameters = Json::object();  // as vector files have them, without what is said above
    Json header = Json::object();      // what the file says beside that: traced_source, traced_machine_info
    std::optional<NativeCall> native{};
    std::filesystem::path module{};  // of a vector that is not native: the Python file
};

// What tells the vectors of a run apart.
std::string vector_key(const Vector& vector);
std::string vector_key(const ResultRecord& record);

}  // namespace tracelift
