// The texts of all combinations of a traced space. Every parameter depends on one dimension alone, so its text is
// written once per value of that dimension, and a vector is the parts in the order of their keys: a copy, no JSON.
#include <map>

#include <fmt/format.h>

#include "tracelift/dialects/sweep_vector.hpp"
#include "tracelift/sweep/native_vectors.hpp"

namespace tracelift {
namespace {

using Fragments = std::map<std::string, std::string>;  // by key: "key":value as text

std::string fragment(const std::string& key, const Json& json) {
    return fmt::format("{}:{}", compact_json(key), compact_json(json));
}

Fragments fragments_at(const TracedSpace& space, std::span<const uint32_t> point) {
    Fragments fragments;
    for (const auto& [name, value] : space.arguments_at(point)) {
        for (const auto& [key, json] : parameters_of(name, value)) {
            fragments.emplace(key, fragment(key, json));
        }
    }
    return fragments;
}

// One part of a text: the same for all, or chosen by the value of a dimension.
struct Step {
    size_t dimension = 0;
    std::string constant{};
    std::vector<const std::string*> by_value{};

    const std::string& at(std::span<const uint32_t> point) const {
        return by_value.empty() ? constant : *by_value[point[dimension]];
    }
};

class Texts {
public:
    Texts(const TracedSpace& space, const std::string& suite);
    void write(std::span<const uint32_t> point, std::string& text);

private:
    const std::vector<Step>& plan_at(std::span<const uint32_t> point);
    size_t dimension_of(const std::string& key) const;
    size_t memory() const { return 1 + 2 * space_.slots().size(); }
    size_t others() const { return memory() + 1; }

    const TracedSpace& space_;
    Fragments header_;
    std::vector<std::vector<Fragments>> written_;  // by dimension and value
    // Which keys there are depends on memory and others alone: the order of the parts is found once for each pair.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Step>> plans_;
};

Texts::Texts(const TracedSpace& space, const std::string& suite)
    : space_(space),
      header_{{"invalid_reason", fragment("invalid_reason", "")},
              {"status", fragment("status", "VectorStatus.CURRENT")},
              {"suite_name", fragment("suite_name", suite)},
              {"sweep_name", fragment("sweep_name", space.operation())},
              {"validity", fragment("validity", "VALID")}} {
    if (!space.board().empty()) {  // a combination was never traced, but what it is made of was
        header_.emplace("traced_machine_info", fragment("traced_machine_info", Json{{"board", space.board()}}));
    }
    std::vector<uint32_t> point(space.dimensions().size());
    for (size_t d = 0; d < point.size(); ++d) {
        auto& of_dimension = written_.emplace_back();
        for (point[d] = 0; point[d] < space.dimensions()[d].values.size(); ++point[d]) {
            of_dimension.push_back(fragments_at(space, point));
        }
        point[d] = 0;
    }
}

// The dimension that a parameter follows from.
size_t Texts::dimension_of(const std::string& key) const {
    const size_t tensors = space_.slots().size();
    for (size_t i = 0; i < tensors; ++i) {
        std::string name = space_.slots()[i];
        if (const size_t bracket = name.find('['); bracket != name.npos) {  // "tensors[1]" -> "tensors_1"
            name.pop_back();
            name[bracket] = '_';
        }
        const std::pair<const char*, size_t> parts[] = {{"_shape", 0},
                                                        {"_dtype", 1 + i},
                                                        {"_layout", 1 + tensors + i},
                                                        {"_memory_config", memory()},
                                                        {"_storage_type", memory()},
                                                        {"_alignment", memory()},
                                                        {"_tile", memory()},
                                                        {"_tensor_placement", memory()}};
        for (const auto& [part, dimension] : parts) {
            if (key == name + part) {
                return dimension;
            }
        }
    }
    return key == "memory_config" ? memory() : others();
}

const std::vector<Step>& Texts::plan_at(std::span<const uint32_t> point) {
    const auto [plan, fresh] = plans_.try_emplace({point[memory()], point[others()]});
    if (!fresh) {
        return plan->second;
    }
    std::map<std::string, Step> steps;
    for (const auto& [key, text] : header_) {
        steps[key].constant = text;
    }
    for (const auto& [key, text] : fragments_at(space_, point)) {
        Step& step = steps[key];
        step.dimension = dimension_of(key);
        for (const Fragments& fragments : written_[step.dimension]) {
            const auto found = fragments.find(key);
            step.by_value.push_back(found == fragments.end() ? nullptr : &found->second);
        }
    }
    for (auto& [key, step] : steps) {
        plan->second.push_back(std::move(step));
    }
    return plan->second;
}

void Texts::write(std::span<const uint32_t> point, std::string& text) {
    text = "{";
    for (const Step& step : plan_at(point)) {
        text += text.size() == 1 ? "" : ",";
        text += step.at(point);
    }
    text += "}";
}

}  // namespace

void TracedSpace::visit_texts(const std::string& suite,
                              ttnn::FunctionRef<bool(std::span<const uint32_t>, const std::string&)> visit) const {
    Texts texts(*this, suite);
    std::vector<uint32_t> point(dimensions_.size());
    std::string text;
    for (bool more = true; more;) {
        texts.write(point, text);
        if (!visit(point, text)) {
            return;
        }
        more = false;
        for (size_t d = dimensions_.size(); d-- > 0 && !more;) {
            more = ++point[d] < dimensions_[d].values.size();
            point[d] = more ? point[d] : 0;
        }
    }
}

}  // namespace tracelift
