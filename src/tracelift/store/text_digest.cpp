#include "tracelift/store/text_digest.hpp"

#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tracelift {

struct TextDigest::State {
    XXH3_state_t hash;
};

TextDigest::TextDigest() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }
TextDigest::~TextDigest() = default;

TextDigest& TextDigest::add(std::string_view text) {
    XXH3_128bits_update(&state_->hash, text.data(), text.size());
    return *this;
}

TextDigest::Bytes TextDigest::bytes() {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->hash));
    XXH3_128bits_reset(&state_->hash);
    return std::bit_cast<Bytes>(canonical);
}

}  // namespace tracelift
