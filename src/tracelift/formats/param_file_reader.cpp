#include "tracelift/formats/param_file_reader.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "tracelift/formats/json_tree.hpp"
#include "tracelift/formats/python_values.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view metadata_name = "_trace_metadata.json";
constexpr std::string_view status_name = "_status.json";
constexpr int64_t most_positions = 1000;

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

// The first mesh that an argument carries, depth first.
const Value* find_mesh(const Value& tree) {
    if (const auto* list = tree.as<Value::List>()) {
        for (const Value& item : *list) {
            if (const Value* found = find_mesh(item)) {
                return found;
            }
        }
    }
    const auto* dict = tree.as<Value::Dict>();
    if (dict == nullptr) {
        return nullptr;
    }
    if (const Value* mesh = tree.find("mesh_device"); mesh != nullptr && mesh->find("shape") != nullptr) {
        return mesh;
    }
    if (const Value* type = tree.find("type"); type != nullptr && *type == Value("MeshDevice") && tree.find("shape")) {
        return &tree;
    }
    for (const auto& entry : *dict) {
        if (const Value* found = find_mesh(entry.value)) {
            return found;
        }
    }
    return nullptr;
}

void add_mesh(const Value& mesh, std::optional<Hardware>& hardware) {
    const auto* shape = mesh.find("shape")->as<Value::List>();
    if (!hardware || shape == nullptr) {
        return;
    }
    hardware->mesh_shape.clear();
    for (const Value& dim : *shape) {
        hardware->mesh_shape.push_back(dim.as<int64_t>() != nullptr ? *dim.as<int64_t>() : 0);
    }
    const Value* ids = mesh.find("device_ids");
    if (const auto* list = ids != nullptr ? ids->as<Value::List>() : nullptr) {
        hardware->device_count = static_cast<int64_t>(list->size());
    }
}

[[noreturn]] void malformed(const std::string& name, std::string_view what) {
    throw FileError(fmt::format("{}: {}", name, what));
}

void read_positional(const Value& list, const std::string& name, StoredCall& call) {
    const auto* items = list.as<Value::List>();
    if (items == nullptr) {
        malformed(name, "expected 'args' to be a list of {position, value}");
    }
    for (size_t i = 0; i < items->size(); ++i) {
        const Value& item = (*items)[i];
        const Value* value = item.find("value");
        const Value* position = item.find("position");
        const auto* at = position != nullptr ? position->as<int64_t>() : nullptr;
        if (value == nullptr || at == nullptr || *at < 0 || *at > most_positions) {
            malformed(name, fmt::format("args[{}]: expected {{position, value}}, got {}", i, item.to_text()));
        }
        call.positional.resize(std::max(call.positional.size(), static_cast<size_t>(*at) + 1));
        call.positional[static_cast<size_t>(*at)] = read_python_value(*value);
    }
}

FileCall read_tree(const Value& tree, const std::string& name, const Hardware* machine) {
    FileCall result;
    result.call.operation = string_at(tree, "operation_name");
    const Value* args = tree.find("args");
    if (result.call.operation.empty() || args == nullptr) {
        malformed(name, "expected an object with 'operation_name' and 'args'");
    }
    read_positional(*args, name, result.call);
    const Value* kwargs = tree.find("kwargs");
    const auto* named = kwargs != nullptr ? kwargs->as<Value::Dict>() : nullptr;
    if (kwargs != nullptr && !kwargs->is_null() && named == nullptr) {
        malformed(name, "expected 'kwargs' to be an object");
    }
    for (const auto& [key, value] : named != nullptr ? *named : Value::Dict{}) {
        result.call.keywords.push_back({key, read_python_value(value)});
    }
    if (machine != nullptr) {
        result.hardware = *machine;
    }
    const Value* mesh = find_mesh(*args);
    if (mesh == nullptr && kwargs != nullptr) {
        mesh = find_mesh(*kwargs);
    }
    if (mesh != nullptr) {
        if (const std::string board = string_at(*mesh, "board"); machine == nullptr && !board.empty()) {
            result.hardware = hardware_of_board(board);  // our own files
        } else {
            add_mesh(*mesh, result.hardware);
        }
    }
    return result;
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
            FileCall call = read_tree(parser_.parse(text), file.string(), hardware_ ? &*hardware_ : nullptr);
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

FileCall read_param_file(std::string_view text, const std::string& name) {
    try {
        return read_tree(parse_json(text), name, nullptr);
    } catch (const JsonError& error) {
        throw FileError(fmt::format("{}: {}: {}", name, place_of(text, error.offset()), error.what()));
    }
}

}  // namespace tracelift
