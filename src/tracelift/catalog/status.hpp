// Status: how the run of one stored configuration ended.
#pragma once

#include <cstdint>

#include "ttnn/core/enum_text.hpp"

namespace tracelift {

enum class Status : uint8_t {
    PASS,               // agrees with the reference
    FAIL,               // does not, or threw what no operation may throw
    REJECTED,           // the operation or the decoding of its arguments refused the call
    OUT_OF_MEMORY,      // device memory does not suffice
    FAIL_CRASH,         // the worker died of the call
    FAIL_TIMEOUT,       // the call took too long
    FAIL_HOST_MEMORY,   // the call needs more host memory than a worker may have
    NOT_RUN,            // unknown operation or board, an invalid vector, or skipped
    NOT_JUDGED,         // it ran, and there is no reference to compare with
    TOO_LARGE,          // more than this machine can hold: it was only checked, not run
    FAIL_WATCHER,       // a watcher of the device stopped it
    FAIL_DEVICE_PERF,   // passed, but gave no device times although they were asked for
    XFAIL,              // of a suite that is expected to fail: did
    XPASS,              // of such a suite: passed
    INFRA_WORKER_LOST,  // a worker was lost for reasons that are not the call's
    INFRA_DEVICE,       // the device could not be opened, so that nothing ran on it
};

}  // namespace tracelift

template <>
struct ttnn::EnumInfo<tracelift::Status> {
    using Status = tracelift::Status;
    static constexpr std::string_view type = "Status";
    static constexpr EnumMember<Status> members[] = {{Status::PASS, "pass"},
                                                     {Status::FAIL, "fail"},
                                                     {Status::REJECTED, "rejected"},
                                                     {Status::OUT_OF_MEMORY, "out_of_memory"},
                                                     {Status::FAIL_CRASH, "fail_crash"},
                                                     {Status::FAIL_TIMEOUT, "fail_timeout"},
                                                     {Status::FAIL_HOST_MEMORY, "fail_host_memory"},
                                                     {Status::NOT_RUN, "not_run"},
                                                     {Status::NOT_JUDGED, "not_judged"},
                                                     {Status::TOO_LARGE, "too_large"},
                                                     {Status::FAIL_WATCHER, "fail_watcher"},
                                                     {Status::FAIL_DEVICE_PERF, "fail_device_perf"},
                                                     {Status::XFAIL, "xfail"},
                                                     {Status::XPASS, "xpass"},
                                                     {Status::INFRA_WORKER_LOST, "infra_worker_lost"},
                                                     {Status::INFRA_DEVICE, "infra_device"}};
};
