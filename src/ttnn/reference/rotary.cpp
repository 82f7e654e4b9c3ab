#include "ttnn/reference/rotary.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ttnn::reference {
namespace {

constexpr size_t side = 32;  // of a matrix

class TurnedPairs : public Values::Source {
public:
    TurnedPairs(const Array& input, const Array& cosines, const Array& sines, const Array& matrices,
                std::function<Turn(size_t)> turn_of)
        : input_(input.values),
          cosines_(cosines.values),
          sines_(sines.values),
          matrices_(matrices.values),
          width_(input.shape.from_end(0)),
          turn_of_(std::move(turn_of)) {
        matrices_.held();
    }

    void read(size_t first, std::span<double> to) const override {
        for (size_t done = 0; done < to.size();) {
            const size_t at = first + done;
            const auto part = to.subspan(done, std::min(width_ - at % width_, to.size() - done));
            read_row(at / width_, at % width_, part);
            done += part.size();
        }
    }
    double at(size_t index) const override {
        double number = 0;
        read(index, {&number, 1});
        return number;
    }

private:
    void read_row(size_t row, size_t column, std::span<double> to) const {
        const Turn turn = turn_of_(row);
        std::vector<double> x(width_);
        std::vector<double> cosines(to.size());
        std::vector<double> sines(to.size());
        input_.read(row * width_, x);
        cosines_.read(turn.table_row * width_ + column, cosines);
        sines_.read(turn.table_row * width_ + column, sines);
        const double* matrix = matrices_.data() + turn.matrix * side * side;
        for (size_t i = 0; i < to.size(); ++i) {
            const size_t own = column + i;
            const size_t block = own / side * side;
            double product = 0;
            for (size_t k = 0; k < side; ++k) {
                product += x[block + k] * matrix[k * side + own % side];
            }
            to[i] = x[own] * cosines[i] + product * sines[i];
        }
    }

    const Values input_;
    const Values cosines_;
    const Values sines_;
    const Values matrices_;
    const size_t width_;
    const std::function<Turn(size_t)> turn_of_;
};

}  // namespace

Array turned_pairs(const Array& input, const Array& cosines, const Array& sines, const Array& matrices,
                   std::function<Turn(size_t row)> turn_of) {
    const size_t count = input.values.size();
    Array result(input.shape, Values(count, std::make_shared<const TurnedPairs>(input, cosines, sines, matrices,
                                                                                std::move(turn_of))));
    if (count < made_when_asked) {
        result.values.held();
    }
    return result;
}

double half_turned(const Array& input, std::span<const uint32_t> index) {
    std::vector<uint32_t> place(index.begin(), index.end());
    const uint32_t half = input.shape.from_end(0) / 2;
    const bool in_front = place.back() < half;
    place.back() = in_front ? place.back() + half : place.back() - half;
    const double number = input.at(place);
    return in_front ? -number : number;
}

}  // namespace ttnn::reference
