#include "ttnn/tensor/distribute.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "ttnn/core/error.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {
namespace {

using Sizes = std::vector<uint64_t>;

// A box of units (elements, or whole tiles) between two dense arrays.
struct BoxCopy {
    Sizes size;
    Sizes from_shape;
    Sizes from_at;
    Sizes to_shape;
    Sizes to_at;
    uint64_t unit = 1;  // bytes
};

uint64_t position(const Sizes& shape, const Sizes& at, const Sizes& index) {
    uint64_t result = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
        result = result * shape[i] + at[i] + index[i];
    }
    return result;
}

void copy_box(const std::byte* from, std::byte* to, const BoxCopy& box) {
    if (std::ranges::find(box.size, 0U) != box.size.end()) {
        return;
    }
    const uint64_t run = (box.size.empty() ? 1 : box.size.back()) * box.unit;
    Sizes index(box.size.size());
    while (true) {
        std::memcpy(to + position(box.to_shape, box.to_at, index) * box.unit,
                    from + position(box.from_shape, box.from_at, index) * box.unit, run);
        size_t dim = index.size();
        while (dim-- > 1 && ++index[dim - 1] == box.size[dim - 1]) {
            index[dim - 1] = 0;
        }
        if (dim == 0 || index.empty()) {
            return;
        }
    }
}

// Of a part (its size and its place in the whole) the same in tiles; false where a tile would be cut.
bool in_tiles(BoxCopy& box, const TensorSpec& from, const TensorSpec& to) {
    if (from.layout() != Layout::TILE || !from.has_default_alignment() || !to.has_default_alignment() ||
        from.tile() != to.tile() || box.size.size() < 2) {
        return false;
    }
    const size_t rank = box.size.size();
    for (const auto& [dim, tile] : {std::pair{rank - 2, from.page_height()}, std::pair{rank - 1, from.page_width()}}) {
        const bool ends_on_tile = box.size[dim] % tile == 0;
        // A last row of tiles may be filled in part only, if it is the last one on both sides.
        const bool ends_both = box.from_at[dim] + box.size[dim] == box.from_shape[dim] &&
                               box.to_at[dim] + box.size[dim] == box.to_shape[dim];
        if (box.from_at[dim] % tile != 0 || box.to_at[dim] % tile != 0 || !(ends_on_tile || ends_both)) {
            return false;
        }
    }
    for (const auto& [dim, tile] : {std::pair{rank - 2, from.page_height()}, std::pair{rank - 1, from.page_width()}}) {
        for (Sizes* sizes : {&box.size, &box.from_shape, &box.from_at, &box.to_shape, &box.to_at}) {
            (*sizes)[dim] = ((*sizes)[dim] + tile - 1) / tile;
        }
    }
    box.unit = from.page_size();
    return true;
}

Sizes sizes_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

// Elements of one part, as floats or as integer patterns, to and from a dense array of the whole.
template <class T>
void copy_values(const Dense<T>& from, Dense<T>& to, BoxCopy box) {
    box.unit = sizeof(T);
    copy_box(reinterpret_cast<const std::byte*>(from.data()), reinterpret_cast<std::byte*>(to.data()), box);
}

// Copies boxes between tensors on the host: `from(i)` into `to(i)`, where one of both is the same for all i.
void copy_boxes(std::span<const Tensor> from, std::span<Tensor> to, std::vector<BoxCopy> boxes) {
    const TensorSpec& source = from.front().spec();
    const TensorSpec& target = to.front().spec();
    std::vector<BoxCopy> tiles = boxes;
    if (std::ranges::all_of(tiles, [&](BoxCopy& box) { return in_tiles(box, source, target); })) {
        for (size_t i = 0; i < tiles.size(); ++i) {
            copy_box(from[from.size() == 1 ? 0 : i].bytes().data(), to[to.size() == 1 ? 0 : i].mutable_bytes().data(),
                     tiles[i]);
        }
        return;
    }
    const auto by_value = [&]<class T>(std::type_identity<T>) {
        Dense<T> whole = from.size() == 1 ? read<T>(from.front()) : Dense<T>(target.logical_shape().volume());
        for (size_t i = 0; i < boxes.size(); ++i) {
            if (from.size() == 1) {
                Dense<T> part(target.logical_shape().volume());
                copy_values(whole, part, boxes[i]);
                write<T>(to[i], part.span());
            } else {
                copy_values(read<T>(from[i]), whole, boxes[i]);
            }
        }
        if (from.size() != 1) {
            write<T>(to.front(), whole.span());
        }
    };
    if (is_integer(source.dtype())) {
        by_value(std::type_identity<uint32_t>{});
    } else {
        by_value(std::type_identity<float>{});
    }
}

}  // namespace

std::vector<PartBox> part_boxes(const Shape& shape, const Topology& topology) {
    const MeshShape& distribution = topology.distribution;
    require(topology.placements.size() == distribution.rank(),
            "a distribution over {} needs one placement for each of its {} dimensions, got {}",
            distribution.to_string(), distribution.rank(), topology.placements.size());
    std::vector<PartBox> boxes(distribution.num_chips(),
                               PartBox{std::vector<uint32_t>(shape.rank()), {shape.begin(), shape.end()}});
    std::vector<bool> cut(shape.rank());
    for (size_t axis = 0; axis < distribution.rank(); ++axis) {
        if (!topology.placements[axis].is_shard()) {
            continue;
        }
        const size_t dim = shape.normalize_dim(*topology.placements[axis].dim, "the dimension to shard");
        require(!cut[dim], "dimension {} of {} cannot be cut along two dimensions of the mesh", dim, shape);
        cut[dim] = true;
        const uint32_t parts = distribution.dims[axis];
        const uint32_t size = shape[static_cast<int64_t>(dim)];
        require(size % parts == 0 && size != 0,
                "dimension {} of {} cannot be sharded over {} devices: {} elements give chunks of {}, which are not "
                "equal, but all devices must get the same shape",
                dim, shape, parts, size, (size + parts - 1) / parts);
        for (uint32_t i = 0; i < boxes.size(); ++i) {
            const uint32_t chunk = distribution.coordinate_of(i).values[axis];
            boxes[i].begin[dim] = chunk * (size / parts);
            boxes[i].end[dim] = (chunk + 1) * (size / parts);
        }
    }
    return boxes;
}

Tensor distribute(const Tensor& tensor, const Topology& topology) {
    require(!tensor.is_on_device() && tensor.num_parts() == 1,
            "only a whole tensor on the host can be distributed, got one of {} parts on the {}", tensor.num_parts(),
            tensor.is_on_device() ? "device" : "host");
    const std::vector<PartBox> boxes = part_boxes(tensor.logical_shape(), topology);
    const Sizes whole = sizes_of(tensor.logical_shape());
    // Parts that are alike are made once and share their bytes.
    std::map<std::vector<uint32_t>, size_t> known;
    std::vector<size_t> number(boxes.size());
    std::vector<BoxCopy> copies;
    std::vector<Tensor> made;
    for (size_t i = 0; i < boxes.size(); ++i) {
        const auto [place, fresh] = known.try_emplace(boxes[i].begin, made.size());
        number[i] = place->second;
        if (!fresh) {
            continue;
        }
        Shape size = tensor.logical_shape();
        for (size_t dim = 0; dim < size.rank(); ++dim) {
            size[static_cast<int64_t>(dim)] = boxes[i].end[dim] - boxes[i].begin[dim];
        }
        const TensorSpec& spec = tensor.spec();
        if (size == tensor.logical_shape()) {
            made.push_back(tensor);
        } else {
            made.push_back(Tensor::allocate_on_host(
                TensorSpec(size, spec.dtype(), spec.layout(), spec.memory_config(), spec.tile())));
        }
        copies.push_back({sizes_of(size),
                          whole,
                          {boxes[i].begin.begin(), boxes[i].begin.end()},
                          sizes_of(size),
                          Sizes(size.rank()),
                          1});
    }
    if (made.front() != tensor) {
        copy_boxes({&tensor, 1}, made, std::move(copies));
    }
    std::vector<Tensor> parts;
    for (const size_t i : number) {
        parts.push_back(made[i]);
    }
    return parts.size() == 1 ? parts.front() : Tensor::from_parts(parts, topology);
}

Tensor compose(const Tensor& tensor, std::span<const int32_t> dims, const MeshShape& arrangement) {
    if (tensor.is_on_device()) {
        return compose(copy_to_host(tensor), dims, arrangement);
    }
    require(dims.size() == arrangement.rank(), "composing over {} needs one dimension for each of its {}, got {}",
            arrangement.to_string(), arrangement.rank(), dims.size());
    require(arrangement.num_chips() == tensor.num_parts(), "{} parts cannot be composed as {}", tensor.num_parts(),
            arrangement.to_string());
    if (tensor.num_parts() == 1) {
        return tensor;
    }
    const Shape& part = tensor.logical_shape();
    Shape whole = part;
    std::vector<size_t> place;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        place.push_back(part.normalize_dim(dims[axis], "the dimension to concatenate"));
        require(std::ranges::count(place, place.back()) == 1,
                "dimensions to concatenate must be different, got {} twice", place.back());
        whole[static_cast<int64_t>(place.back())] *= arrangement.dims[axis];
    }
    std::vector<BoxCopy> copies;
    std::vector<Tensor> parts;
    for (uint32_t i = 0; i < tensor.num_parts(); ++i) {
        Sizes at(part.rank());
        for (size_t axis = 0; axis < dims.size(); ++axis) {
            at[place[axis]] =
                uint64_t{arrangement.coordinate_of(i).values[axis]} * part[static_cast<int64_t>(place[axis])];
        }
        copies.push_back({sizes_of(part), sizes_of(part), Sizes(part.rank()), sizes_of(whole), std::move(at), 1});
        parts.push_back(tensor.part(i));
    }
    const TensorSpec& spec = tensor.spec();
    Tensor result =
        Tensor::allocate_on_host(TensorSpec(whole, spec.dtype(), spec.layout(), MemoryConfig(), spec.tile()));
    copy_boxes(parts, {&result, 1}, std::move(copies));
    return result;
}

}  // namespace ttnn
