#include "tracelift/base/sha256.hpp"

#include <array>
#include <span>
#include <stdexcept>

#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_Init and the others stay usable
#include <openssl/sha.h>

namespace tracelift {
namespace {

// The algorithm itself. Asking the library for "a digest of that name" makes it set up all it has first, which takes
// longer than many a command of ours.
SHA256_CTX* state_of(void* context) { return static_cast<SHA256_CTX*>(context); }

void check(int status) {
    if (status != 1) {
        throw std::runtime_error("the crypto library could not compute SHA-256");
    }
}

std::string hex_of(std::span<const unsigned char> digest) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * digest.size());
    for (const unsigned char byte : digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

}  // namespace

Sha256::Sha256() : context_(new SHA256_CTX) { check(SHA256_Init(state_of(context_))); }

Sha256::~Sha256() { delete state_of(context_); }

Sha256& Sha256::add(std::string_view bytes) {
    check(SHA256_Update(state_of(context_), bytes.data(), bytes.size()));
    return *this;
}

std::string Sha256::hex() {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    check(SHA256_Final(digest.data(), state_of(context_)));
    check(SHA256_Init(state_of(context_)));
    return hex_of(digest);
}

std::string sha256(std::string_view bytes) {
    thread_local Sha256 hash;
    return hash.add(bytes).hex();
}

std::string sha224(std::string_view bytes) {
    SHA256_CTX state;
    std::array<unsigned char, SHA224_DIGEST_LENGTH> digest{};
    check(SHA224_Init(&state));
    check(SHA224_Update(&state, bytes.data(), bytes.size()));
    check(SHA224_Final(digest.data(), &state));
    return hex_of(digest);
}

}  // namespace tracelift
