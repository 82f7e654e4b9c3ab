// Data types, layouts and the other enums that describe a tensor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ttnn/core/enum_text.hpp"

namespace ttnn {

enum class DataType : uint8_t {
    BFLOAT16 = 0,
    FLOAT32 = 1,
    UINT32 = 2,
    BFLOAT8_B = 3,
    BFLOAT4_B = 4,
    UINT8 = 5,
    UINT16 = 6,
    INT32 = 7,
    INVALID = 8,
};
enum class Layout : uint8_t { ROW_MAJOR = 0, TILE = 1, INVALID = 2 };
enum class StorageType : uint8_t { HOST = 0, DEVICE = 1 };
enum class TensorMemoryLayout : uint8_t {
    INTERLEAVED = 0,
    HEIGHT_SHARDED = 2,
    WIDTH_SHARDED = 3,
    BLOCK_SHARDED = 4,
};
enum class BufferType : uint8_t { DRAM = 0, L1 = 1, SYSTEM_MEMORY = 2, L1_SMALL = 3, TRACE = 4 };
enum class ShardOrientation : uint8_t { ROW_MAJOR = 0, COL_MAJOR = 1 };
enum class ShardDistributionStrategy : uint8_t { ROUND_ROBIN_1D = 0, GRID_2D = 1 };

constexpr bool is_block_float(DataType t) { return t == DataType::BFLOAT8_B || t == DataType::BFLOAT4_B; }
constexpr bool is_floating(DataType t) {
    return t == DataType::BFLOAT16 || t == DataType::FLOAT32 || is_block_float(t);
}
constexpr bool is_integer(DataType t) { return !is_floating(t) && t != DataType::INVALID; }

// Bytes of one element outside block-float tiles; block floats fall back to 4-byte floats in row-major host data.
constexpr size_t element_size(DataType t) {
    switch (t) {
        case DataType::BFLOAT16:
        case DataType::UINT16: return 2;
        case DataType::UINT8: return 1;
        default: return 4;
    }
}

template <>
struct EnumInfo<DataType> {
    static constexpr std::string_view type = "DataType";
    static constexpr EnumMember<DataType> members[] = {
        {DataType::BFLOAT16, "BFLOAT16"},   {DataType::FLOAT32, "FLOAT32"},     {DataType::UINT32, "UINT32"},
        {DataType::BFLOAT8_B, "BFLOAT8_B"}, {DataType::BFLOAT4_B, "BFLOAT4_B"}, {DataType::UINT8, "UINT8"},
        {DataType::UINT16, "UINT16"},       {DataType::INT32, "INT32"},         {DataType::INVALID, "INVALID"}};
};
template <>
struct EnumInfo<Layout> {
    static constexpr std::string_view type = "Layout";
    static constexpr EnumMember<Layout> members[] = {
        {Layout::ROW_MAJOR, "ROW_MAJOR"}, {Layout::TILE, "TILE"}, {Layout::INVALID, "INVALID"}};
};
template <>
struct EnumInfo<StorageType> {
    static constexpr std::string_view type = "StorageType";
    static constexpr EnumMember<StorageType> members[] = {{StorageType::HOST, "HOST"}, {StorageType::DEVICE, "DEVICE"}};
};
template <>
struct EnumInfo<TensorMemoryLayout> {
    static constexpr std::string_view type = "TensorMemoryLayout";
    static constexpr EnumMember<TensorMemoryLayout> members[] = {{TensorMemoryLayout::INTERLEAVED, "INTERLEAVED"},
                                                                 {TensorMemoryLayout::HEIGHT_SHARDED, "HEIGHT_SHARDED"},
                                                                 {TensorMemoryLayout::WIDTH_SHARDED, "WIDTH_SHARDED"},
                                                                 {TensorMemoryLayout::BLOCK_SHARDED, "BLOCK_SHARDED"}};
};
template <>
struct EnumInfo<BufferType> {
    static constexpr std::string_view type = "BufferType";
    static constexpr EnumMember<BufferType> members[] = {{BufferType::DRAM, "DRAM"},
                                                         {BufferType::L1, "L1"},
                                                         {BufferType::SYSTEM_MEMORY, "SYSTEM_MEMORY"},
                                                         {BufferType::L1_SMALL, "L1_SMALL"},
                                                         {BufferType::TRACE, "TRACE"}};
};
template <>
struct EnumInfo<ShardOrientation> {
    static constexpr std::string_view type = "ShardOrientation";
    static constexpr EnumMember<ShardOrientation> members[] = {{ShardOrientation::ROW_MAJOR, "ROW_MAJOR"},
                                                               {ShardOrientation::COL_MAJOR, "COL_MAJOR"}};
};
template <>
struct EnumInfo<ShardDistributionStrategy> {
    static constexpr std::string_view type = "ShardDistributionStrategy";
    static constexpr EnumMember<ShardDistributionStrategy> members[] = {
        {ShardDistributionStrategy::ROUND_ROBIN_1D, "ROUND_ROBIN_1D"}, {ShardDistributionStrategy::GRID_2D, "GRID_2D"}};
};

}  // namespace ttnn
