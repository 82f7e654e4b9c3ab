#include "ttnn/op/chips.hpp"

#include <map>

#include "ttnn/core/error.hpp"
#include "ttnn/core/parallel.hpp"

namespace ttnn {
namespace {

// Chips that get the same results; the first of them computes.
using Group = std::vector<uint32_t>;

// The tensors of one chip. Those with one part (on the host) are the same for all.
std::vector<Tensor> of_chip(std::span<const Tensor> tensors, uint32_t chip) {
    std::vector<Tensor> parts;
    for (const Tensor& tensor : tensors) {
        parts.push_back(tensor && tensor.num_parts() > 1 ? tensor.part(chip) : tensor);
    }
    return parts;
}

std::vector<Group> groups_of(const Device& device, const Primitive& primitive, std::span<const Tensor> outputs) {
    std::vector<Group> groups;
    std::map<std::vector<const void*>, size_t> known;
    for (uint32_t chip = 0; chip < device.num_chips(); ++chip) {
        std::vector<const void*> key;
        for (const std::span<const Tensor> tensors : {primitive.inputs, outputs}) {
            for (const Tensor& tensor : tensors) {
                key.push_back(tensor && tensor.num_parts() > 1 ? tensor.part_identity(chip) : nullptr);
            }
        }
        const auto [place, fresh] = known.try_emplace(std::move(key), groups.size());
        if (fresh || !primitive.repeatable) {
            groups.emplace_back();
        }
        groups[primitive.repeatable ? place->second : groups.size() - 1].push_back(chip);
    }
    return groups;
}

}  // namespace

std::optional<uint32_t> only_chip(const Device& device, std::span<const Tensor> inputs,
                                  std::span<const Tensor> outputs) {
    std::optional<uint32_t> only;
    if (device.num_chips() == 1) [[likely]] {
        return only;
    }
    for (const std::span<const Tensor> tensors : {inputs, outputs}) {
        for (const Tensor& tensor : tensors) {
            const std::optional<uint32_t> chip = tensor ? tensor.chip() : std::nullopt;
            require(!chip || !only || *chip == *only,
                    "the tensors of one call must be parts on the same chip of a mesh, got some on {} and on {}",
                    device.mesh().coordinate_of(only.value_or(0)).to_string(),
                    device.mesh().coordinate_of(chip.value_or(0)).to_string());
            only = chip ? chip : only;
        }
    }
    return only;
}

void run_on_chips(const Device& device, const Primitive& primitive, std::span<Tensor> outputs) {
    if (const auto chip = only_chip(device, primitive.inputs, outputs)) {
        std::vector<Tensor> results = of_chip(outputs, *chip);
        return primitive.kernel(of_chip(primitive.inputs, *chip), results);
    }
    if (device.num_chips() == 1 || primitive.whole_mesh) [[likely]] {
        return primitive.kernel(primitive.inputs, outputs);
    }
    const std::vector<Group> groups = groups_of(device, primitive, outputs);
    // Bytes are parted before the threads begin: what two chips share must not change under one of them.
    std::vector<std::vector<Tensor>> inputs;
    std::vector<std::vector<Tensor>> results;
    for (const Group& group : groups) {
        inputs.push_back(of_chip(primitive.inputs, group.front()));
        results.push_back(of_chip(outputs, group.front()));
        for (Tensor& result : results.back()) {
            if (result) {
                result.mutable_bytes();
            }
        }
    }
    parallel(groups.size(), 1, [&](size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) {
            primitive.kernel(inputs[i], results[i]);
        }
    });
    for (const Group& group : groups) {
        for (const uint32_t chip : group) {
            for (Tensor& output : outputs) {
                if (output) {
                    output.share_part(group.front(), chip);
                }
            }
        }
    }
}

}  // namespace ttnn
