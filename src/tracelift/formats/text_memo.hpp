// TextMemo: a text that comes again is not read again.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tracelift {

// Remembers what was made of a text, up to some size in all.
template <class T>
class TextMemo {
public:
    // What `make` makes of the text, now or the first time; valid until it forgets.
    template <class Make>
    const T& get(std::string_view text, const Make& make) {
        if (text.size() > longest) {
            return unkept_.emplace_back(make());
        }
        const auto found = known_.find(text);
        if (found != known_.end()) {
            return found->second;
        }
        bytes_ += text.size();
        return known_.emplace(text, make()).first->second;
    }

    // Keeps its size; nothing that it gave is valid afterwards.
    void forget() {
        unkept_.clear();
        if (bytes_ > most_bytes) {
            known_.clear();
            bytes_ = 0;
        }
    }

private:
    static constexpr size_t longest = size_t{16} << 10;
    static constexpr size_t most_bytes = size_t{1} << 20;
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, T, Hash, std::equal_to<>> known_;
    size_t bytes_ = 0;
    std::deque<T> unkept_;  // of texts too long to be remembered
};

}  // namespace tracelift
