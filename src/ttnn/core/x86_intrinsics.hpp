// <immintrin.h> on x86-64, nothing elsewhere.
#pragma once

#if defined(__x86_64__)
// GCC 12 warns about its own deliberately undefined vectors (GCC bug 105593).
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif
