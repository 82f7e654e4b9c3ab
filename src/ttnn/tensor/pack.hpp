// Conversion between dense arrays of numbers and packed pages.
//
// "Packed" means the bytes as a device holds them: row-major rows, or tiles whose faces follow each other, with the
// block-float exponents in front. "Dense" means a row-major 2-D array of plain numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ttnn/tensor/tile.hpp"
#include "ttnn/tensor/types.hpp"

namespace ttnn::pack {

// --- single numbers --------------------------------------------------------------------------------------------
uint16_t to_bfloat16(float value);  // round to nearest even, NaN -> 0x7FC0
float from_bfloat16(uint16_t bits);

// --- runs of elements in any order (no tiles) ----------------------------------------------------------------------
// Elements of `dtype` (not block float) <-> floats; integers are converted by value, saturating at the dtype's range
// with NaN -> 0 and truncation toward zero. UINT32/INT32 beyond 2^24 are rounded to the nearest float.
void encode(DataType dtype, const float* from, std::byte* to, size_t count);
void decode(DataType dtype, const std::byte* from, float* to, size_t count);
// The same through 32-bit patterns for integer types: UINT8/UINT16 are zero-extended (the low bits are stored), wider
// ones are bit-copied.
void encode(DataType dtype, const uint32_t* from, std::byte* to, size_t count);
void decode(DataType dtype, const std::byte* from, uint32_t* to, size_t count);

// --- one page --------------------------------------------------------------------------------------------------------
// A block of rows x columns numbers at `from` (row stride in elements) becomes one packed tile. Rows and columns that
// the block does not have (rows < tile.height(), ...) are filled with `pad`.
template <class T>  // float or uint32_t (integers only)
void encode_tile(DataType dtype, const Tile& tile, const T* from, size_t stride, size_t rows, size_t columns, T pad,
                 std::byte* to);
// The reverse; only rows x columns numbers are written.
template <class T>
void decode_tile(DataType dtype, const Tile& tile, const std::byte* from, T* to, size_t stride, size_t rows,
                 size_t columns);

// --- tiles side by side ------------------------------------------------------------------------------------------
// `tiles` tiles on end that cover columns 0 .. tiles * tile.width() of a block; the fast way for whole tensors.
template <class T>
void encode_tile_row(DataType dtype, const Tile& tile, const T* from, size_t stride, size_t rows, size_t columns, T pad,
                     std::byte* to, size_t tiles);
// The reverse; reads as many tiles as `columns` reach into.
template <class T>
void decode_tile_row(DataType dtype, const Tile& tile, const std::byte* from, T* to, size_t stride, size_t rows,
                     size_t columns);

// --- tiles in storage order ----------------------------------------------------------------------------------------
// Packed tiles <-> floats in face order (16 consecutive floats share an exponent), `tiles` tiles on end. For
// elementwise work that need not know where an element sits. Any floating dtype. A block float whose exponent would
// fall below 1 (its normalised value is not a normal float) decodes to 0.
void decode_faces(DataType dtype, const Tile& tile, const std::byte* from, float* to, size_t tiles);
void encode_faces(DataType dtype, const Tile& tile, const float* from, std::byte* to, size_t tiles);

}  // namespace ttnn::pack
