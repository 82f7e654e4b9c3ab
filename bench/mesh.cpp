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
#include "ttnn/ops/heads/nlp_concat_heads.hpp"
#include "ttnn/ops/heads/nlp_create_qkv_heads.hpp"
#include "ttnn/ops/kv_cache/fill_cache.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/normalization/layer_norm.hpp"
#include "ttnn/ops/rotary/rotary_embedding.hpp"
#include "ttnn/ops/transformer/scaled_dot_product_attention.hpp"

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
constexpr uint32_t heads = 4;    // of one chip, with one of keys and values
constexpr uint32_t width = 64;   // of a head
constexpr uint32_t most_keys = 128;

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
    Tensor query_key_value = random_tensor(device, {hidden, (heads + 2) * width});
    Tensor cosines = random_tensor(device, {1, 1, most_keys, width});
    Tensor sines = random_tensor(device, {1, 1, most_keys, width});
    Tensor keys = random_tensor(device, {1, 1, most_keys, width});
    Tensor values = random_tensor(device, {1, 1, most_keys, width});
    Tensor output = random_tensor(device, {heads * width, hidden});
    Tensor gate = random_tensor(device, {hidden, inner});
    Tensor up = random_tensor(device, {hidden, inner});
    Tensor down = random_tensor(device, {inner, hidden});

    Tensor attended(const Tensor& normed) const {
        const auto [q, k, v] = experimental::nlp_create_qkv_heads.with({.input = linear(normed, query_key_value),
                                                                        .num_heads = heads,
                                                                        .num_kv_heads = 1,
                                                                        .transpose_k_heads = false});
        const Tensor turned = experimental::rotary_embedding(k, cosines, sines);
        fill_cache(keys, turned, 0);
        fill_cache(values, v, 0);
        const Tensor heads_of_output =
            transformer::scaled_dot_product_attention(experimental::rotary_embedding(q, cosines, sines), turned, v);
        return linear(experimental::nlp_concat_heads(heads_of_output), output);
    }
    // Weights are cut over the chips: what each has of a product is summed up over the mesh.
    Tensor operator()() const {
        const Tensor first = add(input, all_reduce(attended(rms_norm(input, {.weight = norm}))));
        const Tensor again = rms_norm(first, {.weight = norm});
        const Tensor gated = multiply(silu(linear(again, gate)), linear(again, up));
        return add(first, all_reduce(linear(gated, down)));
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

// In microseconds.
template <class Work>
double usual_time(Work work) {
    std::vector<double> times;
    for (int i = 0; i < 21; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    return bench::median(times);
}

// What a further chip costs beside the work of its kernels: of calls so small that their kernels take no time.
bool chips_cost_little() {
    const auto spent_on = [](const MeshShape& mesh) {
        const auto device = Device::open({.board = "galaxy", .mesh = mesh});
        const Tensor a = random_tensor(device, {1, 1, 1, 1});
        constexpr int calls = 50;
        return usual_time([&] {
                   for (int i = 0; i < calls; ++i) {
                       bench::keep(add(a, a));
                   }
               }) /
               calls;
    };
    const double one = spent_on({});
    const double many = spent_on(galaxy);
    return report("a small call, per further chip", (many - one) / (galaxy.num_chips() - 1), "us", 10);
}

}  // namespace

int main() {
    bool met = opens_quickly();
    met = undispatched_is_free() && met;
    met = layer_scales() && met;
    met = chips_cost_little() && met;
    return met ? 0 : 1;
}
