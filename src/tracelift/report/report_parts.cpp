// The parts of a report beside its graph: devices, metadata, comparison records, pages.
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "tracelift/report/context.hpp"

namespace tracelift::report {
namespace {

int64_t number_or_0(const Element& object, std::string_view key) {
    const auto found = member(object, key);
    return found ? as_integer(*found).value_or(0) : 0;
}

BufferPageRow page_of(const Element& page, int64_t operation_id, const Context& context) {
    const int64_t device = number_or_0(page, "device_id");
    return {operation_id,
            context.options.rules == Rules::R ? context.devices.number_of(device) : device,
            number_or_0(page, "address"),
            number_or_0(page, "core_y"),
            number_or_0(page, "core_x"),
            number_or_0(page, "bank_id"),
            number_or_0(page, "page_index"),
            number_or_0(page, "page_address"),
            number_or_0(page, "page_size"),
            number_or_0(page, "buffer_type"),
            context.rank};
}

template <bool global>
ComparisonRow<global> comparison_of(const Element& record, int64_t rank) {
    const auto decimal = [&](std::string_view key) {
        const auto found = member(record, key);
        return found ? as_number(*found).value_or(0) : 0.0;
    };
    return {number_or_0(record, "tensor_id"),
            number_or_0(record, "golden_tensor_id"),
            number_or_0(record, "matches") != 0 ? 1 : 0,
            decimal("desired_pcc"),
            decimal("actual_pcc"),
            rank};
}

void add_golden_tensor(Context& context, const Element& tensor) {
    const auto text = [&](std::string_view key) {
        const auto found = member(tensor, key);
        return found ? as_text(*found) : std::nullopt;
    };
    const auto integer = [&](std::string_view key) {
        const auto found = member(tensor, key);
        return found ? as_integer(*found) : std::nullopt;
    };
    if (const auto id = integer("tensor_id")) {
        context.rows.tensors({*id, text("shape").value_or(""), text("dtype").value_or(""), text("layout").value_or(""),
                              text("memory_config"), integer("device_id"), integer("address"), integer("buffer_type"),
                              context.rank, integer("size")});
    }
}

void read_comparisons(Context& context, const JsonFile& json, Span object) {
    simdjson::dom::parser parser;
    const auto each = [&](Span list, std::string_view key, const std::function<void(const Element&)>& visit) {
        size_t index = 0;
        json.for_each_element(list, [&](Span item) { visit(json.parse(parser, item, key, index++)); });
    };
    json.for_each_member(object, [&](std::string_view key, Span list) {
        if (key == "local_tensor_comparison_records") {
            each(list, key, [&](const Element& record) {
                context.rows.local_comparisons(comparison_of<false>(record, context.rank));
            });
        } else if (key == "global_tensor_comparison_records") {
            each(list, key, [&](const Element& record) {
                context.rows.global_comparisons(comparison_of<true>(record, context.rank));
            });
        } else if (key == "tensors") {
            each(list, key, [&](const Element& tensor) { add_golden_tensor(context, tensor); });
        }
    });
}

DeviceRow device_of(const Element& device, int64_t device_id, int64_t rank) {
    DeviceRow row = {};
    for_each_column<DeviceRow>([&](const auto& column) { row.*column.member = number_or_0(device, column.name); });
    row.device_id = device_id;
    row.rank = rank;
    return row;
}

}  // namespace

void import_devices(Context& context) {
    const auto list = context.report.find("devices");
    if (!list) {
        return;
    }
    const JsonFile& json = context.report.json();
    simdjson::dom::parser parser;
    const auto each = [&](const auto& visit) {
        size_t index = 0;
        json.for_each_element(*list, [&](Span item) { visit(json.parse(parser, item, "device", index++)); });
    };
    each([&](const Element& device) {
        context.devices.add(number_or_0(device, "device_id"),
                            {number_or_0(device, "num_dram_channels"), number_or_0(device, "l1_num_banks"),
                             number_or_0(device, "dram_size_per_channel"), number_or_0(device, "l1_bank_size")});
    });
    each([&](const Element& device) {
        const int64_t id = number_or_0(device, "device_id");
        const bool is_r = context.options.rules == Rules::R;
        context.rows.devices(device_of(device, is_r ? context.devices.number_of(id) : id, context.rank));
    });
    context.rows.distinct_devices += static_cast<int64_t>(context.devices.size());
}

void import_metadata(Context& context) {
    const auto object = context.report.find("metadata");
    if (!object) {
        return;
    }
    const JsonFile& json = context.report.json();
    simdjson::dom::parser parser;
    const Element metadata = json.parse(parser, *object, "metadata");
    if (metadata.is_object()) {
        for (const auto field : fields(metadata)) {
            context.rows.metadata({field.key, plain_text(field.value)});
        }
    }
}

void import_comparisons(Context& context, const std::filesystem::path& path) {
    if (const auto object = context.report.find("comparison_records")) {
        read_comparisons(context, context.report.json(), *object);
        return;
    }
    std::filesystem::path own = path;
    own.replace_extension(".comparison_records.json");
    for (const auto& beside : {own, path.parent_path() / "comparison_records.json"}) {
        if (std::filesystem::exists(beside)) {
            const JsonFile json(beside);
            JsonScan scan = json.scan(0);
            read_comparisons(context, json, scan.value());
            return;
        }
    }
}

void import_flat_pages(Context& context, int64_t operation_id) {
    const auto list = context.report.find("buffer_pages");
    if (!list) {
        return;
    }
    const JsonFile& json = context.report.json();
    simdjson::dom::parser parser;
    size_t index = 0;
    size_t released = list->begin;
    json.for_each_element(*list, [&](Span item) {
        context.rows.pages(page_of(json.parse(parser, item, "buffer page", index++), operation_id, context));
        if (item.end - released > (size_t{16} << 20)) {
            json.file().release(released, item.end);
            released = item.end;
        }
    });
    if (context.own != nullptr) {
        Statement sum(context.database,
                      "INSERT INTO buffer_chunks SELECT operation_id, device_id, address, bank_id, core_x, core_y, "
                      "MIN(page_address), MAX(page_address + page_size) - MIN(page_address), MAX(page_size), COUNT(*), "
                      "buffer_type, rank FROM buffer_pages WHERE operation_id = ? AND rank = ? GROUP BY device_id, "
                      "address, bank_id, core_x, core_y, buffer_type");
        sum.with(operation_id, context.rank).run();
    }
}

namespace {

// The pages of one address of a device at one time, summed up.
struct PageSnapshot {
    int64_t allocated_at = 0;
    int64_t device_id = 0;
    std::vector<BufferChunkRow> chunks;
};

std::vector<BufferChunkRow> chunks_of(const Element& pages, const Context& context) {
    std::vector<BufferChunkRow> chunks;
    if (!pages.is_array()) {
        return chunks;
    }
    for (const Element element : items(pages)) {
        const BufferPageRow page = page_of(element, 0, context);
        const auto same = std::ranges::find_if(chunks, [&](const BufferChunkRow& chunk) {
            return std::tie(chunk.device_id, chunk.address, chunk.bank_id, chunk.core_x, chunk.core_y,
                            chunk.buffer_type) ==
                   std::tie(page.device_id, page.address, page.bank_id, page.core_x, page.core_y, page.buffer_type);
        });
        if (same == chunks.end()) {
            chunks.push_back({0, page.device_id, page.address, page.bank_id, page.core_x, page.core_y,
                              page.page_address, page.page_size, page.page_size, 1, page.buffer_type, page.rank});
            continue;
        }
        const int64_t begin = std::min(same->chunk_address, page.page_address);
        const int64_t end = std::max(limited_sum(same->chunk_address, same->chunk_size),
                                     limited_sum(page.page_address, page.page_size));
        same->chunk_size = limited_sum(end, -std::max(begin, -std::numeric_limits<int64_t>::max()));
        same->chunk_address = begin;
        same->page_size = std::max(same->page_size, page.page_size);
        ++same->num_pages;
    }
    return chunks;
}

// Snapshots by address, each list parsed when it is first asked for.
class PageSnapshots {
public:
    explicit PageSnapshots(Context& context) : context_(context) {
        context.report.json().for_each_member(*context.report.find("buffer_pages_by_address"),
                                              [&](std::string_view key, Span list) {
                                                  int64_t address = 0;
                                                  std::from_chars(key.data(), key.data() + key.size(), address);
                                                  lists_[address] = list;
                                              });
    }

    // The latest that is not newer than `counter`, or the first; nothing for a place without pages.
    const PageSnapshot* find(int64_t device_id, int64_t address, int64_t counter) {
        const auto list = lists_.find(address);
        if (list == lists_.end()) {
            return nullptr;
        }
        if (parsed_.size() > most_parsed) {
            parsed_.clear();
        }
        auto [found, is_new] = parsed_.try_emplace(address);
        if (is_new) {
            found->second = read(list->second);
        }
        const PageSnapshot* best = nullptr;
        const PageSnapshot* first = nullptr;
        for (const PageSnapshot& snapshot : found->second) {
            if (snapshot.device_id != device_id) {
                continue;
            }
            first = first == nullptr ? &snapshot : first;
            if (snapshot.allocated_at <= counter && (best == nullptr || snapshot.allocated_at >= best->allocated_at)) {
                best = &snapshot;
            }
        }
        return best == nullptr ? first : best;
    }

private:
    static constexpr size_t most_parsed = 1000;

    std::vector<PageSnapshot> read(Span list) {
        const Element json = context_.report.json().parse(parser_, list, "buffer_pages_by_address");
        std::vector<PageSnapshot> snapshots;
        bool is_plain = false;
        if (!json.is_array()) {
            return snapshots;
        }
        for (const Element entry : items(json)) {
            if (const auto pages = member(entry, "pages")) {
                add(snapshots, number_or_0(entry, "alloc_counter"), chunks_of(*pages, context_));
            } else {
                is_plain = true;
            }
        }
        if (is_plain && snapshots.empty()) {
            add(snapshots, 0, chunks_of(json, context_));
        }
        return snapshots;
    }

    static void add(std::vector<PageSnapshot>& snapshots, int64_t allocated_at, std::vector<BufferChunkRow> chunks) {
        std::map<int64_t, std::vector<BufferChunkRow>> by_device;
        for (BufferChunkRow& chunk : chunks) {
            by_device[chunk.device_id].push_back(std::move(chunk));
        }
        for (auto& [device_id, own] : by_device) {
            snapshots.push_back({allocated_at, device_id, std::move(own)});
        }
    }

    Context& context_;
    simdjson::dom::parser parser_;
    std::unordered_map<int64_t, Span> lists_;
    std::unordered_map<int64_t, std::vector<PageSnapshot>> parsed_;
};

}  // namespace

void import_page_snapshots(Context& context) {
    PageSnapshots snapshots(context);
    // buffer_spans has the buffers of each operation, in the order of the operations.
    Statement listed(context.database,
                     "SELECT o.operation_id, COALESCE(o.end_counter, o.start_counter), s.device_id, s.address, "
                     "s.buffer_type FROM operation_details o JOIN buffer_spans s ON s.epoch = o.epoch AND "
                     "s.first_operation_id <= o.operation_id AND s.last_operation_id >= o.operation_id WHERE "
                     "o.report_id = ? GROUP BY o.rowid, s.device_id, s.address, s.buffer_type");
    listed.with(context.report_id);
    while (listed.step()) {
        const PageSnapshot* snapshot = snapshots.find(listed.integer(2), listed.integer(3), listed.integer(1));
        for (BufferChunkRow chunk : snapshot != nullptr ? snapshot->chunks : std::vector<BufferChunkRow>()) {
            // The same address in DRAM is another buffer.
            if (chunk.buffer_type == 0 || chunk.buffer_type == listed.integer(4)) {
                chunk.operation_id = listed.integer(0);
                context.own->chunks(chunk);
            }
        }
    }
}

}  // namespace tracelift::report
