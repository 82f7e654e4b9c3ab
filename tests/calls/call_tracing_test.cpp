// What a program that calls operations leaves behind when its calls are traced.
#include "tracelift/calls/call_tracing.hpp"

#include <algorithm>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "folder.hpp"
#include "ttnn/core/observer.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/ops/creation/constant.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/matmul/linear.hpp"

namespace tracelift {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

class CallTracingTest : public FolderTest {
protected:
    CallTracingTest() {
        tracing_.parameter_files().set_directory(folder_ / "params");
        tracing_.parameter_files().set_count(0);
        tracing_.set_context({"run-1", "test.py::test_it", "MLP"});
    }
    ~CallTracingTest() override {
        tracing_.trace_parameters(false);
        tracing_.trace_values(false);
        tracing_.write_lines({});
        tracing_.parameter_files().set_directory({});
    }

    // By number.
    std::vector<std::filesystem::path> files() const {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::directory_iterator(folder_ / "params")) {
            found.push_back(entry.path());
        }
        std::ranges::sort(found, {}, [](const auto& path) { return std::stoi(path.filename().string()); });
        return found;
    }
    json file(size_t index) const { return json::parse(text_of(files().at(index))); }
    std::vector<json> lines() const {
        std::vector<json> found;
        for (const std::string& line : lines_of(folder_ / "calls.jsonl")) {
            found.push_back(json::parse(line));
        }
        return found;
    }
    ttnn::Tensor tensor(const ttnn::MemoryConfig& config = {}) const {
        return ttnn::full({64, 32}, 1.5,
                          {.dtype = ttnn::DataType::BFLOAT16,
                           .layout = ttnn::Layout::TILE,
                           .device = device_,
                           .memory_config = config});
    }

    CallTracing& tracing_ = CallTracing::instance();
    std::shared_ptr<ttnn::Device> device_ = ttnn::Device::open({.board = "n150"});
};

TEST_F(CallTracingTest, OffWritesNothing) {
    ttnn::add(tensor(), tensor());
    EXPECT_FALSE(std::filesystem::exists(folder_ / "params"));
}

TEST_F(CallTracingTest, FilePerCall) {
    const ttnn::Tensor a = tensor(), b = tensor();
    tracing_.trace_parameters(true);
    ttnn::add(a, b, {.memory_config = ttnn::MemoryConfig()});
    ttnn::multiply(a, 2.5);
    ASSERT_EQ(files().size(), 2);
    EXPECT_THAT(files()[0].filename().string(), MatchesRegex("1_ttnn_add_[0-9]{8}_[0-9]{6}_[0-9]{6}\\.json"));
    EXPECT_THAT(files()[1].filename().string(), MatchesRegex("2_ttnn_multiply_[0-9]{8}_[0-9]{6}_[0-9]{6}\\.json"));
    const json call = file(0);
    EXPECT_EQ(call["operation_number"], 1);
    EXPECT_EQ(call["operation_id"], 1);
    EXPECT_EQ(call["operation_name"], "ttnn.add");
    EXPECT_EQ(call["num_tensors"], 3);
    EXPECT_THAT(files()[0].filename().string(), HasSubstr(call["timestamp"].get<std::string>()));
    const json& input = call["args"][1]["value"];
    EXPECT_EQ(call["args"][1]["position"], 1);
    EXPECT_EQ(input["type"], "ttnn.Tensor");
    EXPECT_EQ(input["shape"], json({64, 32}));
    EXPECT_EQ(input["dtype"], "bfloat16");
    EXPECT_EQ(input["original_dtype"], "DataType.BFLOAT16");
    EXPECT_EQ(input["layout"], "TILE");
    EXPECT_EQ(input["storage_type"], "DEVICE_STORAGE");
    EXPECT_FALSE(input.contains("values"));
    EXPECT_EQ(input["memory_config"]["memory_layout"], "TensorMemoryLayout.INTERLEAVED");
    EXPECT_EQ(input["memory_config"]["buffer_type"], "BufferType.DRAM");
    EXPECT_EQ(input["memory_config"]["shard_spec"], "None");
    EXPECT_EQ(call["kwargs"]["memory_config"]["interleaved"], true);
    EXPECT_EQ(call["return_value"]["shape"], json({64, 32}));
    EXPECT_EQ(file(1)["args"][1]["value"], 2.5);
}

TEST_F(CallTracingTest, ShardSpecAsText) {
    const ttnn::CoreRangeSet grid({ttnn::CoreRange{{0, 0}, {1, 0}}});
    const ttnn::MemoryConfig sharded(ttnn::TensorMemoryLayout::HEIGHT_SHARDED, ttnn::BufferType::L1,
                                     ttnn::ShardSpec{grid, {32, 32}, ttnn::ShardOrientation::ROW_MAJOR});
    const ttnn::Tensor a = tensor(sharded);
    tracing_.trace_parameters(true);
    ttnn::add(a, a);
    const json config = file(0)["args"][0]["value"]["memory_config"];
    EXPECT_EQ(config["shard_spec"], R"(ShardSpec{grid=[{"start":{"x":0,"y":0},"end":{"x":1,"y":0}}], shape=[32, 32], )"
                                    R"(orientation=ShardOrientation::ROW_MAJOR})");
    EXPECT_EQ(config["is_sharded"], true);
    EXPECT_EQ(config["interleaved"], false);
}

TEST_F(CallTracingTest, ValuesWhenAsked) {
    const ttnn::Tensor a =
        ttnn::full({2, 3}, 0.25, {.dtype = ttnn::DataType::BFLOAT16, .layout = ttnn::Layout::TILE, .device = device_});
    tracing_.trace_parameters(true);
    tracing_.trace_values(true);
    ttnn::add(a, a);
    const json call = file(0);
    EXPECT_EQ(call["args"][0]["value"]["dtype"], "float32");
    EXPECT_EQ(call["args"][0]["value"]["original_dtype"], "DataType.BFLOAT16");
    EXPECT_EQ(call["args"][0]["value"]["values"], json({{0.25, 0.25, 0.25}, {0.25, 0.25, 0.25}}));
    EXPECT_EQ(call["return_value"]["values"], json({{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}}));
}

TEST_F(CallTracingTest, WhatAnOperationCallsIsItsOwnAffair) {
    const ttnn::Tensor a = tensor(),
                       w = ttnn::full(
                           {32, 32}, 1.0,
                           {.dtype = ttnn::DataType::BFLOAT16, .layout = ttnn::Layout::TILE, .device = device_});
    tracing_.write_lines(folder_ / "calls.jsonl");
    ttnn::linear(a, w, {.activation = std::string("gelu")});
    ASSERT_EQ(lines().size(), 1);
    EXPECT_EQ(lines()[0]["op_name"], "ttnn.linear");
    EXPECT_EQ(lines()[0]["kwargs"]["activation"], "gelu");
}

TEST_F(CallTracingTest, LinesTellWhereACallBelongs) {
    const ttnn::Tensor a = tensor();
    tracing_.write_lines(folder_ / "calls.jsonl");
    ttnn::add(a, a);
    ttnn::add(a, 1.0);
    tracing_.set_context({"run-1", "test.py::test_other", ""});
    ttnn::multiply(a, a);
    const auto all = lines();
    ASSERT_EQ(all.size(), 3);
    EXPECT_EQ(all[0]["run_id"], "run-1");
    EXPECT_EQ(all[0]["test_nodeid"], "test.py::test_it");
    EXPECT_EQ(all[0]["module"], "MLP");
    EXPECT_EQ(all[0]["op_index"], 0);
    EXPECT_EQ(all[1]["op_index"], 1);
    EXPECT_EQ(all[2]["op_index"], 0);
    EXPECT_TRUE(all[2]["module"].is_null());
    EXPECT_EQ(all[2]["op_name"], "ttnn.multiply");
    EXPECT_GT(all[0]["start_ts"].get<double>(), 1.7e9);
    EXPECT_GT(all[0]["duration_ms"].get<double>(), 0.0);
    EXPECT_FALSE(all[0].contains("error"));
    EXPECT_EQ(all[0]["inputs"][0]["__type__"], "ttnn.TensorRef");
    EXPECT_EQ(all[0]["inputs"][0]["shape"], json({64, 32}));
    EXPECT_EQ(all[0]["inputs"][0]["dtype"], "DataType.BFLOAT16");
    EXPECT_EQ(all[0]["inputs"][0]["memory_config"]["__type__"], "ttnn.MemoryConfig");
    EXPECT_EQ(all[0]["inputs"][0]["memory_config"]["memory_layout"], "INTERLEAVED");
    EXPECT_EQ(all[1]["inputs"][1], 1.0);
    EXPECT_EQ(all[0]["output"]["shape"], json({64, 32}));
}

TEST_F(CallTracingTest, FailedCallHasItsErrorAndNoFile) {
    const ttnn::Tensor a = tensor(),
                       b = ttnn::full(
                           {32, 96}, 1.0,
                           {.dtype = ttnn::DataType::BFLOAT16, .layout = ttnn::Layout::TILE, .device = device_});
    tracing_.trace_parameters(true);
    tracing_.write_lines(folder_ / "calls.jsonl");
    EXPECT_ANY_THROW(ttnn::add(a, b));
    ASSERT_EQ(lines().size(), 1);
    EXPECT_TRUE(lines()[0]["output"].is_null());
    EXPECT_EQ(lines()[0]["error"]["type"], "RuntimeError");
    EXPECT_FALSE(lines()[0]["error"]["message"].get<std::string>().empty());
    EXPECT_FALSE(std::filesystem::exists(folder_ / "params"));
    ttnn::add(a, a);  // and the next one is right again
    EXPECT_EQ(lines().size(), 2);
    EXPECT_EQ(files().size(), 1);
}

TEST_F(CallTracingTest, UnwritableFolderDoesNotReachTheModel) {
    std::ofstream(folder_ / "params") << "a file where the folder should be";
    const ttnn::Tensor a = tensor();
    tracing_.trace_parameters(true);
    testing::internal::CaptureStderr();
    const ttnn::Tensor sum = ttnn::add(a, a);
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(ttnn::read<float>(sum)[0], 3.0F);
    EXPECT_THAT(told, HasSubstr("params"));
}

TEST_F(CallTracingTest, SwitchedOffInsideACall) {
    // An operation that ends while nobody listens must not hide the calls after it.
    struct SwitchesOff final : ttnn::Observer {
        void operation_begin(const ttnn::OpInfo&, const void*) override {
            CallTracing::instance().trace_parameters(false);
        }
    };
    const ttnn::Tensor a = tensor();
    tracing_.trace_parameters(true);
    const auto switches = std::make_shared<SwitchesOff>();
    ttnn::attach(switches);
    ttnn::add(a, a);
    ttnn::detach(switches);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "params"));
    tracing_.trace_parameters(true);
    ttnn::multiply(a, a);
    ASSERT_EQ(files().size(), 1);
    EXPECT_EQ(file(0)["operation_name"], "ttnn.multiply");
}

TEST_F(CallTracingTest, RememberedFilesAreRemovedAndOthersStay) {
    const ttnn::Tensor a = tensor();
    std::filesystem::create_directories(folder_ / "params");
    std::ofstream(folder_ / "params" / "mine.json") << "{}";
    tracing_.parameter_files().remember();
    tracing_.trace_parameters(true);
    ttnn::add(a, a);
    EXPECT_EQ(tracing_.parameter_files().remove_remembered(), 1);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "params" / "mine.json"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "params"), {}), 1);
}

TEST_F(CallTracingTest, ThreadsKeepTheirCallsApart) {
    constexpr int threads = 4, each = 50;
    tracing_.write_lines(folder_ / "calls.jsonl");
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) {
        workers.emplace_back([] {
            const auto device = ttnn::Device::open({.board = "n150"});
            const ttnn::Tensor a = ttnn::Tensor::allocate_on_device(
                ttnn::TensorSpec({32, 32}, ttnn::DataType::BFLOAT16, ttnn::Layout::TILE), device);
            for (int i = 0; i < each; ++i) {
                ttnn::add(a, a);
            }
        });
    }
    for (auto& worker : workers) {
        worker.join();
    }
    std::vector<int> indices;
    for (const json& line : lines()) {
        EXPECT_FALSE(line.contains("error")) << line;
        indices.push_back(line["op_index"]);
    }
    ASSERT_EQ(indices.size(), threads * each);
    std::ranges::sort(indices);
    for (int i = 0; i < threads * each; ++i) {
        EXPECT_EQ(indices[i], i);
    }
}

}  // namespace
}  // namespace tracelift
