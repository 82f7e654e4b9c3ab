// Conditions, names of models and the selection registry.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/catalog/sqlite/master_file.hpp"
#include "tracelift/catalog/sqlite/model_name.hpp"
#include "tracelift/catalog/value_path.hpp"
#include "tracelift/store/condition.hpp"
#include "tracelift/store/selection.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

Configuration sharded_relu() {
    const Value memory = Value::Struct{"MemoryConfig",
                                       {{"memory_layout", Value::Enum{"TensorMemoryLayout", "HEIGHT_SHARDED"}},
                                        {"buffer_type", Value::Enum{"BufferType", "L1"}},
                                        {"shard_spec", Value::Struct{"ShardSpec", {{"shape", Value::List{64, 32}}}}}}};
    const Value tensor = Value::Struct{"Tensor",
                                       {{"shape", Value::List{1, 64}},
                                        {"dtype", Value::Enum{"DataType", "BFLOAT8_B"}},
                                        {"layout", Value::Enum{"Layout", "TILE"}},
                                        {"memory_config", memory}}};
    Configuration configuration;
    configuration.call = {"ttnn.made_up", {{"arg0", tensor}, {"arg1", 0.5}, {"flag", true}}, false, ""};
    configuration.hardware = Hardware{"Wormhole", "n300", 1, {1, 2}, 2};
    configuration.executions = {{"models/bert.py", "u", 3, 0}};
    return configuration;
}

TEST(Condition, Tests) {
    const Configuration configuration = sharded_relu();
    const auto holds = [&](std::string_view text) { return Condition(text).holds(configuration); };
    EXPECT_TRUE(holds("arg0.dtype=BFLOAT8_B and arg0.memory.layout=HEIGHT_SHARDED"));
    EXPECT_FALSE(holds("arg0.dtype=BFLOAT8_B and arg0.memory.layout=WIDTH_SHARDED"));
    EXPECT_TRUE(holds("arg0.dtype=bfloat16 or arg0.layout=tile"));
    EXPECT_TRUE(holds("arg0.buffer=L1 and arg0.shard.shape=[64,32]"));
    EXPECT_TRUE(holds("arg0.shape[1] >= 64 and arg1<1"));
    EXPECT_FALSE(holds("not (arg0.shape[1] > 32)"));
    EXPECT_TRUE(holds("model~BERT and hardware=n300 and mesh=1x2"));
    EXPECT_TRUE(holds("dim=none and not dim and arg0"));
    EXPECT_TRUE(holds("flag=true and flag=1 and flag!='0'"));
    EXPECT_TRUE(holds("arg0.dtype=BFLOAT16 or arg0.dtype=BFLOAT8_B and arg1=0.5"));
}

TEST(Condition, SaysWhatIsWrong) {
    const auto message = [](std::string_view text) {
        try {
            Condition condition(text);
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string("nothing");
    };
    EXPECT_THAT(message("arg0.dtype="), HasSubstr("character 12: expected a value"));
    EXPECT_THAT(message("a=1 b=2"), HasSubstr("expected 'and', 'or' or the end"));
    EXPECT_THAT(message("(a=1"), HasSubstr("')'"));
    EXPECT_THAT(message(""), HasSubstr("a path"));
}

TEST(ModelName, FollowsFromTheSource) {
    const auto name = [](std::string_view source) { return model_name_of(source).name; };
    EXPECT_EQ(name("models/tt_transformers/demo/simple_text_demo.py [HF_MODEL:meta-llama/Llama-3.2-1B]"),
              "llama-3.2-1b");
    EXPECT_EQ(name("models/demos/deepseek_v3/demo/demo.py"), "deepseek_v3");
    EXPECT_EQ(name("models/experimental/efficientnetb0/tests/pcc/test_ttnn_efficientnetb0.py::test_model"),
              "efficientnetb0");
    EXPECT_EQ(name("tests/nightly/single_card/test_bert.py"), "bert");
    EXPECT_EQ(name("models/demo.py"), "demo");
    EXPECT_EQ(name(""), "unknown");
    EXPECT_EQ(model_name_of("models/qwen/x.py [HF_MODEL:a/b]").family, "qwen");
    EXPECT_EQ(model_name_of("models/qwen/x.py [HF_MODEL:a/b]").source_file, "models/qwen/x.py");
}

class Registry : public testing::Test {
protected:
    void write(std::string_view text) const { std::ofstream(path_) << text; }
    std::vector<int64_t> ids(const std::string& scope = {}) {
        selection_ = resolve_selection(path_, scope);
        std::vector<int64_t> result;
        for (const SelectedTrace& trace : selection_.traces) {
            result.push_back(trace.trace_id);
        }
        return result;
    }
    ScratchFolder scratch_;
    fs::path path_ = scratch_.path() / "registry.yaml";
    Selection selection_;
};

constexpr std::string_view registry_text = R"(# which traces stand for which models
targets:
  lead_models:
    - model: [gpt, deepseek]
      trace: [9, 13]
  model_traced:
    - model: whisper
    - model: bert
      hardware: n300
    - trace: 13
    - model: nobody
registry:
  - {trace_id: 2, status: active, models: [whisper], hardware: {device_series: n300}}
  - {trace_id: 4, status: active, models: [whisper, bert], hardware: {device_series: n150}}
  - {trace_id: 5, status: active, models: [whisper], hardware: {device_series: n300}}
  - {trace_id: 6, status: draft, models: [whisper], hardware: {device_series: n300}}
  - {trace_id: 7, status: deprecated, models: [bert], hardware: {device_series: n300}}
)";

TEST_F(Registry, ResolvesTargets) {
    write(registry_text);
    // newest active per series; a draft or deprecated one only where its id is named
    EXPECT_THAT(ids("model_traced"), ElementsAre(5, 4, 13));
    ASSERT_EQ(selection_.warnings.size(), 2U);
    EXPECT_THAT(selection_.warnings[0], HasSubstr("no active trace of model 'bert' on n300"));
    EXPECT_THAT(selection_.warnings[1], HasSubstr("nobody"));
    EXPECT_TRUE(selection_.traces[2].all_models);
    EXPECT_THAT(ids("lead_models"), ElementsAre(9, 13));
    EXPECT_THAT(selection_.traces[0].models, ElementsAre("gpt", "deepseek"));
    EXPECT_THAT(ids(), ElementsAre(9, 13, 5, 4));
    EXPECT_TRUE(selection_.traces[1].all_models);  // one entry without a model lifts the filter
    EXPECT_THROW(ids("no_such_group"), FileError);
}

TEST_F(Registry, RunsAreAppendedAsDrafts) {
    write(std::string("# kept\n") +
          "targets: {}\nregistry:\n  - trace_id: 1\n    status: active\n    models: [a]\n    trace_uid: known\n");
    RunSummary run;
    run.id = 3;
    run.run.uid = "fresh: \"uid\"";
    run.run.started = "2026-01-02 03:04:05";
    run.models = {"bert", "c: d"};
    run.configurations = 7;
    RunSummary known;
    known.run.uid = "known";
    EXPECT_EQ(append_drafts(path_, {known, run}), 1U);
    EXPECT_THAT(read_file(path_), HasSubstr("# kept"));
    EXPECT_EQ(append_drafts(path_, {known, run}), 0U);
    resolve_selection(path_, "");  // still a registry
    EXPECT_THAT(read_file(path_), HasSubstr("trace_id: 3\n    status: draft"));
}

TEST_F(Registry, SaysWhatIsWrong) {
    const auto message = [&](std::string_view text) {
        write(text);
        try {
            resolve_selection(path_, "");
        } catch (const FileError& error) {
            return std::string(error.what());
        }
        return std::string("nothing");
    };
    EXPECT_THAT(message("registry:\n  - {trace_id: x, status: active}\n"), HasSubstr("registry.yaml: line 2"));
    EXPECT_THAT(message("registry:\n  - {trace_id: 1, status: live}\n"), HasSubstr("draft, active or deprecated"));
    EXPECT_THAT(message("targets: [1]\n"), HasSubstr("groups by name"));
    EXPECT_THAT(message("a: [b\n"), HasSubstr("line"));
}

}  // namespace
}  // namespace tracelift
