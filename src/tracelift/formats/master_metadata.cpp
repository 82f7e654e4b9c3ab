#include "tracelift/formats/master_metadata.hpp"

#include <algorithm>
#include <fstream>

#include "tracelift/base/json_stream.hpp"
#include "tracelift/dialects/json_tree.hpp"

namespace tracelift {
namespace {

constexpr std::string_view metadata_key = "metadata";
constexpr std::streamoff longest = std::streamoff{1} << 20;  // bytes; real ones have a few thousand

std::string read_at(std::ifstream& file, std::streamoff from, std::streamoff size) {
    std::string text(static_cast<size_t>(size), '\0');
    file.clear();
    file.seekg(from);
    file.read(text.data(), size);
    text.resize(static_cast<size_t>(file.gcount()));
    return text;
}

// The first member, where that is it.
Value in_front(std::string_view head) {
    try {
        JsonStream stream(head);
        stream.expect('{');
        if (stream.string() != metadata_key) {
            return {};
        }
        stream.expect(':');
        return parse_json(stream.value());
    } catch (const JsonStreamError&) {
    } catch (const JsonError&) {
    }
    return {};
}

// The last member: from its key on, the file is one object without its beginning.
Value at_the_end(std::string_view tail) {
    const std::string key = "\"" + std::string(metadata_key) + "\"";
    for (size_t at = tail.rfind(key); at != tail.npos; at = at == 0 ? tail.npos : tail.rfind(key, at - 1)) {
        try {
            const Value object = parse_json("{" + std::string(tail.substr(at)));
            const Value* found = object.find(metadata_key);
            return found != nullptr ? *found : Value();
        } catch (const JsonError&) {  // stands in something else
        }
    }
    return {};
}

}  // namespace

Value read_metadata(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file.seekg(0, std::ios::end)) {
        return {};  // reading the master says what is wrong
    }
    const std::streamoff size = file.tellg();
    const std::streamoff part = std::min(size, longest);
    Value metadata = in_front(read_at(file, 0, part));
    return metadata.is_null() ? at_the_end(read_at(file, size - part, part)) : metadata;
}

std::optional<std::string> only_model(const Value& metadata) {
    const Value* models = metadata.find("models");
    const auto* list = models != nullptr ? models->as<Value::List>() : nullptr;
    const auto* name = list != nullptr && list->size() == 1 ? list->front().as<std::string>() : nullptr;
    return name != nullptr && !name->empty() ? std::optional(*name) : std::nullopt;
}

}  // namespace tracelift
