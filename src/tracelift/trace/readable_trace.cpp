#include "tracelift/trace/readable_trace.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "tracelift/base/indent.hpp"
#include "tracelift/base/json_text.hpp"
#include "tracelift/base/replaced_file.hpp"
#include "tracelift/bind/binding.hpp"
#include "tracelift/capture/raw_reader.hpp"
#include "tracelift/dialects/format1_arguments.hpp"
#include "tracelift/store/export.hpp"
#include "tracelift/value/bytes.hpp"

namespace tracelift {
namespace {

constexpr size_t longest_name = 100;  // of the test, as the original cuts it

std::string call_text(const BoundCall& call) {
    const Json json{{"operation", cpp_name(call.operation)}, {"arguments", format1_arguments(call)}};
    std::string text;
    indent_json(json_text(json, -1, JsonCharacters::ASCII), 2, text);
    return text;
}

struct Called {
    uint64_t sequence = 0;
    const std::string* text = nullptr;  // of its call; null: not kept
    bool failed = false;
};

// The calls of one file. Equal calls share their text.
class FileCalls {
public:
    FileCalls(const OperationFilter& filter, bool include_failed) : filter_(filter), include_failed_(include_failed) {}

    std::vector<Called> read(const std::filesystem::path& file) {
        std::vector<Called> calls;
        std::unordered_map<uint64_t, size_t> open;
        RawVisitor visitor;
        visitor.session = [](const SessionRecord&) {};
        visitor.begin = [&](const BeginRecord& record) {
            if (const std::string* text = text_of(record)) {
                open[record.sequence] = calls.size();
                calls.push_back({record.sequence, text});
            }
        };
        visitor.end = [&](const EndRecord& record) {
            if (const auto found = open.find(record.sequence); found != open.end()) {
                calls[found->second].failed = !record.error.empty();
                open.erase(found);
            }
        };
        read_raw_file(file, visitor);
        std::erase_if(calls, [&](const Called& call) { return call.failed && !include_failed_; });
        std::ranges::sort(calls, {}, &Called::sequence);
        return calls;
    }

private:
    const std::string* text_of(const BeginRecord& record) {
        key_.assign(record.operation).push_back('\0');
        key_.append(record.board).push_back('\0');
        key_.append(record.arguments);
        const auto found = texts_.find(key_);
        if (found != texts_.end()) {
            return found->second.empty() ? nullptr : &found->second;
        }
        std::string& text = texts_[key_];
        if (filter_.judge(record.operation) != OperationFilter::Verdict::KEPT) {
            return nullptr;
        }
        const StoredCall stored{
            std::string(record.operation), {}, *ByteReader(record.arguments).value().as<Value::Dict>()};
        text = call_text(binder_.bind(stored, Order::PYTHON, record.board));
        return &text;
    }

    const OperationFilter& filter_;
    bool include_failed_;
    Binder binder_;
    std::string key_;  // reused
    std::unordered_map<std::string, std::string> texts_;
};

// The file itself: texts of calls, one after the other.
class ReadableFile {
public:
    explicit ReadableFile(const std::filesystem::path& path) : file_(path) { file_.write("{\n  \"content\": ["); }
    void add(std::string_view call) {
        file_.write(empty_ ? "\n    " : ",\n    ");
        file_.write(call);
        empty_ = false;
    }
    void finish() {
        file_.write(empty_ ? "]\n}\n" : "\n  ]\n}\n");
        file_.finish();
        file_.rename();
    }

private:
    ReplacedFile file_;
    bool empty_ = true;
};

// Writes the calls that a reader of another road hands out, as they come.
class ReadableSink final : public CallSink {
public:
    ReadableSink(ReadableFile& file, const OperationFilter& filter, bool include_failed)
        : file_(file), filter_(filter), include_failed_(include_failed) {}

    void call(FileCall&& call) override {
        const bool left_out = !call.error.empty() && !include_failed_;
        if (left_out || filter_.judge(call.call.operation) != OperationFilter::Verdict::KEPT) {
            return;
        }
        const std::string board = call.hardware ? board_of_series(call.hardware->device_series) : std::string();
        const std::string text = call_text(binder_.bind(call.call, call.order, board));
        for (uint64_t i = 0; i < call.count; ++i) {
            file_.add(text);
        }
    }
    void unread(UnreadPiece&& /*piece*/) override {}  // the store keeps it with its reason

private:
    ReadableFile& file_;
    const OperationFilter& filter_;
    bool include_failed_;
    Binder binder_;
};

}  // namespace

std::string readable_name(std::string_view target, std::string_view started) {
    const size_t node = target.rfind("::");
    std::string name(node == target.npos ? target : target.substr(node + 2));
    if (node == target.npos) {
        name = std::filesystem::path(name).stem().string();
    }
    std::ranges::replace_if(
        name, [](char c) { return std::string_view("[]:/-\\ ").find(c) != std::string_view::npos; }, '_');
    name.resize(std::min(name.size(), longest_name));
    while (!name.empty() && (static_cast<unsigned char>(name.back()) & 0x80U) != 0) {
        name.pop_back();  // not in the middle of a character
    }
    std::string stamp;
    for (const char c : started) {
        stamp += c == ' ' ? "_" : std::isdigit(static_cast<unsigned char>(c)) != 0 ? std::string(1, c) : "";
    }
    return fmt::format("{}_ops_{}.json", name.empty() ? "trace" : name, stamp);
}

void write_readable_trace(std::span<const std::filesystem::path> raw_files, const OperationFilter& filter,
                          bool include_failed, const std::filesystem::path& path) {
    ReadableFile file(path);
    FileCalls calls(filter, include_failed);
    for (const std::filesystem::path& raw : raw_files) {
        for (const Called& call : calls.read(raw)) {
            file.add(*call.text);
        }
    }
    file.finish();
}

void write_readable_trace(const std::function<void(CallSink&)>& read, const OperationFilter& filter,
                          bool include_failed, const std::filesystem::path& path) {
    ReadableFile file(path);
    ReadableSink sink(file, filter, include_failed);
    read(sink);
    file.finish();
}

}  // namespace tracelift
