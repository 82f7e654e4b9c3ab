// OpInfo: an operation's declaration lowered to a plain table. All derived machinery loops over this.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ttnn/op/domain.hpp"
#include "ttnn/op/field.hpp"

namespace ttnn {

namespace reference {
struct Array;
}
class CaseMaker;

struct OpInfo {
    std::string_view name;  // "ttnn.add"
    std::string_view doc;
    std::vector<std::string_view> aliases;  // "ttnn.sub"
    std::vector<FieldInfo> fields;          // Python order
    std::vector<uint16_t> tensor_fields;    // indices of fields that may hold tensors, in the order of C++
    bool host_inputs = false;               // accepts tensors in host storage

    size_t params_size = 0;
    size_t params_align = 0;
    const void* defaults = nullptr;  // a Params with every default, for copying and comparing
    void (*copy_params)(void* to, const void* from) = nullptr;  // copy-constructs
    void (*destroy_params)(void* params) = nullptr;
    const TypeInfo* result = nullptr;
    // Runs the operation; constructs the result at `result`.
    void (*call)(const OpInfo& op, void* params, void* result) = nullptr;
    void (*destroy_result)(void* result) = nullptr;
    const void* state = nullptr;  // for operations made at run time

    Tolerance tolerance{};
    Domain (*domain)(const void* params, std::string_view field) = nullptr;
    void (*cases)(CaseMaker& make) = nullptr;
    // fp64 reference of the outputs, in order; set by the reference library. Empty: the operation has none,
    // and no_reference says why.
    std::vector<reference::Array> (*reference)(const void* params) = nullptr;
    // The same for operations that look at several chips: of one chip's outputs, from the arguments on all of them.
    std::vector<reference::Array> (*mesh_reference)(const void* params, uint32_t chip) = nullptr;
    // What a mutated argument that is not returned holds after the call.
    reference::Array (*mutated_reference)(const void* params, std::string_view field) = nullptr;
    std::string_view no_reference;
    const OpInfo* next_overload = nullptr;
    // Whether anything says what a call of it has to give.
    bool is_judged() const { return reference != nullptr || mesh_reference != nullptr || mutated_reference != nullptr; }

    // "ttnn::add", as graph traces write it.
    std::string cpp_name() const;
    // "(input_tensor: Tensor, *, memory_config: MemoryConfig | None = None) -> Tensor"
    std::string signature() const;
    const FieldInfo* find_field(std::string_view keyword) const;
    // The fields in the order of the C++ arguments.
    std::vector<const FieldInfo*> cpp_fields() const;
};

// Owned parameters of any operation.
class AnyParams {
public:
    explicit AnyParams(const OpInfo& op) : AnyParams(op, op.defaults) {}
    AnyParams(const OpInfo& op, const void* from);
    ~AnyParams();
    AnyParams(const AnyParams& other) : AnyParams(*other.op_, other.data_) {}
    AnyParams(AnyParams&& other) noexcept : op_(other.op_), data_(std::exchange(other.data_, nullptr)) {}
    AnyParams& operator=(AnyParams other) noexcept;

    const OpInfo& op() const { return *op_; }
    void* data() { return data_; }
    const void* data() const { return data_; }
    void* field(const FieldInfo& info) { return static_cast<char*>(data_) + info.offset; }
    const void* field(const FieldInfo& info) const { return static_cast<const char*>(data_) + info.offset; }

private:
    const OpInfo* op_;
    void* data_;
};

// Calls an operation with erased parameters and gives its output tensors.
std::vector<Tensor> call_operation(AnyParams& params);

// From positional values (C++ order is not assumed: Python order) and keywords to parameters. Throws DecodeError that
// names the operation, the argument and what was expected.
AnyParams decode_call(const OpInfo& op, const std::vector<tracelift::Value>& positional,
                      const tracelift::Value::Dict& keywords, const DecodeContext& context);
// The arguments that differ from their defaults, by name; into a sink as one dict.
tracelift::Value::Dict encode_call(const OpInfo& op, const void* params);
void put_call(const OpInfo& op, const void* params, tracelift::ValueSink& sink);
// Required, or not at its default.
bool is_given(const OpInfo& op, const FieldInfo& field, const void* params);

// Throws when a tensor argument is deallocated, on the host where a device tensor is needed, or on another device.
void check_tensor_arguments(const OpInfo& op, const void* params);

// --- registry ----------------------------------------------------------------------------------------------------
// Every declared operation by name. Filled once, on first use, from the generated list.
const std::vector<const OpInfo*>& all_operations();
// Adds an operation that is declared outside the library. Only before the registry is first used.
void register_operation(OpInfo& op);
// Accepts "add", "ttnn.add", "ttnn::add" and aliases; nullptr when unknown.
const OpInfo* find_operation(std::string_view name);
// Names near to a misspelt one, best first.
std::vector<std::string> nearest_operations(std::string_view name, size_t count = 3);

}  // namespace ttnn
