#include "tracelift/replay/fitted_shards.hpp"

#include <algorithm>
#include <optional>

#include "tracelift/replay/call_parts.hpp"

namespace tracelift {
namespace {

constexpr int64_t tile = 32;

int64_t divided_up(int64_t number, int64_t by) { return by <= 0 ? number : (number + by - 1) / by; }
int64_t rounded_up(int64_t number, int64_t unit) { return divided_up(number, unit) * unit; }

struct Extent {
    int64_t across = 0, down = 0, cores = 0;
};

Extent extent_of(const Value& shard_spec) {
    Extent extent;
    const Value* grid = shard_spec.find("grid");
    const Value* ranges = grid != nullptr ? grid->find("ranges") : nullptr;
    if (const auto* list = ranges != nullptr ? ranges->as<Value::List>() : nullptr) {
        for (const Value& range : *list) {
            const Cores cores = cores_of(range);
            extent.across = cores.across();
            extent.down = cores.down();
            extent.cores += extent.across * extent.down;
        }
    }
    return extent;
}

Value fitted_spec(const Value& spec, std::string_view memory_layout, int64_t height, int64_t width, int64_t unit) {
    const Extent extent = extent_of(spec);
    const bool rows = member_at(spec, "orientation") != "COL_MAJOR";
    int64_t pieces_down = 1;
    int64_t pieces_across = 1;
    if (memory_layout == "HEIGHT_SHARDED") {
        pieces_down = extent.cores;
    } else if (memory_layout == "WIDTH_SHARDED") {
        pieces_across = extent.cores;
    } else {
        pieces_down = rows ? extent.down : extent.across;
        pieces_across = rows ? extent.across : extent.down;
    }
    const int64_t shape[] = {rounded_up(divided_up(height, pieces_down), unit),
                             rounded_up(divided_up(width, pieces_across), unit)};
    return with_field(spec, "shape", list_of(shape));
}

// No larger than the tensor in any dimension.
Value fitted_nd_spec(const Value& spec, const std::vector<int64_t>& shape, int64_t unit) {
    std::vector<int64_t> shard = numbers_at(spec, "shard_shape");
    if (shard.size() > shape.size()) {
        shard.erase(shard.begin(), shard.end() - static_cast<std::ptrdiff_t>(shape.size()));
    }
    for (size_t i = 0; i < shard.size(); ++i) {
        const bool in_tile = i + 2 >= shard.size();
        const int64_t size = shape[shape.size() - shard.size() + i];
        shard[i] = std::min(shard[i], in_tile ? rounded_up(size, unit) : size);
    }
    return with_field(spec, "shard_shape", list_of(shard));
}

}  // namespace

Value fitted_tensor(const Value& tensor) {
    const Value* config = tensor.find("memory_config");
    const std::vector<int64_t> shape = numbers_at(tensor, "shape");
    if (config == nullptr || !is_memory_config(*config) || shape.empty()) {
        return tensor;
    }
    const int64_t unit = member_at(tensor, "layout") == "TILE" ? tile : 1;
    if (const Value* nd = config->find("nd_shard_spec"); nd != nullptr && nd->as<Value::Struct>() != nullptr) {
        return with_field(tensor, "memory_config",
                          with_field(*config, "nd_shard_spec", fitted_nd_spec(*nd, shape, unit)));
    }
    const Value* spec = config->find("shard_spec");
    if (spec == nullptr || spec->as<Value::Struct>() == nullptr) {
        return tensor;
    }
    int64_t height = shape.size() > 1 ? rounded_up(shape[shape.size() - 2], unit) : unit;
    for (size_t i = 0; i + 2 < shape.size(); ++i) {
        constexpr int64_t highest = int64_t{1} << 40;
        if (shape[i] < 0 || __builtin_mul_overflow(height, shape[i], &height) || height > highest) {
            return tensor;
        }
    }
    Value fitted =
        fitted_spec(*spec, member_at(*config, "memory_layout"), height, rounded_up(shape.back(), unit), unit);
    return with_field(tensor, "memory_config", with_field(*config, "shard_spec", std::move(fitted)));
}

Value::Dict with_fitted_shards(const Value::Dict& before, const Value::Dict& after) {
    struct Refitted {
        const Value* was;
        Value is;
    };
    std::vector<Change> changes;
    std::vector<Refitted> configs;
    const std::vector<Part> old_parts = parts_of(before);
    const auto old_value = [&](const Path& path) -> const Value* {
        const auto found = std::ranges::find(old_parts, path, &Part::path);
        return found == old_parts.end() ? nullptr : found->value;
    };
    const std::vector<Part> parts = parts_of(after);
    for (const Part& part : parts) {
        if (!is_tensor(*part.value)) {
            continue;
        }
        Value fitted = fitted_tensor(*part.value);
        const Value* old = old_value(part.path);
        if (old != nullptr && old->find("memory_config") != nullptr && fitted.find("memory_config") != nullptr) {
            configs.push_back({old->find("memory_config"), *fitted.find("memory_config")});
        }
        changes.push_back({part.path, std::move(fitted)});
    }
    for (const Part& part : parts) {
        const Value* old = part.in_tensor || !is_memory_config(*part.value) ? nullptr : old_value(part.path);
        for (const Refitted& config : configs) {
            if (old != nullptr && *old == *config.was) {
                changes.push_back({part.path, config.is});
                break;
            }
        }
    }
    return changed(after, changes);
}

}  // namespace tracelift
