// One source, several instruction sets: loops compiled once per x86-64 level and chosen when the program starts.
#pragma once

// Put TTNN_VECTOR_CLONES before the definition of a plain (non-template) function whose loops should use AVX-512 or
// AVX2 where the machine has them. Everything it calls in its loops must be TTNN_ALWAYS_INLINE, or the callee keeps the
// baseline instructions. Levels v3 and v4 have fused multiply-add: where a*b+c must round the same on every machine the
// file has to be compiled with -ffp-contract=off.
//
// Off under sanitizers, whose runtime is not ready when the clones are resolved.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(TTNN_SANITIZED)
#define TTNN_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TTNN_VECTOR_CLONES
#endif

#define TTNN_ALWAYS_INLINE [[gnu::always_inline]] inline
