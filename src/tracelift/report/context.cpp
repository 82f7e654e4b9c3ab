#include "tracelift/report/context.hpp"

#include <array>
#include <limits>

namespace tracelift::report {
namespace {

constexpr std::string_view or_replace = "INSERT OR REPLACE";
constexpr std::string_view or_ignore = "INSERT OR IGNORE";

std::string_view last_part(std::string_view name) {
    const size_t colons = name.rfind("::");
    return colons == name.npos ? name : name.substr(colons + 2);
}

}  // namespace

Rows::Rows(Database& database, Rules rules)
    : devices(database),
      operations(database, rules == Rules::S ? or_replace : "INSERT"),
      arguments(database),
      tensors(database, or_ignore),
      device_tensors(database),
      inputs(database),
      outputs(database),
      graphs(database),
      nodes(database),
      edges(database),
      stack_traces(database),
      errors(database),
      pages(database),
      local_comparisons(database, or_replace),
      global_comparisons(database, or_replace),
      metadata(database, or_replace),
      reports(database) {}

OwnRows::OwnRows(Database& database)
    : details(database),
      functions(database),
      events(database),
      spans(database),
      chunks(database),
      source_files(database, or_ignore),
      next_epoch(database.integer("SELECT COALESCE(MAX(epoch), 0) + 1 FROM operation_details")) {}

int64_t Devices::number_of(int64_t id) const {
    const auto found = banks_.find(id);
    return found == banks_.end() ? id : static_cast<int64_t>(std::distance(banks_.begin(), found));
}

Devices::Banks Devices::banks_of(int64_t id) const {
    const auto found = banks_.find(id);
    return found == banks_.end() ? Banks() : found->second;
}

int64_t limited_sum(int64_t a, int64_t b) {
    int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) {
        return sum;
    }
    return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

std::optional<int64_t> buffer_type_named(std::string_view name) {
    constexpr std::array<std::string_view, 5> names = {"DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL", "TRACE"};
    for (size_t i = 0; i < names.size(); ++i) {
        if (last_part(name) == names[i]) {
            return static_cast<int64_t>(i);
        }
    }
    return std::nullopt;
}

std::optional<int64_t> buffer_type_of(const NodeView& node) {
    if (const auto number = node.integer("buffer_type")) {
        return number;
    }
    const auto named = buffer_type_named(node.text("buffer_type"));
    return named ? named : buffer_type_named(node.text("type"));
}

MaybeInt layout_number(std::string_view name, LayoutNumbers numbers) {
    constexpr std::array<std::string_view, 3> sharded = {"HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED"};
    name = last_part(name);
    for (size_t i = 0; i < sharded.size(); ++i) {
        if (name == sharded[i]) {
            return static_cast<int64_t>(i) + (numbers == LayoutNumbers::VIEWER ? 2 : 1);
        }
    }
    const bool is_known = name.empty() || name == "INTERLEAVED" || numbers == LayoutNumbers::IMPORTERS;
    return is_known ? MaybeInt(0) : std::nullopt;
}

MaybeInt layout_number(int64_t raw, LayoutNumbers numbers) {
    const bool has_label = raw == 0 || (raw >= 2 && raw <= 4);
    return has_label || numbers == LayoutNumbers::IMPORTERS ? MaybeInt(raw) : std::nullopt;
}

int64_t size_per_bank(const NodeView& allocation, int64_t size, std::optional<int64_t> buffer_type,
                      Devices::Banks banks) {
    if (const auto given = allocation.integer("max_size_per_bank")) {
        return *given;
    }
    const int64_t page_size = allocation.integer("page_size").value_or(0);
    if (page_size <= 0 || size <= 0) {
        return size;
    }
    const bool interleaved = last_part(allocation.text("layout")) == "INTERLEAVED";
    const int64_t parts = !interleaved                   ? allocation.integer("num_cores").value_or(0)
                          : buffer_type.value_or(0) == 0 ? banks.dram
                                                         : banks.l1;
    if (parts <= 0) {
        return size;
    }
    const int64_t pages = size / page_size;
    return limited_sum(pages / parts * page_size, pages % parts != 0 ? page_size : 0);
}

std::string joined_lines(const Element& list) {
    std::string text;
    if (list.is_array()) {
        for (const Element line : items(list)) {
            text += (text.empty() ? "" : "\n") + plain_text(line);
        }
    }
    return text;
}

}  // namespace tracelift::report
