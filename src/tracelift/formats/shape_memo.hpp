// ShapeMemo: most tensors of a master differ from another one in their shape alone, and are made of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracelift/value/value.hpp"

namespace tracelift {

class ShapeMemo {
public:
    // What `make` makes of the text, or the same by another way: `name` is the member that holds a tensor's shape, and
    // what is made must not depend on it otherwise. `place` tells texts apart that mean something else elsewhere.
    template <class Make>
    Value get(std::string_view text, std::string_view name, size_t place, const Make& make) {
        if (!cut(text, name, place)) {
            return make();
        }
        if (const auto known = known_.find(key_); known != known_.end()) {
            return with_shape(known->second);
        }
        Value made = make();
        remember(made);
        return made;
    }

private:
    // Splits the text into the shape and the rest; false where it has none that is a plain list of ints.
    bool cut(std::string_view text, std::string_view name, size_t place);
    Value with_shape(const Value::Struct& tensor) const;
    void remember(const Value& made);

    static constexpr size_t longest = size_t{16} << 10;
    static constexpr size_t most_bytes = size_t{1} << 20;
    std::unordered_map<std::string, Value::Struct> known_;
    size_t bytes_ = 0;
    std::string key_;  // the rest, and the place
    std::vector<int64_t> shape_;
};

}  // namespace tracelift
