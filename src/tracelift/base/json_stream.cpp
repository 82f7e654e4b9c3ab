#include "tracelift/base/json_stream.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "tracelift/base/json.hpp"

namespace tracelift {
namespace {

constexpr size_t block = 64;
constexpr size_t usual_buffer = size_t{1} << 18;

// One bit per byte of a block.
struct Marks {
    uint64_t quotes = 0;
    uint64_t backslashes = 0;
    uint64_t opens = 0;
    uint64_t closes = 0;
};

#if defined(__x86_64__)
Marks marks_of(const char* bytes) {
    Marks marks;
    for (int part = 0; part < 4; ++part) {
        const __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
        const auto hits = [&](__m128i from, char c) {
            const auto mask = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(from, _mm_set1_epi8(c))));
            return uint64_t{mask} << (16 * part);
        };
        // '[' and '{' differ in one bit, ']' and '}' in the same
        const __m128i folded = _mm_or_si128(chunk, _mm_set1_epi8(0x20));
        marks.quotes |= hits(chunk, '"');
        marks.backslashes |= hits(chunk, '\\');
        marks.opens |= hits(folded, '{');
        marks.closes |= hits(folded, '}');
    }
    return marks;
}
#else
Marks marks_of(const char* bytes) {
    Marks marks;
    for (size_t i = 0; i < block; ++i) {
        const uint64_t bit = uint64_t{1} << i;
        const char c = bytes[i];
        marks.quotes |= c == '"' ? bit : 0;
        marks.backslashes |= c == '\\' ? bit : 0;
        marks.opens |= c == '{' || c == '[' ? bit : 0;
        marks.closes |= c == '}' || c == ']' ? bit : 0;
    }
    return marks;
}
#endif

// Without the processor's own instruction, which not every machine has, std::popcount is a call.
int count_bits(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return static_cast<int>(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

// Where successive blocks of a value stand.
struct Nesting {
    int64_t depth = 0;
    uint64_t in_string = 0;  // all bits when the last block ended inside one
    bool escape = false;     // it ended with a backslash that counts

    uint64_t quotes_of(const Marks& marks) { return marks.quotes & ~escaped(marks.backslashes); }
    // The bits of bytes inside a string, where `mask` has them as if the block began outside; the opening quote counts,
    // the closing one does not.
    uint64_t inside(uint64_t mask) {
        mask ^= in_string;
        in_string = static_cast<uint64_t>(static_cast<int64_t>(mask) >> 63);
        return mask;
    }

private:
    uint64_t escaped(uint64_t backslashes) {
        uint64_t hit = escape ? 1 : 0;
        backslashes &= ~hit;
        escape = false;
        while (backslashes != 0) {
            const int at = std::countr_zero(backslashes);
            if (at == 63) {
                escape = true;
                break;
            }
            hit |= uint64_t{2} << at;
            backslashes &= ~(uint64_t{3} << at);
        }
        return hit;
    }
};

// Each bit: whether the number of bits up to it is odd.
uint64_t parity_before(uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2) {
        bits ^= bits << shift;
    }
    return bits;
}

#if defined(__x86_64__)
const bool has_wide_registers =
    __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("popcnt");

// Passes whole blocks in which the value cannot end, from one of them to the first that may end it.
__attribute__((target("avx2,pclmul,popcnt"))) size_t pass_blocks(const char* data, size_t from, size_t size,
                                                                 Nesting& nesting) {
    for (; size - from >= block; from += block) {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + from));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + from + 32));
        const __m256i fold = _mm256_set1_epi8(0x20);
        const __m256i low_folded = _mm256_or_si256(low, fold);
        const __m256i high_folded = _mm256_or_si256(high, fold);
        const auto hits = [](__m256i first, __m256i second, char c) __attribute__((target("avx2"))) {
            const __m256i wanted = _mm256_set1_epi8(c);
            const auto one = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(first, wanted)));
            const auto two = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(second, wanted)));
            return uint64_t{two} << 32 | one;
        };
        const Marks marks{hits(low, high, '"'), hits(low, high, '\\'), hits(low_folded, high_folded, '{'),
                          hits(low_folded, high_folded, '}')};
        Nesting next = nesting;
        const __m128i quotes = _mm_set_epi64x(0, static_cast<int64_t>(next.quotes_of(marks)));
        const __m128i parity = _mm_clmulepi64_si128(quotes, _mm_set1_epi8(-1), 0);
        const uint64_t outside = ~next.inside(static_cast<uint64_t>(_mm_cvtsi128_si64(parity)));
        const auto closes = static_cast<int64_t>(__builtin_popcountll(marks.closes & outside));
        if (nesting.depth <= closes) {
            break;
        }
        next.depth += static_cast<int64_t>(__builtin_popcountll(marks.opens & outside)) - closes;
        nesting = next;
    }
    return from;
}
#else
constexpr bool has_wide_registers = false;
size_t pass_blocks(const char*, size_t from, size_t, Nesting&) { return from; }
#endif

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

// Buffers of the usual size, used again when nobody holds them: new memory costs more than what is done with it.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
public:
    JsonBuffer take(size_t size) {
        if (size != usual_buffer) {
            return std::make_shared_for_overwrite<char[]>(size);
        }
        return {unused().release(), [pool = shared_from_this()](char* bytes) { pool->give(bytes); }};
    }

private:
    std::unique_ptr<char[]> unused() {
        const std::lock_guard lock(mutex_);
        if (unused_.empty()) {
            return std::make_unique_for_overwrite<char[]>(usual_buffer);
        }
        auto buffer = std::move(unused_.back());
        unused_.pop_back();
        return buffer;
    }
    void give(char* bytes) {
        const std::lock_guard lock(mutex_);
        unused_.emplace_back(bytes);
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<char[]>> unused_;
};

JsonStream::JsonStream(Source source)
    : source_(std::move(source)),
      pool_(std::make_shared<BufferPool>()),
      buffer_(pool_->take(usual_buffer)),
      room_(usual_buffer),
      data_(buffer_.get()) {}

JsonStream::JsonStream(std::string_view text) : data_(text.data()), size_(text.size()), ended_(true) {}

bool JsonStream::refill(size_t& keep_from) {
    if (ended_) {
        return false;
    }
    if (room_ - size_ < usual_buffer / 4) {
        make_room(keep_from);
    }
    const size_t got = source_(buffer_.get() + size_, room_ - size_);
    size_ += got;
    ended_ = got == 0;
    return !ended_;
}

// Behind the bytes from `keep_from` on, which move to the front of a buffer.
void JsonStream::make_room(size_t& keep_from) {
    size_ -= keep_from;
    const size_t wanted = std::max(usual_buffer, 2 * size_);
    if (lent_ || wanted > room_) {
        JsonBuffer next = pool_->take(wanted);
        std::memcpy(next.get(), buffer_.get() + keep_from, size_);
        buffer_ = std::move(next);
        room_ = wanted;
        lent_ = false;
    } else {
        std::memmove(buffer_.get(), buffer_.get() + keep_from, size_);
    }
    data_ = buffer_.get();
    passed_ += keep_from;
    at_ -= keep_from;
    keep_from = 0;
}

char JsonStream::peek() {
    while (true) {
        while (at_ < size_ && is_blank(data_[at_])) {
            ++at_;
        }
        if (at_ < size_) {
            return data_[at_];
        }
        size_t keep = at_;
        if (!refill(keep)) {
            return '\0';
        }
    }
}

void JsonStream::expect(char wanted) {
    if (!take(wanted)) {
        fail(std::string("expected '") + wanted + "'");
    }
}

bool JsonStream::take(char wanted) {
    const bool hit = peek() == wanted && at_ < size_;
    at_ += hit ? 1 : 0;
    return hit;
}

// The offsets that these take and give are into data_; `at_` stands at the value's first byte all the while.
size_t JsonStream::end_of_bracketed(size_t start) {
    Nesting nesting;
    size_t from = start;
    while (true) {
        if (has_wide_registers) {
            from = pass_blocks(data_, from, size_, nesting);
        }
        if (size_ - from < block) {
            const size_t scanned = from - start;
            if (refill(start)) {
                from = start + scanned;
                continue;
            }
            from = start + scanned;
            if (from == size_) {
                at_ = size_;
                fail("the text ends inside a value");
            }
        }
        char padded[block];
        const char* bytes = data_ + from;
        const size_t length = std::min(block, size_ - from);
        if (length < block) {
            std::memset(padded, ' ', block);
            std::memcpy(padded, bytes, length);
            bytes = padded;
        }
        const Marks marks = marks_of(bytes);
        const uint64_t outside = ~nesting.inside(parity_before(nesting.quotes_of(marks)));
        const uint64_t opens = marks.opens & outside;
        const uint64_t closes = marks.closes & outside;
        if (nesting.depth - count_bits(closes) > 0 || closes == 0) {  // cannot end here
            nesting.depth += count_bits(opens) - count_bits(closes);
            from += length;
            continue;
        }
        for (uint64_t both = opens | closes; both != 0; both &= both - 1) {
            const int bit = std::countr_zero(both);
            nesting.depth += (opens >> bit & 1) != 0 ? 1 : -1;
            if (nesting.depth == 0) {
                return from + static_cast<size_t>(bit) + 1;
            }
        }
        from += length;
    }
}

size_t JsonStream::end_of_string(size_t start) {
    bool escaped = false;
    for (size_t i = start + 1;; ++i) {
        if (i == size_) {
            const size_t scanned = i - start;
            if (!refill(start)) {
                at_ = size_;
                fail("the text ends inside a string");
            }
            i = start + scanned;
        }
        if (escaped) {
            escaped = false;
        } else if (data_[i] == '\\') {
            escaped = true;
        } else if (data_[i] == '"') {
            return i + 1;
        }
    }
}

size_t JsonStream::end_of_word(size_t start) {
    for (size_t i = start;; ++i) {
        if (i == size_) {
            const size_t scanned = i - start;
            if (!refill(start)) {
                return start + scanned;
            }
            i = start + scanned;
        }
        const char c = data_[i];
        if (is_blank(c) || c == ',' || c == ']' || c == '}' || c == ':') {
            return i;
        }
    }
}

std::string_view JsonStream::value() {
    const char c = peek();
    if (c == '\0' || c == ',' || c == ']' || c == '}' || c == ':') {
        fail("expected a value");
    }
    const size_t end = c == '{' || c == '[' ? end_of_bracketed(at_) : c == '"' ? end_of_string(at_) : end_of_word(at_);
    const std::string_view text(data_ + at_, end - at_);  // refilling moved at_ along
    at_ = end;
    return text;
}

JsonBuffer JsonStream::buffer() {
    lent_ = true;
    return buffer_;
}

std::string JsonStream::string() {
    if (peek() != '"') {
        fail("expected a string");
    }
    const size_t start = offset();
    const std::string_view text = value();
    const std::string_view inside = text.substr(1, text.size() - 2);
    if (inside.find('\\') == inside.npos) {
        return std::string(inside);
    }
    try {
        return Json::parse(text).get<std::string>();
    } catch (const Json::parse_error& error) {
        throw JsonStreamError(error.what(), start + (error.byte == 0 ? 0 : error.byte - 1));
    }
}

void JsonStream::members(const std::function<void(const std::string& key)>& visit) {
    expect('{');
    if (take('}')) {
        return;
    }
    do {
        const std::string key = string();
        expect(':');
        visit(key);
    } while (take(','));
    expect('}');
}

void JsonStream::items(const std::function<void(size_t index)>& visit) {
    expect('[');
    if (take(']')) {
        return;
    }
    size_t index = 0;
    do {
        visit(index++);
    } while (take(','));
    expect(']');
}

}  // namespace tracelift
