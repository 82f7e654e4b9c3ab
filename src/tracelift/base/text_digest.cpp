#include "tracelift/base/text_digest.hpp"

#include <bit>
#include <new>

#include <fmt/format.h>
#include <xxhash.h>

namespace tracelift {

void TextDigest::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

TextDigest::TextDigest() : state_(XXH3_createState()) {
    if (state_ == nullptr) {
        throw std::bad_alloc();
    }
    XXH3_128bits_reset(state_.get());
}

TextDigest& TextDigest::add(std::string_view text) {
    XXH3_128bits_update(state_.get(), text.data(), text.size());
    return *this;
}

TextDigest::Bytes TextDigest::bytes() {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
    XXH3_128bits_reset(state_.get());
    return std::bit_cast<Bytes>(canonical);
}

std::string TextDigest::hex() {
    std::string text;
    for (const char byte : bytes()) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

}  // namespace tracelift
