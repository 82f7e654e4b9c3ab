// What is written in format 1 reads back as the same values.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "dialects/support.hpp"
#include "tracelift/value/bytes.hpp"

namespace tracelift {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the short forms above

// Random values in the encodings of the runtime.
class Maker {
public:
    explicit Maker(uint32_t seed) : engine_(seed) {}

    std::optional<Value> argument() {
        if (chance(5)) {
            return std::nullopt;
        }
        return pick(9) < 5 ? leaf() : record();
    }

private:
    int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
    bool chance(int one_in) { return pick(one_in) == 0; }

    Value leaf() {
        switch (pick(5)) {
            case 0: return static_cast<int64_t>(engine_()) - (int64_t{1} << 31);
            case 1: return number();
            case 2: return text();
            case 3: return ints(pick(5));
            default: return chance(2) ? Value(Value::Enum{"DataType", "BFLOAT16"}) : list();
        }
    }
    Value number() {
        static const double values[] = {0.0,      -0.0,   1.0,     1e-05,    0.1,      1e16,
                                        -1.5e300, 5e-324, 1.0 / 3, INFINITY, -INFINITY};
        return values[pick(std::size(values))];
    }
    Value text() {
        static const char* values[] = {"",     "relu",   "1",          "1.5",  "nan",   "[1, 2]",  "{3, 4}",
                                       "a::b", "\"",     "\"quoted\"", "inf",  "{...}", "[{...}]", "nullopt",
                                       "é→",   "Tensor", "[",          "arg0", "-",     "\n",      "std::nullopt"};
        return values[pick(std::size(values))];
    }
    Value ints(int count) {
        Value::List list;
        for (int i = 0; i < count; ++i) {
            list.push_back(pick(5000) - 100);
        }
        return list;
    }
    Value list() {
        Value::List items;
        for (int i = pick(4); i > 0; --i) {
            items.push_back(chance(3) ? Value() : chance(2) ? record() : leaf());
        }
        return items;
    }
    Value cores() {
        Value::List ranges;
        for (int i = pick(4); i > 0; --i) {
            const int x = pick(8);
            ranges.push_back(range(core(x, i), core(x + pick(3), i)));
        }
        return grid(ranges);
    }
    Value memory() {
        static const char* layouts[] = {"INTERLEAVED", "HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED"};
        const char* layout = layouts[pick(4)];
        const char* buffer = chance(2) ? "L1" : "DRAM";
        switch (pick(3)) {
            case 0: return memory_config(layout, buffer);
            case 1: return memory_config(layout, buffer, shard_spec(cores(), 32 * pick(9), pick(99)));
            default: return memory_config(layout, buffer, nd_shard_spec(cores(), {2, 32, 1 + pick(64)}));
        }
    }
    Value any_tensor() {
        static const char* dtypes[] = {"BFLOAT16", "FLOAT32", "UINT32", "BFLOAT8_B", "INT32"};
        Value::List shape;
        for (int i = pick(5); i > 0; --i) {
            shape.push_back(pick(200));
        }
        Value::Struct result = tensor(shape, dtypes[pick(5)], chance(2) ? "TILE" : "ROW_MAJOR", memory());
        if (chance(2)) {
            result.fields[3].value = Value::Enum{"StorageType", "HOST"};
        }
        if (chance(4)) {
            result = *with(result, "alignment", Value::List{96, 160}).as<Value::Struct>();
        }
        if (chance(4)) {
            result =
                *with(result, "tile", Value::Struct{"Tile", {{"tile_shape", Value::List{16, 32}}}}).as<Value::Struct>();
        }
        return result;
    }
    Value kernel_config() {
        return Value::Struct{"WormholeComputeKernelConfig",
                             {{"math_fidelity", Value::Enum{"MathFidelity", "HiFi4"}},
                              {"math_approx_mode", pick(2)},
                              {"throttle_level", Value::Enum{"ThrottleLevel", "NO_THROTTLE"}}}};
    }
    Value matmul_config() {
        const Value relu =
            Value::Struct{"UnaryWithParam",
                          {{"op_type", Value::Enum{"UnaryOpType", "RELU"}}, {"params", Value::List{0.5, number()}}}};
        return Value::Struct{"MatmulMultiCoreReuseMultiCast1DProgramConfig",
                             {{"compute_with_storage_grid_size", core(8, 7)},
                              {"in0_block_w", pick(9)},
                              {"out_block_h", chance(2) ? Value() : Value(pick(9))},
                              {"fused_activation", chance(2) ? Value() : relu},
                              {"hop_cores", cores()}}};
    }
    Value attention_config() {
        return Value::Struct{"SDPAProgramConfig",
                             {{"compute_with_storage_grid_size", core(8, 8)},
                              {"sub_core_grids", chance(2) ? Value() : cores()},
                              {"q_chunk_size", 64}}};
    }
    Value record() {
        switch (pick(11)) {
            case 0: return memory();
            case 1: return kernel_config();
            case 2: return matmul_config();
            case 3: return attention_config();
            case 4: return cores();
            case 5: return chance(2) ? core(1, 2) : Value(Value::Struct{"CoreGrid", {{"x", 3}, {"y", 4}}});
            case 6: return Value::Object{"MeshDevice", "n150"};
            case 7: return Value::Unparsed{"[ unsupported type , X]", "unsupported type"};
            case 8: return Value::Unparsed{"broken {" + std::to_string(pick(100)), "Expecting ','"};
            case 9: return Value::Dict{{"grid", ints(2)}, {"Tensor", leaf()}, {"x", record()}};
            default: return any_tensor();
        }
    }

    std::mt19937 engine_;
};

TEST(RoundTrip, RandomArguments) {
    for (uint32_t seed = 0; seed < 5000; ++seed) {
        Maker maker(seed);
        Arguments arguments;
        for (int i = 0; i < 4; ++i) {
            arguments.push_back(maker.argument());
        }
        const Json written = write_arguments(arguments);
        const Arguments read = read_arguments(Json::parse(written.dump()));
        ASSERT_EQ(read.size(), arguments.size());
        for (size_t i = 0; i < read.size(); ++i) {
            ASSERT_EQ(read[i], arguments[i]) << "seed " << seed << ": " << written[i] << "\n"
                                             << arguments[i].value_or(Value()).to_text() << "\n"
                                             << read[i].value_or(Value()).to_text();
        }
    }
}

// Nobody types these again when they are read: flags stay flags, and no value gains or loses a level.
TEST(RoundTrip, WithoutADeclarationEveryTypeComesBack) {
    const Value odd[] = {true,
                         false,
                         Value::List{true, 2, false},
                         Value::List{1.0, 2},
                         Value::Struct{"set", {{"value", "{1, 2}"}}},
                         Value::Struct{"A", {{"b", true}, {"grid", 3}, {"math_fidelity", "x"}}},
                         Value::Object{"GlobalSemaphore", "..."},
                         Value::Object{"uint64", "18446744073709551615"},
                         Value::Object{"lower case", "1"},
                         Value::Dict{{"Tensor", 1}},
                         Value::Dict{{"x", 1}, {"y", 2}},
                         Value::Dict{{"start", 1}},
                         Value::Struct{"Tensor", {}},
                         Value::Struct{"MemoryConfig", {{"memory_layout", 1}}},
                         Value::Struct{"CoreCoord", {{"x", "a"}}},
                         Value::Struct{"Shape", {{"value", Value::List{1}}}},
                         Value::Struct{"Exact", {{"a", 1}}},
                         Value::Enum{"", "RELU"},
                         Value::Unparsed{"{\"arg0\": 1}", "was not read"},
                         std::nan("")};
    const auto written = [](const Value& value) {
        ByteWriter writer;
        emit(value, writer);
        return writer.take();
    };
    for (const Value& value : odd) {
        for (const Value& given : {value, Value(Value::List{value, Value()}), Value(Value::Dict{{"grid", value}}),
                                   Value(Value::Struct{std::string(keywords_type), {{"a", value}, {"b", Value()}}})}) {
            const Json json = write_arguments({given}, Typing::OWN);
            const auto read = read_arguments(Json::parse(json.dump())).at(0);
            ASSERT_TRUE(read) << json;
            EXPECT_EQ(written(*read), written(given)) << json << "\n" << read->to_text();
        }
    }
    for (uint32_t seed = 0; seed < 1000; ++seed) {
        const Arguments arguments = {Maker(seed).argument()};
        EXPECT_EQ(read_arguments(Json::parse(write_arguments(arguments, Typing::OWN).dump())), arguments)
            << "seed " << seed;
    }
}

TEST(RoundTrip, FlagsBecomeNumbers) {
    EXPECT_EQ(read_arguments(write_arguments({true, Value::List{false, 2}, Value::Struct{"A", {{"b", true}}}})),
              (Arguments{1, Value::List{0, 2}, Value::Struct{"A", {{"b", 1}}}}));
}

TEST(RoundTrip, NullIsNotGiven) { EXPECT_EQ(read_arguments(write_arguments({Value()})), Arguments{std::nullopt}); }

}  // namespace
}  // namespace tracelift
