// Values of tensors in parts, for work that must not hold all of them at once, and page by page without looking at
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttnn/core/function_ref.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

// Nothing reaches a tensor on a device that does not dispatch: what is written there is dropped.
bool drops_writes(const Tensor& tensor);

// Between tensors of the same page grid, whatever the order of their pages in storage.
void copy_pages(const Tensor& from, Tensor& to);

// The numbers of the parts that hold something: on a device those of the chips that the tensor was spread over.
std::vector<uint32_t> used_parts(const Tensor& tensor);

// Copies every part of a tensor to the part of the same chip; what has one part reaches all chips, and a host tensor of
// one part gets as many as there are. The topology follows.
void copy_parts(const Tensor& from, Tensor& to, FunctionRef<void(const Tensor& from, Tensor& to)> copy);

// A host tensor of what `change` makes of every part; parts with the same bytes are changed once.
Tensor map_parts(const Tensor& tensor, FunctionRef<Tensor(const Tensor& part)> change);
// Every part of a host tensor under another spec of the same shape; padding becomes `pad`.
Tensor with_spec(const Tensor& host, const TensorSpec& spec, double pad);

// The logical elements from number `first` on, in row-major order. float, uint32_t and double as for read.
template <class T>
void read_part(const Tensor& tensor, uint64_t first, std::span<T> to);
// One logical element by its number in row-major order, exact.
double read_element(const Tensor& tensor, uint64_t index);

// Logical elements that fill whole rows of pages, so that they can be written without their neighbours.
struct Band {
    uint64_t first_page_row = 0;
    uint64_t page_rows = 0;
    uint64_t first = 0;  // element
    uint64_t size = 0;   // in elements
};
// All of a tensor in bands of about `elements` elements, in order; a row of pages is never cut.
std::vector<Band> bands_of(const TensorSpec& spec, uint64_t elements);
inline constexpr uint64_t usual_band = uint64_t{1} << 18;  // elements; stays in the cache
// Writes bands of a tensor, also several at once on as many threads. T: float or uint32_t, as for write.
template <class T>
class BandWriter {
public:
    explicit BandWriter(Tensor& tensor);
    void write(const Band& band, std::span<const T> values, T pad = T{}) const;

private:
    Tensor& tensor_;
    std::byte* bytes_ = nullptr;  // nothing is written without
};
template <class T>
void write_band(Tensor& tensor, const Band& band, std::span<const T> values, T pad = T{}) {
    BandWriter<T>(tensor).write(band, values, pad);
}

// Whether elements can be moved between the two as they are: the same dtype, stored element by element.
bool same_elements(const TensorSpec& a, const TensorSpec& b);
// The same elements in row-major order under another shape, layout or memory config; padding becomes `pad`. Both hold
// the same elements (above) and the same number of them.
void copy_elements(const Tensor& from, Tensor& to, double pad);

}  // namespace ttnn
