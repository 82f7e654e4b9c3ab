// TestCase: what a generated test says, whichever form it is written in.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tracelift/replay/replay.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {

struct TestArgument {
    std::string name{};
    Value value{};
    bool positional = false;    // required and not behind the star
    bool for_hardware = false;  // says nothing about the numbers: memory, programs, where the output goes
    bool written_into = false;  // tensors that are judged after the call, unless they are its outputs
    ttnn::Domain domain{};      // of its tensors
};

struct TestCase {
    const ttnn::OpInfo* op = nullptr;  // the overload
    std::vector<TestArgument> arguments{};
    std::vector<ttnn::TensorSpec> outputs{};
    bool judged = false;      // what the test's form compares with is there; else only shapes are asserted
    std::string board{};      // and its mesh, as in bind/board_text.hpp; empty: any
    std::string id{};         // "1x1x32x32_bfloat16_tile_dram_3c20d775"
    std::string signature{};  // names and kinds of the arguments
    std::string group{};      // "add_with_memory_config", "..._shape_only": one per signature
    std::string source{};     // provenance: the test or model, one line
    std::string identity{};
    std::string failure{};  // of a call that fails here: how. Then nothing is known of its outputs but their values
};

// A file of generated tests.
struct TestFile {
    std::string name{};
    std::string text{};
    size_t tests = 0;
    size_t shape_only = 0;
};

// Calls that make no test, by the reason's kind.
struct LeftOut {
    size_t repeated = 0;  // the same configuration again
    size_t unknown = 0, undecodable = 0, refused = 0, too_large = 0;
};

struct TestPlan {
    std::vector<TestCase> cases{};  // by operation, signature and id
    LeftOut left_out{};
};

// What a test is written for. They compare with different things: golden functions of Python are of one chip.
enum class TestForm : uint8_t { PYTEST, GTEST };

struct PlanOptions {
    TestForm form = TestForm::PYTEST;
    uint64_t memory_limit = 0;  // what takes more host memory makes no test; 0: everything does
    size_t per_operation = 0;   // at most this many tests of an operation; 0: all
};

// Outputs are worked out by a capture in NO_DISPATCH. What this runtime refuses makes no test.
TestPlan plan_tests(std::span<const ReplayCall> calls, const PlanOptions& options);

// One file per operation. The same cases give the same bytes.
std::vector<TestFile> pytest_files(std::span<const TestCase> cases);
std::vector<TestFile> gtest_files(std::span<const TestCase> cases);

// A test of a call that fails here: it makes the call and holds its values against the reference, so that it fails
// until the operation is mended. Nothing is run for it in this process: the call may end whoever makes it.
TestCase failing_test(const ReplayCall& call, std::string failure, TestForm form);
TestFile pytest_repro(const TestCase& test);
TestFile gtest_repro(const TestCase& test);

// A message as lines of a comment or a docstring, none longer than `width`: nothing in it ends either.
std::string quoted_lines(std::string_view message, std::string_view prefix, size_t width);

// "add", "experimental_rotary_embedding": an operation's name as part of a file's or a function's.
std::string plain_name(const ttnn::OpInfo& op);

}  // namespace tracelift
