// Failures by signature: messages that differ only in numbers, addresses, paths or shapes are one problem.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/sweep_report/result_set.hpp"

namespace tracelift {

// "shape [1, 32] needs 4096 bytes at 0x7f00 (src/a.cpp:12)" -> "shape SHAPE needs N bytes at ADDRESS (PATH)". Of a
// Python traceback only its last line counts. The name of the operation becomes OPERATION, where it is given.
std::string signature_of(std::string_view message, std::string_view operation = {});

struct FailureGroup {
    Status status = Status::FAIL;
    std::string signature;
    const ResultRecord* example = nullptr;  // the first of them
    std::set<std::string> operations;
    std::vector<const ResultRecord*> records;
};

// Of the records that need explaining; the largest group first. Points into `records`.
std::vector<FailureGroup> group_failures(std::span<const ResultRecord> records);

}  // namespace tracelift
