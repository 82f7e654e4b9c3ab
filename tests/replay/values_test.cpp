// Replays with recorded input values, on other boards, and recorded again.
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/lines.hpp"
#include "tracelift/base/errors.hpp"
#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "tracelift/dialects/parameter_file.hpp"
#include "tracelift/replay/replay.hpp"
#include "tracelift/sweep/decoded_call.hpp"
#include "tracelift/sweep/execute.hpp"
#include "tracelift/sweep/recorded_values.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/values_text.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace tracelift {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string file_of(const std::string& operation, const std::string& args, const std::string& kwargs = "{}") {
    return fmt::format(R"({{"operation_name":"{}","args":[{}],"kwargs":{}}})", operation, args, kwargs);
}

std::string tensor_of(const std::string& shape, const std::string& values) {
    return fmt::format(R"({{"type":"ttnn.Tensor","shape":{},"dtype":"float32","values":{}}})", shape, values);
}

TEST(ParameterValues, AreReadByPositionAndByName) {
    const auto read = read_param_values(
        file_of("ttnn.where",
                R"({"position":0,"value":)" + tensor_of("[2,2]", R"([[1,2.5],["inf","-inf"]])") +
                    R"(},{"position":1,"value":3})",
                R"({"list":[)" + tensor_of("[1]", "[7]") + "," + tensor_of("[]", "true") + R"(],"dtype":null})"),
        "test");
    EXPECT_EQ(read.operation, "ttnn.where");
    ASSERT_EQ(read.arguments.size(), 2U);
    EXPECT_EQ(read.arguments[0].position, 0U);
    EXPECT_THAT(read.arguments[0].tensors, ElementsAre(ElementsAre(1, 2.5, INFINITY, -INFINITY)));
    EXPECT_EQ(read.arguments[1].name, "list");
    EXPECT_THAT(read.arguments[1].tensors, ElementsAre(ElementsAre(7), ElementsAre(1)));
}

TEST(ParameterValues, WhatIsNoFileOfValuesTellsWhy) {
    const auto refused = [](const std::string& text) -> std::string {
        try {
            read_param_values(text, "given.json");
        } catch (const FileError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(refused("{"), HasSubstr("given.json"));
    EXPECT_THAT(refused("[]"), HasSubstr("operation_name"));
    EXPECT_THAT(refused(file_of("ttnn.relu", R"({"position":0,"value":{"type":"ttnn.Tensor","shape":[1]}})")),
                HasSubstr("--trace-params-with-values"));
    EXPECT_THAT(refused(file_of("ttnn.relu", R"({"position":-1,"value":1})")), HasSubstr("position"));
    EXPECT_THAT(refused(file_of("ttnn.relu", R"({"position":0,"value":)" + tensor_of("[1]", R"(["x"])") + "}")),
                HasSubstr("expected a number"));
}

class Values : public testing::Test {
protected:
    std::string write(const std::string& text) {
        const auto path = folder_.path() / "values.json";
        std::ofstream(path) << text;
        return path.string();
    }
    static CallRequest request(const std::string& line) {
        Binder binder;
        const ReplayCall call = replay_of(read_call_line(line, "test"), "test", binder);
        EXPECT_TRUE(call.call.bound) << call.call.note;
        return {.operation = call.call.operation, .arguments = call.call.arguments, .board = call.board};
    }
    static CallResult run(CallRequest request, const std::string& values) {
        request.values = values;
        request.fingerprint = true;
        return execute(request);
    }
    ScratchFolder folder_;
};

// The tensors get the numbers themselves, by position and by name.
TEST_F(Values, FillTheTensorsOfACall) {
    const CallRequest asked =
        request(call_line("ttnn.add", tensor_line("[2, 3]") + ", " + tensor_line("[2, 3]", "FLOAT32")));
    const auto device = ttnn::Device::open({});
    DecodedCall decoded = decode_arguments(*ttnn::find_operation("ttnn.add"), asked.arguments, device);
    ASSERT_TRUE(decoded.params) << decoded.message;
    fill_from_file(
        *decoded.params,
        write(file_of("ttnn::add", R"({"position":0,"value":)" + tensor_of("[2,3]", "[[1,2,3],[4,5,6]]") + "}",
                      R"({"input_tensor_b":)" + tensor_of("[2,3]", "[[0.5,-1,0],[1e-3,7,-8]]") + "}")));
    std::vector<std::vector<float>> held;
    for (const uint16_t index : decoded.params->op().tensor_fields) {
        const ttnn::FieldInfo& field = decoded.params->op().fields[index];
        field.type->visit_tensors(decoded.params->field(field), [&](const ttnn::Tensor& tensor) {
            const auto values = ttnn::read<float>(tensor);
            held.emplace_back(values.begin(), values.end());
        });
    }
    EXPECT_THAT(held, ElementsAre(ElementsAre(1, 2, 3, 4, 5, 6), ElementsAre(0.5, -1, 0, 1e-3F, 7, -8)));
}

// Chips that hold different values are recorded one after the other, copies once.
TEST_F(Values, OfAMeshAreThoseOfEveryChip) {
    const auto device = ttnn::Device::open({.board = "n300", .mesh = {{1, 2}}});
    const ttnn::TensorSpec spec({2, 2}, ttnn::DataType::FLOAT32, ttnn::Layout::TILE);
    ttnn::Tensor tensor = ttnn::Tensor::allocate_on_device(spec, device);
    const auto file = [&] {
        return write(
            file_of("ttnn.relu", R"({"position":0,"value":)" + tensor_of("[2,2]", ttnn::values_text(tensor)) + "}"));
    };
    const auto held = [&] {
        std::vector<std::vector<float>> parts;
        for (uint32_t chip = 0; chip < 2; ++chip) {
            const auto values = ttnn::read<float>(tensor.part(chip));
            parts.emplace_back(values.begin(), values.end());
        }
        return parts;
    };
    ttnn::AnyParams params(*ttnn::find_operation("ttnn.relu"));
    const ttnn::FieldInfo& field = params.op().fields.front();
    *static_cast<ttnn::Tensor*>(params.field(field)) = tensor;

    ttnn::write<float>(tensor, std::vector<float>{1, 2, 3, 4});
    EXPECT_EQ(ttnn::values_text(tensor), "[[1.0,2.0],[3.0,4.0]]");
    ttnn::Tensor second = tensor.part(1);
    ttnn::write<float>(second, std::vector<float>{1, 2, 3, 4});  // the same numbers in bytes of their own
    EXPECT_EQ(ttnn::values_text(tensor), "[[1.0,2.0],[3.0,4.0]]");
    ttnn::write<float>(second, std::vector<float>{5, 6, 7, 8});
    EXPECT_EQ(ttnn::values_text(tensor), "[[[1.0,2.0],[3.0,4.0]],[[5.0,6.0],[7.0,8.0]]]");

    const std::string of_parts = file();
    ttnn::write<float>(tensor, std::vector<float>(4));
    fill_from_file(params, of_parts);
    EXPECT_THAT(held(), ElementsAre(ElementsAre(1, 2, 3, 4), ElementsAre(5, 6, 7, 8)));
    ttnn::write<float>(tensor, std::vector<float>{9, 9, 9, 9});
    const std::string of_copies = file();
    ttnn::write<float>(second, std::vector<float>(4));
    fill_from_file(params, of_copies);
    EXPECT_THAT(held(), ElementsAre(ElementsAre(9, 9, 9, 9), ElementsAre(9, 9, 9, 9)));
}

// Whatever the negative numbers are, a relu of them is all zeros; what a seed makes is not.
TEST_F(Values, AreWhatTheOperationGets) {
    const CallRequest relu = request(call_line("ttnn.relu", tensor_line("[2, 2]")));
    const auto file = [&](const std::string& values) {
        return write(file_of("ttnn.relu", R"({"position":0,"value":)" + tensor_of("[2,2]", values) + "}"));
    };
    const CallResult first = run(relu, file("[[-1,-2],[-3,-4]]"));
    const CallResult second = run(relu, file("[[-5,-6],[-7,-8]]"));
    const CallResult made = run(relu, "");
    EXPECT_EQ(first.status, Status::PASS) << first.message;
    EXPECT_EQ(first.fingerprints, second.fingerprints);
    EXPECT_NE(first.fingerprints, made.fingerprints);
}

TEST_F(Values, OfAnotherCallAreRefused) {
    const CallRequest relu = request(call_line("ttnn.relu", tensor_line("[2, 2]")));
    const auto file = [&](const std::string& operation, const std::string& values) {
        return write(file_of(operation, R"({"position":0,"value":)" + tensor_of("[2,2]", values) + "}"));
    };
    const auto refused = [&](const std::string& values) {
        const CallResult result = run(relu, values);
        EXPECT_EQ(result.status, Status::NOT_RUN);
        return result.message;
    };
    EXPECT_THAT(refused(file("ttnn.exp", "[[1,2],[3,4]]")), HasSubstr("a call of ttnn.exp, and not of ttnn.relu"));
    EXPECT_THAT(refused(file("ttnn.relu", "[[1,2,3],[3,4,5]]")), HasSubstr("6 values for argument"));
    EXPECT_THAT(refused(write(file_of("ttnn.relu", ""))), HasSubstr("no values for argument"));
    EXPECT_THAT(refused("nowhere.json"), HasSubstr("nowhere.json"));
}

// 13 columns of cores are there on a p150 alone.
TEST_F(Values, AnotherBoardHasAnotherGrid) {
    CallRequest call = request(call_line(
        "ttnn.to_memory_config", tensor_line("[1, 1, 416, 32]"),
        R"({"memory_config":{"__type__":"ttnn.MemoryConfig","memory_layout":"HEIGHT_SHARDED","buffer_type":"L1",)"
        R"("shard_spec":{"grid":[{"start":{"x":0,"y":0},"end":{"x":12,"y":0}}],"shape":[32,32],)"
        R"("orientation":"ROW_MAJOR"}}})"));
    for (const auto* board : {"n150", "n300"}) {
        call.board = board;
        const CallResult refused = run(call, "");
        EXPECT_EQ(refused.status, Status::REJECTED) << board;
        EXPECT_FALSE(refused.message.empty());
    }
    call.board = "p150";
    const CallResult result = run(call, "");
    EXPECT_EQ(result.status, Status::PASS) << result.message;
}

}  // namespace
}  // namespace tracelift
