#include "ttnn/reference/heads.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ttnn::reference {
namespace {

class Regrouped : public Values::Source {
public:
    Regrouped(Values source, std::function<Run(size_t)> where) : source_(std::move(source)), where_(std::move(where)) {}

    void read(size_t first, std::span<double> to) const override {
        for (size_t done = 0; done < to.size();) {
            const Run run = where_(first + done);
            const auto part = to.subspan(done, std::min(run.count, to.size() - done));
            if (run.from) {
                source_.read(*run.from, part);
            } else {
                std::ranges::fill(part, 0.0);
            }
            done += part.size();
        }
    }
    double at(size_t index) const override {
        const Run run = where_(index);
        return run.from ? source_[*run.from] : 0.0;
    }

private:
    const Values source_;
    const std::function<Run(size_t)> where_;
};

}  // namespace

Array regrouped(const Array& source, const Shape& shape, std::function<Run(size_t index)> where) {
    const size_t count = shape.volume();
    Array result(shape, Values(count, std::make_shared<const Regrouped>(source.values, std::move(where))));
    if (count < made_when_asked) {
        result.values.held();
    }
    return result;
}

Array split_heads(const Array& rows, const HeadSplit& split, const Shape& shape) {
    const size_t width = rows.shape.from_end(0);
    const size_t count = rows.values.size() / width / split.batches;  // rows of a batch
    const size_t own = shape.volume() / (split.batches * split.heads * count);
    return regrouped(rows, shape, [=](size_t index) -> Run {
        const size_t head = index / (own * count);
        const size_t inside = index % (own * count);
        const size_t row = split.transposed ? inside % count : inside / own;
        const size_t column = split.transposed ? inside / count : inside % own;
        if (column >= split.head_dim) {
            return {std::nullopt, split.transposed ? 1 : own - column};
        }
        const size_t batch = head / split.heads;
        const size_t from = (batch * count + row) * width + split.column(head % split.heads) + column;
        return {from, split.transposed ? 1 : split.head_dim - column};
    });
}

Array joined_heads(const Array& heads) {
    const size_t count = heads.shape[1];
    const size_t rows = heads.shape[2];
    const size_t head_dim = heads.shape[3];
    Shape shape = heads.shape;
    shape[1] = 1;
    shape[3] = static_cast<uint32_t>(count * head_dim);
    return regrouped(heads, shape, [=](size_t index) -> Run {
        const size_t column = index % head_dim;
        const size_t head = index / head_dim % count;
        const size_t row = index / head_dim / count % rows;
        const size_t batch = index / head_dim / count / rows;
        return {((batch * count + head) * rows + row) * head_dim + column, head_dim - column};
    });
}

}  // namespace ttnn::reference
