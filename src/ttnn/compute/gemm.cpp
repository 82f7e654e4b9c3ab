#include "ttnn/compute/gemm.hpp"

#include <algorithm>
#include <mutex>

#include <cblas.h>
#include <dlfcn.h>

#include "ttnn/core/error.hpp"
#include "ttnn/core/one_thread.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

// The library starts its threads when it is loaded, and they wait for work with the processor busy: only programs that
// multiply have it loaded, at the first product.
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
        return reinterpret_cast<decltype(&cblas_sgemm)>(found);
    }();
    return function;
}

// The library's number of threads is 1 while one lives, where that is wanted. Products on several threads may overlap:
// the first sets the number and the last gives it back.
class ThreadLimit {
public:
    ThreadLimit() : wanted_(OneThread::wanted()) {
        if (wanted_) {
            State& state = shared();
            const std::lock_guard lock(state.mutex);
            if (state.holders++ == 0 && state.get != nullptr && state.set != nullptr) {
                state.before = state.get();
                state.set(1);
            }
        }
    }
    ~ThreadLimit() {
        if (wanted_) {
            State& state = shared();
            const std::lock_guard lock(state.mutex);
            if (--state.holders == 0 && state.before != 0) {
                state.set(state.before);
            }
        }
    }
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;

private:
    struct State {
        int (*get)() = reinterpret_cast<int (*)()>(blas_symbol("openblas_get_num_threads"));
        void (*set)(int) = reinterpret_cast<void (*)(int)>(blas_symbol("openblas_set_num_threads"));
        std::mutex mutex;
        int holders = 0;
        int before = 0;
    };
    static State& shared() {
        static State state;
        return state;
    }

    const bool wanted_;
};

// Rows that are multiplied in one go: all of them, unless a watchdog has to be able to stop in between.
size_t rows_at_a_time(const GemmShape& shape, size_t rows) {
    constexpr size_t most_products = size_t{1} << 30;
    constexpr size_t step = 64;
    return is_stoppable() ? std::max(step, most_products / (shape.n * shape.k) / step * step) : rows;
}

void multiply(const GemmShape& shape, size_t rows, const float* a, const float* b, float* out) {
    const auto m = static_cast<blasint>(rows);
    const auto n = static_cast<blasint>(shape.n);
    const auto k = static_cast<blasint>(shape.k);
    const size_t step = rows_at_a_time(shape, rows);
    const ThreadLimit limit;
    for (size_t first = 0; first < rows; first += step) {
        checkpoint();
        sgemm()(CblasRowMajor, shape.transpose_a ? CblasTrans : CblasNoTrans,
                shape.transpose_b ? CblasTrans : CblasNoTrans, static_cast<blasint>(std::min(step, rows - first)), n, k,
                1.0F, a + (shape.transpose_a ? first : first * shape.k), shape.transpose_a ? m : k, b,
                shape.transpose_b ? k : n, 0.0F, out + first * shape.n, n);
    }
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
    for (size_t i = 0; i < shape.batches; ++i) {
        multiply(shape, shape.m, a + i * shape.m * shape.k, shape.shared_b ? b : b + i * shape.k * shape.n,
                 out + i * shape.m * shape.n);
    }
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
