// What happens to a database that is there when an import goes wrong, is repeated or adds to it.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "case_file.hpp"
#include "sandbox.hpp"
#include "tracelift/report/check.hpp"
#include "tracelift/report/schema.hpp"

namespace tracelift::report::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string call(int counter, const std::string& name) {
    return R"({"counter":)" + std::to_string(counter) + R"(,"node_type":"function_start","params":{"name":")" + name +
           R"("},"connections":[)" + std::to_string(counter + 1) + R"(]},{"counter":)" + std::to_string(counter + 1) +
           R"(,"node_type":"function_end","params":{"name":")" + name + R"("},"connections":[]})";
}

class SafetyTest : public ::testing::Test {
protected:
    std::string message_of(const ImportOptions& options) {
        try {
            import_reports(options);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "no error";
    }
    std::string operations() { return rows_of(sandbox_.database(), "operations", "operation_id, name"); }
    size_t files() const {
        const auto entries = std::filesystem::directory_iterator(sandbox_.out());
        return static_cast<size_t>(std::distance(begin(entries), end(entries)));
    }

    Sandbox sandbox_;
    const std::filesystem::path good_ = sandbox_.write("good.json", Sandbox::report(call(0, "ttnn.a")));
    const std::filesystem::path other_ = sandbox_.write("other.json", Sandbox::report(call(0, "ttnn.b")));
};

TEST_F(SafetyTest, AMalformedNodeIsNamedAndTheDatabaseStays) {
    import_reports(sandbox_.options(good_));
    const std::string before = Sandbox::read(sandbox_.database());
    const std::string broken = Sandbox::report(call(0, "ttnn.b") + R"(,{"counter":2,"node_type":tensor})");
    ImportOptions options = sandbox_.options(sandbox_.write("broken.json", broken));
    for (const Existing existing : {Existing::REPLACE, Existing::APPEND}) {
        options.existing = existing;
        EXPECT_THAT(message_of(options), AllOf(HasSubstr("broken.json"), HasSubstr("node 2")));
        EXPECT_EQ(Sandbox::read(sandbox_.database()), before);
        EXPECT_EQ(files(), 3);  // settings and history, and nothing of the failed import
    }
}

TEST_F(SafetyTest, BrokenDocumentsAreToldWithTheirPlace) {
    const std::pair<std::string, std::string> documents[] = {
        {"", "line 1 column 1"},
        {"[1, 2]", "expected a report, which is an object"},
        {"{\"version\": 1,\n \"graph\": [{]}", "line 2"},
        {"{\"version\": 1, \"graph\": [{}", "',' or ']'"},
        {"{\"version\": 1, \"graph\": [{}] ", "',' or '}'"},
        {"{\"version\": 1, \"graph\": [{}]} x", "the end of the file"},
        {"{\"version\": 1, \"graph\": 7}", "a list of nodes"},
        {"{\"version\": 1, \"graph\": [7]}", "node 0, which is an object"},
        {"{\"version\": 1, \"graph\": [{\"a\": \"\xFF\"}]}", "node 0"},
        {"{\"version\": 1, \"graph\": [{\"a\": \"b]}", "the end of the string"},
        {"{\"version\": 1, \"metadata\": {\"a\": }}", "metadata"}};
    for (const auto& [text, words] : documents) {
        EXPECT_THAT(message_of(sandbox_.options(sandbox_.write("bad.json", text))),
                    AllOf(HasSubstr("bad.json"), HasSubstr(words)))
            << text;
        EXPECT_FALSE(std::filesystem::exists(sandbox_.database()));
    }
    EXPECT_THAT(message_of(sandbox_.options(sandbox_.in() / "none.json")), HasSubstr("none.json"));
}

TEST_F(SafetyTest, RepeatedImportsAreRefusedUnlessAskedFor) {
    ImportOptions options = sandbox_.options(good_);
    import_reports(options);
    EXPECT_THAT(message_of(options), AllOf(HasSubstr("--replace"), HasSubstr("--append")));
    options.existing = Existing::APPEND;
    EXPECT_THAT(message_of(options), HasSubstr("is already in the database"));
    options.existing = Existing::REPLACE;
    import_reports(options);
    EXPECT_EQ(operations(), "(1, 'ttnn.a')");
}

TEST_F(SafetyTest, AppendedReportsGetIdsOfTheirOwn) {
    import_reports(sandbox_.options(good_));
    ImportOptions options = sandbox_.options(other_);
    options.existing = Existing::APPEND;
    import_reports(options);
    EXPECT_EQ(operations(), "(1, 'ttnn.a') (10001, 'ttnn.b')");
    Database database(sandbox_.database(), Database::Mode::READ);
    EXPECT_TRUE(check_database(database).violations.empty());
}

TEST_F(SafetyTest, ReportsOfMoreThanAStrideDoNotOverlap) {
    std::string nodes;
    for (int i = 0; i < 10'005; ++i) {
        nodes += (i == 0 ? "" : ",") + call(2 * i, "ttnn.a");
    }
    ImportOptions options = sandbox_.options(sandbox_.write("a.json", Sandbox::report(nodes)));
    options.inputs.push_back(other_);
    import_reports(options);
    Database database(sandbox_.database(), Database::Mode::READ);
    EXPECT_EQ(database.integer("SELECT operation_id FROM operations WHERE name = 'ttnn.b'"), 20'001);
}

TEST_F(SafetyTest, AReplacedDatabaseTakesItsFilesAlong) {
    const std::string cluster = R"(, "cluster_descriptor": "arch: {}")";
    import_reports(sandbox_.options(sandbox_.write("c.json", Sandbox::report("", cluster))));
    EXPECT_TRUE(std::filesystem::exists(sandbox_.out() / "cluster_descriptor.yaml"));
    ImportOptions options = sandbox_.options(good_);
    options.existing = Existing::REPLACE;
    import_reports(options);
    EXPECT_FALSE(std::filesystem::exists(sandbox_.out() / "cluster_descriptor.yaml"));
}

TEST_F(SafetyTest, KeepGoingLeavesOutWhatCannotBeRead) {
    sandbox_.write("bad.json", "{oops");
    ImportOptions options = sandbox_.options(sandbox_.in());
    EXPECT_THAT(message_of(options), HasSubstr("bad.json"));
    options.keep_going = true;
    const ImportSummary summary = import_reports(options);
    EXPECT_EQ(summary.reports, 2);
    ASSERT_EQ(summary.skipped.size(), 1);
    EXPECT_THAT(summary.skipped[0], HasSubstr("bad.json"));
    EXPECT_EQ(operations(), "(1, 'ttnn.a') (10001, 'ttnn.b')");
}

TEST_F(SafetyTest, RulesDoNotMix) {
    import_reports(sandbox_.options(good_));
    ImportOptions options = sandbox_.options(other_);
    options.existing = Existing::APPEND;
    options.rules = Rules::S;
    EXPECT_THAT(message_of(options), HasSubstr("rules r"));
}

// Killed in the middle, an import leaves the database as it was, and the next one works.
TEST_F(SafetyTest, AKilledImportLeavesNothingHalfMade) {
    import_reports(sandbox_.options(good_));
    const std::string before = Sandbox::read(sandbox_.database());
    std::string nodes;
    for (int i = 0; i < 200'000; ++i) {
        nodes += (i == 0 ? "" : ",") + call(2 * i, "ttnn.a");
    }
    ImportOptions options = sandbox_.options(sandbox_.write("long.json", Sandbox::report(nodes)));
    options.existing = Existing::REPLACE;
    const pid_t child = fork();
    if (child == 0) {
        import_reports(options);
        _exit(0);
    }
    // The first pages of the new database are on their way when its file has some size.
    const std::filesystem::path partial = sandbox_.out() / ".db.sqlite.partial";
    std::error_code problem;
    for (int i = 0; i < 20'000 && std::filesystem::file_size(partial, problem) + 1 < 100'000; ++i) {
        usleep(500);
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it was too quick";
    EXPECT_EQ(Sandbox::read(sandbox_.database()), before);
    options.inputs = {other_};
    import_reports(options);
    EXPECT_EQ(operations(), "(1, 'ttnn.b')");
    EXPECT_EQ(files(), 3);
}

// The viewer filters by host only where `buffers` is a table.
TEST_F(SafetyTest, SeveralHostsGetATableOfBuffers) {
    const std::string second = R"({"version": 1, "metadata": {"rank": 1}, "graph": [)" + call(0, "ttnn.b") + "]}";
    ImportOptions options = sandbox_.options(good_);
    options.inputs.push_back(sandbox_.write("second.json", second));
    import_reports(options);
    Database database(sandbox_.database(), Database::Mode::READ);
    EXPECT_FALSE(buffers_is_view(database));
}

}  // namespace
}  // namespace tracelift::report::testing
