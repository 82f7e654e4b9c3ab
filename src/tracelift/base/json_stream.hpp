// JsonStream: walks the outer levels of a JSON text of any length and hands out the values inside as slices of text.
// Memory is bounded by the largest slice that is asked for, and by the buffers that others hold.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tracelift {

// The text breaks off or is not JSON at some byte.
class JsonStreamError : public std::runtime_error {
public:
    JsonStreamError(const std::string& expected, size_t offset) : std::runtime_error(expected), offset_(offset) {}
    size_t offset() const { return offset_; }

private:
    size_t offset_;
};

class BufferPool;
// Bytes that a stream has read. Any thread may let go of them.
using JsonBuffer = std::shared_ptr<char[]>;

class JsonStream {
public:
    // Puts up to `size` bytes at `to` and says how many; 0 at the end.
    using Source = std::function<size_t(char* to, size_t size)>;
    explicit JsonStream(Source source);
    // Over a text in memory, which must outlive the stream and every slice.
    explicit JsonStream(std::string_view text);
    JsonStream(const JsonStream&) = delete;
    JsonStream& operator=(const JsonStream&) = delete;

    size_t offset() const { return passed_ + at_; }  // of the next byte, from the start of the text

    // The next byte that is not a blank, not taken; '\0' at the end.
    char peek();
    // Takes that byte, which must be `wanted`.
    void expect(char wanted);
    bool take(char wanted);
    // The next value whole, as text. Brackets are balanced; the rest is for a parser to check. Valid until the stream
    // is asked for anything else, or longer for who takes its buffer (over memory: as long as the text).
    std::string_view value();
    // What the last value stands in; nothing over memory.
    JsonBuffer buffer();
    // A string's characters, escapes undone.
    std::string string();

    // Calls back for each member of an object, or item of a list, with the stream at its value; `visit` takes it.
    void members(const std::function<void(const std::string& key)>& visit);
    void items(const std::function<void(size_t index)>& visit);

private:
    [[noreturn]] void fail(const std::string& expected) const { throw JsonStreamError(expected, offset()); }
    // More bytes behind those from `keep_from` on; false at the end. May move what is kept, and changes `keep_from`
    // then.
    bool refill(size_t& keep_from);
    void make_room(size_t& keep_from);
    size_t end_of_bracketed(size_t start);
    size_t end_of_string(size_t start);
    size_t end_of_word(size_t start);

    Source source_;
    std::shared_ptr<BufferPool> pool_;
    JsonBuffer buffer_;
    size_t room_ = 0;    // bytes of buffer_
    bool lent_ = false;  // buffer_: what stands in it must stay
    const char* data_ = nullptr;
    size_t size_ = 0;    // bytes at data_
    size_t at_ = 0;      // next one
    size_t passed_ = 0;  // bytes of the text before data_[0]
    bool ended_ = false;
};

}  // namespace tracelift
