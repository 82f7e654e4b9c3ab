// Meshes: what opening one costs, what a replicated tensor costs where nothing is dispatched, and a transformer layer
// on 32 chips that all hold other values, against the same layer with the same tensors per chip on one.
#include <chrono>
#include <fstream>
#include <random>
#include <string>

#include <fmt/format.h>

#include "ratio.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/ops/ccl/all_reduce.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/normalization/layer_norm.hpp"

namespace {

using namespace ttnn;

const MeshShape galaxy{{4, 8}};

// Of this process.
double resident_megabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) {
            return std::stod(line.substr(6)) / 1000;
        }
    }
    return 0;
}

bool report(std::string_view what, double value, std::string_view unit, double limit) {
    const bool met = value <= limit;
    fmt::print("{:<52} {:>10.2f} {} (limit {}){}\n", what, value, unit, limit, met ? "" : "  MISSED");
    return met;
}

bool opens_quickly() {
    const double before = resident_megabytes();
    const auto start = std::chrono::steady_clock::now();
    const auto device = Device::open({.board = "galaxy", .mesh = galaxy});
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    const bool quick = report("open a mesh of 4x8", spent.count(), "ms", 100);
    return report("memory of it", resident_megabytes() - before, "MB", 200) && quick;
}

bool undispatched_is_free() {
    const auto device = Device::open({.board = "galaxy", .mesh = galaxy});
    const double before = resident_megabytes();
    double most = 0;
    graph::query_trace([&] {
        const TensorSpec spec({1, 1, 16384, 32768}, DataType::BFLOAT16, Layout::TILE);
        const Tensor tensor = Tensor::allocate_on_device(spec, device);
        bench::keep(add(tensor, tensor));
        most = resident_megabytes() - before;
    });
    return report("1 GiB on each of 32 chips, not dispatched", most, "MB", 4);
}

constexpr uint32_t tokens = 32;
constexpr uint32_t hidden = 1024;
constexpr uint32_t inner = 512;  // of one chip

// Other numbers on every chip.
Tensor random_tensor(const std::shared_ptr<Device>& device, const Shape& shape) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> numbers(-0.05F, 0.05F);
    Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, Layout::TILE), device);
    std::vector<float> values(shape.volume());
    for (uint32_t chip = 0; chip < device->num_chips(); ++chip) {
        for (float& value : values) {
            value = numbers(random);
        }
        Tensor part = tensor.part(chip);
        write<float>(part, values);
    }
    return tensor;
}

struct Layer {
    explicit Layer(const std::shared_ptr<Device>& mesh) : device(mesh) {}

    std::shared_ptr<Device> device;
    Tensor input = random_tensor(device, {1, 1, tokens, hidden});
    Tensor norm = random_tensor(device, {1, 1, 1, hidden});
    Tensor query = random_tensor(device, {hidden, inner});
    Tensor output = random_tensor(device, {inner, hidden});
    Tensor gate = random_tensor(device, {hidden, inner});
    Tensor up = random_tensor(device, {hidden, inner});
    Tensor down = random_tensor(device, {inner, hidden});

    // Weights are cut over the chips: what each has of a product is summed up over the mesh.
    Tensor operator()() const {
        const Tensor normed = rms_norm(input, {.weight = norm});
        const Tensor attended = add(input, all_reduce(linear(linear(normed, query), output)));
        const Tensor again = rms_norm(attended, {.weight = norm});
        const Tensor gated = multiply(silu(linear(again, gate)), linear(again, up));
        return add(attended, all_reduce(linear(gated, down)));
    }
};

bool layer_scales() {
    const Layer one(Device::open({.board = "galaxy"}));
    const Layer many(Device::open({.board = "galaxy", .mesh = galaxy}));
    bench::Ratio table("a layer on one chip", [&] { bench::keep(one()); });
    table.add(
        "the same on each of 32 chips", [&] { bench::keep(many()); }, 1.0 / 40);
    return table.report(5);
}

}  // namespace

int main() {
    bool met = opens_quickly();
    met = undispatched_is_free() && met;
    met = layer_scales() && met;
    return met ? 0 : 1;
}
