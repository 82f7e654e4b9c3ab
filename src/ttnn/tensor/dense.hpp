// Dense: an owned run of elements that is not zeroed first.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace ttnn {

// Uninitialised memory, on huge pages where it is large: fresh small pages cost more than the work done on them.
void* allocate_dense(size_t bytes);
void free_dense(void* memory);

template <class T>
class Dense {
    static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_default_constructible_v<T>);

public:
    Dense() = default;
    explicit Dense(size_t size) : data_(static_cast<T*>(allocate_dense(size * sizeof(T)))), size_(size) {}

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
    struct Free {
        void operator()(T* memory) const { free_dense(memory); }
    };
    std::unique_ptr<T[], Free> data_;
    size_t size_ = 0;
};

}  // namespace ttnn
