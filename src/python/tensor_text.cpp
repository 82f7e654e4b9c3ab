// The text of print(tensor). Numbers have fixed widths, so that texts do not depend on values that are not shown.
#include <algorithm>
#include <cctype>
#include <cmath>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include "python/bindings.hpp"
#include "ttnn/core/error.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

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

bool wants_scientific(const Dense<double>& values) {
    double largest = 0;
    double smallest = INFINITY;
    for (const double value : values) {
        const double magnitude = std::abs(value);
        if (std::isfinite(value) && magnitude > 0) {
            largest = std::max(largest, magnitude);
            smallest = std::min(smallest, magnitude);
        }
    }
    return smallest != INFINITY && (largest / smallest > 1000 || largest > 1e8 || smallest < 1e-4);
}

class Printer {
public:
    explicit Printer(const Tensor& tensor)
        : shape_(tensor.logical_shape()),
          values_(read<double>(tensor)),
          whole_(is_integer(tensor.dtype())),
          scientific_(!whole_ && options.scientific.value_or(wants_scientific(values_))) {}

    std::string text() const {
        if (shape_.empty()) {
            return number(0);
        }
        std::string out;
        print(out, 0, 0, values_.size());
        return out;
    }

private:
    std::string number(size_t index) const {
        const double value = values_[index];
        const int precision = options.precision;
        if (whole_) {
            return fmt::format("{:>5.0f}", value);
        }
        return scientific_ ? fmt::format("{:>{}.{}e}", value, precision + 7, precision)
                           : fmt::format("{:>{}.{}f}", value, precision + 3, precision);
    }

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
                out += below == 0 ? " ..." : "...";  // as the numbers, which have room for a sign
                i = size - edge_items - 1;
            } else if (below == 0) {
                out += number(first + i);
            } else {
                print(out, dim + 1, first + i * step, step);
            }
        }
        out += ']';
    }

    Shape shape_;
    Dense<double> values_;
    bool whole_;
    bool scientific_;
};

std::string data_text(const Tensor& tensor) {
    if (!tensor.is_allocated()) {
        return "<buffer is not allocated>";
    }
    return options.profile == Profile::Empty ? "..." : Printer(tensor).text();
}

// One after the other, each under its place in the mesh.
std::string texts_of_parts(const Tensor& tensor) {
    const std::shared_ptr<Device> device = tensor.device();
    const MeshShape& mesh = device ? device->mesh() : tensor.topology().distribution;
    std::string text;
    for (const uint32_t part : used_parts(tensor)) {
        const std::string id = device ? fmt::format("device_id: {}, ", device->chip_ids()[part]) : "";
        text += fmt::format("{}{}MeshCoordinate({})\n{}", text.empty() ? "" : "\n", id,
                            mesh.coordinate_of(part).to_string(), tensor_text(tensor.part(part)));
    }
    return text;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

Profile profile_of(const std::string& name) {
    const std::string profile = lower(name);
    require(profile == "empty" || profile == "short" || profile == "full",
            "profile must be 'empty', 'short' or 'full', got '{}'", name);
    return profile == "empty" ? Profile::Empty : profile == "short" ? Profile::Short : Profile::Full;
}

using ScientificMode = std::optional<std::variant<bool, std::string>>;

std::optional<bool> scientific_of(const ScientificMode& given) {
    if (!given || std::holds_alternative<bool>(*given)) {
        return given ? std::optional(std::get<bool>(*given)) : std::nullopt;
    }
    const auto& name = std::get<std::string>(*given);
    const std::string mode = lower(name);
    require(mode == "true" || mode == "false" || mode == "none" || mode == "default",
            "sci_mode must be a bool, None, 'true', 'false', 'none' or 'default', got '{}'", name);
    return mode == "true" ? std::optional(true) : mode == "false" ? std::optional(false) : std::nullopt;
}

}  // namespace

std::string tensor_text(const Tensor& tensor) {
    if (tensor.num_parts() > 1 && tensor.is_allocated()) {
        return texts_of_parts(tensor);
    }
    return fmt::format("{}{}, shape={}, dtype={}, layout={})", opening, data_text(tensor), tensor.logical_shape(),
                       tensor.dtype(), tensor.layout());
}

void bind_tensor_text(nb::module_& module) {
    module.def(
        "set_printoptions",
        [](const std::optional<std::string>& profile, const ScientificMode& sci_mode, std::optional<int> precision) {
            PrintOptions wanted = options;
            wanted.profile = profile ? profile_of(*profile) : options.profile;
            wanted.scientific = scientific_of(sci_mode);
            wanted.precision = precision.value_or(4);
            require(wanted.precision >= 0 && wanted.precision <= 64, "precision must be from 0 to 64, got {}",
                    wanted.precision);
            options = wanted;
        },
        nb::kw_only(), nb::arg("profile") = nb::none(), nb::arg("sci_mode") = nb::none(),
        nb::arg("precision") = nb::none(),
        "How tensors are printed: profile \"empty\", \"short\" (long dimensions are cut) or \"full\"; sci_mode None "
        "chooses by the numbers; precision is the number of decimals, 4 by default.");
}

}  // namespace ttnn::python
