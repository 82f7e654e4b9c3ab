// Shards of outputs as the rules derive them, against those that real models show: what an operation makes, another one
// gets. A master does not say which operation comes next, so a link goes from an output to all tensors of its shape,
// dtype, layout and kind of memory that other calls get; it agrees where one of them lies in the same shards.
#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <span>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "dialects/support.hpp"
#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/catalog/sqlite/store.hpp"
#include "tracelift/sweep/memory_check.hpp"
#include "tracelift/sweep/native_vectors.hpp"
#include "ttnn/op/type_info.hpp"
#include "ttnn/ops/conv/conv2d.hpp"
#include "ttnn/ops/conv/conv_shards.hpp"

namespace tracelift {
namespace {

using enum ttnn::TensorMemoryLayout;
using ttnn::TensorMemoryLayout;
using ttnn::TensorSpec;

struct Seen {
    TensorSpec spec;
    int64_t configuration = 0;
};

bool in_shards(const TensorSpec& spec) { return spec.memory_config().shard_spec().has_value(); }

// All that is known of both but where the shards lie.
bool same_kind(const TensorSpec& a, const TensorSpec& b) {
    return a.logical_shape() == b.logical_shape() && a.dtype() == b.dtype() && a.layout() == b.layout() &&
           a.memory_config().memory_layout() == b.memory_config().memory_layout() &&
           a.memory_config().buffer_type() == b.memory_config().buffer_type();
}
bool same_shards(const TensorSpec& a, const TensorSpec& b) {
    return a.memory_config().shard_spec() == b.memory_config().shard_spec();
}

std::string text(const TensorSpec& spec) {
    return fmt::format("{} {} {} {} {}", spec.logical_shape(), ttnn::member_name(spec.dtype()),
                       ttnn::member_name(spec.layout()), ttnn::member_name(spec.memory_config().memory_layout()),
                       spec.memory_config().shard_spec() ? spec.memory_config().shard_spec()->to_string() : "");
}

// The one link from an operation to a shape that does not agree, and why it need not.
struct Exception {
    std::string_view operation;
    ttnn::Shape shape;
    std::string_view why;
};

class Links {
public:
    explicit Links(std::span<const Exception> exceptions = {}) : exceptions_(exceptions) {}
    // Nothing where no other call gets such a tensor.
    void add(const std::string& name, const TensorSpec& output, const std::vector<TensorSpec>& next) {
        if (next.empty()) {
            return;
        }
        Count& count = counts_[name];
        ++count.checked;
        if (std::ranges::any_of(next, [&](const TensorSpec& each) { return same_shards(each, output); })) {
            ++count.agree;
        } else if (const Exception* exception = exception_for(name, output)) {
            excepted_.push_back(exception);
        } else {
            problems_.push_back(fmt::format("{}: derived {}, traced {}", name, text(output), text(next.front())));
        }
    }
    // A line with the figures, properties of the test, and the verdict.
    void report(const std::string& what, const std::string& property) const {
        Count sum;
        std::vector<std::string> parts;
        for (const auto& [name, count] : counts_) {
            sum.checked += count.checked;
            sum.agree += count.agree;
            parts.push_back(fmt::format("{} {}/{}", name, count.agree, count.checked));
        }
        std::cout << fmt::format("{}: {} links checked, {} agree, {} excepted ({})\n", what, sum.checked, sum.agree,
                                 excepted_.size(), fmt::join(parts, ", "));
        ::testing::Test::RecordProperty(property + "_checked", static_cast<int>(sum.checked));
        ::testing::Test::RecordProperty(property + "_agree", static_cast<int>(sum.agree));
        ::testing::Test::RecordProperty(property + "_excepted", static_cast<int>(excepted_.size()));
        EXPECT_GT(sum.agree, 0U);
        EXPECT_TRUE(problems_.empty()) << fmt::format("{}", fmt::join(problems_, "\n"));
        for (const Exception& each : exceptions_) {
            std::cout << fmt::format("  excepted: {} to {}: {}\n", each.operation, each.shape, each.why);
            EXPECT_EQ(std::ranges::count(excepted_, &each), 1) << "links of this exception: " << each.operation;
        }
    }

private:
    struct Count {
        size_t checked = 0;
        size_t agree = 0;
    };
    const Exception* exception_for(const std::string& name, const TensorSpec& output) const {
        const auto found = std::ranges::find_if(exceptions_, [&](const Exception& each) {
            return each.operation == name && each.shape == output.logical_shape();
        });
        return found == exceptions_.end() ? nullptr : &*found;
    }
    std::span<const Exception> exceptions_;
    std::map<std::string, Count> counts_;
    std::vector<std::string> problems_;
    std::vector<const Exception*> excepted_;
};

void add_tensors(const Value& value, int64_t configuration, std::vector<Seen>& seen) {
    if (const auto* list = value.as<Value::List>()) {
        for (const Value& item : *list) {
            add_tensors(item, configuration, seen);
        }
    }
    if (const auto* record = value.as<Value::Struct>(); record == nullptr || record->type != "Tensor") {
        return;
    }
    ttnn::Tensor described;
    ttnn::type_info<ttnn::Tensor>().decode(value, {nullptr, ttnn::Tensor::without_bytes}, &described);
    seen.push_back({described.spec(), configuration});
}

// The calls of a master that fit a declaration, and the sharded tensors that they get.
class Master {
public:
    explicit Master(const std::string& name) {
        Store store = Store::open_for_writing(scratch_.path() / "store");
        store.import_master(testing::master_path(name), {});
        store.visit({}, [&](Configuration& configuration) {
            if (configuration.call.bound) {
                add(request_of(configuration));
            }
            return true;
        });
    }
    const std::vector<CallRequest>& calls() const { return calls_; }
    const std::vector<Seen>& inputs() const { return inputs_; }
    // Those of the kind that other calls get.
    std::vector<TensorSpec> next_inputs(const TensorSpec& output, int64_t maker) const {
        std::vector<TensorSpec> found;
        for (const Seen& input : inputs_) {
            if (input.configuration != maker && same_kind(input.spec, output)) {
                found.push_back(input.spec);
            }
        }
        return found;
    }
    MemoryCheck derived(const CallRequest& call) {
        return check_memory(*ttnn::find_operation(call.operation), call.arguments, device(call.board));
    }
    const std::shared_ptr<ttnn::Device>& device(const std::string& board) {
        auto& opened = devices_[board];
        if (!opened) {
            opened = open_board(board);
        }
        return opened;
    }

private:
    void add(CallRequest call) {
        std::vector<Seen> seen;
        for (const Value::Entry& argument : call.arguments) {
            add_tensors(argument.value, call.id, seen);
        }
        std::ranges::copy_if(seen, std::back_inserter(inputs_), [](const Seen& each) { return in_shards(each.spec); });
        calls_.push_back(std::move(call));
    }
    ScratchFolder scratch_;
    std::vector<CallRequest> calls_;
    std::vector<Seen> inputs_;
    std::map<std::string, std::shared_ptr<ttnn::Device>> devices_;
};

constexpr std::string_view conv2d = "ttnn.conv2d";  // the only operation whose config the capture lost

void check_outputs(const std::string& name, const std::string& property, std::span<const Exception> exceptions) {
    Master master(name);
    Links links(exceptions);
    for (const CallRequest& call : master.calls()) {
        if (call.operation == conv2d) {
            continue;
        }
        const MemoryCheck check = master.derived(call);
        EXPECT_TRUE(check.inferred) << call.operation << ": " << check.problem;
        for (const TensorSpec& output : check.outputs) {
            if (in_shards(output)) {
                links.add(call.operation, output, master.next_inputs(output, call.id));
            }
        }
    }
    links.report(name, property);
}

TEST(TracedShards, OperationsOfEfficientNetGetWhatOthersMake) {
    REQUIRE_MASTER_FILE("efficientnet_b0_format1.json");
    check_outputs("efficientnet_b0_format1.json", "efficientnet", {});
}

TEST(TracedShards, OperationsOfLlamaGetWhatOthersMake) {
    REQUIRE_MASTER_FILE("llama32_1b_n300_format2.json");
    const Exception exceptions[] = {
        {"ttnn.linear", {1, 1, 32, 2048}, "of attention: next is reduce_scatter_minimal_async, which is not traced"},
        {"ttnn.reshape", {1, 1, 32, 1024}, "next is to_memory_config, which is not traced, and moves the shards"}};
    check_outputs("llama32_1b_n300_format2.json", "llama", exceptions);
}

TEST(TracedShards, OperationsOfDeepseekGetWhatOthersMake) {
    REQUIRE_MASTER_FILE("deepseek_v3_galaxy_format2.json");
    const Exception exceptions[] = {
        {"ttnn.slice", {1, 1, 32, 1536}, "next is to_memory_config, which is not traced, and moves the shards"}};
    check_outputs("deepseek_v3_galaxy_format2.json", "deepseek", exceptions);
}

// --- conv2d ----------------------------------------------------------------------------------------------------------

constexpr ttnn::CoreCoord grid{8, 8};  // no file of format 1 names its machine; the shards in this one show it

// What a convolution does in one of the layouts that it may have had.
struct Planned {
    int64_t call = 0;
    bool product = false;
    TensorSpec input;  // where it moves what it gets
    TensorSpec output;
};

// That convolutions may move what they get is what the first one shows.
Planned planned(int64_t call, const ttnn::conv_rules::Arguments& args, TensorMemoryLayout layout) {
    ttnn::Conv2dConfig config;
    config.shard_layout = layout;
    config.reshard_if_not_optimal = true;
    const auto plan = ttnn::conv_rules::plan_shards(args.window, ttnn::conv_rules::facts_of(args.input), config, grid,
                                                    ttnn::conv_rules::is_product(args, false));
    const TensorSpec& input = args.input.spec();
    return {call, plan.product, TensorSpec(input.logical_shape(), input.dtype(), input.layout(), plan.input_memory),
            TensorSpec(ttnn::conv_rules::result_shape(args.window), ttnn::conv_rules::result_dtype(args),
                       ttnn::Layout::TILE, plan.output_memory)};
}

// A configuration stands for every layout that it was called with, as that is lost. With one tap those are known: all
// but WIDTH_SHARDED ones run as products, which are in the trace.
class Convolutions {
public:
    explicit Convolutions(Master& master) {
        for (const CallRequest& call : master.calls()) {
            if (call.operation == "ttnn.linear") {
                add_product(master, call);
            }
        }
        for (const CallRequest& call : master.calls()) {
            if (call.operation == conv2d) {
                add_convolution(master, call);
            }
        }
    }
    const std::vector<Planned>& plans() const { return plans_; }
    // Of the convolution, by its shapes.
    std::vector<Planned> products(const Planned& plan) const {
        std::vector<Planned> found;
        std::ranges::copy_if(products_, std::back_inserter(found), [&](const Planned& each) {
            return each.input.logical_shape() == plan.input.logical_shape() &&
                   each.output.logical_shape() == plan.output.logical_shape();
        });
        return found;
    }

private:
    void add_product(Master& master, const CallRequest& call) {
        const MemoryCheck check = master.derived(call);
        std::vector<Seen> inputs;
        add_tensors(call.arguments.front().value, call.id, inputs);
        if (!inputs.empty() && !check.outputs.empty() && in_shards(check.outputs.front())) {
            products_.push_back({call.id, true, inputs.front().spec, check.outputs.front()});
        }
    }
    void add_convolution(Master& master, const CallRequest& call) {
        const ttnn::AnyParams params = ttnn::decode_call(*ttnn::find_operation(call.operation), {}, call.arguments,
                                                         {master.device(call.board), ttnn::Tensor::without_bytes});
        const auto args = ttnn::Conv2d::arguments(*static_cast<const ttnn::Conv2d::Params*>(params.data()));
        for (const TensorMemoryLayout layout : {HEIGHT_SHARDED, WIDTH_SHARDED, BLOCK_SHARDED}) {
            const Planned plan = planned(call.id, args, layout);
            if (!args.window.is_pointwise() || may_have(plan, layout)) {
                plans_.push_back(plan);
            }
        }
    }
    bool may_have(const Planned& plan, TensorMemoryLayout layout) const {
        return layout == WIDTH_SHARDED || std::ranges::any_of(products(plan), [&](const Planned& each) {
                   return each.output.memory_config().memory_layout() == layout;
               });
    }
    std::vector<Planned> plans_;
    std::vector<Planned> products_;
};

TEST(TracedShards, ConvolutionsOfEfficientNetMakeWhatOthersGet) {
    REQUIRE_MASTER_FILE("efficientnet_b0_format1.json");
    Master master("efficientnet_b0_format1.json");
    const Convolutions convolutions(master);
    Links links;
    for (const Planned& plan : convolutions.plans()) {
        const ttnn::MemoryConfig& memory = plan.output.memory_config();
        links.add(fmt::format("{}{}", ttnn::member_name(memory.memory_layout()), plan.product ? " product" : ""),
                  plan.output, master.next_inputs(plan.output, plan.call));
    }
    links.report("conv2d of efficientnet_b0_format1.json, outputs", "conv2d");
}

// The shards of every product, its output's by its own program config, are those that conv2d plans.
TEST(TracedShards, ConvolutionsOfEfficientNetRunTheTracedProducts) {
    REQUIRE_MASTER_FILE("efficientnet_b0_format1.json");
    Master master("efficientnet_b0_format1.json");
    const Convolutions convolutions(master);
    Links links;
    std::set<int64_t> run;
    for (const Planned& plan : convolutions.plans()) {
        for (const Planned& traced : plan.product ? convolutions.products(plan) : std::vector<Planned>()) {
            links.add("inputs", plan.input, {traced.input});
            links.add("outputs", plan.output, {traced.output});
            run.insert(traced.call);
        }
    }
    EXPECT_EQ(run.size(), 18U);  // all `linear` but the last layer's
    links.report("conv2d of efficientnet_b0_format1.json, as linear", "products");
}

// The other way round: sharded tiles of the shape that a convolution makes lie where one puts or moves them.
TEST(TracedShards, ConvolutionsOfEfficientNetExplainTheTracedTensors) {
    REQUIRE_MASTER_FILE("efficientnet_b0_format1.json");
    Master master("efficientnet_b0_format1.json");
    const std::vector<Planned> plans = Convolutions(master).plans();
    Links links;
    std::set<std::string> seen;
    for (const auto& [spec, call] : master.inputs()) {
        const bool is_result = std::ranges::any_of(
            plans, [&](const Planned& plan) { return plan.output.logical_shape() == spec.logical_shape(); });
        if (spec.layout() != ttnn::Layout::TILE || !is_result || !seen.insert(text(spec)).second) {
            continue;
        }
        std::vector<TensorSpec> wanted;
        for (const Planned& plan : plans) {
            std::ranges::copy_if(std::initializer_list<TensorSpec>{plan.output, plan.input}, std::back_inserter(wanted),
                                 [&](const TensorSpec& each) { return same_kind(each, spec); });
        }
        EXPECT_FALSE(wanted.empty()) << text(spec);
        links.add(std::string(ttnn::member_name(spec.memory_config().memory_layout())), spec, wanted);
    }
    links.report("conv2d of efficientnet_b0_format1.json, tensors", "tensors");
}

}  // namespace
}  // namespace tracelift
