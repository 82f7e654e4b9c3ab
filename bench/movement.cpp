// Large data movement against copying the bytes: a reshape that moves every element in TILE, and row-major rows that
// are tilized and untilized. Memory is written anew each time, as operations do.
//   bench_movement [MEBIBYTES]     of a tensor; 256
#include <cstdlib>
#include <cstring>

#include "ratio.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/tilize.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"

namespace {

constexpr uint32_t wide = 2048;

ttnn::Tensor filled(const std::shared_ptr<ttnn::Device>& device, const ttnn::Shape& shape, ttnn::Layout layout) {
    auto tensor = ttnn::Tensor::allocate_on_device(ttnn::TensorSpec(shape, ttnn::DataType::BFLOAT16, layout), device);
    std::memset(tensor.mutable_bytes().data(), 1, tensor.bytes().size());
    return tensor;
}

}  // namespace

int main(int argc, char** argv) {
    const uint64_t mebibytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 256;
    const auto elements = static_cast<uint32_t>((mebibytes << 20U) / 2);
    const auto device = ttnn::Device::open({.board = "p150"});
    const auto tiles = filled(device, {1, 1, elements / wide, wide}, ttnn::Layout::TILE);
    const auto rows = filled(device, {1, 1, elements / wide, wide}, ttnn::Layout::ROW_MAJOR);
    const auto long_rows = filled(device, {1, 1, 32, elements / 32}, ttnn::Layout::ROW_MAJOR);
    const auto long_tiles = ttnn::tilize(long_rows);

    // A new tensor and its bytes: what no operation can do without.
    bench::Ratio table("copy of the bytes into a new tensor", [&] {
        auto copy = ttnn::Tensor::allocate_on_device(tiles.spec(), device);
        std::memcpy(copy.mutable_bytes().data(), tiles.bytes().data(), tiles.bytes().size());
        bench::keep(copy);
    });
    constexpr double aim = 1.0 / 3;
    const auto half = static_cast<int64_t>(wide / 2);
    table.add(
        "reshape in TILE to half the width",
        [&] {
            bench::keep(ttnn::reshape(tiles, {1, 1, -1, half}));
        },
        aim);
    table.add(
        "reshape in TILE to other rows",
        [&] {
            bench::keep(ttnn::reshape(tiles, {1, -1, 64, wide / 4}));
        },
        aim);
    table.add(
        "tilize", [&] { bench::keep(ttnn::tilize(rows)); }, aim);
    table.add(
        "tilize of 32 long rows", [&] { bench::keep(ttnn::tilize(long_rows)); }, aim);
    table.add(
        "untilize of 32 long rows", [&] { bench::keep(ttnn::untilize(long_tiles)); }, aim);
    return table.report(5) ? 0 : 1;
}
