#include "tracelift/sweep/native_vectors.hpp"

#include <charconv>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <fmt/ranges.h>

#include "tracelift/base/sha256.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/bind/left_out.hpp"
#include "tracelift/dialects/sweep_vector.hpp"
#include "tracelift/value/bytes.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

constexpr std::string_view output_memory = "memory_config";

uint64_t seed_of(std::string_view hash) {
    uint64_t seed = 0;
    const std::string_view digits = hash.substr(0, 16);
    std::from_chars(digits.data(), digits.data() + digits.size(), seed, 16);
    return seed;
}

std::string sources_of(const Configuration& configuration) {
    std::set<std::string> seen;
    std::vector<std::string> sources;
    for (const Execution& execution : configuration.executions) {
        if (seen.insert(execution.model).second) {
            sources.push_back(execution.model);
        }
    }
    return fmt::format("{}", fmt::join(sources, ", "));
}

int64_t executions_of(const Configuration& configuration) {
    int64_t count = 0;
    for (const Execution& execution : configuration.executions) {
        count += execution.count;
    }
    return count;
}

bool is_tensor(const Value& value) {
    const auto* record = value.as<Value::Struct>();
    return record != nullptr && record->type == "Tensor";
}

// A call taken apart: its tensors by slot, its output's memory config, and the rest.
struct Parts {
    std::vector<std::string> slots{};
    std::vector<const Value*> tensors{};
    const Value* memory = nullptr;
    Value::Dict others{};
};

bool holds_tensors(const Value& value) {
    const auto* list = value.as<Value::List>();
    return list != nullptr && !list->empty() && std::ranges::all_of(*list, is_tensor);
}

Parts taken_apart(const Value::Dict& arguments) {
    Parts parts;
    for (const auto& [name, value] : arguments) {
        if (is_tensor(value)) {
            parts.slots.push_back(name);
            parts.tensors.push_back(&value);
        } else if (holds_tensors(value)) {
            const auto& list = *value.as<Value::List>();
            for (size_t i = 0; i < list.size(); ++i) {
                parts.slots.push_back(fmt::format("{}[{}]", name, i));
                parts.tensors.push_back(&list[i]);
            }
        } else if (name == output_memory) {
            parts.memory = &value;
        } else {
            parts.others.push_back({name, value});
        }
    }
    return parts;
}

Value field(const Value& tensor, std::string_view name) {
    const Value* found = tensor.find(name);
    return found != nullptr ? *found : Value();
}

// Where a tensor lies and how it is cut, beside its dtype and layout.
Value memory_of(const Value& tensor) {
    Value::Dict memory;
    for (const auto& [name, value] : tensor.as<Value::Struct>()->fields) {
        if (name != "shape" && name != "dtype" && name != "layout") {
            memory.push_back({name, value});
        }
    }
    return memory;
}

std::vector<Dimension> blank_dimensions(const std::vector<std::string>& slots) {
    std::vector<Dimension> dimensions{{"shapes"}};
    for (const std::string& slot : slots) {
        dimensions.push_back({slot + ".dtype"});
    }
    for (const std::string& slot : slots) {
        dimensions.push_back({slot + ".layout"});
    }
    dimensions.push_back({"memory"});
    dimensions.push_back({"others"});
    return dimensions;
}

// One value per dimension, in the order of blank_dimensions.
std::vector<Value> coordinates(const Parts& parts) {
    Value::List shapes, memory;
    std::vector<Value> values(1);
    for (const Value* tensor : parts.tensors) {
        shapes.push_back(field(*tensor, "shape"));
        memory.push_back(memory_of(*tensor));
        values.push_back(field(*tensor, "dtype"));
    }
    for (const Value* tensor : parts.tensors) {
        values.push_back(field(*tensor, "layout"));
    }
    memory.push_back(parts.memory != nullptr ? *parts.memory : Value());
    values[0] = std::move(shapes);
    values.emplace_back(std::move(memory));
    values.emplace_back(parts.others);
    return values;
}

// The slot's argument and, of a list, its place.
std::pair<std::string, bool> argument_of(const std::string& slot) {
    const size_t bracket = slot.find('[');
    return {slot.substr(0, bracket), bracket != slot.npos};
}

void add_tensor(Value::Dict& arguments, const std::string& slot, Value tensor) {
    const auto [name, in_list] = argument_of(slot);
    if (!in_list) {
        arguments.push_back({name, std::move(tensor)});
        return;
    }
    if (arguments.empty() || arguments.back().key != name) {
        arguments.push_back({name, Value::List{}});
    }
    Value::List list = std::move(arguments.back().value).take<Value::List>();
    list.push_back(std::move(tensor));
    arguments.back().value = std::move(list);
}

// One that was traced is known to the store.
Vector combination(const TracedSpace& space, const std::vector<uint32_t>& point, const std::string& text) {
    Vector vector;
    vector.id = sha224(text);
    vector.sweep_name = space.operation();
    vector.suite = traced_suite;
    vector.native = NativeCall{};
    Value::Dict arguments = space.arguments_at(point);
    std::string board = board_to_replay(space.board(), std::nullopt, arguments);
    vector.native->request = {.operation = space.operation(),
                              .arguments = std::move(arguments),
                              .board = std::move(board),
                              .seed = seed_of(vector.id)};
    if (const TracedPoint* traced = space.traced_at(point)) {
        vector.native->identity = traced->identity;
        vector.native->configuration = traced->configuration;
        vector.executions = traced->executions;
    }
    return vector;
}

}  // namespace

CallRequest request_of(const Configuration& configuration) {
    CallRequest request;
    request.id = configuration.id;
    request.operation = configuration.call.operation;
    request.arguments = replayable(configuration.call.arguments);
    request.board = board_to_replay(configuration.board, configuration.hardware, request.arguments);
    request.seed = seed_of(configuration.identity);
    return request;
}

std::vector<Vector> traced_vectors(std::span<const Configuration> configurations) {
    std::vector<Vector> vectors;
    vectors.reserve(configurations.size());
    for (const Configuration& configuration : configurations) {
        Vector vector;
        vector.id = configuration.ordinal == 0 ? configuration.identity
                                               : fmt::format("{}#{}", configuration.identity, configuration.ordinal);
        vector.sweep_name = configuration.call.operation;
        vector.suite = traced_suite;
        vector.source = sources_of(configuration);
        vector.executions = executions_of(configuration);
        vector.native =
            NativeCall{request_of(configuration), configuration.identity, configuration.id, configuration.call.bound};
        vectors.push_back(std::move(vector));
    }
    return vectors;
}

std::vector<TracedSpace> traced_spaces(std::span<const Configuration> configurations) {
    std::vector<TracedSpace> spaces;
    std::map<std::pair<std::string, std::vector<std::string>>, size_t> by_tensors;
    std::vector<std::vector<std::map<std::string, uint32_t>>> seen;  // per space and dimension, by canonical bytes
    for (size_t index = 0; index < configurations.size(); ++index) {
        const Configuration& configuration = configurations[index];
        if (!configuration.call.bound) {
            continue;
        }
        const Value::Dict arguments = replayable(configuration.call.arguments);
        const Parts parts = taken_apart(arguments);
        const auto [place, fresh] = by_tensors.try_emplace({configuration.call.operation, parts.slots}, spaces.size());
        if (fresh) {
            TracedSpace space;
            space.operation_ = configuration.call.operation;
            space.board_ = configuration.board;
            space.slots_ = parts.slots;
            space.dimensions_ = blank_dimensions(parts.slots);
            spaces.push_back(std::move(space));
            seen.emplace_back(spaces.back().dimensions_.size());
        }
        TracedSpace& space = spaces[place->second];
        std::vector<Value> values = coordinates(parts);
        std::vector<uint32_t> point;
        for (size_t i = 0; i < values.size(); ++i) {
            auto& list = space.dimensions_[i].values;
            const auto [found, added] =
                seen[place->second][i].try_emplace(canonical_bytes(values[i]), static_cast<uint32_t>(list.size()));
            if (added) {
                list.push_back(std::move(values[i]));
            }
            point.push_back(found->second);
        }
        TracedPoint& traced = space.traced_[point];
        if (traced.identity.empty()) {
            traced.identity = configuration.identity;
            traced.configuration = configuration.id;
        }
        traced.executions += executions_of(configuration);
        space.points_.push_back(std::move(point));
        space.members_.push_back(index);
    }
    return spaces;
}

uint64_t TracedSpace::combinations() const {
    uint64_t count = 1;
    for (const Dimension& dimension : dimensions_) {
        if (count > std::numeric_limits<uint64_t>::max() / dimension.values.size()) {
            return std::numeric_limits<uint64_t>::max();
        }
        count *= dimension.values.size();
    }
    return count;
}

std::vector<std::vector<uint32_t>> TracedSpace::all_points() const {
    std::vector<std::vector<uint32_t>> points{{}};
    for (const Dimension& dimension : dimensions_) {
        std::vector<std::vector<uint32_t>> longer;
        longer.reserve(points.size() * dimension.values.size());
        for (const std::vector<uint32_t>& point : points) {
            for (uint32_t value = 0; value < dimension.values.size(); ++value) {
                longer.push_back(point);
                longer.back().push_back(value);
            }
        }
        points = std::move(longer);
    }
    return points;
}

const TracedPoint* TracedSpace::traced_at(const std::vector<uint32_t>& point) const {
    const auto found = traced_.find(point);
    return found == traced_.end() ? nullptr : &found->second;
}

Value::Dict TracedSpace::arguments_at(std::span<const uint32_t> point) const {
    const auto value = [&](size_t dimension) -> const Value& {
        return dimensions_[dimension].values[point[dimension]];
    };
    const size_t tensors = slots_.size();
    const auto& shapes = *value(0).as<Value::List>();
    const auto& memory = *value(1 + 2 * tensors).as<Value::List>();
    Value::Dict arguments;
    for (size_t i = 0; i < tensors; ++i) {
        Value::Dict fields{{"shape", shapes[i]}, {"dtype", value(1 + i)}, {"layout", value(1 + tensors + i)}};
        for (const Value::Entry& entry : *memory[i].as<Value::Dict>()) {
            fields.push_back(entry);
        }
        add_tensor(arguments, slots_[i], Value::Struct{"Tensor", std::move(fields)});
    }
    if (!memory.back().is_null()) {
        arguments.push_back({std::string(output_memory), memory.back()});
    }
    for (const Value::Entry& entry : *value(2 + 2 * tensors).as<Value::Dict>()) {
        arguments.push_back(entry);
    }
    return arguments;
}

std::vector<Vector> all_case_vectors(const TracedSpace& space) {
    std::vector<size_t> all(space.combinations());
    std::iota(all.begin(), all.end(), size_t{0});
    return all_case_vectors(space, all);
}

std::vector<Vector> all_case_vectors(const TracedSpace& space, std::span<const size_t> numbers) {
    std::vector<Vector> vectors;
    vectors.reserve(numbers.size());
    size_t number = 0;
    space.visit_texts(traced_suite, [&](std::span<const uint32_t> point, const std::string& text) {
        if (vectors.size() == numbers.size()) {
            return false;
        }
        if (numbers[vectors.size()] == number++) {
            vectors.push_back(combination(space, {point.begin(), point.end()}, text));
        }
        return true;
    });
    return vectors;
}

}  // namespace tracelift
