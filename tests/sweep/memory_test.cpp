// How much memory a call takes in a worker, its reference and its comparison included: at most four times its tensors.
#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep/requests.hpp"
#include "tracelift/sweep/execute.hpp"
#include "tracelift/sweep/pool.hpp"

namespace tracelift {
namespace {

constexpr bool sanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;  // shadow memory counts
#else
    false;
#endif

struct Peak {
    Status status = Status::FAIL;
    uint64_t bytes = 0;  // beyond what the process had before
};

uint64_t largest_resident() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

// Runs a call in a process of its own, so that its peak is its own. A small call before it brings in what any call
// needs.
Peak peak_of(const CallRequest& request, const CallRequest& small) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        execute(small);
        const uint64_t before = largest_resident();
        Peak peak;
        peak.status = execute(request).status;
        peak.bytes = largest_resident() - before;
        _exit(write(ends[1], &peak, sizeof peak) == sizeof peak ? 0 : 1);
    }
    close(ends[1]);
    Peak peak;
    EXPECT_EQ(read(ends[0], &peak, sizeof peak), static_cast<ssize_t>(sizeof peak));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return peak;
}

CallRequest reshape_request(uint32_t rows, uint32_t columns) {
    return operation_request("ttnn.reshape", {{"input_tensor", tensor_value({1, 1, rows, columns})},
                                              {"shape", Value::List{1, int64_t{rows / 4}, 4, int64_t{columns}}}});
}
CallRequest multiply_request(const ttnn::Shape& a, const ttnn::Shape& b) {
    return operation_request("ttnn.multiply",
                             {{"input_tensor_a", tensor_value(a)}, {"input_tensor_b", tensor_value(b)}});
}

constexpr uint64_t mebibyte = uint64_t{1} << 20;

TEST(MemoryOfACall, IsAtMostFourTimesItsTensorsForAReshape) {
    if (sanitized) {
        GTEST_SKIP() << "sanitizers take memory of their own";
    }
    // In 32 MiB, out 256 MiB: four rows fill an eighth of a tile.
    const Peak peak = peak_of(reshape_request(8192, 2048), reshape_request(32, 64));
    EXPECT_EQ(peak.status, Status::PASS);
    EXPECT_LE(peak.bytes, 4 * (32 + 256) * mebibyte);
    // To another width, which moves every element.
    const auto request = operation_request("ttnn.reshape", {{"input_tensor", tensor_value({1, 1, 16384, 2048})},
                                                            {"shape", Value::List{1, 1, 8192, 4096}}});
    const Peak even = peak_of(request, reshape_request(32, 64));
    EXPECT_EQ(even.status, Status::PASS);
    EXPECT_LE(even.bytes, 4 * (64 + 64) * mebibyte);
}

TEST(MemoryOfACall, IsAtMostFourTimesItsTensorsForAProduct) {
    if (sanitized) {
        GTEST_SKIP() << "sanitizers take memory of their own";
    }
    const auto small = multiply_request({1, 1, 32, 32}, {1, 1, 32, 32});
    const Peak same = peak_of(multiply_request({1, 8, 1024, 4096}, {1, 8, 1024, 4096}), small);
    EXPECT_EQ(same.status, Status::PASS);
    EXPECT_LE(same.bytes, 4 * 3 * 64 * mebibyte);
    const Peak spread = peak_of(multiply_request({1, 8, 1024, 4096}, {1, 1, 1, 4096}), small);
    EXPECT_EQ(spread.status, Status::PASS);
    EXPECT_LE(spread.bytes, 4 * 2 * 64 * mebibyte);
}

// Images of `side` x `side` with 32 channels.
CallRequest convolution_request(int64_t side) {
    const auto positions = static_cast<uint32_t>(side * side);
    return operation_request("ttnn.conv2d", {{"input_tensor", tensor_value({1, 1, positions, 32})},
                                             {"weight_tensor", tensor_value({1, 1, 9 * 32, 32})},
                                             {"in_channels", int64_t{32}},
                                             {"out_channels", int64_t{32}},
                                             {"batch_size", int64_t{1}},
                                             {"input_height", side},
                                             {"input_width", side},
                                             {"kernel_size", Value::List{int64_t{3}, int64_t{3}}},
                                             {"padding", Value::List{int64_t{1}, int64_t{1}}},
                                             {"groups", int64_t{32}}});
}
CallRequest max_pool_request(int64_t side) {
    const auto positions = static_cast<uint32_t>(side * side);
    return operation_request("ttnn.max_pool2d", {{"input_tensor", tensor_value({1, 1, positions, 32})},
                                                 {"batch_size", int64_t{1}},
                                                 {"input_h", side},
                                                 {"input_w", side},
                                                 {"channels", int64_t{32}},
                                                 {"kernel_size", Value::List{int64_t{3}, int64_t{3}}},
                                                 {"stride", Value::List{int64_t{1}, int64_t{1}}},
                                                 {"padding", Value::List{int64_t{1}, int64_t{1}}},
                                                 {"dilation", Value::List{int64_t{1}, int64_t{1}}}});
}

TEST(MemoryOfACall, IsAtMostFourTimesItsTensorsForImages) {
    if (sanitized) {
        GTEST_SKIP() << "sanitizers take memory of their own";
    }
    // 64 MiB in and out.
    const Peak convolution = peak_of(convolution_request(1024), convolution_request(16));
    EXPECT_EQ(convolution.status, Status::PASS);
    EXPECT_LE(convolution.bytes, 4 * 2 * 64 * mebibyte);
    const Peak greatest = peak_of(max_pool_request(1024), max_pool_request(16));
    EXPECT_EQ(greatest.status, Status::PASS);
    EXPECT_LE(greatest.bytes, 4 * 2 * 64 * mebibyte);
}

TEST(MemoryOfACall, LetsTheLargestCallsOfRealModelsRunInTwoGibibytes) {
    if (sanitized || std::getenv("TRACELIFT_LONG") == nullptr) {
        GTEST_SKIP() << "takes minutes: set TRACELIFT_LONG";
    }
    PoolOptions options;
    options.workers = 1;
    options.timeout = std::chrono::minutes(10);
    options.memory_limit = 2048 * mebibyte;
    auto reshape = operation_request("ttnn.reshape", {{"input_tensor", tensor_value({1, 1, 61440, 2048})},
                                                      {"shape", Value::List{1, 480, 128, 2048}}});
    auto product = multiply_request({1, 64, 1024, 4096}, {1, 64, 1024, 4096});
    product.id = 2;
    const std::vector<CallRequest> requests{reshape, product};
    run_calls(requests, options, [](const CallRequest& request, const CallResult& result) {
        EXPECT_EQ(result.status, Status::PASS) << request.operation << ": " << result.message;
    });
}

}  // namespace
}  // namespace tracelift
