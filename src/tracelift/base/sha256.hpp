// SHA-256 and SHA-224, in hex.
#pragma once

#include <string>
#include <string_view>

namespace tracelift {

// SHA-256 of bytes that come in pieces.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;
    Sha256& add(std::string_view bytes);
    std::string hex();  // lower-case; starts over

private:
    void* context_;
};

// SHA-256 of bytes, lower-case hex.
std::string sha256(std::string_view bytes);
// SHA-224 of bytes, lower-case hex: what vectors of sweeps are known by.
std::string sha224(std::string_view bytes);

}  // namespace tracelift
