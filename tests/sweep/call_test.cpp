// What pool and workers tell each other survives the way.
#include "tracelift/sweep/call.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/requests.hpp"

namespace tracelift {
namespace {

TEST(Call, RequestsSurviveALine) {
    const CallRequest request{
        .id = -5,
        .operation = "ttnn::add",
        .arguments = {{"a", tensor_value({1, 2, 32, 64})}, {"b", 2.5}, {"$c", Value::Enum{"DataType", "INT32"}}},
        .board = "p150",
        .seed = std::numeric_limits<uint64_t>::max(),
        .compare = false,
        .fingerprint = true};
    const std::string line = to_line(to_json(request));
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    const CallRequest read = request_from_json(Json::parse(line));
    EXPECT_EQ(read.id, request.id);
    EXPECT_EQ(read.operation, request.operation);
    EXPECT_EQ(read.arguments, request.arguments);
    EXPECT_EQ(read.board, request.board);
    EXPECT_EQ(read.seed, request.seed);
    EXPECT_EQ(read.compare, request.compare);
    EXPECT_EQ(read.fingerprint, request.fingerprint);
}

TEST(Call, ResultsSurviveALineWithWhateverIsMeasured) {
    const CallResult result{.id = 9,
                            .status = Status::FAIL_TIMEOUT,
                            .message = "two\nlines \"quoted\"",
                            .pcc = std::nan(""),
                            .max_ulp = INFINITY,
                            .max_relative = 1e-300,
                            .max_absolute = 3,
                            .equal = true,
                            .milliseconds = 12.25,
                            .called = true,
                            .metrics = {},
                            .fingerprints = {{"INT32 [1] TILE L1_INTERLEAVED", "0f"}, {"another", ""}}};
    const std::string line = to_line(to_json(result));
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    const CallResult read = result_from_json(Json::parse(line));
    EXPECT_EQ(read.id, result.id);
    EXPECT_EQ(read.status, result.status);
    EXPECT_EQ(read.message, result.message);
    EXPECT_TRUE(std::isnan(read.pcc));
    EXPECT_EQ(read.max_ulp, result.max_ulp);
    EXPECT_EQ(read.max_relative, result.max_relative);
    EXPECT_EQ(read.max_absolute, result.max_absolute);
    EXPECT_EQ(read.equal, result.equal);
    EXPECT_EQ(read.milliseconds, result.milliseconds);
    EXPECT_EQ(read.called, result.called);
    EXPECT_EQ(read.fingerprints, result.fingerprints);
}

TEST(Call, MessagesMayHoldBytesThatAreNoText) {
    CallResult result{.id = 1};
    result.message = "\xff end";
    const CallResult read = result_from_json(Json::parse(to_line(to_json(result))));
    EXPECT_THAT(read.message, testing::EndsWith(" end"));
}

TEST(Call, ReadingSaysWhatIsWrong) {
    Json json = to_json(CallResult{});
    json["status"] = "excellent";
    EXPECT_THAT([&] { result_from_json(json); },
                testing::ThrowsMessage<std::exception>(testing::HasSubstr("excellent")));
    json = to_json(CallRequest{});
    json["arguments"] = 7;
    EXPECT_THAT([&] { request_from_json(json); }, testing::ThrowsMessage<std::exception>(testing::HasSubstr("a dict")));
    json.erase("arguments");
    EXPECT_THAT([&] { request_from_json(json); },
                testing::ThrowsMessage<std::exception>(testing::HasSubstr("arguments")));
}

TEST(Status, EveryStatusHasItsText) {
    EXPECT_EQ(ttnn::member_name(Status::INFRA_WORKER_LOST), "infra_worker_lost");
    EXPECT_EQ(ttnn::member_name(Status::INFRA_DEVICE), "infra_device");
    for (const auto& member : ttnn::EnumInfo<Status>::members) {
        EXPECT_EQ(ttnn::member_of<Status>(member.name), member.value);
    }
    EXPECT_EQ(std::size(ttnn::EnumInfo<Status>::members), static_cast<size_t>(Status::INFRA_DEVICE) + 1);
}

}  // namespace
}  // namespace tracelift
