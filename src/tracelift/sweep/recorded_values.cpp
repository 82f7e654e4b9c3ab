#include "tracelift/sweep/recorded_values.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "tracelift/base/errors.hpp"
#include "tracelift/base/whole_file.hpp"
#include "tracelift/dialects/parameter_file.hpp"

namespace tracelift {
namespace {

void write_numbers(ttnn::Tensor tensor, std::span<const double> numbers) {
    if (ttnn::is_integer(tensor.dtype())) {
        std::vector<uint32_t> values(numbers.size());
        std::ranges::transform(numbers, values.begin(), [](double number) {
            const double held = number >= -0x1p31 ? std::min(number, 0x1p32 - 1) : 0;  // NaN has no integer
            return static_cast<uint32_t>(static_cast<int64_t>(held));
        });
        ttnn::write<uint32_t>(tensor, values);
    } else {
        ttnn::write<float>(tensor, std::vector<float>(numbers.begin(), numbers.end()));
    }
}

// As many numbers as one chip holds go to all of them; else those of the chips stand one after the other.
bool write_parts(const ttnn::Tensor& tensor, std::span<const double> numbers) {
    const uint64_t volume = tensor.logical_volume();
    if (numbers.size() == volume) {
        write_numbers(tensor, numbers);
        return true;
    }
    if (numbers.size() != volume * tensor.num_parts()) {
        return false;
    }
    for (uint32_t chip = 0; chip < tensor.num_parts(); ++chip) {
        write_numbers(tensor.part(chip), numbers.subspan(chip * volume, volume));
    }
    return true;
}

const ParameterValues::Argument* find(const ParameterValues& values, size_t index, std::string_view name) {
    const auto found = std::ranges::find_if(values.arguments, [&](const ParameterValues::Argument& argument) {
        return argument.position ? *argument.position == index : argument.name == name;
    });
    return found == values.arguments.end() ? nullptr : &*found;
}

}  // namespace

void fill_from_file(ttnn::AnyParams& params, const std::filesystem::path& file) {
    const ParameterValues values = read_param_values(read_file(file), file.string());
    const ttnn::OpInfo& op = params.op();
    const ttnn::OpInfo* recorded = ttnn::find_operation(values.operation);
    if (recorded == nullptr || recorded->name != op.name) {
        throw FileError(fmt::format("{}: it is a call of {}, and not of {}", file.string(), values.operation, op.name));
    }
    for (const uint16_t index : op.tensor_fields) {
        const ttnn::FieldInfo& field = op.fields[index];
        const ParameterValues::Argument* argument = find(values, index, field.name);
        size_t number = 0;
        field.type->visit_tensors(params.field(field), [&](const ttnn::Tensor& tensor) {
            if (argument == nullptr || number == argument->tensors.size()) {
                throw FileError(fmt::format("{}: it has no values for argument '{}'", file.string(), field.name));
            }
            const std::vector<double>& numbers = argument->tensors[number++];
            if (!write_parts(tensor, numbers)) {
                throw FileError(fmt::format("{}: it has {} values for argument '{}', whose shape is {}", file.string(),
                                            numbers.size(), field.name, tensor.logical_shape()));
            }
        });
    }
}

}  // namespace tracelift
