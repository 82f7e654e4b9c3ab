#include "tracelift/sweep/execute.hpp"

#include <chrono>
#include <map>
#include <new>
#include <optional>

#include <fmt/ranges.h>

#include "tracelift/base/errors.hpp"
#include "tracelift/base/text_digest.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/capture/recorder.hpp"
#include "tracelift/sweep/decoded_call.hpp"
#include "tracelift/sweep/memory_check.hpp"
#include "tracelift/sweep/recorded_values.hpp"
#include "ttnn/check/opcheck.hpp"
#include "ttnn/core/one_thread.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/nearest.hpp"

namespace tracelift {
namespace {

// Bytes that packed tensors on all chips of a mesh may have: beside them come copies of one chip's.
uint64_t most_on_mesh(uint64_t memory_limit) { return memory_limit == 0 ? UINT64_MAX : memory_limit / 3; }

std::string megabytes(uint64_t bytes) { return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6); }

using DeviceCache = std::map<std::string, std::shared_ptr<ttnn::Device>>;  // by board text

DeviceCache& open_devices() {
    thread_local DeviceCache devices;
    return devices;
}

std::shared_ptr<ttnn::Device> device_of(const std::string& board) {
    auto& device = open_devices()[board];
    if (!device) {
        device = open_board(board);
    }
    return device;
}

Status status_of(const ttnn::CallCheck& check) {
    switch (check.outcome) {
        case ttnn::CallOutcome::JUDGED: return check.scorecard.pass ? Status::PASS : Status::FAIL;
        case ttnn::CallOutcome::REJECTED: return Status::REJECTED;
        case ttnn::CallOutcome::OUT_OF_MEMORY: return Status::OUT_OF_MEMORY;
        case ttnn::CallOutcome::HOST_MEMORY: return Status::FAIL_HOST_MEMORY;
        case ttnn::CallOutcome::NO_REFERENCE: return Status::NOT_JUDGED;
    }
    return Status::FAIL;
}

CallResult to_result(const ttnn::CallCheck& check) {
    const ttnn::Scorecard& card = check.scorecard;
    std::vector<std::string> outputs;
    for (const ttnn::TensorSpec& spec : check.outputs) {
        outputs.push_back(
            fmt::format("{} [{}]", ttnn::member_name(spec.dtype()), fmt::join(spec.logical_shape(), ", ")));
    }
    return {.status = status_of(check),
            .message = card.reason,
            .pcc = card.pcc,
            .max_ulp = card.max_ulp,
            .max_relative = card.max_relative,
            .max_absolute = card.max_absolute,
            .equal = card.equal,
            .call_milliseconds = check.milliseconds,
            .outputs = std::move(outputs),
            .called = check.called};
}

// "DRAM_INTERLEAVED", "L1_HEIGHT_SHARDED ShardSpec{...}"
std::string memory_text(const ttnn::MemoryConfig& config) {
    std::string text =
        fmt::format("{}_{}", ttnn::member_name(config.buffer_type()), ttnn::member_name(config.memory_layout()));
    if (config.created_with_nd_shard_spec()) {
        text += " " + config.nd_shard_spec()->to_string();
    } else if (config.shard_spec()) {
        text += " " + config.shard_spec()->to_string();
    }
    return text;
}

// Padding is part of it: what an operation leaves there reaches the next one.
Fingerprint fingerprint_of(const ttnn::Tensor& output) {
    const ttnn::TensorSpec& spec = output.spec();
    Fingerprint fingerprint{.spec = fmt::format("{} [{}] {} {}", ttnn::member_name(spec.dtype()),
                                                fmt::join(spec.logical_shape(), ", "), ttnn::member_name(spec.layout()),
                                                memory_text(spec.memory_config()))};
    if (output.is_allocated()) {
        TextDigest digest;
        for (uint32_t i = 0; i < output.num_parts(); ++i) {
            const ttnn::Tensor part = output.part(i);
            const std::span<const std::byte> bytes = part.bytes();
            digest.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        }
        fingerprint.bits = digest.hex();
    }
    return fingerprint;
}

// Records what is called while it lives.
class Recording {
public:
    explicit Recording(const std::string& folder) {
        if (!folder.empty()) {
            recorder_ = std::make_shared<Recorder>(folder, "replay");
            ttnn::attach(recorder_);
        }
    }
    ~Recording() {
        if (recorder_) {
            ttnn::detach(recorder_);
        }
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

private:
    std::shared_ptr<Recorder> recorder_;
};

// Where a call surely takes more than it may have, what can be said without running it. Outputs count only where they
// could matter: finding them out costs as much as a small call.
std::optional<CallResult> refused_as_too_large(const ttnn::OpInfo& op, const CallRequest& request,
                                               const std::shared_ptr<ttnn::Device>& device) {
    constexpr uint64_t copies = 4;         // of a chip's tensors: packed, plain, reference, comparison
    constexpr uint64_t worth_asking = 16;  // outputs are rarely that much larger than inputs
    const bool mesh = device->num_chips() > 1;
    const uint64_t inputs = tensor_bytes(request.arguments);
    const uint64_t inputs_on_mesh = mesh ? bytes_on_mesh(request.arguments) : 0;
    const uint64_t most = most_on_mesh(request.memory_limit);
    const bool fits_process = request.memory_limit == 0 || inputs * copies * worth_asking < request.memory_limit;
    if (fits_process && inputs_on_mesh * worth_asking < most) {
        return std::nullopt;
    }
    const MemoryCheck check = check_memory(op, request.arguments, device);
    const uint64_t on_mesh = inputs_on_mesh + (mesh ? check.outputs_on_mesh : 0);
    const uint64_t needed = (inputs + check.output_bytes()) * copies + on_mesh;
    const uint64_t allowed = request.memory_limit == 0 ? UINT64_MAX : request.memory_limit;
    if (needed < allowed && on_mesh <= most) {
        return std::nullopt;
    }
    const std::string why =
        on_mesh > most
            ? fmt::format("has {} of tensors on all chips, {} are run", megabytes(on_mesh), megabytes(most))
            : fmt::format("needs about {} of host memory, {} allowed", megabytes(needed), megabytes(allowed));
    return CallResult{.status = Status::TOO_LARGE,
                      .message = fmt::format("{}; {}", why, check.text()),
                      .metrics = request.measure_memory ? check.metrics() : std::vector<Metric>{}};
}

CallResult check_on(const ttnn::OpInfo& op, const CallRequest& request, const std::shared_ptr<ttnn::Device>& device) {
    if (auto refused = refused_as_too_large(op, request, device)) {
        if (!request.record.empty()) {  // what it is can be recorded all the same
            const Recording recording(request.record);
            refused->called = check_memory(op, request.arguments, device).inferred;
        }
        return std::move(*refused);
    }
    DecodedCall decoded = decode_arguments(op, request.arguments, device);
    if (!decoded.params) {
        return {.status = decoded.status, .message = std::move(decoded.message)};
    }
    if (!request.values.empty()) {
        try {
            fill_from_file(*decoded.params, request.values);
        } catch (const FileError& error) {
            return {.status = Status::NOT_RUN, .message = error.what()};
        }
    }
    const Recording recording(request.record);
    ttnn::CheckOptions options{.compare = request.compare, .filled = !request.values.empty()};
    std::vector<Fingerprint> fingerprints;
    std::optional<ttnn::OneThread> one_thread;  // bits shall not depend on the machine's size
    if (request.fingerprint) {
        one_thread.emplace();
        options.output = [&](const ttnn::Tensor& output) { fingerprints.push_back(fingerprint_of(output)); };
    }
    CallResult result = to_result(ttnn::check_call(*decoded.params, request.seed, options));
    result.fingerprints = std::move(fingerprints);
    return result;
}

// The next call must find the device as this one did.
void replace_if_used_up(const CallRequest& request, const ttnn::Device& device, CallResult& result) {
    const size_t left = device.live_buffers().size();
    if (left == 0 && device.is_open()) {
        return;
    }
    if (result.status == Status::PASS || result.status == Status::NOT_JUDGED) {
        result.status = Status::FAIL;
        result.message = fmt::format("the operation leaves buffers on the device: {}", left);
    }
    open_devices().erase(request.board);
}

CallResult run(const CallRequest& request) {
    const ttnn::OpInfo* op = ttnn::find_operation(request.operation);
    if (op == nullptr) {
        return {.status = Status::NOT_RUN,
                .message = fmt::format("no operation '{}'{}", request.operation,
                                       ttnn::did_you_mean(ttnn::nearest_operations(request.operation)))};
    }
    std::shared_ptr<ttnn::Device> device;
    try {
        device = device_of(request.board);
    } catch (const ttnn::Error& error) {
        return {.status = Status::NOT_RUN, .message = error.what()};
    }
    CallResult result = check_on(*op, request, device);
    replace_if_used_up(request, *device, result);
    if (request.measure_memory && result.metrics.empty()) {
        result.metrics = check_memory(*op, request.arguments, device_of(request.board)).metrics();
    }
    return result;
}

}  // namespace

CallResult execute(const CallRequest& request) {
    const auto begin = std::chrono::steady_clock::now();
    CallResult result;
    try {
        result = run(request);
    } catch (const std::bad_alloc&) {
        result = {.status = Status::FAIL_HOST_MEMORY, .message = "not enough host memory for the arguments"};
    } catch (const std::exception& error) {
        result = {.status = Status::FAIL, .message = fmt::format("unexpected exception: {}", error.what())};
    }
    result.id = request.id;
    result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

}  // namespace tracelift
