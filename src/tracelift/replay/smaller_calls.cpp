#include "tracelift/replay/smaller_calls.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "tracelift/replay/call_parts.hpp"
#include "tracelift/replay/call_size.hpp"
#include "tracelift/replay/fitted_shards.hpp"
#include "ttnn/op/tensor_placement.hpp"

namespace tracelift {
namespace {

using Calls = std::vector<Value::Dict>;
constexpr int64_t tile = 32;

// --- parts of one kind -------------------------------------------------------------------------------------------

using IsWanted = bool (*)(const Part& part);
using Instead = std::vector<Value> (*)(const Value& value);  // what a part may become, the boldest first

// All parts of a kind become the boldest; those that are equal change together, for they often have to stay equal; each
// changes alone.
void propose_for_parts(const Value::Dict& arguments, IsWanted is_wanted, Instead instead, Calls& to) {
    std::vector<Part> wanted;
    for (Part& part : parts_of(arguments)) {
        if (is_wanted(part) && !instead(*part.value).empty()) {
            wanted.push_back(std::move(part));
        }
    }
    std::vector<Change> boldest;
    for (const Part& part : wanted) {
        boldest.push_back({part.path, instead(*part.value).front()});
    }
    if (boldest.size() > 1) {
        to.push_back(changed(arguments, boldest));
    }
    for (auto part = wanted.begin(); part != wanted.end(); ++part) {
        const auto is_equal = [&](const Part& other) { return *other.value == *part->value; };
        if (std::ranges::any_of(wanted.begin(), part, is_equal)) {
            continue;
        }
        for (const Value& value : instead(*part->value)) {
            std::vector<Change> changes;
            for (const Part& other : wanted) {
                if (is_equal(other)) {
                    changes.push_back({other.path, value});
                }
            }
            to.push_back(changed(arguments, changes));
        }
    }
    for (const Part& part : wanted) {
        for (const Value& value : instead(*part.value)) {
            to.push_back(changed(arguments, std::vector{Change{part.path, value}}));
        }
    }
}

// --- arguments, lists, fields -------------------------------------------------------------------------------------

bool may_be_left_out(const ttnn::OpInfo& op, std::string_view argument) {
    for (const ttnn::OpInfo* form = &op; form != nullptr; form = form->next_overload) {
        const ttnn::FieldInfo* field = form->find_field(argument);
        if (field == nullptr || !field->required()) {
            return true;
        }
    }
    return false;
}

void leave_out_arguments(const ttnn::OpInfo& op, const Value::Dict& arguments, Calls& to) {
    Value::Dict required = arguments;
    std::erase_if(required, [&](const Value::Entry& argument) { return may_be_left_out(op, argument.key); });
    to.push_back(required);
    for (const Value::Entry& argument : arguments) {
        if (may_be_left_out(op, argument.key)) {
            Value::Dict rest = arguments;
            std::erase_if(rest, [&](const Value::Entry& other) { return other.key == argument.key; });
            to.push_back(std::move(rest));
        }
    }
}

const Value::List* list_argument(const Value::Entry& argument) { return argument.value.as<Value::List>(); }

// Every list of this length without some of its items: starts, ends and steps belong together.
Value::Dict without_items(const Value::Dict& arguments, size_t length, size_t first, size_t count) {
    Value::Dict shorter = arguments;
    for (Value::Entry& argument : shorter) {
        if (const auto* list = list_argument(argument); list != nullptr && list->size() == length) {
            Value::List rest = *list;
            const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(first);
            rest.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
            argument.value = std::move(rest);
        }
    }
    return shorter;
}

void shorten_lists(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        const auto* list = list_argument(arguments[i]);
        if (list == nullptr || list->size() < 2) {
            continue;
        }
        const size_t size = list->size();
        const auto propose = [&](size_t first, size_t count) {
            to.push_back(without_items(arguments, size, first, count));
            Value::Dict alone = arguments;
            alone[i] = without_items({arguments[i]}, size, first, count).front();
            to.push_back(std::move(alone));
        };
        propose(1, size - 1);
        propose(size / 2, size - size / 2);
        propose(0, size / 2);
        for (size_t item = size; item-- > 0;) {
            propose(item, 1);
        }
    }
}

// Fields of configurations that need not hold anything, and what a tensor need not say.
void clear_fields(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    for (const Part& part : parts_of(arguments)) {
        const auto* record = part.value->as<Value::Struct>();
        const bool config = record != nullptr && record->type.ends_with("Config") && !is_memory_config(*part.value);
        for (const Value::Entry& field : record != nullptr ? record->fields : Value::Dict{}) {
            const bool own = field.key == "tile" || field.key == "alignment" || field.key == ttnn::placement_field;
            if (is_tensor(*part.value) && own) {
                to.push_back(changed(arguments, std::vector{Change{part.path, without_field(*part.value, field.key)}}));
            } else if (config && !field.value.is_null()) {
                to.push_back(
                    changed(arguments, std::vector{Change{part.path, with_field(*part.value, field.key, Value())}}));
            }
        }
    }
}

// --- memory -------------------------------------------------------------------------------------------------------

bool is_memory_part(const Part& part) { return is_memory_config(*part.value); }

Value interleaved(const Value& config, std::string buffer) {
    const Value plain = without_field(without_field(config, "shard_spec"), "nd_shard_spec");
    return with_field(with_field(plain, "memory_layout", Value::Enum{"TensorMemoryLayout", "INTERLEAVED"}),
                      "buffer_type", Value::Enum{"BufferType", std::move(buffer)});
}

std::vector<Value> without_shards(const Value& config) {
    if (!is_sharded(config)) {
        return {};
    }
    return {interleaved(config, "DRAM"), interleaved(config, std::string(member_at(config, "buffer_type")))};
}

void drop_shards(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    propose_for_parts(arguments, is_memory_part, without_shards, to);
}

std::vector<Value> in_dram(const Value& config) {
    if (member_at(config, "buffer_type") == "DRAM") {
        return {};
    }
    return {with_field(config, "buffer_type", Value::Enum{"BufferType", "DRAM"})};
}

void move_to_dram(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    propose_for_parts(arguments, is_memory_part, in_dram, to);
}

// Sizes or grids changed: shards are cut again; and once as they were, for what is wrong may be just that they do not
// fit.
void add_with_shards(const Value::Dict& before, Value::Dict after, Calls& to) {
    to.push_back(with_fitted_shards(before, after));
    to.push_back(std::move(after));
}

std::vector<Value> smaller_ranges(const Value& range) {
    const Cores cores = cores_of(range);
    std::vector<Value> ranges;
    for (const int64_t fewer : smaller_numbers(cores.across())) {
        if (fewer > 0) {
            ranges.push_back(Cores{cores.start_x, cores.start_y, cores.start_x + fewer - 1, cores.end_y}.value());
        }
    }
    for (const int64_t fewer : smaller_numbers(cores.down())) {
        if (fewer > 0) {
            ranges.push_back(Cores{cores.start_x, cores.start_y, cores.end_x, cores.start_y + fewer - 1}.value());
        }
    }
    if (cores.start_x != 0 || cores.start_y != 0) {
        ranges.push_back(Cores{0, 0, cores.across() - 1, cores.down() - 1}.value());
    }
    return ranges;
}

// Of a set of ranges: only the first, or with one range less or smaller.
std::vector<Value> smaller_grids(const Value& set) {
    const Value* ranges = set.find("ranges");
    const auto* list = ranges != nullptr ? ranges->as<Value::List>() : nullptr;
    std::vector<Value> grids;
    if (list == nullptr || list->empty()) {
        return grids;
    }
    if (list->size() > 1) {
        grids.push_back(with_field(set, "ranges", Value::List{list->front()}));
    }
    for (size_t i = 0; i < list->size(); ++i) {
        if (list->size() > 1) {
            Value::List rest = *list;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
            grids.push_back(with_field(set, "ranges", std::move(rest)));
        }
        for (Value& smaller : smaller_ranges((*list)[i])) {
            Value::List other = *list;
            other[i] = std::move(smaller);
            grids.push_back(with_field(set, "ranges", std::move(other)));
        }
    }
    return grids;
}

void use_fewer_cores(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    Calls grids;
    propose_for_parts(
        arguments, [](const Part& part) { return is_record(*part.value, "CoreRangeSet"); }, smaller_grids, grids);
    for (Value::Dict& call : grids) {
        add_with_shards(arguments, std::move(call), to);
    }
}

// --- shapes -------------------------------------------------------------------------------------------------------

// A dimension of a tensor.
struct Size {
    Path path;  // of the number
    int64_t number = 0;
    size_t tensor = 0;     // the how manieth
    size_t from_last = 0;  // 0: the last dimension
};

std::vector<Size> sizes_of(const Value::Dict& arguments) {
    std::vector<Size> sizes;
    size_t tensors = 0;
    size_t rank = 0;
    for (Part& part : parts_of(arguments)) {
        if (is_tensor(*part.value)) {
            ++tensors;
            rank = numbers_at(*part.value, "shape").size();
        } else if (const auto* number = part.is_size ? part.value->as<int64_t>() : nullptr) {
            const size_t position = part.path.back();
            sizes.push_back({std::move(part.path), *number, tensors, rank - 1 - position});
        }
    }
    return sizes;
}

// Numbers that are not sizes of tensors: sizes again, in elements or in tiles, of outputs, shards and programs.
enum class Others : uint8_t { AS_THEY_ARE, EQUAL_ONES, TILES_AND_SHARDS_TOO };

// Cut into as many pieces as before, in whole tiles.
int64_t piece_of(int64_t piece, int64_t from, int64_t to) {
    if (piece <= 0 || from % piece != 0) {
        return piece;
    }
    const int64_t pieces = from / piece;
    return ((to + pieces - 1) / pieces + tile - 1) / tile * tile;
}

using Resize = std::function<int64_t(int64_t)>;  // the new size where there was this one

void follow_sizes(const Value::Dict& arguments, const std::set<int64_t>& sizes, const Resize& resize, Others others,
                  std::vector<Change>& changes) {
    bool in_record = false;
    for (Part& part : parts_of(arguments)) {
        if (part.path.size() == 1) {
            in_record = part.value->as<Value::Struct>() != nullptr;
        }
        const auto* number = part.value->as<int64_t>();
        if (number == nullptr || part.in_tensor || part.is_size) {
            continue;
        }
        int64_t followed = *number;
        if (sizes.contains(*number)) {
            followed = resize(*number);
        } else if (others == Others::TILES_AND_SHARDS_TOO && in_record) {
            for (const int64_t size : sizes) {
                if (part.name == "shape") {
                    followed = piece_of(*number, size, resize(size));
                } else if (size % tile == 0 && size / tile == *number) {
                    followed = std::max<int64_t>(1, resize(size) / tile);
                }
                if (followed != *number) {
                    break;
                }
            }
        }
        if (followed != *number) {
            changes.push_back({std::move(part.path), followed});
        }
    }
}

// These sizes become others; the rest of the call goes along, more and more of it.
void resize(const Value::Dict& arguments, const std::vector<Size>& sizes, const Resize& to_size, bool follow,
            Calls& to) {
    std::vector<Change> changes;
    std::set<int64_t> old;
    for (const Size& size : sizes) {
        const int64_t number = to_size(size.number);
        if (number != size.number) {
            changes.push_back({size.path, number});
            old.insert(size.number);
        }
    }
    if (changes.empty()) {
        return;
    }
    add_with_shards(arguments, changed(arguments, changes), to);
    for (const Others others : {Others::EQUAL_ONES, Others::TILES_AND_SHARDS_TOO}) {
        std::vector<Change> more = changes;
        follow_sizes(arguments, old, to_size, others, more);
        if (follow && more.size() > changes.size()) {
            add_with_shards(arguments, changed(arguments, more), to);
        }
    }
}

// All sizes at once: comes first, for what is small is quickly tried.
void reduce_all_sizes(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    const std::vector<Size> sizes = sizes_of(arguments);
    resize(
        arguments, sizes, [](int64_t) { return int64_t{1}; }, true, to);
    resize(
        arguments, sizes, [](int64_t size) { return std::min(size, tile); }, true, to);
    resize(
        arguments, sizes, [](int64_t size) { return (size + 1) / 2; }, true, to);
    std::vector<Size> batches = sizes;
    std::erase_if(batches, [](const Size& size) { return size.from_last < 2; });
    resize(
        arguments, batches, [](int64_t) { return int64_t{1}; }, true, to);
}

// All sizes that are equal; two of different tensors that are; each alone.
void reduce_sizes(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    const std::vector<Size> sizes = sizes_of(arguments);
    const auto propose = [&](const std::vector<Size>& some, bool follow) {
        for (const int64_t smaller : smaller_numbers(some.front().number)) {
            if (smaller > 0) {
                resize(
                    arguments, some, [=](int64_t) { return smaller; }, follow, to);
            }
        }
    };
    std::set<int64_t> seen;
    for (const Size& size : sizes) {
        if (seen.insert(size.number).second) {
            std::vector<Size> equal = sizes;
            std::erase_if(equal, [&](const Size& other) { return other.number != size.number; });
            propose(equal, true);
        }
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
        for (size_t j = i + 1; j < sizes.size(); ++j) {
            if (sizes[i].number == sizes[j].number && sizes[i].tensor != sizes[j].tensor) {
                propose({sizes[i], sizes[j]}, false);
            }
        }
    }
    for (const Size& size : sizes) {
        propose({size}, true);
    }
}

Value with_lower_rank(const Value& tensor, size_t rank) {
    std::vector<int64_t> shape = numbers_at(tensor, "shape");
    if (shape.size() <= rank) {
        return tensor;
    }
    const auto dropped = static_cast<std::ptrdiff_t>(shape.size() - rank);
    shape.erase(shape.begin(), shape.begin() + dropped);
    return with_field(tensor, "shape", list_of(shape));
}

// Numbers of dimensions count from the first; lists with an entry per dimension lose theirs, and what they say of
// others (permutations) moves along.
Value::Dict with_lower_dims(Value::Dict arguments, size_t rank, int64_t dropped) {
    const auto lowered = [&](const Value& value) -> Value {
        const auto* number = value.as<int64_t>();
        return number != nullptr && *number >= dropped ? Value(*number - dropped) : value;
    };
    for (Value::Entry& argument : arguments) {
        if (argument.key.starts_with("dim") || argument.key == "axis") {
            argument.value = lowered(argument.value);
        }
        const auto* list = argument.value.as<Value::List>();
        if (list != nullptr && list->size() == rank && list->front().as<int64_t>() != nullptr) {
            Value::List rest(list->begin() + dropped, list->end());
            if (argument.key.starts_with("dim")) {
                std::ranges::transform(rest, rest.begin(), lowered);
            }
            argument.value = std::move(rest);
        }
    }
    return arguments;
}

void lower_ranks(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    std::vector<Part> tensors;
    size_t highest = 0;
    for (Part& part : parts_of(arguments)) {
        if (is_tensor(*part.value)) {
            highest = std::max(highest, numbers_at(*part.value, "shape").size());
            tensors.push_back(std::move(part));
        }
    }
    for (size_t rank = 1; rank < highest; ++rank) {
        std::vector<Change> changes;
        for (const Part& tensor : tensors) {
            changes.push_back({tensor.path, with_lower_rank(*tensor.value, rank)});
        }
        const Value::Dict lower = changed(arguments, changes);
        add_with_shards(arguments, lower, to);
        add_with_shards(arguments, with_lower_dims(lower, highest, static_cast<int64_t>(highest - rank)), to);
    }
    for (const Part& tensor : tensors) {
        for (size_t rank = 1; rank < numbers_at(*tensor.value, "shape").size(); ++rank) {
            add_with_shards(arguments,
                            changed(arguments, std::vector{Change{tensor.path, with_lower_rank(*tensor.value, rank)}}),
                            to);
        }
    }
}

// --- dtypes, layouts, numbers ---------------------------------------------------------------------------------------

bool is_member_of(const Value& value, std::string_view type) {
    const auto* member = value.as<Value::Enum>();
    return member != nullptr && member->type == type;
}

std::vector<Value> plainer(const Value& dtype) {
    std::vector<Value> values;
    for (const std::string_view other : plainer_dtypes(dtype.as<Value::Enum>()->member)) {
        values.emplace_back(Value::Enum{"DataType", std::string(other)});
    }
    return values;
}

void simplify_dtypes(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    propose_for_parts(
        arguments, [](const Part& part) { return is_member_of(*part.value, "DataType"); }, plainer, to);
}

std::vector<Value> in_rows(const Value& layout) {
    if (layout.as<Value::Enum>()->member != "TILE") {
        return {};
    }
    return {Value::Enum{"Layout", "ROW_MAJOR"}};
}

void leave_tiles(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    Calls rows;
    propose_for_parts(
        arguments, [](const Part& part) { return is_member_of(*part.value, "Layout"); }, in_rows, rows);
    for (Value::Dict& call : rows) {
        add_with_shards(arguments, std::move(call), to);
    }
}

std::vector<Value> simpler_numbers(const Value& value) {
    std::vector<Value> simpler;
    if (const auto* number = value.as<int64_t>()) {
        for (const int64_t smaller : smaller_numbers(*number)) {
            simpler.emplace_back(smaller);
        }
    } else if (const auto* real = value.as<double>()) {
        simpler = {0.0, 1.0};
        if (std::isfinite(*real)) {
            simpler.insert(simpler.end(), {std::trunc(*real), std::trunc(*real / 2), std::abs(*real)});
        }
    } else if (const auto* flag = value.as<bool>(); flag != nullptr && *flag) {
        simpler = {false};
    } else if (const auto* text = value.as<std::string>(); text != nullptr && !text->empty()) {
        simpler = {""};
    }
    return simpler;
}

void simplify_numbers(const ttnn::OpInfo& /*op*/, const Value::Dict& arguments, Calls& to) {
    propose_for_parts(
        arguments, [](const Part& part) { return !part.is_size; }, simpler_numbers, to);
}

constexpr Move moves[] = {{"all sizes", reduce_all_sizes}, {"arguments", leave_out_arguments},
                          {"lists", shorten_lists},        {"fields", clear_fields},
                          {"shards", drop_shards},         {"cores", use_fewer_cores},
                          {"buffers", move_to_dram},       {"ranks", lower_ranks},
                          {"sizes", reduce_sizes},         {"dtypes", simplify_dtypes},
                          {"layouts", leave_tiles},        {"numbers", simplify_numbers}};

}  // namespace

std::span<const Move> all_moves() { return moves; }

std::vector<int64_t> smaller_numbers(int64_t number) {
    if (number < 0) {
        return {0, 1, number / 2, number + 1, number == INT64_MIN ? 0 : -number};
    }
    // What is left beyond whole tiles may matter: it stays in some.
    std::set<int64_t> smaller{0, 1, 2, tile, number % tile, tile + number % tile, std::max<int64_t>(number - tile, 0)};
    for (int64_t step = number - number / 2; step > 0; step /= 2) {
        smaller.insert(number - step);
        smaller.insert((number - step) / tile * tile);
    }
    smaller.erase(smaller.lower_bound(number), smaller.end());
    return {smaller.begin(), smaller.end()};
}

}  // namespace tracelift
