// Real masters through the store: nothing is lost, hashes come out again, formats keep identity.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dialects/support.hpp"
#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/catalog/sqlite/master_file.hpp"
#include "tracelift/catalog/sqlite/store.hpp"
#include "tracelift/store/diff.hpp"
#include "tracelift/store/export.hpp"
#include "tracelift/store/verify.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr const char* efficientnet = "efficientnet_b0_format1.json";
constexpr const char* llama = "llama32_1b_n300_format2.json";
constexpr const char* deepseek = "deepseek_v3_galaxy_format2.json";

using testing::master_path;

class Masters : public ::testing::Test {
protected:
    Store imported(const fs::path& file, const std::string& name) {
        Store store = Store::open_for_writing(folder_ / name);
        store.import_master(file, {});
        return store;
    }
    fs::path exported(Store& store, const std::string& name, ExportFormat format) {
        ExportOptions options;
        options.format = format;
        std::ofstream file(folder_ / name);
        export_configurations(store, options, [&](std::string_view text) { file << text; });
        return folder_ / name;
    }
    static std::multiset<std::string> identities(Store& store, bool bound_only = false) {
        std::multiset<std::string> all;
        store.visit({}, [&](Configuration& configuration) {
            if (!bound_only || configuration.call.bound) {
                all.insert(configuration.identity);
            }
            return true;
        });
        return all;
    }
    ScratchFolder scratch_;
    fs::path folder_ = scratch_.path();
};

TEST_F(Masters, CountsPerOperationAreThoseOfTheFile) {
    for (const auto* name : {efficientnet, llama, deepseek}) {
        REQUIRE_MASTER_FILE(name);
        Store store = imported(master_path(name), name);
        const Json file = Json::parse(std::ifstream(master_path(name)));
        std::map<std::string, size_t> expected;
        for (const auto& [operation, body] : file["operations"].items()) {
            expected[dotted_name(operation)] = body["configurations"].size();
        }
        std::map<std::string, size_t> found;
        for (const OperationSummary& operation : store.operations()) {
            found[operation.name] = static_cast<size_t>(operation.configurations);
        }
        EXPECT_EQ(found, expected) << name;
        EXPECT_EQ(verify_store(store).with_unparsed, 0U) << name;
    }
}

TEST_F(Masters, EveryOperationWithADeclarationIsBoundInFormat2) {
    for (const auto* name : {llama, deepseek}) {
        REQUIRE_MASTER_FILE(name);
        Store store = imported(master_path(name), name);
        store.visit({}, [&](Configuration& configuration) {
            EXPECT_TRUE(configuration.call.bound ||
                        configuration.call.note == "there is no declaration of this operation")
                << configuration.call.operation << ": " << configuration.call.note;
            return true;
        });
    }
}

TEST_F(Masters, HashesOfTheirWritersComeOutAgain) {
    REQUIRE_MASTER_FILE(llama);
    REQUIRE_MASTER_FILE(deepseek);
    Store rebuilt = imported(master_path(llama), "l");
    const VerifyReport of_llama = verify_store(rebuilt);
    EXPECT_THAT(of_llama.variants, UnorderedElementsAre(Pair("H2", 605), Pair("H2 with wide integers", 4)));
    EXPECT_EQ(of_llama.executions, 231326U);
    EXPECT_TRUE(of_llama.errors.empty());
    Store traced = imported(master_path(deepseek), "d");
    const VerifyReport of_deepseek = verify_store(traced);
    EXPECT_THAT(of_deepseek.variants, UnorderedElementsAre(Pair("H1", 334), Pair("H1 with non-finite floats", 4)));
    EXPECT_EQ(of_deepseek.executions, 195806U);
    // Semaphore addresses keep 338 apart in the file that are 323 without them.
    EXPECT_EQ(of_deepseek.configurations, 338U);
    EXPECT_EQ(of_deepseek.identities, 323U);
    int64_t more = 0;
    for (const auto& group : of_deepseek.groups) {
        more += group.configurations - 1;
        EXPECT_EQ(group.operation, "ttnn.experimental.all_gather_async");
    }
    EXPECT_EQ(more, 15);
}

// Batches are fitted by two threads in any order; the error is that of the first bad configuration, and nothing is
// kept.
TEST_F(Masters, TheFirstOfSeveralBrokenConfigurationsIsNamed) {
    Json list = Json::array();
    for (int i = 0; i < 3000; ++i) {
        list.push_back(Json::array({{{"arg0", std::to_string(i)}}}));
    }
    for (const int broken : {700, 710, 1500, 2999}) {
        list[static_cast<size_t>(broken)] = Json::array({{{"arg7", "1"}}});
    }
    std::ofstream(folder_ / "broken.json") << Json{{"operations", {{"ttnn::add", {{"configurations", list}}}}}};
    for (int again = 0; again < 5; ++again) {
        try {
            imported(folder_ / "broken.json", "store");
            FAIL() << "it is broken";
        } catch (const FileError& error) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr("broken.json: operations/ttnn::add/configurations[700]: "));
        }
        Store store = Store::open_for_writing(folder_ / "store");
        EXPECT_TRUE(identities(store).empty());
    }
}

TEST_F(Masters, ImportingAgainChangesNothing) {
    for (const auto* name : {efficientnet, llama, deepseek}) {
        REQUIRE_MASTER_FILE(name);
        Store store = imported(master_path(name), name);
        const std::string before = read_file(store.master_path());
        const ImportReport again = store.import_master(master_path(name), {});
        EXPECT_FALSE(again.added.changed) << name;
        EXPECT_EQ(again.added.known, again.configurations);
        EXPECT_EQ(read_file(store.master_path()), before);
    }
}

TEST_F(Masters, WritingTheSameFormatKeepsEveryValue) {
    const std::pair<const char*, ExportFormat> cases[] = {
        {efficientnet, ExportFormat::FORMAT_1}, {llama, ExportFormat::FORMAT_2}, {deepseek, ExportFormat::FORMAT_2}};
    for (const auto& [name, format] : cases) {
        REQUIRE_MASTER_FILE(name);
        Store first = imported(master_path(name), name);
        Store second = imported(exported(first, "again.json", format), std::string(name) + "-again");
        const StoreDiff diff = diff_stores(first, second, {});
        EXPECT_TRUE(diff.empty()) << name << ": " << diff.configurations.size() << " differ";
        EXPECT_GT(diff.same, 300U);
    }
}

TEST_F(Masters, AnotherFormatKeepsIdentity) {
    REQUIRE_MASTER_FILE(efficientnet);
    Store first = imported(master_path(efficientnet), "1");
    Store second = imported(exported(first, "2.json", ExportFormat::FORMAT_2), "2");
    EXPECT_EQ(identities(second), identities(first));
    Store third = imported(exported(second, "1.json", ExportFormat::FORMAT_1), "3");
    EXPECT_EQ(identities(third), identities(first));
    const VerifyReport report = verify_store(second);
    EXPECT_EQ(report.other_hashes, 0U);  // the hashes we gave are those of the original writers
    uint64_t recomputed = 0;
    for (const auto& [variant, count] : report.variants) {
        recomputed += count;
    }
    EXPECT_EQ(recomputed, 387U);
}

// With a declaration or without one.
TEST_F(Masters, CallsKeepIdentityFromFormat2ToFormat1) {
    for (const auto* name : {llama, deepseek}) {
        REQUIRE_MASTER_FILE(name);
        Store first = imported(master_path(name), name);
        Store second = imported(exported(first, "1.json", ExportFormat::FORMAT_1), std::string(name) + "-1");
        EXPECT_EQ(identities(second), identities(first)) << name;
        EXPECT_EQ(identities(second, true), identities(first, true)) << name;
    }
}

TEST_F(Masters, Format1KeepsTheTextOfItsArguments) {
    REQUIRE_MASTER(Json, before, efficientnet);
    Store store = imported(master_path(efficientnet), "store");
    const Json after = Json::parse(std::ifstream(exported(store, "again.json", ExportFormat::FORMAT_1)));
    size_t compared = 0;
    for (const auto& [operation, body] : before["operations"].items()) {
        const Json& again = after["operations"][operation]["configurations"];
        ASSERT_EQ(again.size(), body["configurations"].size()) << operation;
        for (size_t i = 0; i < again.size(); ++i) {
            ASSERT_EQ(again[i].dump(), body["configurations"][i].dump());
            ++compared;
        }
    }
    EXPECT_EQ(compared, 387U);
}

TEST_F(Masters, TheOnlyModelOfTheMetadataNamesWhatHasNoSource) {
    const auto write = [&](const Json& models, bool in_front) {
        const Json operations{{"ttnn::relu", {{"configurations", {Json::array({{{"arg0", "1"}}})}}}}};
        const Json metadata{{"models", models}, {"note", "\"metadata\": {}}"}};
        const Json file = in_front ? Json{{"metadata", metadata}, {"operations", operations}}
                                   : Json{{"operations", operations}, {"metadata", metadata}};
        std::ofstream(folder_ / "master.json") << file.dump(2);
        return folder_ / "master.json";
    };
    using Models = std::vector<std::string>;
    for (const bool in_front : {true, false}) {
        const std::string place = in_front ? "front" : "end";
        EXPECT_EQ(imported(write({"bert"}, in_front), place + "1").models(), Models{"bert"});
        EXPECT_EQ(imported(write({"bert", "llama"}, in_front), place + "2").models(), Models{"unknown"});
        EXPECT_EQ(imported(write(Json::array(), in_front), place + "0").models(), Models{"unknown"});
    }
    REQUIRE_MASTER_FILE(efficientnet);
    EXPECT_EQ(imported(master_path(efficientnet), "e").models(), Models{"test_efficientnetb0_model[device_params0]"});
}

// What a capture did not write down is left out of the call, kept with it and counted; the rest binds.
TEST_F(Masters, CallsBindWithoutWhatTheCaptureLost) {
    REQUIRE_MASTER_FILE(efficientnet);
    Store store = imported(master_path(efficientnet), "store");
    store.visit({}, [&](Configuration& configuration) {
        EXPECT_TRUE(configuration.call.bound || configuration.call.note == "there is no declaration of this operation")
            << configuration.call.operation << ": " << configuration.call.note;
        return true;
    });
    const auto count = [&](const std::string& where) {
        Statement select(store.database(),
                         "SELECT count(*) FROM configuration c JOIN operation o ON o.id = "
                         "c.operation_id WHERE bound AND " +
                             where);
        select.step();
        return select.integer(0);
    };
    EXPECT_EQ(count("o.name IN ('ttnn.multiply', 'ttnn.add') AND lost > 0"), 38);
    EXPECT_EQ(count("o.name = 'ttnn.reshape' AND lost > 0"), 0);  // how pages are mapped changes no value
    const VerifyReport report = verify_store(store);
    EXPECT_GT(report.with_lost, 0U);
}

TEST_F(Masters, DiffShowsExactlyTheLeafThatChanged) {
    REQUIRE_MASTER_FILE(deepseek);
    Json file = Json::parse(std::ifstream(master_path(deepseek)));
    Store before = imported(master_path(deepseek), "before");
    Json& shape = file["operations"]["ttnn.sigmoid"]["configurations"][0]["arguments"]["arg0"]["original_shape"];
    const int64_t width = shape[3].get<int64_t>();
    shape[3] = width + 32;
    std::ofstream(folder_ / "changed.json") << file.dump(2);
    Store after = imported(folder_ / "changed.json", "after");
    const StoreDiff diff = diff_stores(before, after, {});
    ASSERT_EQ(diff.configurations.size(), 1U);
    EXPECT_EQ(diff.configurations[0].operation, "ttnn.sigmoid");
    ASSERT_EQ(diff.configurations[0].leaves.size(), 1U);
    const LeafChange& leaf = diff.configurations[0].leaves[0];
    EXPECT_EQ(leaf.path, "arguments.arg0.original_shape[3]");
    EXPECT_EQ(leaf.before, std::to_string(width));
    EXPECT_EQ(leaf.after, std::to_string(width + 32));
    EXPECT_TRUE(diff_stores(before, before, {}).empty());
}

// Eight processes, masters that overlap: what they leave is what one after the other leaves.
TEST_F(Masters, ManyProcessesImportingAtOnceEqualOneAfterTheOther) {
    REQUIRE_MASTER_FILE(efficientnet);
    REQUIRE_MASTER_FILE(llama);
    REQUIRE_MASTER_FILE(deepseek);
    std::vector<fs::path> files = {master_path(efficientnet), master_path(llama), master_path(deepseek)};
    for (int i = 0; i < 5; ++i) {
        Json file = Json::parse(std::ifstream(master_path(deepseek)));
        for (auto& [name, operation] : file["operations"].items()) {
            Json& list = operation["configurations"];
            for (size_t j = static_cast<size_t>(i); j < list.size(); j += 7) {
                list[j]["arguments"]["extra"] = i;
            }
        }
        files.push_back(folder_ / fmt::format("d{}.json", i));
        std::ofstream(files.back()) << file.dump();
    }
    const auto import = [&](const fs::path& file, const std::string& store) {
        Store::open_for_writing(folder_ / store).import_master(file, {});
    };
    for (const fs::path& file : files) {
        import(file, "one");
    }
    for (const fs::path& file : files) {
        if (fork() == 0) {
            try {
                import(file, "many");
                _exit(0);
            } catch (const std::exception& error) {
                fmt::print(stderr, "{}: {}\n", file.string(), error.what());
                _exit(1);
            }
        }
    }
    for (size_t i = 0; i < files.size(); ++i) {
        int status = 0;
        wait(&status);
        EXPECT_EQ(status, 0);
    }
    Store one = Store::open_for_reading(folder_ / "one");
    Store many = Store::open_for_reading(folder_ / "many");
    EXPECT_EQ(identities(many), identities(one));
    const auto executions = [](Store& store) {
        std::multiset<std::string> all;
        store.visit({}, [&](Configuration& configuration) {
            for (const Execution& execution : configuration.executions) {
                all.insert(fmt::format("{} {} {} {} {}", configuration.identity, configuration.ordinal, execution.model,
                                       execution.trace_uid, execution.count));
            }
            return true;
        });
        return all;
    };
    EXPECT_EQ(executions(many), executions(one));
    EXPECT_TRUE(verify_store(many).errors.empty());
}

TEST_F(Masters, MergingStoresEqualsImportingTheirFiles) {
    REQUIRE_MASTER_FILE(llama);
    REQUIRE_MASTER_FILE(deepseek);
    Store a = imported(master_path(llama), "a");
    Store b = imported(master_path(deepseek), "b");
    Store merged = Store::open_for_writing(folder_ / "merged");
    merged.import_store(a);
    merged.import_store(b);
    a.import_master(master_path(deepseek), {});
    EXPECT_TRUE(diff_stores(a, merged, {}).empty());
    EXPECT_FALSE(merged.import_store(b).added.changed);
}

}  // namespace
}  // namespace tracelift
