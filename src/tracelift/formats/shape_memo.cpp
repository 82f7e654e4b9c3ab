#include "tracelift/formats/shape_memo.hpp"

#include <charconv>

namespace tracelift {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

size_t skip_blanks(std::string_view text, size_t at) {
    while (at < text.size() && is_blank(text[at])) {
        ++at;
    }
    return at;
}

// Where the value of the only member of this name begins, of an object that may stand in a text itself; npos: there is
// none, or more than one.
size_t only_member(std::string_view text, std::string_view name) {
    const size_t found = text.find(name);
    if (found == text.npos || found == 0 || text[found - 1] != '"' || text.find(name, found + 1) != text.npos) {
        return text.npos;
    }
    size_t at = found + name.size();
    at += text.substr(at).starts_with('\\') ? 1 : 0;
    return text.substr(at).starts_with("\":") ? skip_blanks(text, at + 2) : text.npos;
}

// Reads "[1, 2]" from its bracket on, as JSON has it; the end of it, or npos.
size_t read_ints(std::string_view text, size_t at, std::vector<int64_t>& ints) {
    ints.clear();
    if (!text.substr(at).starts_with('[')) {
        return text.npos;
    }
    do {
        at = skip_blanks(text, at + 1);
        int64_t number = 0;
        const char* const begin = text.data() + at;
        const auto [stopped, problem] = std::from_chars(begin, text.data() + text.size(), number);
        if (problem != std::errc() || number < 0 || (*begin == '0' && stopped - begin > 1)) {
            return text.npos;
        }
        ints.push_back(number);
        at = skip_blanks(text, at + static_cast<size_t>(stopped - begin));
    } while (at < text.size() && text[at] == ',');
    return at < text.size() && text[at] == ']' ? at + 1 : text.npos;
}

}  // namespace

bool ShapeMemo::cut(std::string_view text, std::string_view name, size_t place) {
    const size_t begin = text.size() > longest ? text.npos : only_member(text, name);
    const size_t end = begin == text.npos ? begin : read_ints(text, begin, shape_);
    if (end == text.npos) {
        return false;
    }
    key_ = std::to_string(place);
    key_.append(text.substr(0, begin)).append(text.substr(end));
    return true;
}

Value ShapeMemo::with_shape(const Value::Struct& tensor) const {
    Value::Struct copy = tensor;
    for (auto& field : copy.fields) {
        if (field.key == "shape") {
            field.value = Value::List(shape_.begin(), shape_.end());
        }
    }
    return copy;
}

void ShapeMemo::remember(const Value& made) {
    const auto* record = made.as<Value::Struct>();
    const Value* shape = record != nullptr && record->type == "Tensor" ? made.find("shape") : nullptr;
    if (shape == nullptr || *shape != Value(Value::List(shape_.begin(), shape_.end()))) {
        return;
    }
    if (bytes_ > most_bytes) {
        known_.clear();
        bytes_ = 0;
    }
    bytes_ += key_.size();
    known_.emplace(key_, *record);
}

}  // namespace tracelift
