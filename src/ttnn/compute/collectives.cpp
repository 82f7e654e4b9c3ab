#include "ttnn/compute/collectives.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "ttnn/compute/movement.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/core/stop.hpp"

namespace ttnn::compute {
namespace {

std::vector<uint64_t> strides_of(const Shape& shape) {
    std::vector<uint64_t> strides(shape.rank());
    uint64_t stride = 1;
    for (size_t i = shape.rank(); i-- > 0;) {
        strides[i] = stride;
        stride *= shape[static_cast<int64_t>(i)];
    }
    return strides;
}

Walk walk_of(const Shape& source, const Shape& target, const Box& box) {
    const auto from = strides_of(source);
    const auto to = strides_of(target);
    Walk way;
    for (size_t i = 0; i < source.rank(); ++i) {
        way.dims.push_back({box.size[static_cast<int64_t>(i)], from[i], to[i]});
        way.from += from[i] * box.from[i];
        way.to += to[i] * box.to[i];
    }
    return way;
}

// The dimensions of a tensor counted in pages; nothing where its pages are not cut along them.
std::optional<Shape> page_grid(const TensorSpec& spec) {
    const Shape& padded = spec.padded_shape();
    if (padded.rank() < 2 || padded.rank() != spec.logical_shape().rank() || spec.num_pages() == 0 ||
        padded[-2] % spec.page_height() != 0 || padded[-1] % spec.page_width() != 0) {
        return std::nullopt;
    }
    Shape grid = padded;
    grid[-2] /= static_cast<uint32_t>(spec.page_height());
    grid[-1] /= static_cast<uint32_t>(spec.page_width());
    const bool whole = grid[-1] == spec.page_columns() && grid.volume() == spec.num_pages();
    return whole ? std::optional(grid) : std::nullopt;
}

// The box in pages; nothing where it cuts one. It may end with the tensor inside of a page, if it ends so on both
// sides.
std::optional<Box> box_of_pages(const TensorSpec& source, const TensorSpec& target, const Box& box) {
    Box pages = box;
    for (const int64_t dim : {int64_t{-2}, int64_t{-1}}) {
        const auto unit = static_cast<uint32_t>(dim == -1 ? source.page_width() : source.page_height());
        const auto at = static_cast<size_t>(static_cast<int64_t>(box.from.size()) + dim);
        const uint32_t size = box.size[dim];
        const bool to_the_end =
            box.from[at] + size == source.logical_shape()[dim] && box.to[at] + size == target.logical_shape()[dim];
        if (box.from[at] % unit != 0 || box.to[at] % unit != 0 || (size % unit != 0 && !to_the_end)) {
            return std::nullopt;
        }
        pages.from[at] /= unit;
        pages.to[at] /= unit;
        pages.size[dim] = (size + unit - 1) / unit;
    }
    return pages;
}

bool same_pages(const TensorSpec& a, const TensorSpec& b) {
    return a.dtype() == b.dtype() && a.layout() == b.layout() && a.tile() == b.tile() &&
           a.page_height() == b.page_height() && a.page_width() == b.page_width() && a.page_size() == b.page_size();
}

void copy_page_box(const Tensor& input, const Shape& source, const Shape& target, const Box& box, std::byte* to,
                   const Tensor& output) {
    const std::byte* from = input.bytes().data();
    const auto from_strides = strides_of(source);
    const auto to_strides = strides_of(target);
    const uint64_t size = input.spec().page_size();
    const uint64_t volume = box.size.volume();
    std::vector<uint32_t> index(box.size.rank(), 0);
    for (uint64_t i = 0; i < volume; ++i) {
        uint64_t page = 0;
        uint64_t goal = 0;
        for (size_t d = 0; d < index.size(); ++d) {
            page += from_strides[d] * (box.from[d] + index[d]);
            goal += to_strides[d] * (box.to[d] + index[d]);
        }
        std::memcpy(to + output.page_offset(goal), from + input.page_offset(page), size);
        for (size_t d = index.size(); d-- > 0 && ++index[d] == box.size[static_cast<int64_t>(d)];) {
            index[d] = 0;
        }
    }
}

// False: something has to be cut, or stays zero.
bool move_pages(std::span<const Tensor> inputs, std::span<const Box> boxes, Tensor& output) {
    const auto target = page_grid(output.spec());
    std::vector<Box> pages;
    std::vector<Shape> sources;
    uint64_t reached = 0;
    for (size_t i = 0; target && i < inputs.size(); ++i) {
        const auto source = page_grid(inputs[i].spec());
        auto box = source && same_pages(inputs[i].spec(), output.spec())
                       ? box_of_pages(inputs[i].spec(), output.spec(), boxes[i])
                       : std::nullopt;
        if (!box || inputs[i].storage_key() == output.storage_key()) {
            return false;
        }
        reached += box->size.volume();
        pages.push_back(std::move(*box));
        sources.push_back(*source);
    }
    if (!target || reached != target->volume()) {
        return false;
    }
    std::byte* bytes = output.mutable_bytes().data();
    for (size_t i = 0; i < inputs.size(); ++i) {
        checkpoint();
        copy_page_box(inputs[i], sources[i], *target, pages[i], bytes, output);
    }
    return true;
}

std::vector<Tensor> parts_of(const Tensor& tensor, const ChipGroup& group) {
    std::vector<Tensor> parts;
    for (const uint32_t chip : group) {
        parts.push_back(tensor.part(chip));
    }
    return parts;
}

// Calls `make` for each group, but once for all that hold the same bytes: the others share what it made.
template <class Make>
void for_each_group(const Tensor& input, Tensor& output, std::span<const ChipGroup> groups, const Make& make) {
    std::map<std::vector<const void*>, const ChipGroup*> known;
    for (const ChipGroup& group : groups) {
        checkpoint();
        std::vector<const void*> held;
        for (const uint32_t chip : group) {
            held.push_back(input.part_identity(chip));
        }
        const auto [place, fresh] = known.try_emplace(std::move(held), &group);
        if (fresh) {
            make(group);
            continue;
        }
        for (size_t i = 0; i < group.size(); ++i) {
            output.share_part((*place->second)[i], group[i]);
        }
    }
}

// What the first chip of a group has goes to all of them.
void share_in_group(Tensor& output, const ChipGroup& group) {
    for (const uint32_t chip : group) {
        output.share_part(group.front(), chip);
    }
}

Box whole_box(const Shape& shape) {
    return {std::vector<uint32_t>(shape.rank(), 0), std::vector<uint32_t>(shape.rank(), 0), shape};
}

template <class T>
Dense<T> summed(const Tensor& input, const ChipGroup& group) {
    Dense<T> total = read<T>(input.part(group.front()));
    for (const uint32_t chip : std::span(group).subspan(1)) {
        const Dense<T> more = read<T>(input.part(chip));
        in_blocks(total.size(), [&](size_t first, size_t count) {
            for (size_t i = first; i < first + count; ++i) {
                total[i] += more[i];
            }
        });
    }
    return total;
}

template <class T>
void write_sum(const Tensor& input, Tensor& output, const ChipGroup& group) {
    Tensor first = output.part(group.front());
    write<T>(first, summed<T>(input, group).span());
    share_in_group(output, group);
}

template <class T>
void write_slices(const Tensor& input, Tensor& output, size_t dim, const ChipGroup& group) {
    const Dense<T> total = summed<T>(input, group);
    uint64_t outer = 1;
    for (size_t i = 0; i < dim; ++i) {
        outer *= input.logical_shape()[static_cast<int64_t>(i)];
    }
    const uint64_t run = outer == 0 ? 0 : total.size() / outer / group.size();
    Dense<T> slice(outer * run);
    for (size_t member = 0; member < group.size(); ++member) {
        for (uint64_t i = 0; i < outer; ++i) {
            const T* from = total.data() + (i * group.size() + member) * run;
            std::copy(from, from + run, slice.data() + i * run);
        }
        Tensor part = output.part(group[member]);
        write<T>(part, std::as_const(slice).span());
    }
}

}  // namespace

void move_boxes(std::span<const Tensor> inputs, std::span<const Box> boxes, Tensor& output) {
    if (move_pages(inputs, boxes, output)) {
        return;
    }
    std::vector<Walk> walks;
    for (size_t i = 0; i < inputs.size(); ++i) {
        walks.push_back(walk_of(inputs[i].logical_shape(), output.logical_shape(), boxes[i]));
    }
    walk(inputs, walks, output);
}

void gather(const Tensor& input, Tensor& output, size_t dim, std::span<const ChipGroup> groups) {
    const uint32_t step = input.logical_shape()[static_cast<int64_t>(dim)];
    for_each_group(input, output, groups, [&](const ChipGroup& group) {
        std::vector<Box> boxes(group.size(), whole_box(input.logical_shape()));
        for (size_t i = 0; i < group.size(); ++i) {
            boxes[i].to[dim] = static_cast<uint32_t>(i) * step;
        }
        Tensor first = output.part(group.front());
        move_boxes(parts_of(input, group), boxes, first);
        share_in_group(output, group);
    });
}

void partition(const Tensor& input, Tensor& output, size_t dim, std::span<const ChipGroup> groups) {
    const uint32_t step = output.logical_shape()[static_cast<int64_t>(dim)];
    for_each_group(input, output, groups, [&](const ChipGroup& group) {
        for (size_t i = 0; i < group.size(); ++i) {
            Box box = whole_box(output.logical_shape());
            box.from[dim] = static_cast<uint32_t>(i) * step;
            const Tensor part = input.part(group[i]);
            Tensor slice = output.part(group[i]);
            move_boxes({&part, 1}, {&box, 1}, slice);
        }
    });
}

void exchange(const Tensor& input, Tensor& output, size_t joined, size_t cut, std::span<const ChipGroup> groups) {
    for_each_group(input, output, groups, [&](const ChipGroup& group) {
        const auto members = static_cast<uint32_t>(group.size());
        Box box = whole_box(input.logical_shape());
        box.size[static_cast<int64_t>(cut)] /= members;
        const std::vector<Tensor> parts = parts_of(input, group);
        for (uint32_t receiver = 0; receiver < members; ++receiver) {
            std::vector<Box> boxes(group.size(), box);
            for (uint32_t sender = 0; sender < members; ++sender) {
                boxes[sender].from[cut] = receiver * box.size[static_cast<int64_t>(cut)];
                boxes[sender].to[joined] = sender * box.size[static_cast<int64_t>(joined)];
            }
            Tensor result = output.part(group[receiver]);
            move_boxes(parts, boxes, result);
        }
    });
}

void sum(const Tensor& input, Tensor& output, std::span<const ChipGroup> groups) {
    for_each_group(input, output, groups, [&](const ChipGroup& group) {
        is_integer(output.dtype()) ? write_sum<uint32_t>(input, output, group) : write_sum<float>(input, output, group);
    });
}

void sum_and_scatter(const Tensor& input, Tensor& output, size_t dim, std::span<const ChipGroup> groups) {
    for_each_group(input, output, groups, [&](const ChipGroup& group) {
        is_integer(output.dtype()) ? write_slices<uint32_t>(input, output, dim, group)
                                   : write_slices<float>(input, output, dim, group);
    });
}

void broadcast_part(const Tensor& input, Tensor& output, size_t sender, std::span<const ChipGroup> groups) {
    for_each_group(input, output, groups, [&](const ChipGroup& group) {
        Tensor first = output.part(group.front());
        transfer(input.part(group[sender]), first);
        share_in_group(output, group);
    });
}

void reslice(const Tensor& input, Tensor& output, size_t dim, uint64_t first, std::span<const ChipGroup> groups) {
    const auto at = static_cast<int64_t>(dim);
    const uint64_t held = input.logical_shape()[at];
    const uint64_t wanted = output.logical_shape()[at];
    for_each_group(input, output, groups, [&](const ChipGroup& group) {
        for (size_t receiver = 0; receiver < group.size(); ++receiver) {
            std::vector<Tensor> parts;
            std::vector<Box> boxes;
            const uint64_t begin = first + receiver * wanted;
            for (size_t sender = 0; sender < group.size(); ++sender) {
                const uint64_t from = std::max(begin, sender * held);
                const uint64_t to = std::min(begin + wanted, (sender + 1) * held);
                if (from < to) {
                    Box box = whole_box(input.logical_shape());
                    box.size[at] = static_cast<uint32_t>(to - from);
                    box.from[dim] = static_cast<uint32_t>(from - sender * held);
                    box.to[dim] = static_cast<uint32_t>(from - begin);
                    parts.push_back(input.part(group[sender]));
                    boxes.push_back(std::move(box));
                }
            }
            Tensor result = output.part(group[receiver]);
            move_boxes(parts, boxes, result);
        }
    });
}

void pad_from_neighbours(const Tensor& input, Tensor& output, const Halo& halo, std::span<const ChipGroup> groups) {
    const auto at = static_cast<int64_t>(halo.dim);
    const uint32_t size = input.logical_shape()[at];
    const auto rows = [&](uint32_t from, uint32_t to, uint32_t count) {
        Box box = whole_box(input.logical_shape());
        box.size[at] = count;
        box.from[halo.dim] = from;
        box.to[halo.dim] = to;
        return box;
    };
    for_each_group(input, output, groups, [&](const ChipGroup& group) {
        for (size_t place = 0; place < group.size(); ++place) {
            const Tensor own = input.part(group[place]);
            std::vector<Tensor> parts{own};
            std::vector<Box> boxes{rows(0, halo.before, size)};
            const auto add = [&](const Tensor& part, Box box) {
                parts.push_back(part);
                boxes.push_back(std::move(box));
            };
            if (place > 0) {
                add(input.part(group[place - 1]), rows(size - halo.before, 0, halo.before));
            }
            if (place + 1 < group.size()) {
                add(input.part(group[place + 1]), rows(0, halo.before + size, halo.after));
            }
            for (uint32_t i = 0; halo.replicate && place == 0 && i < halo.before; ++i) {
                add(own, rows(0, i, 1));
            }
            for (uint32_t i = 0; halo.replicate && place + 1 == group.size() && i < halo.after; ++i) {
                add(own, rows(size - 1, halo.before + size + i, 1));
            }
            Tensor result = output.part(group[place]);
            move_boxes(parts, boxes, result);
        }
    });
}

}  // namespace ttnn::compute
