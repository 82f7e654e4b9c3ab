#include "ttnn/tensor/pack.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"
#include "ttnn/tensor/pack_runs.hpp"

namespace ttnn {
namespace {

using pack::VectorLevel;
using Bytes = std::vector<std::byte>;

float from_bits(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

// --- a naive reference, step by step -------------------------------------------------

namespace naive {

uint16_t bfloat16(float value) {
    if (std::isnan(value)) {
        return 0x7FC0;
    }
    const uint32_t bits = bits_of(value);
    uint32_t kept = bits >> 16;
    const uint32_t lost = bits & 0xFFFF;
    if (lost > 0x8000 || (lost == 0x8000 && kept % 2 == 1)) {
        ++kept;
    }
    return static_cast<uint16_t>(kept);
}

uint32_t field(float value) { return (bits_of(value) >> 23) & 0xFF; }

uint32_t shared_exponent(const float* run) {
    uint32_t shared = 0;
    for (int i = 0; i < 16; ++i) {
        shared = std::max(shared, field(run[i]));
    }
    return shared;
}

uint32_t quantize(float value, uint32_t shared, unsigned magnitude_bits) {
    if (field(value) == 0) {
        return 0;
    }
    uint64_t significand = (bits_of(value) % (1U << 23)) + (1U << 23);
    for (uint32_t i = field(value); i < shared; ++i) {
        significand /= 2;
    }
    const uint64_t unit = uint64_t{1} << (24 - magnitude_bits);
    uint64_t magnitude = significand / unit;
    const uint64_t rest = significand % unit;
    if (rest * 2 > unit || (rest * 2 == unit && magnitude % 2 == 1)) {
        ++magnitude;
    }
    magnitude = std::min(magnitude, (uint64_t{1} << magnitude_bits) - 1);
    const bool negative = bits_of(value) >> 31 != 0 && magnitude != 0;
    return static_cast<uint32_t>(magnitude + (negative ? uint64_t{1} << magnitude_bits : 0));
}

float expand(uint32_t quantized, uint32_t shared, unsigned magnitude_bits) {
    uint32_t magnitude = quantized % (1U << magnitude_bits);
    const uint32_t sign = quantized >> magnitude_bits;
    if (magnitude == 0) {
        return 0.0F;
    }
    auto exponent = static_cast<int>(shared);
    while (magnitude >> (magnitude_bits - 1) == 0) {
        magnitude *= 2;
        --exponent;
    }
    if (exponent < 1) {
        return 0.0F;
    }
    magnitude -= 1U << (magnitude_bits - 1);
    return from_bits(sign << 31 | static_cast<uint32_t>(exponent) << 23 | magnitude << (24 - magnitude_bits));
}

// (row, column) of every element in storage order.
std::vector<std::pair<size_t, size_t>> storage_order(const Tile& tile) {
    const size_t face_height = std::min<size_t>(tile.height(), 16);
    const size_t down = tile.height() / face_height;
    const size_t across = tile.width() / 16;
    std::vector<std::pair<size_t, size_t>> order;
    for (size_t face = 0; face < down * across; ++face) {
        const size_t face_row = tile.transposed() ? face % down : face / across;
        const size_t face_column = tile.transposed() ? face / down : face % across;
        for (size_t i = 0; i < face_height * 16; ++i) {
            const size_t row = tile.transposed() ? i % face_height : i / 16;
            const size_t column = tile.transposed() ? i / face_height : i % 16;
            order.emplace_back(face_row * face_height + row, face_column * 16 + column);
        }
    }
    return order;
}

Bytes block_float_tile(const Tile& tile, const std::vector<float>& block, unsigned bits) {
    const auto order = storage_order(tile);
    const size_t runs = order.size() / 16;
    const size_t section = (runs + 15) / 16 * 16;
    Bytes packed(section + order.size() * bits / 8);
    for (size_t run = 0; run < runs; ++run) {
        float numbers[16];
        for (size_t i = 0; i < 16; ++i) {
            const auto [row, column] = order[run * 16 + i];
            numbers[i] = block[row * tile.width() + column];
        }
        const uint32_t shared = shared_exponent(numbers);
        packed[run] = static_cast<std::byte>(shared);
        for (size_t i = 0; i < 16; ++i) {
            const size_t at = (run * 16 + i) * bits;
            packed[section + at / 8] |= static_cast<std::byte>(quantize(numbers[i], shared, bits - 1) << at % 8);
        }
    }
    return packed;
}

}  // namespace naive

// Any bit pattern, with exponents near each other half of the time so that mantissas matter.
class RandomFloats {
public:
    void fill(float* run, size_t count) {
        const uint32_t base = word_() % 256;
        const bool close = word_() % 2 == 0;
        for (size_t i = 0; i < count; ++i) {
            uint32_t bits = static_cast<uint32_t>(word_());
            if (close) {
                bits = (bits & 0x807FFFFF) | ((base + (bits >> 23) % 8) % 256) << 23;
            }
            if (word_() % 16 == 0) {
                bits &= 0xFFFF0000;  // ties
                bits |= word_() % 2 == 0 ? 0x8000 : 0;
            }
            if (word_() % 64 == 0) {
                bits = special_[word_() % std::size(special_)];
            }
            run[i] = from_bits(bits);
        }
    }

private:
    static constexpr uint32_t special_[] = {0,          0x80000000, 1,          0x807FFFFF, 0x00800000, 0x7F7FFFFF,
                                            0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF};
    std::mt19937 word_{7};
};

std::vector<VectorLevel> levels() {
    std::vector<VectorLevel> result = {VectorLevel::BASELINE};
    if (pack::best_level() >= VectorLevel::AVX2) {
        result.push_back(VectorLevel::AVX2);
    }
    if (pack::best_level() >= VectorLevel::AVX512) {
        result.push_back(VectorLevel::AVX512);
    }
    return result;
}

const Tile all_tiles[] = {Tile({32, 32}),       Tile({16, 32}),       Tile({32, 16}),       Tile({16, 16}),
                          Tile({8, 32}),        Tile({4, 32}),        Tile({2, 32}),        Tile({1, 32}),
                          Tile({8, 16}),        Tile({4, 16}),        Tile({2, 16}),        Tile({1, 16}),
                          Tile({32, 32}, true), Tile({16, 32}, true), Tile({32, 16}, true), Tile({16, 16}, true),
                          Tile({8, 32}, true),  Tile({1, 16}, true)};

Bytes pack_tile(DataType dtype, const Tile& tile, const std::vector<float>& block) {
    Bytes packed(tile.bytes(dtype), std::byte{0xAA});
    pack::encode_tile(dtype, tile, block.data(), tile.width(), tile.height(), tile.width(), 0.0F, packed.data());
    return packed;
}

std::vector<float> unpack_tile(DataType dtype, const Tile& tile, const Bytes& packed) {
    std::vector<float> block(tile.num_elements(), -1.0F);
    pack::decode_tile(dtype, tile, packed.data(), block.data(), tile.width(), tile.height(), tile.width());
    return block;
}

// --- bfloat16 ----------------------------------------------------------------------------------------------------

TEST(Bfloat16, RoundsToNearestEven) {
    EXPECT_EQ(pack::to_bfloat16(1.0F), 0x3F80);
    EXPECT_EQ(pack::to_bfloat16(from_bits(0x3F808000)), 0x3F80);  // tie, even below
    EXPECT_EQ(pack::to_bfloat16(from_bits(0x3F818000)), 0x3F82);  // tie, even above
    EXPECT_EQ(pack::to_bfloat16(from_bits(0x3F808001)), 0x3F81);
    EXPECT_EQ(pack::to_bfloat16(-0.0F), 0x8000);
    EXPECT_EQ(pack::to_bfloat16(from_bits(0x7F7FFFFF)), 0x7F80);  // rounds up to infinity
}

TEST(Bfloat16, EveryNanBecomesTheCanonicalOne) {
    for (const uint32_t bits : {0x7FC00000U, 0x7F800001U, 0xFF800001U, 0xFFFFFFFFU, 0x7FFFFFFFU}) {
        EXPECT_EQ(pack::to_bfloat16(from_bits(bits)), 0x7FC0);
    }
    EXPECT_EQ(pack::to_bfloat16(-std::numeric_limits<float>::infinity()), 0xFF80);
}

TEST(Bfloat16, EveryLevelAgreesWithTheReference) {
    RandomFloats random;
    for (const VectorLevel level : levels()) {
        const auto codec = pack::bfloat16_codec(level);
        for (int round = 0; round < 5000; ++round) {
            float numbers[3 * 20];
            random.fill(numbers, 60);
            uint16_t packed[48];
            codec.encode(numbers, 20, reinterpret_cast<std::byte*>(packed), nullptr, 3);
            float back[3 * 17] = {};
            codec.decode(reinterpret_cast<std::byte*>(packed), nullptr, back, 17, 3);
            for (size_t i = 0; i < 48; ++i) {
                const float number = numbers[i / 16 * 20 + i % 16];
                ASSERT_EQ(packed[i], naive::bfloat16(number)) << bits_of(number);
                ASSERT_EQ(bits_of(back[i / 16 * 17 + i % 16]), static_cast<uint32_t>(packed[i]) << 16);
            }
            ASSERT_EQ(back[16], 0.0F);  // between the runs
        }
    }
}

// --- block floats by hand ------------------------------------------------------------------------------------------

// The first 16 elements of a 32x32 tile, packed; everything else is zero.
struct PackedRun {
    uint8_t exponent = 0;
    std::vector<uint8_t> values;
};

PackedRun pack_run(DataType dtype, std::vector<float> first) {
    std::vector<float> block(1024);
    std::ranges::copy(first, block.begin());
    const Bytes packed = pack_tile(dtype, Tile{}, block);
    PackedRun run{static_cast<uint8_t>(packed[0]), {}};
    for (size_t i = 0; i < (dtype == DataType::BFLOAT8_B ? first.size() : (first.size() + 1) / 2); ++i) {
        run.values.push_back(static_cast<uint8_t>(packed[64 + i]));
    }
    return run;
}

using Values = std::vector<uint8_t>;

TEST(BlockFloat, SharesTheLargestExponent) {
    // Exponent fields 128 (2.0), 127 (1.0), 129 (-6.0): shared 129.
    // 2.0: 0x800000 >> 1 = 0x400000, / 2^17 = 32. 1.0: >> 2, 16. -6.0: 0xC00000 / 2^17 = 96, sign 0x80.
    const auto run = pack_run(DataType::BFLOAT8_B, {2.0F, 1.0F, -6.0F});
    EXPECT_EQ(run.exponent, 129);
    EXPECT_EQ(run.values, (Values{32, 16, 0x80 | 96}));
}

TEST(BlockFloat, RoundsTiesToEven) {
    // 1 + 1/128: 0x810000 / 2^17 = 64.5 -> 64. 1 + 3/128: 0x830000 / 2^17 = 65.5 -> 66.
    // One bit more than the first tie: 0x810001 -> 65.
    const auto run = pack_run(DataType::BFLOAT8_B, {1.0F + 1.0F / 128, 1.0F + 3.0F / 128, from_bits(0x3F810001)});
    EXPECT_EQ(run.exponent, 127);
    EXPECT_EQ(run.values, (Values{64, 66, 65}));
}

TEST(BlockFloat, SaturatesInsteadOfCarryingIntoTheExponent) {
    // 0xFFFFFF / 2^17 = 127.99 rounds to 128, which does not fit 7 bits.
    const auto run = pack_run(DataType::BFLOAT8_B, {from_bits(0x3FFFFFFF), from_bits(0xBFFFFFFF)});
    EXPECT_EQ(run.exponent, 127);
    EXPECT_EQ(run.values, (Values{127, 255}));
    // bfloat4_b: 0xF00000 / 2^21 = 7.5 rounds to 8, saturated to 7.
    EXPECT_EQ(pack_run(DataType::BFLOAT4_B, {1.875F}).values, Values{7});
}

TEST(BlockFloat, DropsShiftedOutBitsBeforeRounding) {
    // 0x3F820001 beside 2.0: significand 0x820001 >> 1 = 0x410000 and the last 1 is gone, / 2^17 = 32.5, a tie -> 32.
    // With the dropped bit it would have been above the tie, 33.
    const auto run = pack_run(DataType::BFLOAT8_B, {2.0F, from_bits(0x3F820001)});
    EXPECT_EQ(run.exponent, 128);
    EXPECT_EQ(run.values, (Values{64, 32}));
}

TEST(BlockFloat, HasNoNegativeZero) {
    // -0.0, and -2^-10 beside 1.0: 0x800000 >> 10 = 0x2000, / 2^17 rounds to 0, so no sign either.
    const auto run = pack_run(DataType::BFLOAT8_B, {1.0F, -0.0F, -0.0009765625F, -1.0F});
    EXPECT_EQ(run.exponent, 127);
    EXPECT_EQ(run.values, (Values{64, 0, 0, 0x80 | 64}));
}

TEST(BlockFloat, FlushesDenormals) {
    // Largest denormal alone: exponent field 0. Beside 2^-126 (field 1, magnitude 64) it is still 0.
    const float denormal = from_bits(0x007FFFFF);
    const auto alone = pack_run(DataType::BFLOAT8_B, {denormal, -denormal});
    EXPECT_EQ(alone.exponent, 0);
    EXPECT_EQ(alone.values, (Values{0, 0}));
    const auto beside = pack_run(DataType::BFLOAT8_B, {denormal, from_bits(0x00800000)});
    EXPECT_EQ(beside.exponent, 1);
    EXPECT_EQ(beside.values, (Values{0, 64}));
}

TEST(BlockFloat, TreatsInfinityAndNanAsExponent255) {
    // Infinity: 0x800000 / 2^17 = 64. Quiet NaN: 0xC00000 / 2^17 = 96. 1.0 is 128 places away.
    const auto run = pack_run(DataType::BFLOAT8_B, {from_bits(0x7F800000), from_bits(0xFFC00000), 1.0F});
    EXPECT_EQ(run.exponent, 255);
    EXPECT_EQ(run.values, (Values{64, 0x80 | 96, 0}));
}

TEST(BlockFloat, PacksTwoNibblesPerByteLowFirst) {
    // Shared 127. 1.0: 0x800000 / 2^21 = 4. -1.5: 6, sign 8 -> 14. 1.125: 4.5 -> 4. 1.375: 5.5 -> 6. 0.25: 1.
    const auto run = pack_run(DataType::BFLOAT4_B, {1.0F, -1.5F, 1.125F, 1.375F, 0.25F, 0.0F});
    EXPECT_EQ(run.exponent, 127);
    EXPECT_EQ(run.values, (Values{0xE4, 0x64, 0x01}));
}

TEST(BlockFloat, DecodesByNormalising) {
    Bytes packed(1088);
    packed[0] = std::byte{130};        // first row of face 0
    packed[64] = std::byte{0x40};      // top bit set: 2^(130-127) = 8
    packed[65] = std::byte{0x05};      // 101b: 4 shifts, 2^(126-127) * 1.25 = 0.625
    packed[66] = std::byte{0x80 | 3};  // -11b: 5 shifts, -2^(125-127) * 1.5 = -0.375
    packed[67] = std::byte{0x80};      // a sign without magnitude is 0
    const auto block = unpack_tile(DataType::BFLOAT8_B, Tile{}, packed);
    EXPECT_EQ(block[0], 8.0F);
    EXPECT_EQ(block[1], 0.625F);
    EXPECT_EQ(block[2], -0.375F);
    EXPECT_EQ(bits_of(block[3]), 0U);
}

TEST(BlockFloat, PadsTheExponentsOfSmallTiles) {
    // A 1x32 tile has two exponents, padded with zeros to 16 bytes.
    const Bytes packed = pack_tile(DataType::BFLOAT8_B, Tile({1, 32}), std::vector<float>(32, 1.0F));
    ASSERT_EQ(packed.size(), 16U + 32U);
    for (size_t i = 0; i < 16; ++i) {
        EXPECT_EQ(packed[i], std::byte{static_cast<uint8_t>(i < 2 ? 127 : 0)}) << i;
    }
    EXPECT_EQ(packed[16], std::byte{64});
}

// --- block floats against the reference --------------------------------------------------------------------------

class BlockFloatLevels : public testing::TestWithParam<unsigned> {
protected:
    static pack::RunCodec<float> codec(VectorLevel level) {
        return GetParam() == 8 ? pack::bfloat8_codec(level) : pack::bfloat4_codec(level);
    }
};

TEST_P(BlockFloatLevels, EncodeAgreesWithTheReference) {
    const unsigned bits = GetParam();
    for (const VectorLevel level : levels()) {
        RandomFloats random;
        for (int round = 0; round < 20000; ++round) {
            float numbers[2 * 19];
            random.fill(numbers, 38);
            std::byte values[32] = {};
            std::byte exponents[3] = {};
            codec(level).encode(numbers, 19, values, exponents, 2);
            for (size_t run = 0; run < 2; ++run) {
                const float* first = numbers + run * 19;
                const uint32_t shared = naive::shared_exponent(first);
                ASSERT_EQ(static_cast<uint32_t>(exponents[run]), shared);
                for (size_t i = 0; i < 16; ++i) {
                    const size_t at = (run * 16 + i) * bits;
                    const uint32_t packed = static_cast<uint32_t>(values[at / 8]) >> at % 8 & ((1U << bits) - 1);
                    ASSERT_EQ(packed, naive::quantize(first[i], shared, bits - 1))
                        << "level " << static_cast<int>(level) << " value " << bits_of(first[i]) << " under " << shared;
                }
            }
            ASSERT_EQ(exponents[2], std::byte{0});
        }
    }
}

TEST_P(BlockFloatLevels, DecodesEveryByteUnderEveryExponent) {
    const unsigned bits = GetParam();
    for (const VectorLevel level : levels()) {
        for (uint32_t shared = 0; shared < 256; ++shared) {
            for (uint32_t first = 0; first < 256; first += 2 * bits) {
                std::byte values[16];
                for (uint32_t i = 0; i < 2 * bits; ++i) {
                    values[i] = static_cast<std::byte>(first + i);
                }
                const auto exponent = static_cast<std::byte>(shared);
                float numbers[16];
                codec(level).decode(values, &exponent, numbers, 16, 1);
                for (size_t i = 0; i < 16; ++i) {
                    const size_t at = i * bits;
                    const uint32_t packed = static_cast<uint32_t>(values[at / 8]) >> at % 8 & ((1U << bits) - 1);
                    ASSERT_EQ(bits_of(numbers[i]), bits_of(naive::expand(packed, shared, bits - 1)))
                        << "level " << static_cast<int>(level) << " value " << packed << " shared " << shared;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Bits, BlockFloatLevels, testing::Values(8U, 4U),
                         [](const auto& bits) { return std::to_string(bits.param); });

// --- tiles ---------------------------------------------------------------------------------------------------------

TEST(PackTile, StoresFacesOneAfterTheOther) {
    std::vector<uint32_t> block(1024);
    for (uint32_t i = 0; i < 1024; ++i) {
        block[i] = i;
    }
    std::vector<uint32_t> packed(1024);
    pack::encode_tile(DataType::UINT32, Tile{}, block.data(), 32, 32, 32, 0U,
                      reinterpret_cast<std::byte*>(packed.data()));
    EXPECT_EQ(packed[0], 0U);
    EXPECT_EQ(packed[15], 15U);
    EXPECT_EQ(packed[16], 32U);         // second row of the first face
    EXPECT_EQ(packed[256], 16U);        // top right
    EXPECT_EQ(packed[512], 16U * 32U);  // bottom left
    EXPECT_EQ(packed[768], 16U * 32U + 16U);
    EXPECT_EQ(packed[1023], 1023U);
}

TEST(PackTile, TransposedTileExchangesRowsAndColumnsInFacesAndFaces) {
    std::vector<uint32_t> block(1024);
    for (uint32_t i = 0; i < 1024; ++i) {
        block[i] = i;
    }
    std::vector<uint32_t> packed(1024);
    pack::encode_tile(DataType::UINT32, Tile({32, 32}, true), block.data(), 32, 32, 32, 0U,
                      reinterpret_cast<std::byte*>(packed.data()));
    for (uint32_t i = 0; i < 1024; ++i) {
        const uint32_t face = i / 256;
        const uint32_t row = i % 16 + (face % 2) * 16;
        const uint32_t column = i / 16 % 16 + (face / 2) * 16;
        ASSERT_EQ(packed[i], row * 32 + column) << i;
    }
}

TEST(PackTile, EveryShapeFollowsTheStorageOrder) {
    for (const Tile& tile : all_tiles) {
        const auto order = naive::storage_order(tile);
        std::vector<float> block(tile.num_elements());
        for (size_t i = 0; i < block.size(); ++i) {
            block[i] = static_cast<float>(i);
        }
        const Bytes packed = pack_tile(DataType::FLOAT32, tile, block);
        for (size_t i = 0; i < order.size(); ++i) {
            float stored = 0;
            std::memcpy(&stored, packed.data() + i * 4, 4);
            ASSERT_EQ(stored, static_cast<float>(order[i].first * tile.width() + order[i].second))
                << tile.to_string() << " at " << i;
        }
        EXPECT_EQ(unpack_tile(DataType::FLOAT32, tile, packed), block);
    }
}

TEST(PackTile, BlockFloatTilesOfEveryShapeAgreeWithTheReference) {
    RandomFloats random;
    for (const Tile& tile : all_tiles) {
        for (int round = 0; round < 20; ++round) {
            std::vector<float> block(tile.num_elements());
            random.fill(block.data(), block.size());
            ASSERT_EQ(pack_tile(DataType::BFLOAT8_B, tile, block), naive::block_float_tile(tile, block, 8))
                << tile.to_string();
            ASSERT_EQ(pack_tile(DataType::BFLOAT4_B, tile, block), naive::block_float_tile(tile, block, 4))
                << tile.to_string();
        }
    }
}

TEST(PackTile, PartialBlocksArePaddedAndReadBackAlone) {
    for (const Tile& tile : all_tiles) {
        for (const size_t rows : {size_t{0}, size_t{1}, size_t{tile.height()}}) {
            for (const size_t columns : {size_t{0}, size_t{7}, size_t{16}, size_t{tile.width()}}) {
                constexpr size_t stride = 40;
                std::vector<float> block(32 * stride, 3.0F);
                Bytes packed(tile.bytes(DataType::BFLOAT16));
                pack::encode_tile(DataType::BFLOAT16, tile, block.data(), stride, rows, columns, -2.0F, packed.data());
                const auto whole = unpack_tile(DataType::BFLOAT16, tile, packed);
                for (size_t i = 0; i < whole.size(); ++i) {
                    const bool inside = i / tile.width() < rows && i % tile.width() < columns;
                    ASSERT_EQ(whole[i], inside ? 3.0F : -2.0F) << tile.to_string() << rows << "x" << columns;
                }
                std::vector<float> part(32 * stride, 9.0F);
                pack::decode_tile(DataType::BFLOAT16, tile, packed.data(), part.data(), stride, rows, columns);
                for (size_t i = 0; i < part.size(); ++i) {
                    ASSERT_EQ(part[i], i / stride < rows && i % stride < columns ? 3.0F : 9.0F);
                }
            }
        }
    }
}

TEST(PackTile, RowOfTilesEqualsItsTiles) {
    RandomFloats random;
    constexpr size_t columns = 100;  // three tiles and a bit, five asked for
    std::vector<float> block(20 * columns);
    random.fill(block.data(), block.size());
    for (const DataType dtype : {DataType::BFLOAT16, DataType::FLOAT32, DataType::BFLOAT8_B, DataType::BFLOAT4_B}) {
        const size_t size = Tile{}.bytes(dtype);
        Bytes together(5 * size);
        Bytes apart(5 * size);
        pack::encode_tile_row(dtype, Tile{}, block.data(), columns, 20, columns, 1.0F, together.data(), 5);
        for (size_t i = 0; i < 5; ++i) {
            const size_t left = std::min(i * 32, columns);
            pack::encode_tile(dtype, Tile{}, block.data() + left, columns, 20, std::min<size_t>(32, columns - left),
                              1.0F, apart.data() + i * size);
        }
        EXPECT_EQ(together, apart);
    }
}

TEST(PackFaces, AreTilesWithoutThePermutation) {
    RandomFloats random;
    for (const Tile& tile : all_tiles) {
        for (const DataType dtype : {DataType::BFLOAT16, DataType::FLOAT32, DataType::BFLOAT8_B, DataType::BFLOAT4_B}) {
            const auto order = naive::storage_order(tile);
            const size_t count = order.size();
            std::vector<float> blocks(2 * count);
            random.fill(blocks.data(), blocks.size());
            std::vector<float> faces(2 * count);
            Bytes expected;
            for (size_t t = 0; t < 2; ++t) {
                for (size_t i = 0; i < count; ++i) {
                    faces[t * count + i] = blocks[t * count + order[i].first * tile.width() + order[i].second];
                }
                const Bytes packed = pack_tile(dtype, tile,
                                               {blocks.begin() + static_cast<ptrdiff_t>(t * count),
                                                blocks.begin() + static_cast<ptrdiff_t>((t + 1) * count)});
                expected.insert(expected.end(), packed.begin(), packed.end());
            }
            Bytes packed(2 * tile.bytes(dtype), std::byte{0xAA});
            pack::encode_faces(dtype, tile, faces.data(), packed.data(), 2);
            ASSERT_EQ(packed, expected) << tile.to_string() << to_string(dtype);
            std::vector<float> decoded(2 * count);
            pack::decode_faces(dtype, tile, packed.data(), decoded.data(), 2);
            const auto block = unpack_tile(dtype, tile, {packed.begin() + tile.bytes(dtype), packed.end()});
            for (size_t i = 0; i < count; ++i) {
                ASSERT_EQ(bits_of(decoded[count + i]), bits_of(block[order[i].first * tile.width() + order[i].second]));
            }
        }
    }
}

TEST(PackFaces, RejectIntegers) {
    float number = 0;
    std::byte byte{};
    EXPECT_THROW(pack::encode_faces(DataType::UINT8, Tile{}, &number, &byte, 1), Error);
}

// --- runs of elements --------------------------------------------------------------------------------------------

template <class Stored>
Stored convert(DataType dtype, float value) {
    Stored stored{};
    pack::encode(dtype, &value, reinterpret_cast<std::byte*>(&stored), 1);
    return stored;
}

TEST(PackElements, FloatsTruncateAndSaturateToIntegers) {
    const float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(convert<uint8_t>(DataType::UINT8, 254.9F), 254);
    EXPECT_EQ(convert<uint8_t>(DataType::UINT8, 255.9F), 255);
    EXPECT_EQ(convert<uint8_t>(DataType::UINT8, 256.0F), 255);
    EXPECT_EQ(convert<uint8_t>(DataType::UINT8, -0.9F), 0);
    EXPECT_EQ(convert<uint8_t>(DataType::UINT8, -300.0F), 0);
    EXPECT_EQ(convert<uint16_t>(DataType::UINT16, 65535.0F), 65535);
    EXPECT_EQ(convert<uint16_t>(DataType::UINT16, infinity), 65535);
    EXPECT_EQ(convert<uint32_t>(DataType::UINT32, 4294967040.0F), 4294967040U);
    EXPECT_EQ(convert<uint32_t>(DataType::UINT32, 4294967296.0F), 4294967295U);
    EXPECT_EQ(convert<uint32_t>(DataType::UINT32, -infinity), 0U);
    EXPECT_EQ(convert<int32_t>(DataType::INT32, -1.9F), -1);
    EXPECT_EQ(convert<int32_t>(DataType::INT32, 2147483648.0F), 2147483647);
    EXPECT_EQ(convert<int32_t>(DataType::INT32, -2147483648.0F), std::numeric_limits<int32_t>::min());
    EXPECT_EQ(convert<int32_t>(DataType::INT32, -1e20F), std::numeric_limits<int32_t>::min());
    EXPECT_EQ(convert<int32_t>(DataType::INT32, nan), 0);
    EXPECT_EQ(convert<uint32_t>(DataType::UINT32, nan), 0U);
    EXPECT_EQ(convert<uint8_t>(DataType::UINT8, nan), 0);
}

TEST(PackElements, AnyCountStaysInsideItsBounds) {
    for (const DataType dtype : {DataType::BFLOAT16, DataType::FLOAT32, DataType::UINT32, DataType::INT32,
                                 DataType::UINT16, DataType::UINT8}) {
        for (size_t count = 0; count < 50; ++count) {
            std::vector<float> numbers(count);
            for (size_t i = 0; i < count; ++i) {
                numbers[i] = static_cast<float>(i + 1);
            }
            Bytes packed(count * element_size(dtype) + 1, std::byte{0xAA});
            pack::encode(dtype, numbers.data(), packed.data(), count);
            EXPECT_EQ(packed.back(), std::byte{0xAA});
            std::vector<float> back(count + 1, -1.0F);
            pack::decode(dtype, packed.data(), back.data(), count);
            EXPECT_EQ(back.back(), -1.0F);
            back.pop_back();
            EXPECT_EQ(back, numbers);
        }
    }
}

TEST(PackElements, PatternsKeepTheirBits) {
    const uint32_t patterns[] = {0, 0xFFFFFFFF, 0x80000000, 0x12345678};
    std::byte packed[16];
    uint32_t back[4];
    for (const DataType dtype : {DataType::UINT32, DataType::INT32}) {
        pack::encode(dtype, patterns, packed, 4);
        pack::decode(dtype, packed, back, 4);
        EXPECT_TRUE(std::ranges::equal(patterns, back));
    }
    pack::encode(DataType::UINT16, patterns, packed, 4);
    pack::decode(DataType::UINT16, packed, back, 4);
    EXPECT_EQ(back[3], 0x5678U);
    EXPECT_EQ(back[1], 0xFFFFU);
    pack::encode(DataType::UINT8, patterns, packed, 4);
    pack::decode(DataType::UINT8, packed, back, 4);
    EXPECT_EQ(back[3], 0x78U);
}

TEST(PackElements, RejectTypesThatDoNotConvert) {
    float number = 0;
    uint32_t pattern = 0;
    std::byte bytes[4] = {};
    EXPECT_THROW(pack::encode(DataType::BFLOAT8_B, &number, bytes, 1), Error);
    EXPECT_THROW(pack::encode(DataType::INVALID, &number, bytes, 1), Error);
    EXPECT_THROW(pack::encode(DataType::BFLOAT16, &pattern, bytes, 1), Error);
    EXPECT_THROW(pack::decode(DataType::FLOAT32, bytes, &pattern, 1), Error);
}

}  // namespace
}  // namespace ttnn
