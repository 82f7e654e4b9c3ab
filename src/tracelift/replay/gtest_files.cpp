// Generated tests for gtest: a file per operation that needs nothing but the runtime library. A test is a list of short
// statements, so that no line has to be broken and formatters find nothing to do.
#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/ranges.h>

#include "tracelift/base/json_text.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/replay/test_case.hpp"
#include "ttnn/op/tensor_placement.hpp"
#include "ttnn/op/type_info.hpp"

namespace tracelift {
namespace {

constexpr size_t width = 120;
constexpr size_t longest_list = 60;

std::string cpp_text(std::string_view text) { return json_text(Json(std::string(text))); }

// The statements of one test.
class Body {
public:
    explicit Body(const TestCase& test) : test_(test) {}

    std::string text() {
        const BoardText board = BoardText::parse(test_.board);
        on_mesh_ = board.mesh.num_chips() > 1;
        std::vector<std::string> where;
        if (on_mesh_ || !board.board.empty()) {
            where.push_back(cpp_text(board.board));
        }
        if (on_mesh_) {
            where.push_back(fmt::format("{{{}}}", fmt::join(board.mesh.dims, ", ")));
        }
        statement(fmt::format("TracedCall call({}", cpp_text(test_.op->name)), where);
        for (const TestArgument& argument : test_.arguments) {
            give(argument);
        }
        for (const ttnn::TensorSpec& spec : test_.outputs) {
            const auto described = ttnn::Tensor::without_bytes(spec, ttnn::StorageType::DEVICE);
            call("expect", tensor_parts(ttnn::type_info<ttnn::Tensor>().encode(&described)));
        }
        const char* problem = !test_.failure.empty() ? "value_problem" : test_.judged ? "problem" : "shape_problem";
        text_ += fmt::format("    EXPECT_EQ(call.{}(), \"\");\n", problem);
        return std::move(text_);
    }

private:
    // head(part, ...); broken between parts where it is too long, the rest below the first part.
    void statement(std::string head, const std::vector<std::string>& parts) {
        std::string line = "    " + std::move(head);
        const size_t column = line.rfind('(') + 1;
        bool first = line.ends_with('(');
        for (size_t i = 0; i < parts.size(); ++i) {
            const size_t behind = i + 1 == parts.size() ? 2 : 1;
            if (first) {
                line += parts[i];
            } else if (line.size() + 2 + parts[i].size() + behind <= width) {
                line += ", " + parts[i];
            } else {
                text_ += line + ",\n";
                line = std::string(column, ' ') + parts[i];
            }
            first = false;
        }
        text_ += line + ");\n";
    }
    void call(std::string_view method, const std::vector<std::string>& parts) {
        statement(fmt::format("call.{}(", method), parts);
    }

    // A name for a local variable; the second of a kind has a number.
    std::string local(std::string_view kind) {
        const size_t number = ++locals_[std::string(kind)];
        return number == 1 ? std::string(kind) : fmt::format("{}_{}", kind, number);
    }

    static const Value& at(const Value& record, std::string_view name) {
        static const Value none;
        const Value* found = record.find(name);
        return found != nullptr ? *found : none;
    }
    static std::string member(const Value& value) {
        const auto* found = value.as<Value::Enum>();
        return found != nullptr ? fmt::format("{}::{}", found->type, found->member) : "";
    }
    static std::string braced(const Value& list) {
        std::vector<std::string> items;
        if (const auto* values = list.as<Value::List>()) {
            for (const Value& value : *values) {
                items.push_back(value.to_text());
            }
        }
        return fmt::format("{{{}}}", fmt::join(items, ", "));
    }
    static std::string core(const Value& coordinate) {
        return fmt::format("{{{}, {}}}", at(coordinate, "x").to_text(), at(coordinate, "y").to_text());
    }

    std::string cores(const Value& set) {
        return once("cores", set, [&](const std::string& name) {
            text_ += fmt::format("    Cores {};\n", name);
            if (const auto* ranges = at(set, "ranges").as<Value::List>()) {
                for (const Value& range : *ranges) {
                    text_ +=
                        fmt::format("    {}.add({}, {});\n", name, core(at(range, "start")), core(at(range, "end")));
                }
            }
        });
    }

    // The expression of a memory config; empty: interleaved in DRAM, which is the default.
    std::string memory(const Value& config) {
        const Value& nd = at(config, "nd_shard_spec");
        const Value& spec = at(config, "shard_spec");
        const std::string buffer = member(at(config, "buffer_type"));
        if (!nd.is_null()) {
            return once("memory", config, [&](const std::string& name) {
                const std::string grid = cores(at(nd, "grid"));
                const std::string shards = local("shards");
                text_ += fmt::format("    NdShardSpec {};\n    {}.shard_shape = {};\n    {}.grid = {};\n", shards,
                                     shards, braced(at(nd, "shard_shape")), shards, grid);
                text_ +=
                    fmt::format("    {}.orientation = {};\n    {}.shard_distribution_strategy = {};\n", shards,
                                member(at(nd, "orientation")), shards, member(at(nd, "shard_distribution_strategy")));
                statement(fmt::format("const MemoryConfig {}(", name), {buffer, shards});
            });
        }
        const std::string layout = member(at(config, "memory_layout"));
        if (!spec.is_null()) {
            return once("memory", config, [&](const std::string& name) {
                std::vector<std::string> parts{layout, buffer, cores(at(spec, "grid")), braced(at(spec, "shape"))};
                if (member(at(spec, "orientation")) != "ShardOrientation::ROW_MAJOR") {
                    parts.push_back(member(at(spec, "orientation")));
                }
                statement(fmt::format("const MemoryConfig {} = sharded(", name), parts);
            });
        }
        const bool interleaved = layout == "TensorMemoryLayout::INTERLEAVED";
        if (interleaved && buffer == "BufferType::DRAM") {
            return {};
        }
        return interleaved && buffer == "BufferType::L1" ? "l1_memory_config()"
                                                         : fmt::format("MemoryConfig({}, {})", layout, buffer);
    }

    // The variable that holds a value, written by `write` where it is first needed.
    template <class Write>
    std::string once(std::string_view kind, const Value& value, Write write) {
        const std::string key = fmt::format("{} {}", kind, value.to_text());
        const auto found = known_.find(key);
        if (found != known_.end()) {
            return found->second;
        }
        std::string name = local(kind);
        write(name);
        known_[key] = name;
        return name;
    }

    std::vector<std::string> tensor_parts(const Value& tensor) {
        std::vector<std::string> parts{braced(at(tensor, "shape")), member(at(tensor, "dtype")),
                                       member(at(tensor, "layout"))};
        if (std::string config = memory(at(tensor, "memory_config")); !config.empty()) {
            parts.push_back(std::move(config));
        }
        return parts;
    }

    static bool is_tensor(const Value& value) {
        const auto* record = value.as<Value::Struct>();
        return record != nullptr && record->type == "Tensor";
    }
    // What `tensor` and `host_tensor` cannot say.
    static bool is_special(const Value& tensor) {
        return tensor.find("alignment") != nullptr || tensor.find("tile") != nullptr;
    }

    // Where the tensor is cut for the chips of a mesh.
    static std::optional<ttnn::TensorPlacement> cut(const Value& tensor) {
        const Value* placement = tensor.find(ttnn::placement_field);
        if (placement == nullptr) {
            return std::nullopt;
        }
        auto decoded = ttnn::TensorPlacement::decode(*placement);
        const bool is_cut = std::ranges::any_of(decoded.topology.placements, &ttnn::Placement::is_shard);
        return is_cut ? std::optional(std::move(decoded)) : std::nullopt;
    }

    void spread(const std::string& name, const Value& tensor) {
        const auto placement = on_mesh_ ? cut(tensor) : std::nullopt;
        if (!placement) {
            return;
        }
        const auto& [topology, mesh] = *placement;
        std::vector<std::string> dims;
        for (const ttnn::Placement& each : topology.placements) {
            dims.push_back(each.dim ? fmt::format("{}", *each.dim) : "whole");
        }
        std::vector<std::string> parts{name, fmt::format("{{{}}}", fmt::join(dims, ", "))};
        if (topology.distribution != mesh) {
            parts.push_back(fmt::format("{{{}}}", fmt::join(topology.distribution.dims, ", ")));
        }
        call("spread", parts);
    }

    void give(const TestArgument& argument) {
        const std::string name = cpp_text(argument.name);
        const Value& value = argument.value;
        if (is_tensor(value) && !is_special(value)) {
            const bool host = member(at(value, "storage_type")) == "StorageType::HOST";
            std::vector<std::string> parts = tensor_parts(value);
            if (host) {
                parts.resize(3);
            }
            parts.insert(parts.begin(), name);
            call(host ? "host_tensor" : "tensor", parts);
            return spread(name, value);
        }
        if (const auto* record = value.as<Value::Struct>(); record != nullptr && record->type == "MemoryConfig") {
            std::string config = memory(value);
            return call("give", {name, config.empty() ? "MemoryConfig()" : std::move(config)});
        }
        if (const auto* object = value.as<Value::Object>(); object != nullptr && object->type == "MeshDevice") {
            return call("device", {name});
        }
        call("give", {name, expression(value, argument.name)});
    }

    // An expression of type Value; what is long becomes a variable first.
    std::string expression(const Value& value, std::string_view name) {
        return std::visit(ToCpp{*this, value, name}, value.data());
    }

    std::string number(double value) {
        if (std::isnan(value)) {
            return "std::nan(\"\")";
        }
        if (std::isinf(value)) {
            return value > 0 ? "HUGE_VAL" : "-HUGE_VAL";
        }
        std::string text = fmt::format("{}", value);
        return text.find_first_of(".e") == text.npos ? text + ".0" : text;
    }

    std::string list(const Value::List& items, std::string_view name) {
        const bool plain = std::ranges::all_of(items, [](const Value& item) {
            return item.as<Value::List>() == nullptr && item.as<Value::Struct>() == nullptr;
        });
        if (plain) {
            std::vector<std::string> parts;
            for (const Value& item : items) {
                parts.push_back(expression(item, name));
            }
            std::string text = fmt::format("Value::List{{{}}}", fmt::join(parts, ", "));
            if (text.size() <= longest_list) {
                return text;
            }
        }
        std::string variable = local(name);
        text_ += fmt::format("    Value::List {};\n", variable);
        for (const Value& item : items) {
            if (is_tensor(item) && !is_special(item) && !(on_mesh_ && cut(item))) {
                statement(fmt::format("{}.emplace_back(traced_tensor(", variable), tensor_parts(item));
                text_.insert(text_.size() - 2, ")");
            } else {
                text_ += fmt::format("    {}.emplace_back({});\n", variable, expression(item, name));
            }
        }
        return variable;
    }

    // A set of places in a mesh, which is given as a list of them.
    std::string places(const Value& set, std::string_view name) {
        std::optional<ttnn::MeshCoordinateSet> decoded;
        ttnn::type_info<std::optional<ttnn::MeshCoordinateSet>>().decode(set, {}, &decoded);
        Value::List list;
        for (const ttnn::MeshCoordinate& place : decoded ? decoded->members() : std::vector<ttnn::MeshCoordinate>()) {
            list.emplace_back(Value::List(place.values.begin(), place.values.end()));
        }
        return this->list(list, name);
    }

    std::string record(const Value::Struct& record, std::string_view name) {
        std::vector<std::pair<std::string, std::string>> fields;
        for (const auto& [key, item] : record.fields) {
            if (!item.is_null()) {
                fields.emplace_back(key, expression(item, key));
            }
        }
        const std::string variable = local(name);
        text_ += fmt::format("    Fields {}({});\n", variable, cpp_text(record.type));
        for (const auto& [key, item] : fields) {
            text_ += fmt::format("    {}.set({}, {});\n", variable, cpp_text(key), item);
        }
        return variable + ".value()";
    }

    struct ToCpp {
        Body& body;
        const Value& value;
        std::string_view name;

        std::string operator()(std::monostate /*null*/) const { return "Value()"; }
        std::string operator()(bool flag) const { return flag ? "true" : "false"; }
        std::string operator()(int64_t number) const { return fmt::format("{}", number); }
        std::string operator()(double number) const { return body.number(number); }
        std::string operator()(const std::string& text) const { return cpp_text(text); }
        std::string operator()(const Value::List& items) const { return body.list(items, name); }
        std::string operator()(const Value::Dict& entries) const {
            std::string variable = body.local(name);
            body.text_ += fmt::format("    Value::Dict {};\n", variable);
            for (const auto& [key, item] : entries) {
                body.text_ +=
                    fmt::format("    {}.push_back({{{}, {}}});\n", variable, cpp_text(key), body.expression(item, key));
            }
            return variable;
        }
        std::string operator()(const Value::Enum& member) const {
            return fmt::format("Value::Enum{{{}, {}}}", cpp_text(member.type), cpp_text(member.member));
        }
        std::string operator()(const Value::Struct& record) const {
            return record.type == "set" ? body.places(value, name) : body.record(record, name);
        }
        std::string operator()(const Value::Object& object) const {
            return fmt::format("Value::Object{{{}, {}}}", cpp_text(object.type), cpp_text(object.text));
        }
        std::string operator()(const Value::Unparsed& text) const {
            return fmt::format("Value::Unparsed{{{}, {}}}", cpp_text(text.text), cpp_text(text.reason));
        }
    };

    const TestCase& test_;
    bool on_mesh_ = false;
    std::string text_;
    std::map<std::string, size_t> locals_{{"call", 1}};
    std::map<std::string, std::string> known_;
};

// "LayerNormWithWeight" of "layer_norm_with_weight".
std::string camel(std::string_view name) {
    std::string result;
    bool begins = true;
    for (const char c : name) {
        if (c == '_') {
            begins = true;
            continue;
        }
        result.push_back(begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c);
        begins = false;
    }
    return result;
}

constexpr std::string_view opening = R"(#include <gtest/gtest.h>

#include "ttnn/check/traced_call.hpp"

namespace ttnn {
namespace {

using tracelift::Value;
)";

std::string test_text(const TestCase& test, const std::string& suite, const std::string& name) {
    const std::string head = fmt::format("TEST({}, {}) {{\n", suite, name);
    const std::string second = std::string(5, ' ') + name;
    return (head.size() <= width + 1 ? head : fmt::format("TEST({},\n{}) {{\n", suite, second)) + Body(test).text() +
           "}\n";
}

// `heading` is a comment, `tests` what stands in the namespace.
std::string file_text(std::string_view heading, const std::string& tests) {
    const bool mathematics = tests.find("std::nan") != tests.npos || tests.find("HUGE_VAL") != tests.npos;
    return fmt::format("{}{}{}{}\n}}  // namespace\n}}  // namespace ttnn\n", heading,
                       mathematics ? "#include <cmath>\n\n" : "", opening, tests);
}

TestFile file_of(std::span<const TestCase> cases) {
    TestFile file;
    const ttnn::OpInfo& op = *cases.front().op;
    file.name = fmt::format("{}_traced_configs_test.cpp", plain_name(op));
    file.tests = cases.size();
    std::string tests;
    for (const TestCase& test : cases) {
        file.shape_only += test.judged ? 0 : 1;
        tests += fmt::format("\n// {}{}configuration {}\n", test.source, test.source.empty() ? "" : "; ",
                             test.identity.substr(0, 16));
        tests += test_text(test, camel(test.group.substr(0, 60)),
                           fmt::format("of_{}{}", test.id, test.judged ? "" : "_shape_only"));
    }
    file.text =
        file_text(fmt::format("// {}: {} traced configuration{}.\n//\n// Written by `tracelift generate-tests`; "
                              "the same configurations give the same file.\n",
                              op.cpp_name(), cases.size(), cases.size() == 1 ? "" : "s"),
                  tests);
    return file;
}

}  // namespace

TestFile gtest_repro(const TestCase& test) {
    TestFile file;
    file.name = fmt::format("{}_repro_test.cpp", plain_name(*test.op));
    file.tests = 1;
    file.shape_only = test.judged ? 0 : 1;
    const std::string source = test.source.empty() ? "" : fmt::format("\n// from {}", test.source);
    file.text = file_text(fmt::format("// {}: the smallest call that was found to end like this:\n//\n{}//\n"
                                      "// Written by `tracelift shrink`.\n",
                                      test.op->cpp_name(), quoted_lines(test.failure, "//     ", width)),
                          source + "\n" + test_text(test, camel(plain_name(*test.op)) + "Repro", "of_" + test.id));
    return file;
}

std::vector<TestFile> gtest_files(std::span<const TestCase> cases) {
    std::vector<TestFile> files;
    for (size_t begin = 0; begin < cases.size();) {
        size_t end = begin;
        while (end < cases.size() && cases[end].op->name == cases[begin].op->name) {
            ++end;
        }
        files.push_back(file_of(cases.subspan(begin, end - begin)));
        begin = end;
    }
    return files;
}

}  // namespace tracelift
