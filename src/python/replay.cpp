#include "python/replay.hpp"

#include <nanobind/stl/string.h>

#include "tracelift/calls/call_tracing.hpp"
#include "tracelift/replay/input_domains.hpp"

namespace ttnn::python {
namespace {

const char* kind_name(Domain::Kind kind) {
    switch (kind) {
        case Domain::Kind::REAL: return "real";
        case Domain::Kind::INTEGER: return "integer";
        case Domain::Kind::BINARY: return "binary";
        case Domain::Kind::MASK: return "mask";
        case Domain::Kind::SPECIAL: return "real";
        case Domain::Kind::ONE_HOT: return "one_hot";
    }
    return "real";
}

// {position or name: (kind, low, high)}
nb::dict input_domains(const std::string& line) {
    nb::dict result;
    for (const tracelift::InputDomain& found : tracelift::input_domains(line)) {
        const nb::tuple values = nb::make_tuple(kind_name(found.domain.kind), found.domain.low, found.domain.high);
        result[nb::int_(found.position)] = values;
        result[nb::str(found.name.c_str())] = values;
    }
    return result;
}

uint64_t output_elements(const std::string& line) {
    const tracelift::Untraced untraced;  // what is called to find out is not the model's
    return tracelift::output_elements(line);
}

}  // namespace

void bind_replay(nb::module_& module) {
    module.def("input_domains", input_domains, nb::arg("record"));
    module.def("output_elements", output_elements, nb::arg("record"));
}

}  // namespace ttnn::python
