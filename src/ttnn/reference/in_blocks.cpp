#include "ttnn/reference/in_blocks.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ttnn::reference {
namespace {

// The block that was asked for last.
class Held {
public:
    explicit Held(RowBlocks blocks)
        : blocks_(std::move(blocks)),
          step_(std::max<size_t>(blocks_.most_numbers / std::max<size_t>(blocks_.width, 1), 1)) {}

    const Array& block_with(size_t index) const {
        const size_t row = index / blocks_.width;
        if (block_.values.empty() || row < first_ || row >= first_ + count_) {
            first_ = row / step_ * step_;
            count_ = std::min(step_, blocks_.rows - first_);
            block_ = blocks_.make(first_, count_);
        }
        return block_;
    }
    size_t offset(size_t index) const { return index - first_ * blocks_.width; }

private:
    const RowBlocks blocks_;
    const size_t step_;
    mutable Array block_;
    mutable size_t first_ = 0;
    mutable size_t count_ = 0;
};

// Its numbers, or how far off they may be.
class Numbers : public Values::Source {
public:
    Numbers(std::shared_ptr<const Held> blocks, Values Array::*which) : blocks_(std::move(blocks)), which_(which) {}

    void read(size_t first, std::span<double> to) const override {
        for (size_t done = 0; done < to.size();) {
            const Values& block = blocks_->block_with(first + done).*which_;
            const size_t offset = blocks_->offset(first + done);
            const size_t count = std::min(to.size() - done, block.size() - offset);
            block.read(offset, to.subspan(done, count));
            done += count;
        }
    }
    double at(size_t index) const override {
        const Values& block = blocks_->block_with(index).*which_;
        return block[blocks_->offset(index)];
    }

private:
    const std::shared_ptr<const Held> blocks_;
    Values Array::*const which_;
};

}  // namespace

Array in_blocks(const Shape& shape, RowBlocks blocks) {
    const size_t size = blocks.rows * blocks.width;
    const bool slack = blocks.slack;
    const auto held = std::make_shared<const Held>(std::move(blocks));
    Array result(shape, Values(size, std::make_shared<Numbers>(held, &Array::values)));
    if (slack) {
        result.slack = Values(size, std::make_shared<Numbers>(held, &Array::slack));
    }
    return result;
}

}  // namespace ttnn::reference
