#include "ttnn/reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "ttnn/core/error.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::reference {
namespace {

TTNN_VECTOR_CLONES
void add_multiple(double* values, const double* addends, double factor, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        values[i] += factor * addends[i];
    }
}

// Rows of the result, each from its query, with one head's keys and values at hand.
class AttentionRows : public Values::Source {
public:
    AttentionRows(Attention problem, bool log_sums) : p_(std::move(problem)), log_sums_(log_sums) {}

    void read(size_t first, std::span<double> to) const override {
        const size_t width = row_width();
        std::vector<double> row(width);
        for (size_t done = 0; done < to.size();) {
            compute((first + done) / width, row);
            const size_t skipped = (first + done) % width;
            const size_t count = std::min(width - skipped, to.size() - done);
            std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(skipped), count,
                        to.begin() + static_cast<std::ptrdiff_t>(done));
            done += count;
        }
    }
    double at(size_t index) const override {
        double number = 0;
        read(index, {&number, 1});
        return number;
    }

private:
    size_t row_width() const { return log_sums_ ? 1 : p_.shape[3]; }

    void compute(size_t row, std::span<double> to) const {
        const size_t query = row % p_.shape[2];
        const size_t head = row / p_.shape[2] % p_.shape[1];
        const size_t batch = row / p_.shape[2] / p_.shape[1];
        take_head(batch, head);
        std::vector<double> numbers(p_.width);
        p_.query(batch, head, query, numbers);
        constexpr double gone = -std::numeric_limits<double>::infinity();
        std::vector<double> scores(p_.keys, gone);
        size_t first = p_.keys;
        size_t last = 0;
        for (size_t key = 0; key < p_.keys; ++key) {
            if (p_.sees(batch, query, key)) {
                load(batch, head, key);
                scores[key] = 0;
                first = std::min(first, key);
                last = key + 1;
            }
        }
        for (size_t c = 0; c < p_.width && first < last; ++c) {
            const size_t at = c * p_.keys + first;
            add_multiple(&scores[first], &keys_[at], numbers[c] * p_.scale, last - first);
        }
        if (p_.add_mask) {
            p_.add_mask(batch, head, query, scores);
        }
        const double sum = log_of_sum(scores, head);
        if (log_sums_) {
            to[0] = sum;
            return;
        }
        std::ranges::fill(to, 0.0);
        for (size_t key = 0; key < p_.keys; ++key) {
            const double weight = sum == gone ? 0.0 : std::exp(scores[key] - sum);
            if (weight != 0) {
                add_multiple(to.data(), &values_[key * p_.shape[3]], weight, p_.shape[3]);
            }
        }
    }

    double log_of_sum(const std::vector<double>& scores, size_t head) const {
        const double sink = p_.sink ? p_.sink(head) * p_.scale : -std::numeric_limits<double>::infinity();
        double most = sink;
        for (const double score : scores) {
            most = std::max(most, score);
        }
        if (std::isinf(most)) {
            return most;
        }
        double sum = std::exp(sink - most);
        for (const double score : scores) {
            sum += std::exp(score - most);
        }
        return most + std::log(sum);
    }

    size_t key_head(size_t head) const { return head / (p_.shape[1] / p_.key_heads); }
    size_t value_head(size_t head) const { return head / (p_.shape[1] / p_.value_heads); }

    // Room for the rows of a head, where it is not the one before.
    void take_head(size_t batch, size_t head) const {
        if (batch != batch_ || key_head(head) != key_head_) {
            keys_.assign(p_.width * p_.keys, 0.0);
            has_key_.assign(p_.keys, false);
        }
        if (batch != batch_ || value_head(head) != value_head_) {
            values_.assign(log_sums_ ? 0 : p_.shape[3] * p_.keys, 0.0);
            has_value_.assign(p_.keys, log_sums_);
        }
        batch_ = batch;
        key_head_ = key_head(head);
        value_head_ = value_head(head);
    }

    // What a query sees; the rest may be in no cache. Keys column by column, so that a query's scores come from sums
    // over whole columns; values row by row.
    void load(size_t batch, size_t head, size_t key) const {
        if (!has_key_[key]) {
            std::vector<double> row(p_.width);
            p_.key(batch, key_head(head), key, row);
            for (size_t c = 0; c < p_.width; ++c) {
                keys_[c * p_.keys + key] = row[c];
            }
            has_key_[key] = true;
        }
        if (!has_value_[key]) {
            const size_t width = p_.shape[3];
            p_.value(batch, value_head(head), key, std::span(values_).subspan(key * width, width));
            has_value_[key] = true;
        }
    }

    const Attention p_;
    const bool log_sums_;
    mutable std::vector<double> keys_;
    mutable std::vector<double> values_;
    mutable std::vector<bool> has_key_;
    mutable std::vector<bool> has_value_;
    mutable size_t batch_ = SIZE_MAX;
    mutable size_t key_head_ = SIZE_MAX;
    mutable size_t value_head_ = SIZE_MAX;
};

Array made_from(const Attention& problem, const Shape& shape, bool log_sums) {
    Array result(shape, Values(shape.volume(), std::make_shared<const AttentionRows>(problem, log_sums)));
    if (shape.volume() < made_when_asked) {
        result.values.held();
    }
    return result;
}

using Numbers = std::shared_ptr<const Array>;

Numbers numbers_of(const Tensor& tensor) { return std::make_shared<const Array>(values(tensor)); }

double default_scale(const Tensor& queries) {
    return 1.0 / std::sqrt(static_cast<double>(queries.logical_shape()[-1]));
}

HeadRow keys_of(const Tensor& tensor, const std::optional<Tensor>& table) {
    return table ? paged_rows_of(tensor, *table) : rows_of(tensor);
}

size_t number_of_keys(const Tensor& keys, const std::optional<Tensor>& table) {
    return keys.logical_shape()[2] * (table ? table->logical_shape()[-1] : 1U);
}

// The keys, values and heads that both kinds of calls have.
template <class Call>
void take_keys(Attention& problem, const Call& call) {
    problem.keys = number_of_keys(call.k, call.page_table);
    problem.width = call.k.logical_shape()[3];
    problem.scale = call.scale.value_or(default_scale(call.q));
    problem.key = keys_of(call.k, call.page_table);
    problem.key_heads = call.k.logical_shape()[1];
    const Tensor& value = call.v.value_or(call.k);
    problem.value = keys_of(value, call.page_table);
    problem.value_heads = value.logical_shape()[1];
}

std::function<bool(size_t, size_t, size_t)> prefill_rule(const attention::Prefill& call) {
    const int64_t window = call.sliding_window_size.value_or(0);
    if (call.cu_window_seqlens) {
        // Two positions are in one window where no boundary lies between them.
        return [bounds = numbers_of(*call.cu_window_seqlens)](size_t, size_t query, size_t key) {
            const auto low = static_cast<double>(std::min(query, key));
            const auto high = static_cast<double>(std::max(query, key));
            return std::ranges::none_of(bounds->values.held(), [&](double c) { return low < c && c <= high; });
        };
    }
    if (!call.is_causal) {
        return [window](size_t, size_t query, size_t key) {
            return window == 0 || std::abs(static_cast<int64_t>(query) - static_cast<int64_t>(key)) <= window / 2;
        };
    }
    const int64_t start = call.chunk_start_idx_tensor
                              ? static_cast<int64_t>(values(*call.chunk_start_idx_tensor).values[0])
                              : call.chunk_start_idx.value_or(0);
    return [window, start](size_t, size_t query, size_t key) {
        const int64_t distance = static_cast<int64_t>(query) + start - static_cast<int64_t>(key);
        return distance >= 0 && (window == 0 || distance < window);
    };
}

}  // namespace

Array attention(const Attention& problem) { return made_from(problem, problem.shape, false); }

Array attention_log_sums(const Attention& problem) {
    Shape shape = problem.shape;
    shape[3] = 1;
    return made_from(problem, shape, true);
}

HeadRow rows_of(const Tensor& tensor) {
    return [numbers = numbers_of(tensor)](size_t batch, size_t head, size_t index, std::span<double> to) {
        const Shape& shape = numbers->shape;
        numbers->values.read(((batch * shape[1] + head) * shape[2] + index) * shape[3], to);
    };
}

HeadRow paged_rows_of(const Tensor& tensor, const Tensor& table) {
    const auto read = rows_of(tensor);
    const size_t rows = tensor.logical_shape()[2];
    const uint32_t blocks = tensor.logical_shape()[0];
    return [=, pages = numbers_of(table)](size_t batch, size_t head, size_t index, std::span<double> to) {
        const double block = pages->values[batch * pages->shape[-1] + index / rows];
        require(block >= 0 && block < blocks, "page {} of batch {} is block {}, but the cache has {}", index / rows,
                batch, block, blocks);
        read(static_cast<size_t>(block), head, index % rows, to);
    };
}

HeadRow joined(const HeadRow& first, size_t count, const HeadRow& second) {
    return [=](size_t batch, size_t head, size_t index, std::span<double> to) {
        index < count ? first(batch, head, index, to) : second(batch, head, index - count, to);
    };
}

Array prefill(const attention::Prefill& call) {
    Attention problem;
    problem.shape = call.q.logical_shape();
    problem.shape[3] = static_cast<uint32_t>(call.head_dim_v.value_or(problem.shape[3]));
    take_keys(problem, call);
    problem.query = rows_of(call.q);
    problem.sees = prefill_rule(call);
    if (call.mask) {
        problem.add_mask = [mask = numbers_of(*call.mask)](size_t batch, size_t head, size_t query,
                                                           std::span<double> scores) {
            for (size_t key = 0; key < scores.size(); ++key) {
                const uint32_t index[] = {static_cast<uint32_t>(batch), static_cast<uint32_t>(head),
                                          static_cast<uint32_t>(query), static_cast<uint32_t>(key)};
                scores[key] += broadcast_at(*mask, index);
            }
        };
    }
    if (call.attention_sink) {
        problem.sink = [sinks = numbers_of(*call.attention_sink)](size_t head) { return sinks->values[head]; };
    }
    return attention(problem);
}

// A position of -1 sees nothing: zeros.
Array decode(const attention::Decode& call) {
    const Shape& q = call.q.logical_shape();
    Attention problem;
    problem.shape = Shape{q[1], q[2], 1, static_cast<uint32_t>(call.head_dim_v.value_or(q[3]))};
    take_keys(problem, call);
    problem.query = [queries = numbers_of(call.q)](size_t batch, size_t head, size_t, std::span<double> to) {
        queries->values.read((batch * queries->shape[2] + head) * queries->shape[3], to);
    };
    problem.sees = [](size_t, size_t, size_t) { return true; };
    if (call.is_causal) {
        std::vector<double> positions(call.cur_pos.begin(), call.cur_pos.end());
        if (call.cur_pos_tensor) {
            positions = values(*call.cur_pos_tensor).values.held();
        }
        const auto window = static_cast<double>(call.sliding_window_size.value_or(0));
        problem.sees = [positions, window](size_t batch, size_t, size_t key) {
            const double distance = positions[batch] - static_cast<double>(key);
            return distance >= 0 && (window == 0 || distance < window);
        };
    }
    if (call.mask) {
        problem.add_mask = [mask = numbers_of(*call.mask)](size_t batch, size_t head, size_t,
                                                           std::span<double> scores) {
            std::vector<double> row(scores.size());
            mask->values.read((batch * mask->shape[2] + head) * mask->shape[3], row);
            std::ranges::transform(scores, row, scores.begin(), std::plus());
        };
    }
    if (call.attention_sink) {
        problem.sink = [sinks = numbers_of(*call.attention_sink)](size_t head) {
            return sinks->values[head * sinks->shape[-1]];
        };
    }
    Array result = attention(problem);
    const bool row_major = call.q.layout() == Layout::ROW_MAJOR;
    const uint32_t rows = row_major ? (q[2] + tile_size - 1) / tile_size * tile_size : q[2];
    Array placed(Shape{1, q[1], rows, problem.shape[3]});
    for (size_t batch = 0; batch < q[1]; ++batch) {
        const size_t count = size_t{q[2]} * problem.shape[3];
        const auto to = static_cast<std::ptrdiff_t>(batch * rows * problem.shape[3]);
        std::copy_n(result.values.held().begin() + static_cast<std::ptrdiff_t>(batch * count), count,
                    placed.values.begin() + to);
    }
    return placed;
}

}  // namespace ttnn::reference
