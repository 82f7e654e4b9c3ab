#include "ttnn/reference/values.hpp"

#include <algorithm>
#include <utility>

namespace ttnn::reference {
namespace {

class Mapped : public Values::Source {
public:
    Mapped(Values from, std::function<double(double)> function)
        : from_(std::move(from)), function_(std::move(function)) {}

    void read(size_t first, std::span<double> to) const override {
        from_.read(first, to);
        std::ranges::transform(to, to.begin(), function_);
    }
    double at(size_t index) const override { return function_(from_[index]); }

private:
    const Values from_;
    const std::function<double(double)> function_;
};

}  // namespace

void Values::read(size_t first, std::span<double> to) const {
    if (source_) {
        source_->read(first, to);
    } else {
        std::copy_n(held_.begin() + static_cast<std::ptrdiff_t>(first), to.size(), to.begin());
    }
}

const std::vector<double>& Values::held() const {
    if (source_) {
        held_.resize(size_);
        source_->read(0, held_);
        source_.reset();
    }
    return held_;
}

std::vector<double>& Values::held() {
    std::as_const(*this).held();
    return held_;
}

Values mapped(const Values& from, std::function<double(double)> function) {
    if (from.size() >= made_when_asked) {
        return {from.size(), std::make_shared<const Mapped>(from, std::move(function))};
    }
    std::vector<double> numbers(from.size());
    std::ranges::transform(from.held(), numbers.begin(), function);
    return numbers;
}

}  // namespace ttnn::reference
