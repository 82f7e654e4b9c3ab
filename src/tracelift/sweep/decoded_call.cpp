#include "tracelift/sweep/decoded_call.hpp"

#include "ttnn/op/bind.hpp"

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
    const ttnn::DecodeContext context{device, make_tensor};
    for (const ttnn::OpInfo* form = &op; form != nullptr && !decoded.params; form = form->next_overload) {
        std::string why;
        decoded.params = ttnn::try_decode_call(*form, {}, arguments, context, why);
        if (!decoded.params) {
            decoded.message += (decoded.message.empty() ? "" : "\n") + why;
        }
    }
    return decoded;
}

}  // namespace tracelift
