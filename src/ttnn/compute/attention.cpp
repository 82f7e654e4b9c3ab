#include "ttnn/compute/attention.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "ttnn/core/error.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn::compute {
namespace {

constexpr size_t query_block = 128;
constexpr size_t worth_a_thread = size_t{1} << 20;  // products

// One head's keys and values as they are needed.
class HeadRows {
public:
    HeadRows(const KeySequence& sequence, size_t heads) : sequence_(sequence), share_(heads / sequence.heads()) {}

    // The rows of the range, for one of the heads of queries; what was read for its neighbour is used again.
    const float* rows(size_t batch, size_t query_head, KeyRange range) {
        const size_t head = query_head / share_;
        const bool held = batch == batch_ && head == head_ && range.first >= range_.first && range.last <= range_.last;
        if (!held) {
            batch_ = batch;
            head_ = head;
            range_ = range;
            rows_ = Dense<float>((range.last - range.first) * sequence_.width());
            sequence_.read(batch, head, range, rows_.data());
            ++reads_;
        }
        return rows_.data() + (range.first - range_.first) * sequence_.width();
    }
    // Tells whether the rows are still those that were given before.
    size_t reads() const { return reads_; }

private:
    const KeySequence& sequence_;
    const size_t share_;  // heads of queries that one head serves
    Dense<float> rows_;
    size_t batch_ = SIZE_MAX;
    size_t head_ = SIZE_MAX;
    KeyRange range_{};
    size_t reads_ = 0;
};

Dense<float> leading_columns(const float* rows, size_t count, size_t width, size_t columns) {
    Dense<float> result(count * columns);
    for (size_t i = 0; i < count; ++i) {
        std::copy_n(rows + i * width, columns, result.data() + i * columns);
    }
    return result;
}

// One head of one batch.
class HeadWork {
public:
    HeadWork(const AttentionCall& call, HeadRows& keys, HeadRows* values)
        : call_(call), keys_(keys), values_(values), width_(call.keys.width()) {}

    // `to`: the rows of all runs; `log_sums`, which may be null: the logs of their sums.
    void run(size_t batch, size_t head, float* to, float* log_sums) {
        load(batch, head);
        for (const QueryRun& run : call_.runs) {
            for (size_t row = 0; row < run.rows; row += query_block) {
                checkpoint();
                const size_t rows = std::min(query_block, run.rows - row);
                block(batch, head, run.first + row, rows, to, log_sums);
                to += rows * call_.value_width;
                log_sums += log_sums != nullptr ? rows : 0;
            }
        }
    }

private:
    void load(size_t batch, size_t head) {
        std::vector<KeyRange> ranges;
        for (const QueryRun& run : call_.runs) {
            for (size_t row = run.first; row < run.first + run.rows; ++row) {
                ranges.push_back(call_.visible(batch, row));
            }
        }
        const KeyRange before = std::exchange(held_, hull(ranges));
        const size_t reads = keys_.reads();
        key_rows_ = keys_.rows(batch, head, held_);
        if (values_ != nullptr) {
            value_rows_ = values_->rows(batch, head, held_);
        } else if (keys_.reads() != reads || before != held_) {
            columns_ = leading_columns(key_rows_, held_.last - held_.first, width_, call_.value_width);
            value_rows_ = columns_.data();
        }
    }

    void block(size_t batch, size_t head, size_t first, size_t rows, float* to, float* log_sums) {
        queries_.resize(rows * width_);
        const size_t matrix = batch * call_.heads + head;
        read_part<float>(call_.queries, (matrix * call_.query_rows + first) * width_, queries_);
        const auto scale = static_cast<float>(call_.scale);
        std::ranges::transform(queries_, queries_.begin(), [scale](float number) { return number * scale; });
        visible_.clear();
        for (size_t row = first; row < first + rows; ++row) {
            KeyRange range = call_.visible(batch, row);
            range.first = std::max(range.first, held_.first) - held_.first;
            range.last = std::max(range.last, held_.first) - held_.first;
            visible_.push_back(range);
        }
        attend({.rows = rows,
                .width = width_,
                .value_width = call_.value_width,
                .queries = queries_.data(),
                .keys = key_rows_,
                .values = value_rows_,
                .mask = mask_rows(batch, head, first, rows),
                .mask_stride = call_.keys.rows(),
                .visible = visible_,
                .sinks = sink_rows(head, first, rows)},
               to, log_sums);
    }

    const float* mask_rows(size_t batch, size_t head, size_t first, size_t rows) {
        if (!call_.mask) {
            return nullptr;
        }
        const size_t keys = call_.keys.rows();
        const size_t mask_batch = call_.mask.logical_shape()[0] == 1 ? 0 : batch;
        const size_t matrix = mask_batch * call_.mask_heads + (call_.mask_heads == 1 ? 0 : head);
        mask_.resize(rows * keys);
        read_part<float>(call_.mask, (matrix * call_.query_rows + first) * keys, mask_);
        return mask_.data() + held_.first;
    }

    const float* sink_rows(size_t head, size_t first, size_t rows) {
        if (call_.sinks.empty()) {
            return nullptr;
        }
        sinks_.clear();
        for (size_t row = first; row < first + rows; ++row) {
            const size_t place = call_.sinks_by_row ? head * call_.query_rows + row : head;
            sinks_.push_back(call_.sinks[place] * static_cast<float>(call_.scale));
        }
        return sinks_.data();
    }

    const AttentionCall& call_;
    HeadRows& keys_;
    HeadRows* values_;
    const size_t width_;
    KeyRange held_{};
    const float* key_rows_ = nullptr;
    const float* value_rows_ = nullptr;
    Dense<float> columns_;
    std::vector<float> queries_;
    std::vector<float> mask_;
    std::vector<float> sinks_;
    std::vector<KeyRange> visible_;
};

// Matrix number `index` of a tensor: all its rows.
Band matrix_band(const TensorSpec& spec, size_t index) {
    const uint64_t rows = spec.logical_shape().from_end(1);
    const uint64_t page_rows = (rows + spec.page_height() - 1) / spec.page_height();
    const uint64_t size = rows * spec.logical_shape().from_end(0);
    return {index * page_rows, page_rows, index * size, size};
}

}  // namespace

size_t KeySequence::rows() const {
    if (pages_per_batch != 0) {
        return pages_per_batch * parts.front().rows;
    }
    size_t count = 0;
    for (const Part& part : parts) {
        count += part.rows;
    }
    return count;
}

size_t KeySequence::heads() const { return parts.front().tensor.logical_shape()[1]; }

size_t KeySequence::width() const { return parts.front().tensor.logical_shape()[3]; }

void KeySequence::read(size_t batch, size_t head, KeyRange rows, float* to) const {
    const size_t wide = width();
    size_t at = 0;  // number of the first row of a part or page
    const auto piece = [&](const Part& part, size_t matrix) {
        const size_t first = std::clamp(rows.first, at, at + part.rows);
        const size_t last = std::clamp(rows.last, first, at + part.rows);
        if (first < last) {
            const size_t element = (matrix * part.tensor.logical_shape()[2] + first - at) * wide;
            read_part<float>(part.tensor, element, {to, (last - first) * wide});
            to += (last - first) * wide;
        }
        at += part.rows;
    };
    if (pages_per_batch == 0) {
        for (const Part& part : parts) {
            piece(part, batch * heads() + head);
        }
        return;
    }
    const Part& blocks = parts.front();
    for (size_t page = rows.first / blocks.rows; page * blocks.rows < rows.last; ++page) {
        const uint32_t number = pages[batch * pages_per_batch + page];
        require(number < blocks.tensor.logical_shape()[0],
                "page {} of batch {} is block {}, but the cache has {} blocks", page, batch, number,
                blocks.tensor.logical_shape()[0]);
        at = page * blocks.rows;
        piece(blocks, number * heads() + head);
    }
}

void attention(const AttentionCall& call, const AttentionOutput& output) {
    size_t rows = 0;
    for (const QueryRun& run : call.runs) {
        rows += run.rows;
    }
    const TensorSpec& spec = output.tensor.spec();
    const size_t heads = call.batches * call.heads;
    float* log_sums = nullptr;
    if (output.log_sums != nullptr) {
        output.log_sums->resize(output.log_sums->size() + heads * rows);
        log_sums = output.log_sums->data() + output.log_sums->size() - heads * rows;
    }
    const BandWriter<float> writer(output.tensor);
    const size_t products = output.heads_per_matrix * rows * call.keys.rows() * (call.keys.width() + call.value_width);
    parallel(heads / output.heads_per_matrix, worth_a_thread / std::max<size_t>(products, 1) + 1,
             [&](size_t begin, size_t end) {
                 HeadRows keys(call.keys, call.heads);
                 std::optional<HeadRows> values;
                 if (call.values != nullptr) {
                     values.emplace(*call.values, call.heads);
                 }
                 HeadWork work(call, keys, values ? &*values : nullptr);
                 Dense<float> matrix(matrix_band(spec, 0).size);
                 for (size_t number = begin; number < end; ++number) {
                     std::ranges::fill(matrix, 0.0F);
                     for (size_t place = 0; place < output.heads_per_matrix; ++place) {
                         const size_t head = number * output.heads_per_matrix + place;
                         work.run(head / call.heads, head % call.heads, matrix.data() + place * rows * call.value_width,
                                  log_sums != nullptr ? log_sums + head * rows : nullptr);
                     }
                     writer.write(matrix_band(spec, number), matrix.span());
                 }
             });
}

}  // namespace ttnn::compute
