// Names that want to be something else come out as text everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sandbox.hpp"
#include "tracelift/report/check.hpp"
#include "tracelift/report/questions.hpp"

namespace tracelift::report::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Hostile {
    const char* label;
    std::string name;
};
const std::vector<Hostile> hostile = {{"SqlStatement", "'); DROP TABLE operations; --"},
                                      {"SqlCondition", "\" OR 1=1"},
                                      {"Script", "<script>alert(1)</script>"},
                                      {"Markup", "</text></svg><svg onload='x()'>]]>&amp;"},
                                      {"FolderAbove", "../../../etc/passwd"},
                                      {"AbsolutePath", "/absolute/path"},
                                      {"NulInside", std::string("nul\0inside", 10)},
                                      {"ControlCharacters", "line\nbreak\ttab\r\x1b[31mred\x7f"},
                                      {"FormatDirectives", "{} {0} %s %n"},
                                      {"BeyondAscii", "Ünïcödé \xF0\x9F\x98\x80 \xE2\x80\xAE"},
                                      {"Empty", ""},
                                      {"Megabyte", std::string(1 << 20, 'x')}};

class HostileTest : public ::testing::TestWithParam<size_t> {
protected:
    const std::string& name() const { return hostile[GetParam()].name; }

    // An operation, its argument, its tensor's texts and an error, all of that name.
    std::string report() const {
        nlohmann::json nodes = nlohmann::json::array();
        nodes.push_back({{"counter", 0}, {"node_type", "capture_start"}, {"params", {}}, {"connections", {1, 6}}});
        nodes.push_back({{"counter", 1},
                         {"node_type", "function_start"},
                         {"params", {{"name", name()}}},
                         {"connections", {2, 3, 4}},
                         {"arguments", {name()}},
                         {"stack_trace", {name()}}});
        nodes.push_back({{"counter", 2},
                         {"node_type", "buffer_allocate"},
                         {"params", {{"address", "64"}, {"size", "32"}, {"type", "L1"}, {"layout", name()}}},
                         {"connections", nlohmann::json::array()}});
        nodes.push_back({{"counter", 3},
                         {"node_type", "error"},
                         {"params", {{"error_type", name()}, {"error_message", name()}, {"error_operation", name()}}},
                         {"connections", nlohmann::json::array()}});
        nodes.push_back(
            {{"counter", 4}, {"node_type", "function_end"}, {"params", {{"name", name()}}}, {"connections", {5, 6}}});
        nodes.push_back({{"counter", 5},
                         {"node_type", "tensor"},
                         {"params",
                          {{"tensor_id", "7"},
                           {"shape", name()},
                           {"dtype", name()},
                           {"layout", name()},
                           {"memory_config", name()},
                           {"device_id", "0"},
                           {"address", "64"}}},
                         {"connections", nlohmann::json::array()}});
        nodes.push_back({{"counter", 6},
                         {"node_type", "capture_end"},
                         {"params", nlohmann::json::object()},
                         {"connections", nlohmann::json::array()}});
        for (auto& node : nodes) {
            node["params"] = node["params"].is_null() ? nlohmann::json::object() : node["params"];
        }
        return nlohmann::json{{"version", 1}, {"graph", nodes}, {"metadata", {{name(), name()}}}}.dump();
    }

    Sandbox sandbox_;
};

TEST_P(HostileTest, ComesOutAsText) {
    ImportOptions options = sandbox_.options(sandbox_.write("hostile.json", report()));
    options.svg = true;
    import_reports(options);
    Database database(sandbox_.database(), Database::Mode::READ);
    for (const std::string column :
         {"name FROM operations", "value FROM operation_arguments", "shape FROM tensors", "memory_config FROM tensors",
          "error_message FROM errors", "error_operation FROM errors", "stack_trace FROM stack_traces",
          "name FROM functions"}) {
        Statement value(database, "SELECT " + column);
        const bool found = value.step();
        if (column.starts_with("stack_trace") && name().empty()) {
            EXPECT_FALSE(found);  // an empty trace is none
            continue;
        }
        ASSERT_TRUE(found) << column;
        EXPECT_EQ(value.text(0), name()) << column;
    }
    EXPECT_TRUE(check_database(database).violations.empty());
    // Answers are JSON that reads back as the same text.
    const Json operations = Json::parse(ask_operations(database, {}).dump());
    EXPECT_EQ(operations[0]["name"], name());
    // The captured graph too.
    Statement graph(database, "SELECT captured_graph FROM captured_graph");
    ASSERT_TRUE(graph.step());
    EXPECT_EQ(nlohmann::json::parse(graph.text(0))[1]["params"]["name"], name());
}

TEST_P(HostileTest, PicturesHoldNoMarkupOfIt) {
    ImportOptions options = sandbox_.options(sandbox_.write("hostile.json", report()));
    options.svg = true;
    EXPECT_EQ(import_reports(options).pictures, 2);
    for (const std::string file : {"hostile.svg", "hostile.memory.svg"}) {
        const std::string svg = Sandbox::read(sandbox_.out() / "graphs" / file);
        EXPECT_TRUE(svg.starts_with("<svg ")) << file;
        EXPECT_TRUE(svg.ends_with("</svg>\n")) << file;
        EXPECT_THAT(svg, Not(HasSubstr("<script"))) << file;
        EXPECT_THAT(svg, Not(HasSubstr("<svg onload"))) << file;
        EXPECT_EQ(svg.find('\0'), svg.npos) << file;
        EXPECT_EQ(svg.find('\x1b'), svg.npos) << file;
    }
    // Nothing was written anywhere else.
    size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::recursive_directory_iterator(sandbox_.out())) {
        ++entries;
    }
    EXPECT_EQ(entries, 6);  // database, settings, history, graphs, two pictures
    for (const std::string file : {"config.json", "operation_history.json"}) {
        EXPECT_TRUE(nlohmann::json::accept(Sandbox::read(sandbox_.out() / file))) << file;
    }
}

INSTANTIATE_TEST_SUITE_P(Names, HostileTest, ::testing::Range(size_t{0}, hostile.size()),
                         [](const auto& each) { return hostile[each.param].label; });

}  // namespace
}  // namespace tracelift::report::testing
