// The cases in cases/, C1 to C42, under both rules.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_file.hpp"
#include "sandbox.hpp"

namespace tracelift::report::testing {
namespace {

using ::testing::ElementsAreArray;

const std::filesystem::path folder = std::filesystem::path(TRACELIFT_SOURCE_DIR) / "tests/report/cases";

std::vector<std::string> case_names() {
    std::vector<std::string> names;
    for (int i = 1; i <= 42; ++i) {
        names.push_back("C" + std::to_string(i));
    }
    return names;
}

// What the command prints, a line each and without indentation.
std::vector<std::string> console_lines(const ImportSummary& summary, const std::filesystem::path& out) {
    std::vector<std::string> lines;
    for (const auto& [warning, count] : summary.warnings) {
        lines.push_back("Warning: " + warning);
    }
    std::istringstream text(summary_text(summary));
    for (std::string line; std::getline(text, line);) {
        const size_t place = line.find(out.string());
        if (place != line.npos) {
            line.replace(place, out.string().size(), "OUT");
        }
        lines.push_back(line.substr(line.find_first_not_of(' ')));
    }
    return lines;
}

class CasesTest : public ::testing::TestWithParam<std::string> {
protected:
    void run(Rules rules) {
        Case wanted = read_case(folder / (GetParam() + ".txt"));
        const char era = rules == Rules::S ? 's' : 'r';
        for (const auto& [name, text] : wanted.files) {
            sandbox_.write(name, text);
        }
        ImportOptions options =
            sandbox_.options(wanted.whole_folder ? sandbox_.in() : sandbox_.in() / wanted.files.front().first);
        options.rules = rules;
        const auto console = wanted.consoles.find(era);
        if (console != wanted.consoles.end() && console->second.status != 0) {
            EXPECT_THROW(import_reports(options), ReportError);
            EXPECT_FALSE(std::filesystem::exists(sandbox_.database()));
            return;
        }
        const ImportSummary summary = import_reports(options);
        if (wanted.twice) {
            import_again(options);
        }
        for (const Expectation& each : wanted.rows[era]) {
            EXPECT_EQ(rows_of(sandbox_.database(), each.table, each.columns), each.rows)
                << wanted.title << ": " << each.table;
        }
        if (console != wanted.consoles.end()) {
            EXPECT_THAT(console_lines(summary, sandbox_.out()), ElementsAreArray(console->second.lines));
        }
    }

    // S adds a second time, R refuses in both ways.
    void import_again(ImportOptions options) {
        if (options.rules == Rules::R) {
            EXPECT_THROW(import_reports(options), ReportError);
        }
        options.existing = Existing::APPEND;
        if (options.rules == Rules::R) {
            EXPECT_THROW(import_reports(options), ReportError);
        } else {
            import_reports(options);
        }
    }

    Sandbox sandbox_;
};

TEST_P(CasesTest, UnderRulesS) { run(Rules::S); }
TEST_P(CasesTest, UnderRulesR) { run(Rules::R); }
INSTANTIATE_TEST_SUITE_P(Specification, CasesTest, ::testing::ValuesIn(case_names()),
                         [](const auto& each) { return each.param; });

// C22 as far as it is about files.
TEST(DescriptorFiles, HaveTheNamesOfTheRules) {
    const Case wanted = read_case(folder / "C22.txt");
    for (const Rules rules : {Rules::S, Rules::R}) {
        const Sandbox sandbox;
        ImportOptions options = sandbox.options(sandbox.write("report.json", wanted.files.front().second));
        options.rules = rules;
        import_reports(options);
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(sandbox.out())) {
            files.push_back(entry.path().filename().string());
        }
        std::ranges::sort(files);
        const std::string mesh =
            rules == Rules::S ? "mesh_coordinate_mapping.yaml" : "physical_chip_mesh_coordinate_mapping.yaml";
        const std::vector<std::string> wanted_files =
            rules == Rules::S ? std::vector<std::string>{"cluster_descriptor.yaml", "db.sqlite", mesh}
                              : std::vector<std::string>{"cluster_descriptor.yaml", "config.json", "db.sqlite",
                                                         "operation_history.json", mesh};
        EXPECT_THAT(files, ElementsAreArray(wanted_files));
        EXPECT_EQ(Sandbox::read(sandbox.out() / "cluster_descriptor.yaml"), "arch:\n  0: wormhole_b0\n");
        EXPECT_EQ(Sandbox::read(sandbox.out() / mesh), "chips:\n  0: [0, 0]\n");
    }
}

}  // namespace
}  // namespace tracelift::report::testing
