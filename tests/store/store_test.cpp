// The store: dedup, provenance, the master beside it, several writers.
#include "tracelift/catalog/sqlite/store.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/catalog/sqlite/import.hpp"
#include "tracelift/catalog/sqlite/master_file.hpp"
#include "tracelift/catalog/sqlite/schema.hpp"
#include "tracelift/store/lookup.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

Value small_tensor(int64_t width) {
    const Value memory = Value::Struct{"MemoryConfig",
                                       {{"memory_layout", Value::Enum{"TensorMemoryLayout", "INTERLEAVED"}},
                                        {"buffer_type", Value::Enum{"BufferType", "L1"}}}};
    return Value::Struct{"Tensor",
                         {{"shape", Value::List{32, width}},
                          {"dtype", Value::Enum{"DataType", "BFLOAT16"}},
                          {"layout", Value::Enum{"Layout", "TILE"}},
                          {"storage_type", Value::Enum{"StorageType", "DEVICE"}},
                          {"memory_config", memory}}};
}

NewExecution execution(std::string operation, int64_t width, uint64_t count = 1, std::string model = "m") {
    Binder binder;
    NewExecution fresh;
    fresh.configuration.call = binder.bind({std::move(operation), {small_tensor(width)}, {}}, Order::PYTHON, "n150");
    fresh.configuration.hardware = hardware_of_board("n150");
    fresh.configuration.board = "n150";
    fresh.model = std::move(model);
    fresh.count = count;
    return fresh;
}

TraceRun run(std::string uid, uint64_t kept = 1) {
    return {std::move(uid), "target", "2026-01-01 00:00:00", "passed", kept, kept};
}

class StoreTest : public testing::Test {
protected:
    Json master() const { return Json::parse(std::ifstream(folder_ / master_name)); }
    void write_master(std::string_view text) const { std::ofstream(folder_ / master_name) << text; }
    // The message with which reading the folder fails.
    std::string reading_fails() const {
        try {
            Store::open_for_reading(folder_);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "it did not fail";
    }

    ScratchFolder scratch_;
    fs::path folder_ = scratch_.path();
};

TEST_F(StoreTest, KeepsEachConfigurationOnceAndCountsItsRuns) {
    Store store = Store::open_for_writing(folder_);
    const std::vector first{execution("ttnn.relu", 32, 5), execution("ttnn.relu", 64, 2), execution("ttnn.exp", 32)};
    Added added = store.add(run("u1", 8), first);
    EXPECT_EQ(added.configurations, 3U);
    added = store.add(run("u2", 8), first);
    EXPECT_EQ(added.configurations, 0U);
    EXPECT_EQ(added.known, 3U);
    EXPECT_EQ(added.executions, 3U);
    // The same run again, with another count: the larger one stays.
    added = store.add(run("u2", 8), std::vector{execution("ttnn.relu", 32, 3), execution("ttnn.exp", 32, 9)});
    EXPECT_EQ(added.executions, 0U);
    const auto configurations = store.configurations("ttnn.relu");
    ASSERT_EQ(configurations.size(), 2U);
    ASSERT_EQ(configurations[0].executions.size(), 2U);
    EXPECT_EQ(configurations[0].executions[1].count, 5);
    const auto operations = store.operations();
    ASSERT_EQ(operations.size(), 2U);
    EXPECT_EQ(operations[0].executions, 14);
    EXPECT_EQ(operations[1].executions, 10);
    EXPECT_EQ(master()["metadata"]["total_operations"], 16);
}

TEST_F(StoreTest, WritesTheMasterOfTheGuide) {
    Store store = Store::open_for_writing(folder_);
    store.add(run("u1", 5), std::vector{execution("ttnn.relu", 64, 5, "models/a.py")});
    const Json json = master();
    const Json& tensor = json["operations"]["ttnn::relu"]["configurations"][0][0]["arg0"]["Tensor"]["tensor_spec"];
    EXPECT_EQ(tensor["logical_shape"], Json::parse("[32, 64]"));
    EXPECT_EQ(tensor["tensor_layout"]["dtype"], "DataType::BFLOAT16");
    EXPECT_EQ(tensor["tensor_layout"]["memory_config"]["buffer_type"], "BufferType::L1");
    const Json& execution = json["operations"]["ttnn::relu"]["executions"][0];
    EXPECT_EQ(execution["configuration"], 0);
    EXPECT_EQ(execution["source"], "models/a.py");
    EXPECT_EQ(execution["count"], 5);
    EXPECT_EQ(execution["trace_uid"], "u1");
    EXPECT_EQ(execution["machine_info"]["device_series"], "n150");
    const Json& metadata = json["metadata"];
    EXPECT_EQ(metadata["models"], Json::parse(R"(["models/a.py"])"));
    EXPECT_EQ(metadata["unique_operations"], 1);
    EXPECT_EQ(metadata["total_configurations"], 1);
    EXPECT_EQ(metadata["operation_types"]["ttnn::relu"], 1);
}

TEST_F(StoreTest, CanBeRebuiltFromTheMasterAlone) {
    std::vector<std::string> identities;
    {
        Store store = Store::open_for_writing(folder_);
        store.add(run("u1"), std::vector{execution("ttnn.relu", 32, 4), execution("ttnn.exp", 96, 2)});
        identities = {store.configurations("ttnn.relu")[0].identity, store.configurations("ttnn.exp")[0].identity};
    }
    for (const auto& entry : fs::directory_iterator(folder_)) {
        if (entry.path().filename() != master_name) {
            fs::remove(entry.path());
        }
    }
    Store store = Store::open_for_reading(folder_);
    EXPECT_EQ(store.configurations("ttnn.relu").at(0).identity, identities[0]);
    EXPECT_EQ(store.configurations("ttnn.exp").at(0).identity, identities[1]);
    EXPECT_EQ(store.configurations("ttnn.relu").at(0).executions.at(0).trace_uid, "u1");
    EXPECT_EQ(store.configurations("ttnn.relu").at(0).executions.at(0).count, 4);
    EXPECT_FALSE(fs::exists(folder_ / database_name));  // reading writes nothing
}

TEST_F(StoreTest, TakesInWhatOthersWroteIntoTheMaster) {
    Store store = Store::open_for_writing(folder_);
    store.add(run("u1"), std::vector{execution("ttnn.relu", 32)});
    Json edited = master();
    edited["operations"]["ttnn::made_up"] = {
        {"configurations", Json::parse(R"([[{"arg0": "7"}, {"arg1": "nullopt"}]])")}};
    write_master(edited.dump());
    EXPECT_EQ(Store::open_for_reading(folder_).operations().size(), 2U);
    store.add(run("u2"), std::vector{execution("ttnn.exp", 32)});
    const Json json = master();
    EXPECT_EQ(json["operations"].size(), 3U);
    EXPECT_EQ(json["operations"]["ttnn::made_up"]["configurations"],
              edited["operations"]["ttnn::made_up"]["configurations"]);
    EXPECT_EQ(edited["metadata"]["models"], Json::array({"m"}));  // whose it is then
    EXPECT_EQ(json["operations"]["ttnn::made_up"]["executions"][0]["source"], "m");
}

TEST_F(StoreTest, RefusesAMasterItCannotRead) {
    struct Case {
        std::string_view text;
        std::vector<std::string> says;
    };
    const Case cases[] = {
        {R"({"operations": {"ttnn::add": {"configurations": [[{"arg0")", {"line 1, column", "half-written"}},
        {"[1, 2]", {"the top level", "expected an object", "array"}},
        {R"({"operations": []})", {"operations: expected an object of operations", "array"}},
        {R"({"operations": {"ttnn::add": []}})", {"operations/ttnn::add: expected an object with a list"}},
        {R"({"operations": {"ttnn::add": {"configurations": [5]}}})", {"configurations[0]: expected a list", "number"}},
        {R"({"operations": {"ttnn::add": {"configurations": [[5]]}}})", {"operations/ttnn::add/configurations[0]"}},
        {R"({"operations": {}, "metadata": 3})", {"metadata: expected an object"}},
        {R"({"operations": {"ttnn::add": {"configurations": [], "executions": [{"configuration": 4}]}}})",
         {"operations/ttnn::add/executions", "below 0"}},
    };
    for (const Case& each : cases) {
        write_master(each.text);
        const std::string message = reading_fails();
        EXPECT_THAT(message, HasSubstr(std::string(master_name)));
        for (const std::string& part : each.says) {
            EXPECT_THAT(message, HasSubstr(part));
        }
    }
}

TEST_F(StoreTest, ABrokenMasterStopsAWriterBeforeItChangesAnything) {
    {
        Store store = Store::open_for_writing(folder_);
        store.add(run("u1"), std::vector{execution("ttnn.relu", 32)});
    }
    write_master("{\"operations\": {");
    Store store = Store::open_for_writing(folder_);
    EXPECT_THROW(store.add(run("u2"), std::vector{execution("ttnn.exp", 32)}), MasterError);
    EXPECT_EQ(store.operations().size(), 1U);
    EXPECT_EQ(read_file(folder_ / master_name), "{\"operations\": {");
}

TEST_F(StoreTest, AnEmptyMasterIsNoDataYet) {
    write_master("");
    EXPECT_TRUE(Store::open_for_reading(folder_).operations().empty());
}

TEST_F(StoreTest, SaysThatThereIsNoStore) { EXPECT_THAT(reading_fails(), HasSubstr("there is no store here")); }

TEST_F(StoreTest, RefusesAStoreOfANewerVersion) {
    { Store::open_for_writing(folder_); }
    Database(folder_ / database_name, Database::Mode::WRITE).run("PRAGMA user_version = 999");
    EXPECT_THAT(reading_fails(), HasSubstr("version 999"));
    EXPECT_THROW(Store::open_for_writing(folder_), StoreError);
}

TEST_F(StoreTest, SaysWhichFileIsNoDatabase) {
    std::ofstream(folder_ / database_name) << std::string(5000, 'x');
    EXPECT_THAT(reading_fails(), HasSubstr(std::string(database_name)));
}

// The first writer of a store works without a write-ahead log. One that dies leaves half of its pages in the database,
// which readers have to undo.
TEST_F(StoreTest, ReadersUndoWhatADeadWriterLeft) {
    { Store::open_for_writing(folder_); }
    const auto before = fs::file_size(folder_ / database_name);
    const pid_t writer = fork();
    if (writer == 0) {
        Database database(folder_ / database_name, Database::Mode::WRITE);
        database.hold_pages(size_t{256} << 10);
        database.run("BEGIN IMMEDIATE; DELETE FROM meta");
        for (int i = 0; i < 200; ++i) {
            database.run(fmt::format("INSERT INTO unread (place, text, reason) VALUES ('{}', zeroblob(50000), '')", i));
        }
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(writer, &status, 0), writer);
    ASSERT_EQ(status, 0);
    ASSERT_GT(fs::file_size(folder_ / database_name), before + 1'000'000);
    ASSERT_TRUE(fs::exists(folder_ / "tracelift.db-journal"));
    {
        Store store = Store::open_for_reading(folder_);
        EXPECT_TRUE(store.operations().empty());
        EXPECT_EQ(Database(folder_ / database_name, Database::Mode::READ).integer("SELECT count(*) FROM unread"), 0);
    }
    EXPECT_EQ(fs::file_size(folder_ / database_name), before);
    EXPECT_FALSE(fs::exists(folder_ / "tracelift.db-journal"));
}

TEST_F(StoreTest, ManyWritersLoseNothing) {
    constexpr int processes = 4;
    constexpr int rounds = 20;
    for (int p = 0; p < processes; ++p) {
        if (fork() == 0) {
            bool good = true;
            try {
                for (int r = 0; r < rounds; ++r) {
                    Store store = Store::open_for_writing(folder_);
                    store.add(
                        run(fmt::format("u{}-{}", p, r)),
                        std::vector{execution("ttnn.relu", 32), execution("ttnn.exp", 32 * (p * rounds + r + 1))});
                }
            } catch (const std::exception& error) {
                fmt::print(stderr, "writer {}: {}\n", p, error.what());
                good = false;
            }
            _exit(good ? 0 : 1);
        }
    }
    for (int p = 0; p < processes; ++p) {
        int status = 0;
        wait(&status);
        EXPECT_EQ(status, 0);
    }
    Store store = Store::open_for_reading(folder_);
    EXPECT_EQ(store.configurations("ttnn.exp").size(), size_t{processes * rounds});
    EXPECT_EQ(store.configurations("ttnn.relu").at(0).executions.size(), size_t{processes * rounds});
    const Json json = master();
    EXPECT_EQ(json["operations"]["ttnn::exp"]["configurations"].size(), size_t{processes * rounds});
    EXPECT_EQ(json["metadata"]["total_operations"], processes * rounds);
}

TEST_F(StoreTest, FindsOperationsByTheNamesPeopleType) {
    Store store = Store::open_for_writing(folder_);
    store.add(run("u1"),
              std::vector{execution("ttnn.relu", 32), execution("ttnn.relu6", 32), execution("ttnn.exp", 32)});
    const auto names = [&](std::string_view wanted) {
        std::vector<std::string> found;
        for (const auto& operation : find_stored(store.operations(), wanted)) {
            found.push_back(operation.name);
        }
        return found;
    };
    EXPECT_THAT(names("relu"), ElementsAre("ttnn.relu"));
    EXPECT_THAT(names("ttnn.relu"), ElementsAre("ttnn.relu"));
    EXPECT_THAT(names("ttnn::relu"), ElementsAre("ttnn.relu"));
    EXPECT_THAT(names("rel"), ElementsAre("ttnn.relu", "ttnn.relu6"));
    try {
        names("relo");
        FAIL();
    } catch (const UnknownOperation& error) {
        EXPECT_THAT(error.what(), HasSubstr("did you mean ttnn::relu"));
    }
}

TEST_F(StoreTest, FiltersByModel) {
    Store store = Store::open_for_writing(folder_);
    store.add(run("u1"), std::vector{execution("ttnn.relu", 32, 1, "models/bert.py"),
                                     execution("ttnn.relu", 64, 1, "models/mlp.py")});
    EXPECT_EQ(store.configurations("ttnn.relu", "BERT").size(), 1U);
    EXPECT_EQ(store.configurations("ttnn.relu", "models").size(), 2U);
    EXPECT_THROW(check_model(store, "gpt"), std::runtime_error);
}

}  // namespace
}  // namespace tracelift
