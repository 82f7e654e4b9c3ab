#include "ttnn/tensor/dense.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

#include "ttnn/core/math.hpp"

namespace ttnn {
namespace {

constexpr size_t huge_page = size_t{2} << 20;
constexpr size_t cache_line = 64;

}  // namespace

void* allocate_dense(size_t bytes) {
    const bool large = bytes >= 2 * huge_page;
    const size_t alignment = large ? huge_page : cache_line;
    const size_t size = round_up(std::max<size_t>(bytes, 1), alignment);
    void* memory = std::aligned_alloc(alignment, size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    if (large) {
        madvise(memory, size, MADV_HUGEPAGE);  // only advice: without it the memory is just slower
    }
    return memory;
}

void free_dense(void* memory) { std::free(memory); }

}  // namespace ttnn
