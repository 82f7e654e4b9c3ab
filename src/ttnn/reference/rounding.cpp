#include "ttnn/reference/rounding.hpp"

namespace ttnn::reference {

Array rounded(const Array& array, DataType dtype) {
    if (is_integer(dtype)) {
        return map(array, [&](double value) { return wrap_to(dtype, value); });
    }
    Tensor host = Tensor::allocate_on_host(TensorSpec(array.shape, dtype, Layout::TILE));
    const std::vector<float> single(array.values.begin(), array.values.end());
    write<float>(host, single);
    return values(host);
}

}  // namespace ttnn::reference
