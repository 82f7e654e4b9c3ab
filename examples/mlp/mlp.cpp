// A residual perceptron on the emulated device, checked against plain loops in double precision:
//   softmax(x + relu(gelu(x @ w1 + b1) @ w2 + b2))
// Prints the largest difference of the probabilities; status 1 when it is more than bfloat16 explains.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "ttnn/device/device.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/normalization/softmax.hpp"

namespace {

using namespace ttnn;

constexpr uint32_t batch = 64;
constexpr uint32_t features = 128;
constexpr uint32_t hidden = 256;
// The numbers that softmax takes are below 8 here. They are rounded to bfloat16 twice, by up to 2^-6 each time; a
// probability moves by at most half of that.
constexpr double limit = 1.0 / 64;

struct Layer {
    Tensor weight;
    Tensor bias;
};

// Tensors of uniform numbers in [-range, range), the same in every run.
class Uploader {
public:
    explicit Uploader(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    Tensor tensor(const Shape& shape, float range, DataType dtype = DataType::BFLOAT16) {
        std::vector<float> values(shape.volume());
        for (float& value : values) {
            value = range * (static_cast<float>(generator_()) / 2147483648.0F - 1.0F);
        }
        Tensor result = Tensor::allocate_on_device(TensorSpec(shape, dtype, Layout::TILE), device_);
        write<float>(result, values);
        return result;
    }

    Layer layer(uint32_t inputs, uint32_t outputs) {
        const float range = 2.0F / std::sqrt(static_cast<float>(inputs));
        return {tensor({inputs, outputs}, range, DataType::BFLOAT8_B), tensor({1, outputs}, 0.5F)};
    }

private:
    std::shared_ptr<Device> device_;
    std::mt19937 generator_{7};
};

Tensor perceptron(const Tensor& x, const Layer& first, const Layer& second) {
    const Tensor wide = linear(
        x, first.weight, {.bias = first.bias, .memory_config = l1_memory_config(), .activation = Activation("gelu")});
    const Tensor narrow = linear(wide, second.weight, {.bias = second.bias, .activation = Activation("relu")});
    return softmax(add(x, narrow, {.memory_config = l1_memory_config()}));
}

// --- the same in double precision ------------------------------------------------------------------------------------

using Matrix = std::vector<double>;  // rows one after the other

Matrix values(const Tensor& tensor) {
    const auto read_back = read<double>(tensor);  // as the device holds them, so that only the arithmetic differs
    return {read_back.begin(), read_back.end()};
}

template <class Function>
Matrix expected_layer(const Matrix& x, const Layer& layer, Function activation) {
    const Matrix weight = values(layer.weight);
    const Matrix bias = values(layer.bias);
    const size_t inner = weight.size() / bias.size();
    Matrix result;
    for (size_t row = 0; row < batch; ++row) {
        for (size_t column = 0; column < bias.size(); ++column) {
            double sum = bias[column];
            for (size_t i = 0; i < inner; ++i) {
                sum += x[row * inner + i] * weight[i * bias.size() + column];
            }
            result.push_back(activation(sum));
        }
    }
    return result;
}

Matrix expected_perceptron(const Tensor& input, const Layer& first, const Layer& second) {
    const Matrix x = values(input);
    const Matrix wide = expected_layer(x, first, [](double v) { return v * std::erfc(-v / std::sqrt(2.0)) / 2; });
    Matrix result = expected_layer(wide, second, [](double v) { return std::max(v, 0.0); });
    for (size_t start = 0; start < result.size(); start += features) {
        double sum = 0;
        for (size_t i = start; i < start + features; ++i) {
            result[i] = std::exp(x[i] + result[i]);
            sum += result[i];
        }
        for (size_t i = start; i < start + features; ++i) {
            result[i] /= sum;
        }
    }
    return result;
}

}  // namespace

int main() {
    Uploader upload(Device::open());
    const Tensor x = upload.tensor({1, 1, batch, features}, 2.0F);
    const Layer first = upload.layer(features, hidden);
    const Layer second = upload.layer(hidden, features);

    const Matrix actual = values(perceptron(x, first, second));
    const Matrix expected = expected_perceptron(x, first, second);
    double worst = 0;
    bool passed = true;
    for (size_t i = 0; i < expected.size(); ++i) {
        const double difference = std::abs(actual[i] - expected[i]);
        worst = std::max(worst, difference);
        passed = passed && difference <= limit;  // NaN is not
    }
    std::printf("mlp: %u x %u probabilities, largest difference %.6f, %s\n", batch, features, worst,
                passed ? "pass" : "FAIL");
    return passed ? 0 : 1;
}
