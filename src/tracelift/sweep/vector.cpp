#include "tracelift/sweep/vector.hpp"

#include <fmt/format.h>

namespace tracelift {

std::string vector_key(const Vector& vector) {
    return fmt::format("{}\t{}\t{}", vector.sweep_name, vector.suite, vector.id);
}

std::string vector_key(const ResultRecord& record) {
    return fmt::format("{}\t{}\t{}", record.sweep_name, record.suite, record.vector_id);
}

}  // namespace tracelift
