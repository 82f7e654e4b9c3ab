// FileArray: a growing array of plain numbers in a file without a name, for what grows with a report. Its pages leave
// memory when asked.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <sys/mman.h>
#include <unistd.h>

namespace tracelift::report {

template <class T>
class FileArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    FileArray() = default;
    ~FileArray() {
        if (data_ != nullptr) {
            munmap(data_, capacity_ * sizeof(T));
        }
        if (file_ != nullptr) {
            std::fclose(file_);
        }
    }
    FileArray(const FileArray&) = delete;
    FileArray& operator=(const FileArray&) = delete;

    void push_back(const T& value) {
        if (size_ == capacity_) {
            grow(size_ + 1);
        }
        data_[size_++] = value;
    }
    // New elements are all zero bytes.
    void resize(size_t size) {
        if (size > capacity_) {
            grow(size);
        }
        size_ = size;
    }
    size_t size() const { return size_; }
    T& operator[](size_t index) { return data_[index]; }
    const T& operator[](size_t index) const { return data_[index]; }
    // The values stay in the file.
    void release() const {
        if (data_ != nullptr) {
            madvise(data_, capacity_ * sizeof(T), MADV_DONTNEED);
        }
    }

private:
    static constexpr size_t step = size_t{1} << 14;  // elements; then by half of what is there

    void grow(size_t needed) {
        if (file_ == nullptr) {
            file_ = std::tmpfile();
        }
        const size_t wanted = (std::max(needed, capacity_ + capacity_ / 2) + step - 1) / step * step;
        const bool longer = file_ != nullptr && ftruncate(fileno(file_), static_cast<off_t>(wanted * sizeof(T))) == 0;
        void* place = MAP_FAILED;
        if (longer && data_ == nullptr) {
            place = mmap(nullptr, wanted * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file_), 0);
        } else if (longer) {
            place = mremap(data_, capacity_ * sizeof(T), wanted * sizeof(T), MREMAP_MAYMOVE);
        }
        if (place == MAP_FAILED) {
            throw std::runtime_error(std::string("cannot create a temporary file: ") + std::strerror(errno));
        }
        data_ = static_cast<T*>(place);
        capacity_ = wanted;
    }

    std::FILE* file_ = nullptr;
    T* data_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

}  // namespace tracelift::report
