#include "ttnn/graph/report.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tracelift/base/errors.hpp"
#include "tracelift/base/replaced_file.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace ttnn::graph {
namespace {

using Json = nlohmann::ordered_json;

// One of the chips that a capture touched. The emulated ones of all its devices stand side by side, those of a mesh in
// its rows and columns.
struct Chip {
    int id = 0;
    const Device* device = nullptr;
    uint32_t row = 0;
    uint32_t column = 0;
};

std::vector<Chip> chips_of(const Capture& capture) {
    std::vector<Chip> chips;
    uint32_t first_column = 0;
    for (const auto& device : capture.devices()) {
        const uint32_t columns = device->mesh().dims.back();
        for (uint32_t i = 0; i < device->num_chips(); ++i) {
            const int id = device->chip_ids()[i];
            if (std::ranges::find(chips, id, &Chip::id) == chips.end()) {  // meshes may share chips
                chips.push_back({id, device.get(), i / columns, first_column + i % columns});
            }
        }
        first_column += columns;
    }
    return chips;
}

Json device_json(const Device& device, int id) {
    const Board& board = device.board();
    const uint64_t compute_cores = board.num_compute_cores();
    const uint64_t bank_size = device.bank_size(BufferType::L1);
    return {{"device_id", id},
            {"num_y_cores", board.logical_grid.y},
            {"num_x_cores", board.logical_grid.x},
            {"num_y_compute_cores", board.compute_grid.y},
            {"num_x_compute_cores", board.compute_grid.x},
            {"worker_l1_size", board.l1_size},
            {"l1_num_banks", device.num_banks(BufferType::L1)},
            {"l1_bank_size", bank_size},
            {"address_at_first_l1_bank", 0},
            {"address_at_first_l1_cb_buffer", board.l1_base},
            {"num_banks_per_storage_core", board.l1_size / bank_size},
            {"num_compute_cores", compute_cores},
            {"num_storage_cores", 0},
            {"total_l1_memory", compute_cores * board.l1_size},
            {"total_l1_for_tensors", 0},
            {"total_l1_for_interleaved_buffers", compute_cores * bank_size},
            {"total_l1_for_sharded_buffers", compute_cores * bank_size},
            {"cb_limit", board.cb_limit()},
            {"arch", member_name(board.arch)},
            {"num_dram_channels", board.dram_banks},
            {"dram_size_per_channel", board.dram_bank_size}};
}

// Chips are linked with their neighbours in the mesh.
std::string links_text(std::span<const Chip> chips) {
    enum Channel : uint8_t { RIGHT, LEFT, DOWN, UP };
    std::string links;
    const auto link = [&](const Chip& from, Channel out, uint32_t row, uint32_t column, Channel in) {
        for (const Chip& to : chips) {
            if (to.device == from.device && to.row == row && to.column == column) {
                links += fmt::format("  - [{{chip: {}, chan: {}}}, {{chip: {}, chan: {}}}]\n", from.id,
                                     static_cast<int>(out), to.id, static_cast<int>(in));
            }
        }
    };
    for (const Chip& chip : chips) {
        link(chip, RIGHT, chip.row, chip.column + 1, LEFT);
        link(chip, DOWN, chip.row + 1, chip.column, UP);
    }
    return links.empty() ? " []\n" : "\n" + links;
}

// Unique ids count from 1: none is a serial number.
std::string cluster_text(std::span<const Chip> all) {
    std::string arch, chips, ids, hosts, boards;
    for (const Chip& chip : all) {
        arch += fmt::format("  {}: {}\n", chip.id, member_name(chip.device->arch()));
        chips += fmt::format("  {}: [{}, {}, 0, 0]\n", chip.id, chip.column, chip.row);
        ids += fmt::format("  {}: {}\n", chip.id, chip.id + 1);
        hosts += fmt::format("  - {}: {}\n", chip.id, chip.id);
        boards += fmt::format("  {}: {}\n", chip.id, chip.device->board().name);
    }
    return fmt::format(
        "arch:\n{}chips:\n{}chip_unique_ids:\n{}chips_with_mmio:\n{}chip_to_boardtype:\n{}ethernet_connections:{}",
        arch, chips, ids, hosts, boards, links_text(all));
}

std::string mesh_text(std::span<const Chip> chips) {
    std::string text = "chips:\n";
    for (const Chip& chip : chips) {
        text += fmt::format("  {}: [{}, {}]\n", chip.id, chip.row, chip.column);
    }
    return text;
}

Json page_json(const AllocatedPages& buffer, uint64_t page) {
    const PageMap& pages = buffer.pages;
    const PageMap::Place place = pages.place_of_slot(pages.slot_of(page));
    const CoreCoord core = pages.identity() ? buffer.device->core_of_bank(buffer.type, place.shard_index)
                                            : pages.shard_cores()[place.shard_index];
    return {{"device_id", buffer.device->id()},
            {"address", buffer.address},
            {"core_y", core.y},
            {"core_x", core.x},
            {"bank_id", pages.identity() ? place.shard_index : buffer.device->bank_of_core(core)},
            {"page_index", page},
            {"page_address", buffer.address + place.offset},
            {"page_size", pages.page_size()},
            {"buffer_type", static_cast<int>(buffer.type)}};
}

bool is_l1(const Buffer& buffer) {
    return buffer.buffer_type() == BufferType::L1 || buffer.buffer_type() == BufferType::L1_SMALL;
}

// As the params of buffer_allocate, with the number of the buffer type and the buffer's node.
Json buffer_json(const BufferAtStart& buffer) {
    const CapturedBuffer& facts = buffer.facts;
    Json json{{"device_id", facts.device_id},
              {"address", facts.address},
              {"size", facts.size},
              {"page_size", facts.page_size},
              {"num_cores", facts.num_cores},
              {"type", facts.type == BufferType::DRAM || facts.type == BufferType::TRACE ? "DRAM" : "L1"},
              {"buffer_type", static_cast<int>(facts.type)},
              {"layout", member_name(facts.layout)}};
    if (buffer.node) {
        json["buffer"] = *buffer.node;
    }
    return json;
}

// Writes the report piece by piece, so that only one node is text at a time.
class Writer {
public:
    explicit Writer(TraceWriter::Sink sink) : sink_(std::move(sink)) {}

    void write(const Capture& capture, bool buffer_pages) {
        sink_("{\n");
        key("version");
        sink_(std::to_string(report_version));
        key("graph");
        TraceWriter trace(sink_, tracelift::JsonForm::INDENTED, 1);
        const size_t size = capture.size();
        for (size_t i = 0; i < size; ++i) {
            trace.add(capture.node(i));
        }
        trace.finish();
        write_devices(capture);
        write_metadata(capture);
        write_named_calls(capture, size);
        if (!capture.devices().empty()) {
            write_buffers_at_start(capture);
        }
        if (buffer_pages && !capture.devices().empty()) {
            write_pages(capture);
            write_allocated_pages(capture);
        }
        sink_("\n}\n");
    }

private:
    void key(std::string_view name) {
        sink_(fmt::format("{}  \"{}\": ", first_ ? "" : ",\n", name));
        first_ = false;
    }
    void value(const Json& json) { sink_(json.dump()); }

    // The chips, and meshes whose own id is none of theirs: buffers are on a mesh.
    void write_devices(const Capture& capture) {
        Json devices = Json::array();
        std::vector<Chip> listed = chips_of(capture);
        for (const auto& device : capture.devices()) {
            if (std::ranges::find(listed, device->id(), &Chip::id) == listed.end()) {
                listed.push_back({device->id(), device.get()});
            }
        }
        for (const Chip& chip : listed) {
            devices.push_back(device_json(*chip.device, chip.id));
        }
        key("devices");
        value(devices);
    }

    void write_metadata(const Capture& capture) {
        Json metadata{{"capture_timestamp_ns", capture.started_at_ns()}};
        if (capture.duration_ns() != 0) {
            metadata["total_duration_ns"] = capture.duration_ns();
        }
        if (!capture.devices().empty() && capture.devices().front()->num_chips() > 1) {
            metadata["mesh_device_shape"] = capture.devices().front()->mesh().dims;
        }
        key("metadata");
        value(metadata);
        if (const std::vector<Chip> chips = chips_of(capture); !chips.empty()) {
            key("cluster_descriptor");
            value(cluster_text(chips));
            key("mesh_coordinate_mapping");
            value(mesh_text(chips));
        }
    }

    // "python_io" has the names of arguments, which nodes do not.
    void write_named_calls(const Capture& capture, size_t nodes) {
        key("python_io");
        tracelift::JsonText json(tracelift::JsonForm::COMPACT);
        json.begin_array();
        for (size_t i = 0; i < nodes; ++i) {
            const auto call = capture.named_call(i);
            if (!call) {
                continue;
            }
            json.begin_object();
            json.key("name");
            json.text(call->name);
            json.key("arguments");
            json.begin_object();
            for (const auto& [name, text] : call->arguments) {
                json.key(name);
                json.text(text);
            }
            json.end_object();
            json.end_object();
            flush(json, largest_piece);
        }
        json.end_array();
        flush(json, 0);
    }

    void write_buffers_at_start(const Capture& capture) {
        key("buffers_at_start");
        Json list = Json::array();
        for (const BufferAtStart& buffer : capture.buffers_at_start()) {
            list.push_back(buffer_json(buffer));
        }
        value(list);
    }

    // What is in memory now.
    void write_pages(const Capture& capture) {
        key("buffer_pages");
        std::string_view separator = "[\n    ";
        for (const auto& device : capture.devices()) {
            for (const Buffer* buffer : device->live_buffers()) {
                if (is_l1(*buffer)) {
                    write_page_list({0, buffer->address(), buffer->buffer_type(), buffer->pages(), device}, separator);
                }
            }
        }
        sink_(separator.starts_with('[') ? "[]" : "\n  ]");
    }

    // What was in memory at some time, by address.
    void write_allocated_pages(const Capture& capture) {
        std::map<uint64_t, std::vector<const AllocatedPages*>> by_address;
        for (const AllocatedPages& buffer : capture.allocated_pages()) {
            by_address[buffer.address].push_back(&buffer);
        }
        key("buffer_pages_by_address");
        sink_("{");
        std::string_view between = "\n";
        for (const auto& [address, buffers] : by_address) {
            sink_(fmt::format("{}    \"{}\": [", std::exchange(between, ",\n"), address));
            std::string_view comma;
            for (const AllocatedPages* buffer : buffers) {
                sink_(fmt::format("{}{{\"alloc_counter\": {}, \"pages\": ", std::exchange(comma, ", "),
                                  buffer->allocated_at));
                std::string_view separator = "[";
                write_page_list(*buffer, separator);
                sink_(separator == "[" ? "[]}" : "]}");
            }
            sink_("]");
        }
        sink_("}");
    }

    void write_page_list(const AllocatedPages& buffer, std::string_view& separator) {
        for (uint64_t page = 0; page < buffer.pages.num_pages(); ++page) {
            sink_(separator);
            value(page_json(buffer, page));
            separator = ",\n    ";
        }
    }

    void flush(tracelift::JsonText& json, size_t at_least) {
        if (json.buffer().size() >= at_least) {
            sink_(json.buffer());
            json.buffer().clear();
        }
    }

    static constexpr size_t largest_piece = size_t{1} << 16;

    TraceWriter::Sink sink_;
    bool first_ = true;
};

}  // namespace

std::string device_facts(const Device& device) { return device_json(device, device.id()).dump(); }

void write_report(const Capture& capture, const std::filesystem::path& path, bool buffer_pages) {
    std::error_code problem;
    if (path.has_parent_path()) {
        std::filesystem::create_directories(path.parent_path(), problem);
    }
    require(!problem, "the folder of the graph report {} cannot be created: {}", path.string(), problem.message());
    try {
        tracelift::ReplacedFile file(path);
        Writer([&](std::string_view text) { file.write(text); }).write(capture, buffer_pages);
        file.finish();
        file.rename();
    } catch (const tracelift::StoreError& error) {
        throw Error(fmt::format("the graph report {}", error.what()));
    }
}

std::string report_text(const Capture& capture, bool buffer_pages) {
    std::string text;
    Writer([&](std::string_view piece) { text += piece; }).write(capture, buffer_pages);
    return text;
}

}  // namespace ttnn::graph
