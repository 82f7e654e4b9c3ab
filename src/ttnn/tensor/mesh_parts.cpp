// Parts of tensors on a mesh, one after the other.
#include <algorithm>
#include <numeric>
#include <ranges>

#include "ttnn/core/error.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {
namespace {

// The first of `parts` that holds the same bytes as number `i` of them.
size_t first_alike(const Tensor& tensor, std::span<const uint32_t> parts, size_t i) {
    const auto same = [&](uint32_t part) { return tensor.part_identity(part) == tensor.part_identity(parts[i]); };
    return static_cast<size_t>(std::ranges::find_if(parts, same) - parts.begin());
}

}  // namespace

std::vector<uint32_t> used_parts(const Tensor& tensor) {
    if (tensor.num_parts() > 1 && tensor.is_on_device()) {
        return chips_of(tensor.topology(), tensor.device()->mesh());
    }
    std::vector<uint32_t> all(tensor.num_parts());
    std::iota(all.begin(), all.end(), 0U);
    return all;
}

Tensor map_parts(const Tensor& tensor, FunctionRef<Tensor(const Tensor& part)> change) {
    if (tensor.num_parts() == 1) {
        return change(tensor);
    }
    const std::vector<uint32_t> parts = used_parts(tensor);
    std::vector<Tensor> changed;
    for (size_t i = 0; i < parts.size(); ++i) {
        const size_t alike = first_alike(tensor, parts, i);
        changed.push_back(alike < i ? changed[alike] : change(tensor.part(parts[i])));
    }
    return Tensor::from_parts(changed, tensor.topology());
}

Tensor with_spec(const Tensor& host, const TensorSpec& spec, double pad) {
    return map_parts(host, [&](const Tensor& part) {
        if (part.spec() == spec) {
            return part;
        }
        Tensor result = Tensor::allocate_on_host(spec);
        if (same_elements(part.spec(), spec)) {
            copy_elements(part, result, pad);
        } else if (is_integer(spec.dtype())) {
            write<uint32_t>(result, read<uint32_t>(part).span(), static_cast<uint32_t>(static_cast<int64_t>(pad)));
        } else {
            write<float>(result, read<float>(part).span(), static_cast<float>(pad));
        }
        return result;
    });
}

void copy_parts(const Tensor& from, Tensor& to, FunctionRef<void(const Tensor& from, Tensor& to)> copy) {
    if (from.num_parts() == 1) {
        if (to.num_parts() > 1) {
            to.set_topology(Topology::replicated(to.num_parts()));
        }
        return copy(from, to);  // reaches all of them
    }
    if (!to.is_on_device()) {
        return to.take_parts(map_parts(from, [&](const Tensor& part) {
            Tensor host = Tensor::allocate_on_host(to.spec());
            copy(part, host);
            return host;
        }));
    }
    require(from.topology().distribution.num_chips() <= to.num_parts(), "a tensor of {} parts does not fit {} chips",
            from.topology().distribution.num_chips(), to.num_parts());
    to.set_topology(from.topology());
    if (drops_writes(to)) {
        return;
    }
    const std::vector<uint32_t> sources = used_parts(from);
    const std::vector<uint32_t> targets = used_parts(to);
    for (size_t i = 0; i < sources.size(); ++i) {
        const size_t alike = first_alike(from, sources, i);
        if (alike < i) {
            to.share_part(targets[alike], targets[i]);
            continue;
        }
        Tensor part = to.part(targets[i]);
        copy(from.part(sources[i]), part);
    }
}

}  // namespace ttnn
