#include "tracelift/replay/input_domains.hpp"

#include <algorithm>
#include <optional>

#include "tracelift/base/errors.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/bind/left_out.hpp"
#include "tracelift/bind/positional_names.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "tracelift/replay/nesting.hpp"
#include "tracelift/sweep/memory_check.hpp"
#include "ttnn/check/case_maker.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/bind.hpp"
#include "ttnn/op/record_types.hpp"

namespace tracelift {
namespace {

struct DeclaredCall {
    const ttnn::OpInfo* op;  // the overload
    Value::Dict arguments;
    std::shared_ptr<ttnn::Device> device;
};

std::optional<DeclaredCall> declared_call(std::string_view line) {
    if (nesting(line) > deepest_record) {
        return std::nullopt;
    }
    try {
        const FileCall call = read_call_line(line, "record");
        const std::string board = call.hardware ? board_of_series(call.hardware->device_series) : "";
        BoundCall bound = Binder().bind(call.call, call.order, board);
        if (!bound.bound) {
            return std::nullopt;
        }
        bound.arguments = replayable(bound.arguments);
        const ttnn::OpInfo& op = overload_of(bound);
        const std::shared_ptr<ttnn::Device> device = open_board(board_to_replay(board, call.hardware, bound.arguments));
        return DeclaredCall{&op, std::move(bound.arguments), device};
    } catch (const FileError&) {
        return std::nullopt;
    } catch (const ttnn::Error&) {
        return std::nullopt;
    }
}

}  // namespace

std::vector<InputDomain> input_domains(std::string_view line) {
    const auto call = declared_call(line);
    std::string why;
    const auto params =
        call ? ttnn::try_decode_call(*call->op, {}, call->arguments, {call->device, ttnn::Tensor::without_bytes}, why)
             : std::nullopt;
    std::vector<InputDomain> domains;
    if (!params) {
        return domains;
    }
    for (const uint16_t index : call->op->tensor_fields) {
        const ttnn::FieldInfo& field = call->op->fields[index];
        InputDomain found{std::string(field.name), index, {}};
        bool there = false;
        field.type->visit_tensors(params->field(field), [&](const ttnn::Tensor& tensor) {
            found.domain = ttnn::domain_of(*params, field.name, tensor.dtype());
            there = true;
        });
        if (there) {
            domains.push_back(std::move(found));
        }
    }
    return domains;
}

uint64_t output_elements(std::string_view line) {
    auto call = declared_call(line);
    if (!call) {
        return 0;
    }
    // What would be made on the host is made on the device here, where nothing is dispatched and no byte is needed.
    for (const ttnn::FieldInfo& field : call->op->fields) {
        const bool given = std::ranges::find(call->arguments, field.name, &Value::Entry::key) != call->arguments.end();
        if (!given && ttnn::type_name_of(field) == "MeshDevice") {
            call->arguments.push_back({std::string(field.name), Value::Object{"MeshDevice", ""}});
        }
    }
    uint64_t elements = 0;
    for (const ttnn::TensorSpec& spec : check_memory(*call->op, call->arguments, call->device).outputs) {
        elements += spec.logical_shape().volume();
    }
    return elements;
}

}  // namespace tracelift
