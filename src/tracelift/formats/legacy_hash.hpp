// config_hash of format-2 masters as their writers computed it since February 2026. It tells whether a stored
// configuration is what was traced; identity inside Tracelift is content_hash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tracelift/base/json.hpp"

namespace tracelift {

enum class LegacyVariant : uint8_t {
    H1,             // arguments as stored
    H1_NON_FINITE,  // "inf", "-inf" and "nan" read as the floats they were when the hash was taken
    H2,             // memory-config hashes and object addresses left out, a null shard_spec as "None"
    H2_REBUILT,     // the same where the database wrote floats beyond 64 bits as whole numbers
    H3,             // H2, and Shape objects as lists
    H4,             // H3 without `allowed_worker_cores` that are null
    H5,             // H4, and the mesh of the machine where no placement names one
};

// "H1", "h2", ...; nullopt when unknown.
std::optional<LegacyVariant> variant_of_name(std::string_view name);

std::string_view variant_name(LegacyVariant variant);

struct LegacyMatch {
    LegacyVariant variant = LegacyVariant::H1;
    std::string hash;
};

// Hash of one configuration object {config_hash, arguments, executions, ...}; only arguments and the machine of the
// first execution count. Throws std::invalid_argument when the configuration has no arguments object.
std::string legacy_hash(LegacyVariant variant, std::string_view operation, const nlohmann::json& configuration);

// The variant that gives the stored config_hash; nullopt when none does or none is stored.
std::optional<LegacyMatch> match_legacy_hash(std::string_view operation, const nlohmann::json& configuration);

// config_hash of a configuration of format 2, as its writers compute it.
std::string format2_hash(LegacyVariant variant, std::string_view operation, const Json& arguments,
                         const Json& machine_info);

}  // namespace tracelift
