// The text of print(tensor).
#include <cmath>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/bindings.hpp"
#include "ttnn/core/error.hpp"

namespace ttnn::python {
namespace {

enum class Profile : uint8_t { Empty, Short, Full };

struct PrintOptions {
    Profile profile = Profile::Short;
    std::optional<bool> scientific;  // nullopt: where fixed notation would hide the numbers
    int precision = 4;
};
PrintOptions options;

constexpr std::string_view opening = "ttnn.Tensor(";
constexpr size_t edge_items = 2;

bool wants_scientific(const Dense<float>& values) {
    double largest = 0;
    double smallest = INFINITY;
    for (const float value : values) {
        const double magnitude = std::abs(value);
        if (std::isfinite(value) && magnitude > 0) {
            largest = std::max(largest, magnitude);
            smallest = std::min(smallest, magnitude);
        }
    }
    return largest > 1e8 || (smallest != INFINITY && (smallest < 1e-4 || largest / smallest > 1e7));
}

class Printer {
public:
    explicit Printer(const Tensor& tensor) : shape_(tensor.logical_shape()) {
        if (is_integer(tensor.dtype())) {
            for (const double value : read<double>(tensor)) {
                numbers_.push_back(fmt::format("{:.0f}", value));
            }
        } else {
            const auto values = read<float>(tensor);
            const bool scientific =
                options.scientific.value_or(tensor.dtype() == DataType::FLOAT32 && wants_scientific(values));
            for (const float value : values) {
                numbers_.push_back(scientific ? fmt::format("{:.{}e}", value, options.precision)
                                              : fmt::format("{:.{}f}", value, options.precision));
            }
        }
        for (const std::string& number : numbers_) {
            width_ = std::max(width_, number.size());
        }
    }

    std::string text() const {
        if (shape_.empty()) {
            return numbers_.front();
        }
        std::string out;
        print(out, 0, 0, numbers_.size());
        return out;
    }

private:
    // `count` numbers from `first` on form the part of the tensor below dimension `dim`.
    void print(std::string& out, size_t dim, size_t first, size_t count) const {
        const size_t size = shape_[static_cast<int64_t>(dim)];
        const size_t below = shape_.rank() - dim - 1;
        const bool abbreviated = options.profile == Profile::Short && size > 2 * edge_items;
        const std::string next_line = std::string(below > 1 ? 2 : 1, '\n') + std::string(opening.size() + dim + 1, ' ');
        const std::string separator = below == 0 ? ", " : "," + next_line;
        const size_t step = size == 0 ? 0 : count / size;
        out += '[';
        for (size_t i = 0; i < size; ++i) {
            if (i > 0) {
                out += separator;
            }
            if (abbreviated && i == edge_items) {
                out += "...";
                i = size - edge_items - 1;
            } else if (below == 0) {
                out += fmt::format("{:>{}}", numbers_[first + i], width_);
            } else {
                print(out, dim + 1, first + i * step, step);
            }
        }
        out += ']';
    }

    Shape shape_;
    std::vector<std::string> numbers_;
    size_t width_ = 0;
};

std::string data_text(const Tensor& tensor) {
    if (!tensor.is_allocated()) {
        return "<buffer is not allocated>";
    }
    return options.profile == Profile::Empty ? "..." : Printer(tensor).text();
}

Profile profile_of(const std::string& name) {
    if (name == "empty") {
        return Profile::Empty;
    }
    if (name == "short") {
        return Profile::Short;
    }
    require(name == "full", "profile must be 'empty', 'short' or 'full', got '{}'", name);
    return Profile::Full;
}

}  // namespace

std::string tensor_text(const Tensor& tensor) {
    return fmt::format("{}{}, shape={}, dtype={}, layout={})", opening, data_text(tensor), tensor.logical_shape(),
                       tensor.dtype(), tensor.layout());
}

void bind_tensor_text(nb::module_& module) {
    module.def(
        "set_printoptions",
        [](const std::optional<std::string>& profile, std::optional<bool> sci_mode, std::optional<int> precision) {
            if (profile) {
                options.profile = profile_of(*profile);
            }
            options.scientific = sci_mode;
            options.precision = precision.value_or(4);
        },
        nb::kw_only(), nb::arg("profile") = nb::none(), nb::arg("sci_mode") = nb::none(),
        nb::arg("precision") = nb::none(), "How tensors are printed: profile \"empty\", \"short\" or \"full\".");
}

}  // namespace ttnn::python
