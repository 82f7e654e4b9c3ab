#include "tracelift/sweep/vector_file.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/base/destination.hpp"
#include "tracelift/base/replaced_file.hpp"
#include "tracelift/bind/binding.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/sweep_vector.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), why));
}

std::string contents_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        fail(path, "cannot be read; 'tracelift sweep generate' makes vector files");
    }
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

// Takes a field of the header out of the vector.
std::string taken(Json& vector, const char* key) {
    const auto found = vector.find(key);
    if (found == vector.end()) {
        return {};
    }
    std::string text;
    if (found->is_string()) {
        text = found->get<std::string>();
    } else if (found->is_array()) {
        for (const Json& part : *found) {
            text += (text.empty() ? "" : ", ") + (part.is_string() ? part.get<std::string>() : part.dump());
        }
    } else if (!found->is_null()) {
        text = found->dump();
    }
    vector.erase(key);
    return text;
}

uint64_t seed_of(const std::string& id) {
    try {
        return std::stoull(id.substr(0, 16), nullptr, 16);
    } catch (const std::exception&) {
        return std::hash<std::string>()(id);
    }
}

// Where a trace was made, as in masters.
struct Machine {
    std::string board{};                 // that stands for it; empty: the default one
    std::optional<Hardware> hardware{};  // as far as it is told
};
Machine machine_of(const Json& header) {
    const auto found = header.find("traced_machine_info");
    if (found == header.end()) {
        return {};
    }
    const Json& info = found->is_array() && !found->empty() ? found->front() : *found;
    const auto text = [&](const char* key) {
        const auto member = info.is_object() ? info.find(key) : info.end();
        return member != info.end() && member->is_string() ? member->get<std::string>() : std::string();
    };
    Machine machine{text("board")};
    if (machine.board.empty()) {
        machine.board = board_of_series(text("device_series"));
    }
    try {
        machine.hardware = hardware_of(json_tree(info));
    } catch (const std::invalid_argument&) {  // vectors of combinations have the board alone
    }
    return machine;
}

// The call of an operation that we have.
NativeCall native_call(const Vector& vector, Binder& binder) {
    NativeCall native;
    const Machine machine = machine_of(vector.header);
    const BoundCall bound =
        binder.bind({vector.sweep_name, {}, arguments_of(vector.parameters)}, Order::PYTHON, machine.board);
    native.request.board = board_to_replay(machine.board, machine.hardware, bound.arguments);
    native.bound = bound.bound;
    native.request.operation = bound.operation;
    native.request.arguments = bound.arguments;
    native.request.seed = seed_of(vector.id);
    return native;
}

Vector vector_of(const std::string& suite, const std::string& key, Json json, Binder& binder) {
    Vector vector;
    vector.sweep_name = taken(json, "sweep_name");
    vector.id = taken(json, "input_hash");
    vector.id = vector.id.empty() ? key : vector.id;
    const std::string own_suite = taken(json, "suite_name");
    vector.suite = own_suite.empty() ? suite : own_suite;
    for (const char* traced : {"traced_source", "traced_machine_info"}) {
        if (const auto found = json.find(traced); found != json.end()) {
            vector.header[traced] = *found;
        }
    }
    vector.source = taken(json, "traced_source");
    taken(json, "traced_machine_info");
    taken(json, "timestamp");
    vector.tag = taken(json, "tag");
    const std::string validity = taken(json, "validity");
    vector.valid = validity.find("INVALID") == validity.npos;
    taken(json, "status");
    vector.invalid_reason = taken(json, "invalid_reason");
    const bool native = ttnn::find_operation(vector.sweep_name) != nullptr && vector.sweep_name.starts_with("ttnn");
    if (native) {
        const std::string hash = taken(json, "config_hash");
        vector.parameters = std::move(json);
        vector.native = native_call(vector, binder);
        vector.native->identity = hash.substr(0, hash.find('#'));
    } else {
        vector.parameters = std::move(json);
    }
    return vector;
}

std::string time_text(const char* format) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, format, &parts)};
}

std::set<std::string> ids_of(const Json& suite, const std::string& tag) {
    std::set<std::string> ids;
    for (const auto& [id, vector] : suite.items()) {
        if (vector.is_object() && vector.value("tag", "") == tag) {
            ids.insert(id);
        }
    }
    return ids;
}

// One vector a line.
void append_suite(std::string& file, const std::string& suite,
                  const std::vector<std::pair<std::string, std::string>>& vectors) {
    file += fmt::format("{}{}: {{", file == "{" ? "\n" : ",\n", Json(suite).dump());
    bool first = true;
    for (const auto& [id, text] : vectors) {
        file += first ? "\n" : ",\n";
        first = false;
        file += '"';
        file += id;
        file += "\": ";
        file += text;
    }
    file += "\n}";
}

}  // namespace

std::vector<Vector> read_vector_file(const fs::path& path, const std::string& wanted) {
    const Json json = Json::parse(contents_of(path), nullptr, false);
    if (!json.is_object()) {
        fail(path, "expected a vector file, an object of suites");
    }
    Binder binder;
    std::vector<Vector> vectors;
    for (const auto& [suite, members] : json.items()) {
        if (!wanted.empty() && suite != wanted) {
            continue;
        }
        if (!members.is_object()) {
            fail(path, fmt::format("suite '{}': expected an object of vectors", suite));
        }
        for (const auto& [key, vector] : members.items()) {
            if (!vector.is_object()) {
                fail(path, fmt::format("suite '{}', vector {}: expected an object", suite, key));
            }
            try {
                vectors.push_back(vector_of(suite, key, vector, binder));
            } catch (const std::exception& error) {
                fail(path, fmt::format("suite '{}', vector {}: {}", suite, key, error.what()));
            }
        }
    }
    return vectors;
}

std::vector<fs::path> vector_files_of(const fs::path& folder, const std::string& module) {
    std::vector<fs::path> files;
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(folder, absent)) {
        const std::string name = entry.path().filename().string();
        const bool grouped = name.starts_with(module + "__mesh_") || name.starts_with(module + "__hw_");
        if (name == module + ".json" || (grouped && name.ends_with(".json"))) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

WrittenVectors write_vector_file(const fs::path& path, const std::string& suite, const std::string& tag,
                                 const std::vector<VectorText>& vectors) {
    WrittenVectors written;
    Json before = Json::object();
    if (fs::exists(path)) {
        before = Json::parse(contents_of(path), nullptr, false);
        if (!before.is_object()) {
            const fs::path target = destination_of(path).path;  // a link stays, and the new file is written behind it
            written.corrupted = target.string() + ".corrupted." + time_text("%Y%m%d_%H%M%S");
            fs::rename(target, written.corrupted);
            before = Json::object();
        }
    }
    std::vector<std::pair<std::string, std::string>> fresh;
    std::set<std::string> ids;
    const std::string tail = fmt::format(R"(,"tag":{}}})", Json(tag).dump());
    const std::string stamp = time_text("%Y-%m-%d_%H-%M-%S");
    for (const VectorText& vector : vectors) {
        if (!ids.insert(vector.id).second) {
            continue;  // equal vectors are one
        }
        std::string text = vector.text.substr(0, vector.text.size() - 1);
        fmt::format_to(std::back_inserter(text), R"(,"timestamp":"{}","input_hash":"{}"{})", stamp, vector.id, tail);
        fresh.emplace_back(vector.id, std::move(text));
    }
    const auto old = before.find(suite);
    if (old != before.end() && ids_of(*old, tag) == ids) {
        return written;
    }
    std::string file = "{";
    for (const auto& [name, members] : before.items()) {
        if (name != suite) {
            std::vector<std::pair<std::string, std::string>> kept;
            for (const auto& [id, vector] : members.items()) {
                kept.emplace_back(id, compact_json(vector));
            }
            append_suite(file, name, kept);
        }
    }
    append_suite(file, suite, fresh);
    file += "\n}\n";
    if (path.has_parent_path()) {
        fs::create_directories(path.parent_path());
    }
    replace_file(path, file);
    const Json back = Json::parse(contents_of(path), nullptr, false);
    if (!back.is_object() || ids_of(back.value(suite, Json::object()), tag) != ids) {
        fail(path, "reads back other vectors than were written");
    }
    written.changed = true;
    return written;
}

}  // namespace tracelift
