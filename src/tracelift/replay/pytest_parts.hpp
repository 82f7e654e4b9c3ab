// The parts that all generated pytest files share: how tensors are made, calls carried out and outputs compared.
#pragma once

#include <string>

#include "ttnn/device/mesh.hpp"

namespace tracelift {

// What decides which parts a file needs.
struct PytestNeeds {
    std::string board{};           // empty: any
    ttnn::MeshShape mesh{};        // 1x1: one chip
    bool written_into = false;     // the operation may write into arguments that it does not return
    bool semaphores = false;       // there are some among the arguments
    bool golden = true;            // something is compared with the golden function
    std::string_view plural = "";  // "calls were" or "call was"

    bool on_mesh() const { return mesh.num_chips() > 1; }
};

// Imports, and what BOARD and MESH are.
std::string pytest_imports(const PytestNeeds& needs);
// The class Tensor, what makes configurations, and the fixture `device`.
std::string pytest_helpers(const PytestNeeds& needs);
// prepare, listed, golden_outputs.
std::string pytest_calls(const PytestNeeds& needs);
// check and check_shape_only, for generated tests.
std::string pytest_checks(const PytestNeeds& needs);
// check_repro, for a call that fails: as strict as the runtime's own comparison is.
std::string pytest_repro_check(const PytestNeeds& needs);

}  // namespace tracelift
