// JsonScan finds where values of a JSON text begin and end without reading them, so that a document of any size can be
// taken apart into pieces that are then parsed one by one. It does not check the pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tracelift::report {

struct Span {
    size_t begin = 0;
    size_t end = 0;
    size_t size() const { return end - begin; }
    bool empty() const { return begin == end; }
};

class JsonScan {
public:
    // Reads `text` from `at` on. `name` is for errors, which are ReportErrors with line and column.
    JsonScan(std::string_view text, std::string name, size_t at = 0) : text_(text), name_(std::move(name)), at_(at) {}

    size_t position() const { return at_; }
    char peek();             // the next character that is not a blank; 0 at the end
    bool take(char wanted);  // true: it was there, and is behind us
    void expect(char wanted, std::string_view what);
    Span string();  // with its quotation marks
    Span value();
    // An object of which the member "counter", if it is a plain whole number, is of interest.
    Span node(std::optional<uint64_t>& counter);
    [[noreturn]] void fail(std::string_view expected) { fail_at(at_, expected); }

private:
    Span container(std::optional<uint64_t>* counter);
    void skip_string();
    [[noreturn]] void fail_at(size_t position, std::string_view expected);

    std::string_view text_;
    std::string name_;
    size_t at_;
};

}  // namespace tracelift::report
