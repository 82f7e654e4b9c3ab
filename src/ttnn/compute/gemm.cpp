#include "ttnn/compute/gemm.hpp"

#include <algorithm>

#include <cblas.h>
#include <dlfcn.h>

#include "ttnn/core/error.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

// Products are shared among threads here: those of the library wait for their next work with the processor busy, which
// others could use. It is loaded at the first product, because it starts them then.
void* blas_symbol(const char* name) {
    static void* const library = dlopen(TTNN_BLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return library != nullptr ? dlsym(library, name) : nullptr;
}

decltype(&cblas_sgemm) sgemm() {
    static const auto function = [] {
        void* found = blas_symbol("cblas_sgemm");
        if (found == nullptr) {
            const char* why = dlerror();  // told once
            fail("matrix products need {} (Debian package libopenblas0): {}", TTNN_BLAS_LIBRARY,
                 why != nullptr ? why : "it cannot be loaded");
        }
        if (auto* const set_threads = reinterpret_cast<void (*)(int)>(blas_symbol("openblas_set_num_threads"))) {
            set_threads(1);
        }
        return reinterpret_cast<decltype(&cblas_sgemm)>(found);
    }();
    return function;
}

// A part of a product: rows of a, columns of b.
struct Part {
    size_t row = 0;
    size_t rows = 0;
    size_t column = 0;
    size_t columns = 0;
};

// `height`: rows of all of a.
void multiply_part(const GemmShape& shape, size_t height, const Part& part, const float* a, const float* b,
                   float* out) {
    const auto m = static_cast<blasint>(height);
    const auto n = static_cast<blasint>(shape.n);
    const auto k = static_cast<blasint>(shape.k);
    sgemm()(CblasRowMajor, shape.transpose_a ? CblasTrans : CblasNoTrans, shape.transpose_b ? CblasTrans : CblasNoTrans,
            static_cast<blasint>(part.rows), static_cast<blasint>(part.columns), k, 1.0F,
            a + (shape.transpose_a ? part.row : part.row * shape.k), shape.transpose_a ? m : k,
            b + (shape.transpose_b ? part.column * shape.k : part.column), shape.transpose_b ? k : n, 0.0F,
            out + part.row * shape.n + part.column, n);
}

// Members that one call of the library takes, of `size` with `each` products to a member. The last bits of a product
// depend on this, so it must depend on nothing but shapes: not on how many threads there are, nor on a watchdog.
size_t members_of_part(size_t size, size_t each, size_t least) {
    constexpr size_t worth_a_thread = size_t{1} << 22;  // products
    constexpr size_t most = size_t{1} << 30;            // products between two looks at a watchdog
    constexpr size_t most_parts = 16;                   // each packs the other operand anew
    constexpr size_t step = 16;                         // whole blocks of the library's kernels
    const size_t products = std::max<size_t>(each, 1);
    const size_t wanted = std::max({least, worth_a_thread / products, div_up(size, most_parts)});
    return round_up(std::min(wanted, std::max(least, most / products)), step);
}

// Threads take rows; of a few rows (a decoding model has 32) they take columns.
void multiply(const GemmShape& shape, size_t rows, const float* a, const float* b, float* out) {
    constexpr size_t few = 256;  // rows; with less each, b would be packed for too little work
    const bool by_rows = rows >= few;
    const size_t size = by_rows ? rows : shape.n;
    const size_t each = shape.k * (by_rows ? shape.n : rows);
    const size_t step = members_of_part(size, each, few / (by_rows ? 2 : 4));
    parallel(div_up(size, step), 1, [&](size_t first, size_t last) {
        for (size_t begin = first * step; begin < std::min(last * step, size); begin += step) {
            checkpoint();
            const size_t count = std::min(step, size - begin);
            multiply_part(shape, rows, by_rows ? Part{begin, count, 0, shape.n} : Part{0, rows, begin, count}, a, b,
                          out);
        }
    });
}

}  // namespace

std::string blas_description() {
    const auto config = reinterpret_cast<const char* (*)()>(blas_symbol("openblas_get_config"));
    return config != nullptr ? config() : TTNN_BLAS_LIBRARY;
}

void gemm(const GemmShape& shape, const float* a, const float* b, float* out) {
    const size_t total = shape.batches * shape.m * shape.n;
    if (total == 0 || shape.k == 0) {
        std::fill(out, out + total, 0.0F);
        return;
    }
    if (shape.shared_b && !shape.transpose_a) {  // the batches of a are more rows
        multiply(shape, shape.batches * shape.m, a, b, out);
        return;
    }
    const size_t each = shape.m * shape.n * shape.k;
    parallel(shape.batches, (size_t{1} << 22) / std::max<size_t>(each, 1) + 1, [&](size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) {
            multiply(shape, shape.m, a + i * shape.m * shape.k, shape.shared_b ? b : b + i * shape.k * shape.n,
                     out + i * shape.m * shape.n);
        }
    });
}

TTNN_VECTOR_CLONES
void add_row(float* values, const float* row, size_t rows, size_t columns) {
    for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j < columns; ++j) {
            values[i * columns + j] += row[j];
        }
    }
}

}  // namespace ttnn::compute
