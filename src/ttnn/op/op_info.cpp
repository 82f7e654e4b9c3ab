#include "ttnn/op/op_info.hpp"

#include <algorithm>
#include <new>

#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

std::string default_text(const OpInfo& op, const FieldInfo& field) {
    return field.type->encode(static_cast<const char*>(op.defaults) + field.offset).to_text();
}

}  // namespace

std::string OpInfo::cpp_name() const {
    std::string text;
    for (char c : name) {
        text += c == '.' ? std::string("::") : std::string(1, c);
    }
    return text;
}

std::string OpInfo::signature() const {
    std::string text = "(";
    bool star = false;
    for (const FieldInfo& field : fields) {
        if (text.size() > 1) {
            text += ", ";
        }
        if (field.keyword_only() && !star) {
            text += "*, ";
            star = true;
        }
        text += fmt::format("{}: {}", field.name, field.type->name);
        if (!field.required()) {
            text += " = " + default_text(*this, field);
        }
    }
    return text + ") -> " + result->name;
}

const FieldInfo* OpInfo::find_field(std::string_view keyword) const {
    const auto found = std::ranges::find_if(fields, [&](const FieldInfo& field) {
        return field.name == keyword || (!field.other_name.empty() && field.other_name == keyword);
    });
    return found == fields.end() ? nullptr : &*found;
}

std::vector<const FieldInfo*> OpInfo::cpp_fields() const {
    std::vector<const FieldInfo*> ordered;
    for (const FieldInfo& field : fields) {
        ordered.push_back(&field);
    }
    std::ranges::sort(ordered, {}, &FieldInfo::offset);
    return ordered;
}

AnyParams::AnyParams(const OpInfo& op, const void* from)
    : op_(&op), data_(::operator new(op.params_size, std::align_val_t(op.params_align))) {
    op.copy_params(data_, from);
}

AnyParams::~AnyParams() {
    if (data_ != nullptr) {
        op_->destroy_params(data_);
        ::operator delete(data_, std::align_val_t(op_->params_align));
    }
}

AnyParams& AnyParams::operator=(AnyParams other) noexcept {
    std::swap(op_, other.op_);
    std::swap(data_, other.data_);
    return *this;
}

std::vector<Tensor> call_operation(AnyParams& params) {
    const OpInfo& op = params.op();
    const auto storage = std::make_unique<std::byte[]>(op.result->size + alignof(std::max_align_t));
    op.call(op, params.data(), storage.get());
    std::vector<Tensor> outputs;
    op.result->visit_tensors(storage.get(), [&](const Tensor& tensor) { outputs.push_back(tensor); });
    op.destroy_result(storage.get());
    return outputs;
}

bool is_given(const OpInfo& op, const FieldInfo& field, const void* params) {
    return field.required() || !field.type->equal(static_cast<const char*>(params) + field.offset,
                                                  static_cast<const char*>(op.defaults) + field.offset);
}

void put_call(const OpInfo& op, const void* params, tracelift::ValueSink& sink) {
    size_t count = 0;
    for (const FieldInfo& field : op.fields) {
        count += is_given(op, field, params) ? 1 : 0;
    }
    sink.dict(count);
    for (const FieldInfo& field : op.fields) {
        if (is_given(op, field, params)) {
            sink.key(field.name);
            field.type->put(static_cast<const char*>(params) + field.offset, sink);
        }
    }
}

tracelift::Value::Dict encode_call(const OpInfo& op, const void* params) {
    tracelift::ValueBuilder builder;
    put_call(op, params, builder);
    return builder.take().take<tracelift::Value::Dict>();
}

void check_tensor_arguments(const OpInfo& op, const void* params) {
    const Device* device = nullptr;
    std::string_view first;
    for (const uint16_t index : op.tensor_fields) {
        const FieldInfo& field = op.fields[index];
        bool found = false;
        field.type->visit_tensors(static_cast<const char*>(params) + field.offset, [&](const Tensor& tensor) {
            found = true;
            if (!tensor.is_allocated()) [[unlikely]] {
                fail(
                    "{}: argument '{}' is not allocated: the tensor was deallocated before this call (Buffer is not "
                    "allocated)",
                    op.name, field.name);
            }
            if (!tensor.is_on_device()) {
                require(op.host_inputs, "{}: argument '{}' must be on device, but its storage type is HOST", op.name,
                        field.name);
                return;
            }
            const Device* own = tensor.buffer()->device().get();
            if (device == nullptr) {
                device = own;
                first = field.name;
            }
            require(own == device,
                    "{}: argument '{}' is on device {} ({}), but '{}' is on device {} ({}); all tensors must be on the "
                    "same device",
                    op.name, field.name, own->id(), own->board().name, first, device->id(), device->board().name);
        });
        require(found || !field.required() || op.host_inputs || field.type != &type_info<Tensor>(),
                "{}: argument '{}' holds no tensor", op.name, field.name);
    }
}

}  // namespace ttnn
