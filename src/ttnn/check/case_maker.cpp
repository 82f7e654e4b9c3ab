#include "ttnn/check/case_maker.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ttnn/core/function_ref.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {
namespace {

// A shard spec over few cores that a tensor of this shape can have; the grid is at most 4 cores.
MemoryConfig sharded_config(const Shape& shape, Layout layout, MemoryKind kind) {
    const uint32_t unit = layout == Layout::TILE ? tile_size : 1;
    uint32_t width = round_up(shape.from_end(0), unit);
    uint32_t height = round_up(shape.from_end(1), unit);
    for (size_t i = 2; i < shape.rank(); ++i) {
        height *= shape.from_end(i);
    }
    const auto part = [&](uint32_t size, uint32_t pieces) { return round_up(div_up(size, pieces), unit); };
    const auto cores = [](uint32_t x, uint32_t y) { return CoreRangeSet(CoreRange({0, 0}, {x - 1, y - 1})); };
    if (kind == MemoryKind::HEIGHT_SHARDED) {
        const uint32_t shard = part(height, 4);
        return MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                            ShardSpec{cores(div_up(height, shard), 1), {shard, width}});
    }
    // Row-major shard rows must be a multiple of the 16-byte L1 alignment for every dtype: 16 elements.
    const auto width_part = [&](uint32_t pieces) {
        return layout == Layout::TILE ? part(width, pieces) : round_up(div_up(width, pieces), 16U);
    };
    if (kind == MemoryKind::WIDTH_SHARDED) {
        const uint32_t shard = width_part(4);
        return MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1,
                            ShardSpec{cores(div_up(width, shard), 1), {height, shard}});
    }
    const uint32_t shard_h = part(height, 2);
    const uint32_t shard_w = width_part(2);
    return MemoryConfig(TensorMemoryLayout::BLOCK_SHARDED, BufferType::L1,
                        ShardSpec{cores(div_up(width, shard_w), div_up(height, shard_h)), {shard_h, shard_w}});
}

// The element at this place of a row, the rows counted through the tensor.
double draw(const Domain& domain, uint64_t row, uint64_t column, uint64_t width, std::mt19937_64& random) {
    switch (domain.kind) {
        case Domain::Kind::REAL: return std::uniform_real_distribution<double>(domain.low, domain.high)(random);
        case Domain::Kind::INTEGER:
            return static_cast<double>(std::uniform_int_distribution<int64_t>(
                static_cast<int64_t>(domain.low), static_cast<int64_t>(domain.high))(random));
        case Domain::Kind::BINARY: return static_cast<double>(random() & 1);
        case Domain::Kind::MASK: return (random() & 1) != 0 ? domain.low : domain.high;
        case Domain::Kind::SPECIAL: {
            const double specials[] = {std::nan(""), INFINITY, -INFINITY};
            const uint64_t pick = random() & 7;
            return pick < 3 ? specials[pick] : std::uniform_real_distribution<double>(domain.low, domain.high)(random);
        }
        case Domain::Kind::ONE_HOT: return row % width == column ? 1.0 : 0.0;
    }
    return 0;
}

Domain default_domain(DataType dtype) {
    if (is_floating(dtype)) {
        return Domain::real(-1.0, 1.0);
    }
    return dtype == DataType::INT32 ? Domain::integer(-100, 100) : Domain::integer(0, 100);
}

template <class T>
void fill_bands(Tensor& tensor, FunctionRef<T()> next) {
    std::vector<T> values;
    for (const Band& band : bands_of(tensor.spec(), usual_band)) {
        values.resize(band.size);
        std::ranges::generate(values, next);
        write_band<T>(tensor, band, values);
    }
}

void fill(Tensor tensor, const Domain& domain, std::mt19937_64& random) {
    const uint64_t width = tensor.logical_shape().from_end(0);
    uint64_t row = 0;
    uint64_t column = 0;
    const auto next = [&] {
        const double value = draw(domain, row, column, width, random);
        const bool ends = ++column == width;
        row += ends ? 1 : 0;
        column = ends ? 0 : column;
        return value;
    };
    if (is_integer(tensor.dtype())) {
        fill_bands<uint32_t>(tensor, [&] { return static_cast<uint32_t>(static_cast<int64_t>(next())); });
    } else {
        fill_bands<float>(tensor, [&] { return static_cast<float>(next()); });
    }
}

// Chips whose parts are the same according to the topology, which gets the whole of a replicated tensor.
std::vector<std::vector<uint32_t>> equal_parts(const Tensor& tensor) {
    const Topology& topology = tensor.topology();
    std::map<std::vector<uint32_t>, std::vector<uint32_t>> groups;
    const bool spread = topology.distribution.num_chips() == tensor.num_parts();
    for (uint32_t chip = 0; chip < tensor.num_parts(); ++chip) {
        std::vector<uint32_t> place =
            spread ? topology.distribution.coordinate_of(chip).values : std::vector<uint32_t>();
        for (size_t i = 0; i < place.size(); ++i) {
            place[i] = topology.placements[i].is_shard() ? place[i] : 0;
        }
        groups[place].push_back(chip);
    }
    std::vector<std::vector<uint32_t>> result;
    for (auto& [place, chips] : groups) {
        result.push_back(std::move(chips));
    }
    return result;
}

void fill_parts(Tensor tensor, const Domain& domain, std::mt19937_64& random) {
    if (tensor.num_parts() == 1 || !tensor.is_on_device()) {
        return fill(tensor, domain, random);
    }
    if (drops_writes(tensor)) {
        return;
    }
    for (const std::vector<uint32_t>& chips : equal_parts(tensor)) {
        fill(tensor.part(chips.front()), domain, random);
        for (const uint32_t chip : chips) {
            tensor.share_part(chips.front(), chip);
        }
    }
}

}  // namespace

std::string Combination::to_string() const {
    return fmt::format("{} {} {}", member_name(dtype), member_name(layout), member_name(memory));
}

void CaseMaker::only_if(bool condition) const {
    if (!condition) {
        throw NotApplicable(combination_.to_string());
    }
}

Tensor CaseMaker::tensor(const Shape& shape, DataType dtype) const {
    only_if(layout() == Layout::TILE || !is_block_float(dtype));
    return allocate(TensorSpec(shape, dtype, layout(), memory_config(shape)));
}

// On a mesh every chip gets other values.
Tensor CaseMaker::allocate(const TensorSpec& spec) const {
    Tensor result = Tensor::allocate_on_device(spec, device_);
    if (result.num_parts() > 1) {
        result.set_topology({{{0}}, {{result.num_parts()}}});
    }
    return result;
}

Tensor CaseMaker::interleaved(const Shape& shape, DataType dtype, Layout layout, BufferType buffer) const {
    only_if(layout == Layout::TILE || !is_block_float(dtype));
    return allocate(TensorSpec(shape, dtype, layout, MemoryConfig(TensorMemoryLayout::INTERLEAVED, buffer)));
}

Tensor CaseMaker::on_host(const Shape& shape, DataType dtype, Layout layout) const {
    only_if(layout == Layout::TILE || !is_block_float(dtype));
    return Tensor::allocate_on_host(TensorSpec(shape, dtype, layout));
}

MemoryConfig CaseMaker::memory_config(const Shape& shape) const {
    if (memory() == MemoryKind::DRAM) {
        return {};
    }
    if (memory() == MemoryKind::L1) {
        return l1_memory_config();
    }
    only_if(shape.rank() >= 2 && shape.volume() > 0);
    return sharded_config(shape, layout(), memory());
}

Domain domain_of(const AnyParams& params, std::string_view field, DataType dtype) {
    if (params.op().domain == nullptr) {
        return default_domain(dtype);
    }
    Domain domain = params.op().domain(params.data(), field);
    if (is_block_float(dtype) && domain.kind == Domain::Kind::REAL && domain.low > 0) {
        // Beside a large neighbour a small number is rounded to zero, which such a domain excludes.
        domain.low = std::max(domain.low, domain.high * (dtype == DataType::BFLOAT4_B ? 0.25 : 1.0 / 64));
    }
    const bool whole = domain.kind != Domain::Kind::REAL && domain.kind != Domain::Kind::SPECIAL;
    return is_floating(dtype) || whole ? domain : default_domain(dtype);
}

void fill_inputs(AnyParams& params, uint64_t seed) {
    std::mt19937_64 random(seed);
    const OpInfo& op = params.op();
    for (const uint16_t index : op.tensor_fields) {
        const FieldInfo& field = op.fields[index];
        field.type->visit_tensors(params.field(field), [&](const Tensor& tensor) {
            fill_parts(tensor, domain_of(params, field.name, tensor.dtype()), random);
        });
    }
}

}  // namespace ttnn
