// KnownRows: what a store held when an import began, read at once. An import that looks for most of it anyway is
// quicker so than with a question for each configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/base/sqlite.hpp"
#include "tracelift/base/text_digest.hpp"

namespace tracelift {

class KnownRows {
public:
    // Nothing where the store holds more than is good for memory.
    static std::optional<KnownRows> read(Database& database);

    struct Text {
        int64_t id;
        int64_t ordinal;
        std::string_view identity;
    };
    // Of several with one digest, that of the lowest ordinal.
    std::optional<Text> text(std::string_view digest) const;

    struct Execution {
        int64_t configuration;
        int64_t run;
        int64_t model;
        int64_t count;
        int64_t nanoseconds;
    };
    Execution* execution(int64_t configuration, int64_t run, int64_t model);

private:
    struct StoredText {
        TextDigest::Bytes digest;
        int64_t id;
        int64_t ordinal;
        size_t identity_begin;
        size_t identity_size;
    };
    bool read_texts(Database& database);
    bool read_executions(Database& database);

    std::vector<StoredText> texts_;  // sorted by digest and ordinal
    std::string identities_;
    std::vector<Execution> executions_;  // sorted by configuration, run and model
};

}  // namespace tracelift
