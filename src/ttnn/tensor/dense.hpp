// Dense: an owned run of elements that is not zeroed first.
#pragma once

#include <memory>
#include <span>

namespace ttnn {

template <class T>
class Dense {
public:
    Dense() = default;
    explicit Dense(size_t size) : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    size_t size() const { return size_; }
    T& operator[](size_t i) { return data_[i]; }
    const T& operator[](size_t i) const { return data_[i]; }
    T* begin() { return data_.get(); }
    T* end() { return data_.get() + size_; }
    const T* begin() const { return data_.get(); }
    const T* end() const { return data_.get() + size_; }
    std::span<T> span() { return {data_.get(), size_}; }
    std::span<const T> span() const { return {data_.get(), size_}; }

private:
    std::unique_ptr<T[]> data_;
    size_t size_ = 0;
};

}  // namespace ttnn
