// Traced configurations as sweep modules ask for them: the neutral arguments of one operation, under every name that a
// module may use, from a master file or a store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/value/value.hpp"

namespace tracelift {

struct TracedArgument {
    std::string name;                  // the declaration's; of a call that no declaration took: its keyword, or arg<i>
    std::optional<size_t> position{};  // as the file counts; nothing: given by keyword
    Value value{};                     // typed by the declaration where there is one
};

// Where a configuration was executed. Both are plain trees, as the file has them.
struct TracedSource {
    Value source;  // a text, or a list of texts; null: the file does not say
    Value machine_info;
};

struct TracedConfiguration {
    std::string text{};                       // of the arguments, as JSON: a list (format 1) or an object (format 2)
    std::vector<TracedArgument> arguments{};  // those by position first
    std::vector<TracedSource> sources{};      // at least one
    std::string hash{};                       // that the file gives it; empty: none
    std::string identity{};                   // that a store knows it by
};

// What the first tensors of an operation's configurations are like.
struct TracedSummary {
    size_t shapes = 0;                                   // one per configuration that has a tensor
    size_t dtypes = 0, layouts = 0, memory_configs = 0;  // distinct ones
};

// The configurations of one operation, in the order of the master. Reading them shows which can be read; the arguments
// of one are named and typed when it is asked for.
class TracedOperation {
public:
    TracedOperation();
    ~TracedOperation();
    TracedOperation(TracedOperation&& other) noexcept;
    TracedOperation& operator=(TracedOperation&& other) noexcept;

    const std::string& name() const;  // as the master has it; empty: there is none of the name that was asked for
    size_t size() const;
    const std::string& problem(size_t index) const;  // why it cannot be read; empty: it can
    TracedSummary summary() const;                   // of those that can
    TracedConfiguration configuration(size_t index);

private:
    friend TracedOperation traced_operation(const std::filesystem::path& master, std::string_view name);
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// Names under which an operation may stand in a master, in the order in which they are tried: `add` -> add, ttnn.add,
// ttnn::add, ttnn::experimental::add, ...
std::vector<std::string> lookup_names(std::string_view name);

// `master` is a master file, a database of ours or the folder of a store; the master of a folder that has a database is
// read from that. Throws FileError or StoreError that name the file and what was expected.
TracedOperation traced_operation(const std::filesystem::path& master, std::string_view name);
// The names in a master, in its order.
std::vector<std::string> traced_operation_names(const std::filesystem::path& master);

// The value that a piece of a master's JSON stands for, in the spelling of either format: for memory configs that
// somebody holds apart from their master.
Value traced_value(const std::string& json);

}  // namespace tracelift
