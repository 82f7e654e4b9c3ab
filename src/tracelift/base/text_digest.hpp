// TextDigest: 128 bits that tell texts apart. Quicker than a cryptographic hash and, unlike one, no protection from
// somebody who makes two texts collide on purpose.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace tracelift {

class TextDigest {
public:
    using Bytes = std::array<char, 16>;
    TextDigest();
    TextDigest& add(std::string_view text);
    Bytes bytes();      // starts over
    std::string hex();  // of those

private:
    struct Free {
        void operator()(XXH3_state_s* state) const;
    };
    std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace tracelift
