#include "tracelift/sweep/decoded_call.hpp"

namespace tracelift {

DecodedCall decode_arguments(const ttnn::OpInfo& op, const Value::Dict& arguments,
                             const std::shared_ptr<ttnn::Device>& device) {
    DecodedCall decoded;
    // Decoding reports every error as one of the argument; this keeps what kind it was.
    const auto make_tensor = [&](const ttnn::TensorSpec& spec, ttnn::StorageType storage) {
        try {
            return storage == ttnn::StorageType::HOST ? ttnn::Tensor::allocate_on_host(spec)
                                                      : ttnn::Tensor::allocate_on_device(spec, device);
        } catch (const ttnn::OutOfMemory&) {
            decoded.status = Status::OUT_OF_MEMORY;
            throw;
        }
    };
    for (const ttnn::OpInfo* form = &op; form != nullptr && !decoded.params; form = form->next_overload) {
        try {
            decoded.params = ttnn::decode_call(*form, {}, arguments, {device, make_tensor});
        } catch (const ttnn::Error& error) {
            decoded.message += (decoded.message.empty() ? "" : "\n") + std::string(error.what());
        }
    }
    return decoded;
}

}  // namespace tracelift
