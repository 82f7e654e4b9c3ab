#include "tracelift/formats/param_file_reader.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/parameter_file.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view metadata_name = "_trace_metadata.json";
constexpr std::string_view status_name = "_status.json";

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf() || file.peek() == EOF)) {
        throw FileError(fmt::format("{}: cannot be read", path.string()));
    }
    return std::move(text).str();
}

std::string string_at(const Value& dict, std::string_view name) {
    const Value* found = dict.find(name);
    const auto* text = found != nullptr ? found->as<std::string>() : nullptr;
    return text != nullptr ? *text : std::string();
}

// Broken side files are reported to the sink, and the calls are read without them.
Value side_file(const fs::path& path, CallSink& sink) {
    if (!fs::exists(path)) {
        return {};
    }
    std::string text = text_of(path);
    try {
        return parse_json(text);
    } catch (const JsonError& error) {
        sink.unread({path.string(), std::move(text), error.what()});
        return {};
    }
}

// The number in front of a file's name; names without one come last.
uint64_t number_of(const fs::path& path) {
    const std::string name = path.filename().string();
    uint64_t number = UINT64_MAX;
    std::from_chars(name.data(), name.data() + name.size(), number);
    return number;
}

std::vector<fs::path> call_files(const fs::path& folder, bool lexicographic) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (entry.is_regular_file() && entry.path().extension() == ".json" && !name.starts_with('_')) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    if (!lexicographic) {
        std::ranges::stable_sort(files, {}, number_of);
    }
    return files;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_directory()) {
            folders.push_back(entry.path());
        }
    }
    std::ranges::sort(folders);
    return folders;
}

class Reader {
public:
    Reader(CallSink& sink, const ParamFolderOptions& options) : sink_(sink), options_(options) {}

    const ParamFolderSummary& summary() const { return summary_; }

    void read(const fs::path& folder) {
        const Value facts = side_file(folder / metadata_name, sink_);
        if (facts.as<Value::Dict>() != nullptr) {
            take_facts(facts, folder);
        }
        const Value status = side_file(folder / status_name, sink_);
        const std::string ended = string_at(status, "status");
        if (!ended.empty() && ended != "passed" && !options_.include_failed) {
            ++summary_.skipped_tests;
            return;
        }
        const std::string test = string_at(status, "test_nodeid");
        for (const fs::path& file : call_files(folder, options_.lexicographic)) {
            read_file(file, test);
        }
        for (const fs::path& inner : folders_in(folder)) {
            read(inner);
        }
    }

private:
    void take_facts(const Value& facts, const fs::path& folder) {
        source_ = string_at(facts, "test_source");
        for (const auto* tag : {"HF_MODEL", "LLAMA_DIR"}) {
            if (const std::string text = string_at(facts, tag); !text.empty() && !source_.empty()) {
                source_ += fmt::format(" [{}:{}]", tag, text);
            }
        }
        uid_ = string_at(facts, "trace_uid");
        const Value* machine = facts.find("machine_info");
        try {
            hardware_ = machine != nullptr ? hardware_of(*machine) : std::nullopt;
        } catch (const std::invalid_argument& error) {
            sink_.unread({(folder / metadata_name).string(), json_text(*machine), error.what()});
        }
    }

    void read_file(const fs::path& file, const std::string& test) {
        ++summary_.files;
        std::string text = text_of(file);
        try {
            FileCall call = read_param_tree(parser_.parse(text), file.string(), hardware_ ? &*hardware_ : nullptr);
            call.source = source_.empty() ? test : source_;
            call.trace_uid = uid_;
            ++summary_.calls;
            sink_.call(std::move(call));
        } catch (const JsonError& error) {
            sink_.unread(
                {fmt::format("{}: {}", file.string(), place_of(text, error.offset())), std::move(text), error.what()});
        } catch (const FileError& error) {
            sink_.unread({file.string(), std::move(text), error.what()});
        }
    }

    CallSink& sink_;
    ParamFolderOptions options_;
    ParamFolderSummary summary_;
    JsonParser parser_;
    std::string source_;
    std::string uid_;
    std::optional<Hardware> hardware_;
};

}  // namespace

bool is_param_folder(const fs::path& folder) {
    if (fs::exists(folder / metadata_name) || fs::exists(folder / status_name)) {
        return true;
    }
    const auto holds_call = [](const fs::path& inner) {
        for (const fs::path& file : call_files(inner, true)) {
            try {
                return parse_json(text_of(file)).find("operation_name") != nullptr;
            } catch (const std::runtime_error&) {
                continue;  // perhaps the next one is whole
            }
        }
        return false;
    };
    const auto inner = folders_in(folder);
    return holds_call(folder) || std::ranges::any_of(inner, [&](const fs::path& path) {
               return fs::exists(path / status_name) || holds_call(path);
           });
}

ParamFolderSummary read_param_folder(const fs::path& folder, CallSink& sink, const ParamFolderOptions& options) {
    Reader reader(sink, options);
    reader.read(folder);
    return reader.summary();
}

}  // namespace tracelift
