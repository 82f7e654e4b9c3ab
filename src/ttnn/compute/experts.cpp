#include "ttnn/compute/experts.hpp"

#include <algorithm>

#include "ttnn/core/error.hpp"
#include "ttnn/core/stop.hpp"

namespace ttnn::compute {
namespace {

// Which experts live on one chip, by their number, and which place they have there.
class OwnExperts {
public:
    OwnExperts(const Tensor& mapping, uint32_t chip) : numbers_(experts_of(mapping, chip)) {}
    const std::vector<uint32_t>& numbers() const { return numbers_; }
    bool has(uint32_t expert) const { return std::ranges::binary_search(numbers_, expert); }
    bool any_of(std::span<const uint32_t> experts) const {
        return std::ranges::any_of(experts, [&](uint32_t expert) { return has(expert); });
    }
    size_t place_of(uint32_t expert) const {
        return static_cast<size_t>(std::ranges::lower_bound(numbers_, expert) - numbers_.begin());
    }
    // The lowest one among these.
    uint32_t first_of(std::span<const uint32_t> experts) const {
        uint32_t first = UINT32_MAX;
        for (const uint32_t expert : experts) {
            first = has(expert) ? std::min(first, expert) : first;
        }
        return first;
    }

private:
    std::vector<uint32_t> numbers_;
};

template <class T>
void write_part(Tensor& tensor, uint32_t chip, const Dense<T>& values) {
    Tensor part = tensor.part(chip);
    write<T>(part, values.span());
}

template <class T>
Dense<T> zeros(size_t count) {
    Dense<T> values(count);
    std::fill(values.begin(), values.end(), T{0});
    return values;
}

size_t width_of(const Tensor& tensor) { return tensor.logical_shape().from_end(0); }

// All tokens of a group, in its order.
template <class T>
Dense<T> of_group(const Tensor& tensor, const TokenGrid& grid, const ChipGroup& group) {
    const size_t width = width_of(tensor);
    Dense<T> all(group.size() * grid.tokens() * width);
    for (size_t member = 0; member < group.size(); ++member) {
        const Dense<T> own = read<T>(tensor.part(group[member]));
        for (size_t token = 0; token < grid.tokens(); ++token) {
            std::copy_n(own.data() + token * width, width, all.data() + grid.row(member, token) * width);
        }
    }
    return all;
}

struct Member {
    OwnExperts experts;
    Dense<float> rows;
};

std::vector<Member> members_of(const Tensor& rows, const Tensor& mapping, bool locally_reduced,
                               const ChipGroup& group) {
    std::vector<Member> members;
    const size_t room = rows.logical_shape()[0];
    for (const uint32_t chip : group) {
        members.push_back({OwnExperts(mapping, chip), read<float>(rows.part(chip))});
        const size_t held = members.back().experts.numbers().size();
        require(locally_reduced || held <= room, "the mapping puts {} experts on chip {}, which holds rows of {}", held,
                chip, room);
    }
    return members;
}

// Row of the expert's result for a token, in which member's rows.
struct Source {
    const Member* member = nullptr;
    uint64_t row = 0;
};
Source source_of(const std::vector<Member>& members, std::span<const uint32_t> chosen, uint32_t expert, uint64_t token,
                 uint64_t tokens, bool locally_reduced) {
    for (const Member& member : members) {
        if (!member.experts.has(expert)) {
            continue;
        }
        if (!locally_reduced) {
            return {&member, member.experts.place_of(expert) * tokens + token};
        }
        return member.experts.first_of(chosen) == expert ? Source{&member, token} : Source{};
    }
    return {};
}

}  // namespace

std::vector<uint32_t> experts_of(const Tensor& mapping, uint32_t chip) {
    const Dense<uint32_t> lives = read<uint32_t>(mapping.num_parts() > 1 ? mapping.part(chip) : mapping);
    const size_t chips = width_of(mapping);
    std::vector<uint32_t> numbers;
    for (size_t expert = 0; expert < lives.size() / chips; ++expert) {
        if (lives[expert * chips + chip] != 0) {
            numbers.push_back(static_cast<uint32_t>(expert));
        }
    }
    return numbers;
}

void dispatch_tokens(const Tensor& tokens, const Tensor& chosen, const Tensor& mapping, const TokenGrid& grid,
                     Tensor& rows, Tensor& metadata, std::span<const ChipGroup> groups) {
    const size_t width = width_of(tokens);
    const size_t choices = width_of(chosen);
    for (const ChipGroup& group : groups) {
        checkpoint();
        const Dense<float> all = of_group<float>(tokens, grid, group);
        const Dense<uint32_t> experts = of_group<uint32_t>(chosen, grid, group);
        for (const uint32_t chip : group) {
            const OwnExperts own(mapping, chip);
            Dense<float> wanted = zeros<float>(all.size());
            for (size_t token = 0; token < group.size() * grid.tokens(); ++token) {
                if (own.any_of({experts.data() + token * choices, choices})) {
                    std::copy_n(all.data() + token * width, width, wanted.data() + token * width);
                }
            }
            write_part(rows, chip, wanted);
            write_part(metadata, chip, experts);
        }
    }
}

void combine_tokens(const Tensor& rows, const Tensor& metadata, const Tensor& mapping, const TokenGrid& grid,
                    bool locally_reduced, Tensor& output, std::span<const ChipGroup> groups) {
    const size_t width = width_of(rows);
    const size_t choices = width_of(metadata);
    const uint64_t all_tokens = uint64_t{grid.tokens()} * grid.members;
    for (const ChipGroup& group : groups) {
        checkpoint();
        const std::vector<Member> members = members_of(rows, mapping, locally_reduced, group);
        for (size_t place = 0; place < group.size(); ++place) {
            const Dense<uint32_t> experts = read<uint32_t>(metadata.part(group[place]));
            Dense<float> own = zeros<float>(choices * grid.tokens() * width);
            for (size_t token = 0; token < grid.tokens(); ++token) {
                const uint64_t row = grid.row(place, token);
                const std::span<const uint32_t> chosen(experts.data() + row * choices, choices);
                for (size_t k = 0; k < choices; ++k) {
                    const Source source = source_of(members, chosen, chosen[k], row, all_tokens, locally_reduced);
                    if (source.member != nullptr) {
                        std::copy_n(source.member->rows.data() + source.row * width, width,
                                    own.data() + (k * grid.tokens() + token) * width);
                    }
                }
            }
            write_part(output, group[place], own);
        }
    }
}

void scores_of_own_experts(const Tensor& scores, const Tensor& mapping, const Tensor& metadata, uint32_t chunk,
                           Tensor& own, Tensor& used) {
    const size_t experts = width_of(scores);
    const size_t choices = width_of(metadata);
    const size_t width = width_of(own);
    for (uint32_t chip = 0; chip < own.num_parts(); ++chip) {
        checkpoint();
        const OwnExperts here(mapping, chip);
        require(here.numbers().size() == width, "the mapping puts {} experts on chip {}, not {}", here.numbers().size(),
                chip, width);
        const Dense<float> all = read<float>(scores.part(chip));
        const Dense<uint32_t> chosen = read<uint32_t>(metadata.part(chip));
        Dense<float> kept = zeros<float>(own.logical_volume());
        Dense<uint32_t> any = zeros<uint32_t>(used.logical_volume());
        for (size_t choice = 0; choice < chosen.size(); ++choice) {
            const size_t token = choice / choices;
            if (here.has(chosen[choice])) {
                const size_t place = here.place_of(chosen[choice]);
                kept[token * width + place] = all[token * experts + chosen[choice]];
                any[token / chunk * width + place] = 1;
            }
        }
        write_part(own, chip, kept);
        write_part(used, chip, any);
    }
}

void share_weights(const Tensor& weights, uint32_t count, Tensor& output, std::span<const ChipGroup> groups) {
    for (const ChipGroup& group : groups) {
        for (size_t place = 0; place < group.size(); ++place) {
            Dense<float> values = read<float>(weights.part(group[place]));
            size_t seen = 0;
            for (float& value : values) {
                const bool counts = value != 0;
                value = counts && seen / std::max(count, 1U) == place && count != 0 ? value : 0.0F;
                seen += counts ? 1 : 0;
            }
            write_part(output, group[place], values);
        }
    }
}

}  // namespace ttnn::compute
