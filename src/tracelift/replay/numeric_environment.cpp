#include "tracelift/replay/numeric_environment.hpp"

#include <utility>

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "tracelift/sweep/run_facts.hpp"
#include "ttnn/compute/gemm.hpp"

namespace tracelift {
namespace {

constexpr std::pair<const char*, std::string NumericEnvironment::*> facts[] = {
    {"version", &NumericEnvironment::version},
    {"processor", &NumericEnvironment::processor},
    {"extensions", &NumericEnvironment::extensions},
    {"blas", &NumericEnvironment::blas},
    {"libm", &NumericEnvironment::libm}};

}  // namespace

NumericEnvironment numeric_environment() {
    return {.version = TRACELIFT_VERSION,
            .processor = processor_name(),
            .extensions = vector_extensions(),
            .blas = ttnn::compute::blas_description(),
            .libm = fmt::format("glibc {}", gnu_get_libc_version())};
}

std::string why_bits_may_differ(const NumericEnvironment& recorded, const NumericEnvironment& here) {
    constexpr std::pair<const char*, std::string NumericEnvironment::*> compared[] = {
        {"the processor is another", &NumericEnvironment::processor},
        {"the processor has other vector instructions", &NumericEnvironment::extensions},
        {"the library of matrix products is another", &NumericEnvironment::blas},
        {"the library of mathematical functions is another", &NumericEnvironment::libm}};
    for (const auto& [words, fact] : compared) {
        if (recorded.*fact != here.*fact) {
            return fmt::format("{}: {}, here {}", words, recorded.*fact, here.*fact);
        }
    }
    return {};
}

Json to_json(const NumericEnvironment& environment) {
    Json json = Json::object();
    for (const auto& [name, fact] : facts) {
        json[name] = environment.*fact;
    }
    return json;
}

NumericEnvironment environment_from_json(const Json& json) {
    NumericEnvironment environment;
    for (const auto& [name, fact] : facts) {
        environment.*fact = json.at(name).get<std::string>();
    }
    return environment;
}

}  // namespace tracelift
