// TextDigest: 128 bits that tell texts apart. Quicker than a cryptographic hash and, unlike one, no protection from
// somebody who makes two texts collide on purpose.
#pragma once

#include <array>
#include <memory>
#include <string_view>

namespace tracelift {

class TextDigest {
public:
    using Bytes = std::array<char, 16>;
    TextDigest();
    ~TextDigest();
    TextDigest(const TextDigest&) = delete;
    TextDigest& operator=(const TextDigest&) = delete;

    TextDigest& add(std::string_view text);
    Bytes bytes();  // starts over

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tracelift
