// Packing and unpacking of tiles against memcpy of the same float32 bytes, one thread.
#include "ttnn/tensor/pack.hpp"

#include <cstring>
#include <random>
#include <vector>

#include "ratio.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace {

using ttnn::DataType;
using ttnn::Tile;

// A matrix of size x size floats, its packed form and a second matrix; all touched.
struct Data {
    size_t size;
    std::vector<float> values;
    std::vector<float> copy;
    std::vector<std::byte> packed;

    explicit Data(size_t edge) : size(edge), values(edge * edge), copy(edge * edge, 1.0F), packed(edge * edge * 4) {
        std::minstd_rand random(1);
        std::normal_distribution<float> normal;
        for (float& value : values) {
            value = normal(random);
        }
    }

    size_t tile_row_bytes(DataType dtype) const {
        const size_t elements = 32 * size;
        return dtype == DataType::BFLOAT16    ? elements * 2
               : dtype == DataType::BFLOAT8_B ? elements + elements / 16
                                              : elements / 2 + elements / 16;
    }

    void pack(DataType dtype) {
        for (size_t row = 0; row < size / 32; ++row) {
            ttnn::pack::encode_tile_row(dtype, Tile{}, values.data() + row * 32 * size, size, 32, size, 0.0F,
                                        packed.data() + row * tile_row_bytes(dtype), size / 32);
        }
        bench::keep(packed);
    }

    void unpack(DataType dtype) {
        for (size_t row = 0; row < size / 32; ++row) {
            ttnn::pack::decode_tile_row(dtype, Tile{}, packed.data() + row * tile_row_bytes(dtype),
                                        copy.data() + row * 32 * size, size, 32, size);
        }
        bench::keep(copy);
    }
};

bool report(size_t edge, size_t calls, size_t repetitions) {
    fmt::print("tensor [1, 1, {0}, {0}], single thread\n", edge);
    Data data(edge);
    bench::Ratio table(
        "memcpy of float32",
        [&] {
            std::memcpy(data.copy.data(), data.values.data(), data.values.size() * sizeof(float));
            bench::keep(data.copy);
        },
        calls);
    table.add(
        "pack BFLOAT16 tiles", [&] { data.pack(DataType::BFLOAT16); }, 0.25);
    table.add(
        "unpack BFLOAT16 tiles", [&] { data.unpack(DataType::BFLOAT16); }, 0.25);
    table.add(
        "pack BFLOAT8_B tiles", [&] { data.pack(DataType::BFLOAT8_B); }, 0.10);
    table.add(
        "unpack BFLOAT8_B tiles", [&] { data.unpack(DataType::BFLOAT8_B); }, 0.10);
    table.add(
        "pack BFLOAT4_B tiles", [&] { data.pack(DataType::BFLOAT4_B); }, 0.10);
    table.add(
        "unpack BFLOAT4_B tiles", [&] { data.unpack(DataType::BFLOAT4_B); }, 0.10);
    const bool met = table.report(repetitions);
    fmt::print("\n");
    return met;
}

// The same through tensors. read returns fresh memory, so its yardstick copies into fresh memory.
bool report_tensors() {
    fmt::print("tensor [1, 1, 4096, 4096] on the host through write and read\n");
    Data data(4096);
    const size_t bytes = data.values.size() * sizeof(float);
    bench::Ratio writes("memcpy of float32", [&] {
        std::memcpy(data.copy.data(), data.values.data(), bytes);
        bench::keep(data.copy);
    });
    bench::Ratio reads("memcpy of float32 into fresh memory", [&] {
        ttnn::Dense<float> fresh(data.values.size());
        std::memcpy(fresh.data(), data.values.data(), bytes);
        bench::keep(fresh);
    });
    for (const DataType dtype : {DataType::BFLOAT16, DataType::BFLOAT8_B}) {
        const double aim = dtype == DataType::BFLOAT16 ? 0.25 : 0.10;
        auto tensor = ttnn::Tensor::allocate_on_host({{1, 1, 4096, 4096}, dtype, ttnn::Layout::TILE});
        const auto write = [&data, tensor]() mutable { ttnn::write<float>(tensor, data.values); };
        writes.add(fmt::format("write {}", dtype), write, aim);
        const auto read = [tensor] { bench::keep(ttnn::read<float>(tensor)); };
        reads.add(fmt::format("read {}", dtype), read, aim);
    }
    bool met = writes.report();
    met = reads.report() && met;
    fmt::print("\n");
    return met;
}

// One 32x32 tile in storage order, as elementwise kernels use it.
void report_faces() {
    fmt::print("one tile of 1024 elements in face order\n");
    std::vector<float> values(1024, 1.5F);
    std::vector<float> copy(1024);
    std::vector<std::byte> packed(4096);
    bench::Ratio table(
        "memcpy of float32",
        [&] {
            std::memcpy(copy.data(), values.data(), values.size() * sizeof(float));
            bench::keep(copy);
        },
        10000);
    for (const DataType dtype : {DataType::BFLOAT16, DataType::BFLOAT8_B, DataType::BFLOAT4_B}) {
        table.add(
            fmt::format("encode_faces {}", dtype),
            [&, dtype] {
                ttnn::pack::encode_faces(dtype, Tile{}, values.data(), packed.data(), 1);
                bench::keep(packed);
            },
            0.0);
        table.add(
            fmt::format("decode_faces {}", dtype),
            [&, dtype] {
                ttnn::pack::decode_faces(dtype, Tile{}, packed.data(), copy.data(), 1);
                bench::keep(copy);
            },
            0.0);
    }
    table.report();
}

}  // namespace

int main() {
    bool met = report(4096, 1, 11);
    met = report(256, 100, 11) && met;
    met = report_tensors() && met;
    report_faces();
    return met ? 0 : 1;
}
