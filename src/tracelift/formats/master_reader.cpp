#include "tracelift/formats/master_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace tracelift {
namespace {

// Configurations of an operation whose executions may still follow are held back up to this many bytes.
constexpr size_t most_held = size_t{16} << 20;

std::string_view kind_of(std::string_view text) {
    switch (text.empty() ? '\0' : text[0]) {
        case '{': return "object";
        case '[': return "array";
        case '"': return "string";
        case 't':
        case 'f': return "boolean";
        case 'n': return "null";
        default: return "number";
    }
}

class Reader {
public:
    Reader(JsonStream& stream, const std::string& name, MasterSink& sink) : stream_(stream), name_(name), sink_(sink) {}

    void read() {
        if (stream_.peek() == '\0') {
            return;
        }
        if (stream_.peek() == '"') {
            if (const auto text = stream_.value(); text != "\"\"") {
                fail("the top level", "an object with 'operations' and 'metadata'", text);
            }
        } else {
            read_top();
        }
        if (stream_.peek() != '\0') {
            throw JsonStreamError("expected the end of the text", stream_.offset());
        }
    }

private:
    struct Held {
        size_t index;
        std::string_view text;
        JsonBuffer buffer;
    };

    [[noreturn]] void fail(const std::string& where, std::string_view expected, std::string_view got) const {
        const std::string text(got.size() > 60 ? std::string(got.substr(0, 57)) + "..." : std::string(got));
        throw FileError(fmt::format("{}: {}: expected {}, got {} {}", name_, where, expected, kind_of(got), text));
    }
    void need(char bracket, const std::string& where, std::string_view expected) {
        if (stream_.peek() != bracket) {
            fail(where, expected, stream_.value());
        }
    }

    void read_top() {
        need('{', "the top level", "an object with 'operations' and 'metadata'");
        bool found = false;
        stream_.members([&](const std::string& key) {
            if (key == "operations") {
                found = true;
                read_operations();
            } else if (key == "content" && !found) {
                found = true;
                read_content();
            } else if (key == "metadata") {
                read_metadata();
            } else {
                stream_.value();
            }
        });
        if (!found) {
            fail("operations", "an object of operations", "null");
        }
    }

    void read_metadata() {
        need('{', "metadata", "an object");
        const size_t start = stream_.offset();
        try {
            sink_.metadata(parser_.parse(stream_.value()));
        } catch (const JsonError& error) {
            throw JsonStreamError(error.what(), start + error.offset());
        }
    }

    void read_content() {
        need('[', "content", "a list of calls");
        stream_.items([&](size_t index) {
            MasterPiece piece;
            piece.index = index;
            piece.in_capture = true;
            need('{', piece.place(), "an object with 'operation' and 'arguments'");
            const std::string_view text = stream_.value();
            piece.buffer = stream_.buffer();
            split(text, piece);
            JsonStream inner(text);
            inner.members([&](const std::string& key) {
                if (key == "operation" && inner.peek() == '"') {
                    piece.operation = inner.string();
                } else {
                    inner.value();
                }
            });
            if (piece.operation.empty()) {
                fail(piece.place(), "an object with 'operation' and 'arguments'", text);
            }
            piece.text = piece.arguments;  // a configuration of format 1.0 from here on
            sink_.configuration(std::move(piece));
        });
    }

    void read_operations() {
        need('{', "operations", "an object of operations");
        stream_.members([&](const std::string& operation) { read_operation(operation); });
    }

    void read_operation(const std::string& operation) {
        const std::string where = "operations/" + operation;
        need('{', where, "an object with a list 'configurations'");
        held_.clear();
        held_bytes_ = 0;
        executions_.clear();
        executions_known_ = false;
        bool found = false;
        size_t count = 0;
        stream_.members([&](const std::string& key) {
            if (key == "configurations") {
                need('[', where, "an object with a list 'configurations'");
                found = true;
                stream_.items([&](size_t index) {
                    count = index + 1;
                    hold(operation, index);
                });
            } else if (key == "executions") {
                sort_executions(where + "/executions", found ? std::optional(count) : std::nullopt);
            } else {
                stream_.value();
            }
        });
        if (!found) {
            fail(where, "an object with a list 'configurations'", "{}");
        }
        hand_out(operation);
        if (executions_.size() > count) {
            fail(where + "/executions", fmt::format("executions with a 'configuration' below {}", count), "{}");
        }
    }

    // The executions usually come first; where they do not, the configurations wait for them.
    void hold(const std::string& operation, size_t index) {
        const std::string_view text = stream_.value();
        if (executions_known_) {
            deliver(operation, {index, text, stream_.buffer()});
            return;
        }
        held_.push_back({index, text, stream_.buffer()});
        held_bytes_ += text.size();
        if (held_bytes_ > most_held) {
            hand_out(operation);
            executions_known_ = true;
        }
    }

    void hand_out(const std::string& operation) {
        for (Held& held : held_) {
            deliver(operation, std::move(held));
        }
        held_.clear();
    }

    void sort_executions(const std::string& where, std::optional<size_t> count) {
        need('[', where, "a list");
        if (executions_known_ && count) {
            fail(where, "the executions of an operation this large before its configurations", "[]");
        }
        stream_.items([&](size_t) {
            const size_t start = stream_.offset();
            const std::string_view text = stream_.value();
            Value execution;
            try {
                execution = parser_.parse(text);
            } catch (const JsonError& error) {
                throw JsonStreamError(error.what(), start + error.offset());
            }
            const Value* index = execution.find("configuration");
            const auto* number = index != nullptr ? index->as<int64_t>() : nullptr;
            constexpr int64_t most = 1 << 30;
            if (number == nullptr || *number < 0 || *number >= (count ? static_cast<int64_t>(*count) : most)) {
                fail(where, fmt::format("executions with a 'configuration' below {}", count.value_or(most)), text);
            }
            const auto at = static_cast<size_t>(*number);
            executions_.resize(std::max(executions_.size(), at + 1));
            executions_[at].push_back(std::move(execution));
        });
        executions_known_ = true;
    }

    void deliver(const std::string& operation, Held held) {
        MasterPiece piece;
        piece.operation = operation;
        piece.index = held.index;
        piece.buffer = std::move(held.buffer);
        split(held.text, piece);
        if (held.index < executions_.size()) {
            piece.told = std::move(executions_[held.index]);
        }
        sink_.configuration(std::move(piece));
    }

    void split(std::string_view text, MasterPiece& piece) const {
        piece.text = text;
        if (text.starts_with('[')) {
            piece.arguments = text;
            return;
        }
        if (!text.starts_with('{')) {
            fail(piece.place(), "a list of arguments", text);
        }
        JsonStream inner(text);
        try {
            inner.members([&](const std::string& key) {
                const std::string_view value = inner.value();
                if (key == "arguments") {
                    piece.arguments = value;
                } else if (key == "executions" || (key == "contexts" && piece.executions.empty())) {
                    piece.executions = value;
                } else if (key == "source") {
                    piece.source = value;
                } else if (key == "machine_info") {
                    piece.machine_info = value;
                } else if (key == "config_hash" && value.size() > 2 && value.starts_with('"')) {
                    piece.config_hash = value.substr(1, value.size() - 2);
                }
            });
        } catch (const JsonStreamError& error) {
            throw FileError(fmt::format("{}: {}: not valid JSON: {}", name_, piece.place(), error.what()));
        }
        if (!piece.arguments.starts_with('[') && !piece.arguments.starts_with('{')) {
            fail(piece.place(), "a list of arguments", piece.arguments.empty() ? text : piece.arguments);
        }
    }

    JsonStream& stream_;
    const std::string& name_;
    MasterSink& sink_;
    JsonParser parser_;
    std::vector<Held> held_;
    size_t held_bytes_ = 0;  // of their texts
    std::vector<std::vector<Value>> executions_;
    bool executions_known_ = false;
};

// Line and column of a byte of a file that is too long to be in memory.
std::string place_in_file(const std::filesystem::path& path, size_t offset) {
    std::ifstream file(path, std::ios::binary);
    size_t line = 1;
    size_t column = 1;
    char c = 0;
    for (size_t i = 0; i < offset && file.get(c); ++i) {
        column = c == '\n' ? 1 : column + 1;
        line += c == '\n' ? 1 : 0;
    }
    return fmt::format("line {}, column {}", line, column);
}

class File {
public:
    explicit File(const std::filesystem::path& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), path_(path) {
        if (fd_ < 0) {
            fail();
        }
#ifdef POSIX_FADV_SEQUENTIAL
        posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    }
    ~File() { close(fd_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    size_t read(char* to, size_t size) const {
        while (true) {
            const ssize_t got = ::read(fd_, to, size);
            if (got >= 0) {
                return static_cast<size_t>(got);
            }
            if (errno != EINTR) {
                fail();
            }
        }
    }

private:
    [[noreturn]] void fail() const {
        throw FileError(fmt::format("{}: cannot be read: {}", path_.string(), std::strerror(errno)));
    }

    int fd_;
    const std::filesystem::path& path_;
};

}  // namespace

std::string MasterPiece::place() const {
    return in_capture ? fmt::format("content[{}]", index)
                      : fmt::format("operations/{}/configurations[{}]", operation, index);
}

void read_master(JsonStream& stream, const std::string& name, MasterSink& sink) { Reader(stream, name, sink).read(); }

void read_master_file(const std::filesystem::path& path, MasterSink& sink) {
    const File file(path);
    JsonStream stream([&](char* to, size_t size) { return file.read(to, size); });
    try {
        read_master(stream, path.string(), sink);
    } catch (const JsonStreamError& error) {
        throw FileError(fmt::format("{}: {}: not valid JSON ({} bytes; is it half-written?): {}", path.string(),
                                    place_in_file(path, error.offset()), std::filesystem::file_size(path),
                                    error.what()));
    }
}

}  // namespace tracelift
