// The reference of softmax, which no kernel shares: its numbers by hand, and what it costs.
#include <cmath>
#include <limits>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/reference/normalize.hpp"

namespace ttnn::reference {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// As a large tensor's numbers: made when they are asked for, and counted.
class Counted : public Values::Source {
public:
    explicit Counted(size_t& reads) : reads_(reads) {}
    void read(size_t first, std::span<double> to) const override {
        for (double& number : to) {
            number = at(first++);
        }
    }
    double at(size_t index) const override {
        ++reads_;
        return static_cast<double>(index % 2) * std::log(3.0);
    }

private:
    size_t& reads_;
};

TEST(SoftmaxReference, ByHandAlongEitherDimension) {
    const Array x(Shape{2, 2}, {0.0, std::log(3.0), 5.0, 5.0});
    EXPECT_THAT(softmax(x, -1).values.held(), ElementsAre(DoubleNear(0.25, 1e-14), DoubleNear(0.75, 1e-14),
                                                          DoubleNear(0.5, 1e-14), DoubleNear(0.5, 1e-14)));
    const Array down(Shape{2, 2}, {0.0, 7.0, std::log(3.0), 7.0});
    EXPECT_THAT(softmax(down, 0).values.held(), ElementsAre(DoubleNear(0.25, 1e-14), DoubleNear(0.5, 1e-14),
                                                            DoubleNear(0.75, 1e-14), DoubleNear(0.5, 1e-14)));
}

TEST(SoftmaxReference, OfInfinitiesAndWhatIsNotANumber) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto of = [](std::vector<double> numbers) {
        const Shape shape{static_cast<uint32_t>(numbers.size())};
        return softmax(Array(shape, std::move(numbers)), -1).values.held();
    };
    EXPECT_THAT(of({-infinity, 3.0}), ElementsAre(0.0, 1.0));
    EXPECT_EQ(of({infinity, 3.0})[1], 0.0);
    EXPECT_TRUE(std::isnan(of({infinity, 3.0})[0]));
    EXPECT_TRUE(std::isnan(of({std::nan(""), 3.0})[1]));
    EXPECT_TRUE(std::isnan(of({-infinity, -infinity})[0]));
}

TEST(SoftmaxReference, AsksForEachNumberOnce) {
    for (const int64_t dim : {-1, 0}) {
        size_t reads = 0;
        const Shape shape{64, 128};
        const Array x(shape, Values(shape.volume(), std::make_shared<const Counted>(reads)));
        const Array result = softmax(x, dim);
        EXPECT_EQ(reads, shape.volume());
        EXPECT_NEAR(result.values[1], dim == 0 ? 1.0 / 64 : 0.75 / 64, 1e-14);
    }
}

}  // namespace
}  // namespace ttnn::reference
