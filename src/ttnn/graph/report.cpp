#include "ttnn/graph/report.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <nlohmann/json.hpp>

#include "ttnn/device/device.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace ttnn::graph {
namespace {

using Json = nlohmann::ordered_json;

Json device_json(const Device& device) {
    const Board& board = device.board();
    const uint64_t compute_cores = board.num_compute_cores();
    const uint64_t bank_size = device.bank_size(BufferType::L1);
    return {{"device_id", device.id()},
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

// Emulated chips stand alone: no links between them.
std::string cluster_text(const Capture& capture) {
    std::string arch, boards;
    for (const auto& device : capture.devices()) {
        arch += fmt::format("  {}: {}\n", device->id(), member_name(device->arch()));
        boards += fmt::format("  {}: {}\n", device->id(), device->board().name);
    }
    return fmt::format("arch:\n{}chip_to_boardtype:\n{}ethernet_connections: []\n", arch, boards);
}

std::string mesh_text(const Capture& capture) {
    std::string text = "chips:\n";
    for (const auto& device : capture.devices()) {
        text += fmt::format("  {}: [0, 0]\n", device->id());
    }
    return text;
}

Json page_json(const Buffer& buffer, uint64_t page) {
    const PageLocation place = buffer.locate(page);
    return {{"device_id", buffer.device()->id()},
            {"address", buffer.address()},
            {"core_y", place.core.y},
            {"core_x", place.core.x},
            {"bank_id", place.bank},
            {"page_index", page},
            {"page_address", place.address},
            {"page_size", buffer.pages().page_size()},
            {"buffer_type", static_cast<int>(buffer.buffer_type())}};
}

bool is_l1(const Buffer& buffer) {
    return buffer.buffer_type() == BufferType::L1 || buffer.buffer_type() == BufferType::L1_SMALL;
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
        TraceWriter trace(sink_, JsonForm::INDENTED, 1);
        const size_t size = capture.size();
        for (size_t i = 0; i < size; ++i) {
            trace.add(capture.node(i));
        }
        trace.finish();
        write_devices(capture);
        write_metadata(capture);
        if (buffer_pages && !capture.devices().empty()) {
            write_pages(capture);
        }
        sink_("\n}\n");
    }

private:
    void key(std::string_view name) {
        sink_(fmt::format("{}  \"{}\": ", first_ ? "" : ",\n", name));
        first_ = false;
    }
    void value(const Json& json) { sink_(json.dump()); }

    void write_devices(const Capture& capture) {
        Json devices = Json::array();
        for (const auto& device : capture.devices()) {
            devices.push_back(device_json(*device));
        }
        key("devices");
        value(devices);
    }

    void write_metadata(const Capture& capture) {
        Json metadata{{"capture_timestamp_ns", capture.started_at_ns()}};
        if (capture.duration_ns() != 0) {
            metadata["total_duration_ns"] = capture.duration_ns();
        }
        key("metadata");
        value(metadata);
        if (!capture.devices().empty()) {
            key("cluster_descriptor");
            value(cluster_text(capture));
            key("mesh_coordinate_mapping");
            value(mesh_text(capture));
        }
    }

    void write_pages(const Capture& capture) {
        key("buffer_pages");
        std::string_view separator = "[\n    ";
        for (const auto& device : capture.devices()) {
            for (const Buffer* buffer : device->live_buffers()) {
                for (uint64_t page = 0; is_l1(*buffer) && page < buffer->pages().num_pages(); ++page) {
                    sink_(separator);
                    value(page_json(*buffer, page));
                    separator = ",\n    ";
                }
            }
        }
        sink_(separator.starts_with('[') ? "[]" : "\n  ]");
    }

    TraceWriter::Sink sink_;
    bool first_ = true;
};

// Closed in any case; `close` tells whether everything was written.
class OutputFile {
public:
    explicit OutputFile(const std::filesystem::path& path)
        : name_(path.string()), file_(std::fopen(path.c_str(), "wb")) {
        check(file_ != nullptr);
        std::setvbuf(file_, nullptr, _IOFBF, size_t{1} << 20);
    }
    ~OutputFile() {
        if (file_ != nullptr) {
            std::fclose(file_);
        }
    }
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    void write(std::string_view text) { check(std::fwrite(text.data(), 1, text.size(), file_) == text.size()); }
    void close() { check(std::fclose(std::exchange(file_, nullptr)) == 0); }

private:
    void check(bool good) const {
        require(good, "the graph report {} cannot be written: {}", name_, std::strerror(errno));
    }
    std::string name_;
    std::FILE* file_;
};

}  // namespace

void write_report(const Capture& capture, const std::filesystem::path& path, bool buffer_pages) {
    std::error_code problem;
    if (path.has_parent_path()) {
        std::filesystem::create_directories(path.parent_path(), problem);
    }
    require(!problem, "the folder of the graph report {} cannot be made: {}", path.string(), problem.message());
    OutputFile file(path);
    Writer([&](std::string_view text) { file.write(text); }).write(capture, buffer_pages);
    file.close();
}

std::string report_text(const Capture& capture, bool buffer_pages) {
    std::string text;
    Writer([&](std::string_view piece) { text += piece; }).write(capture, buffer_pages);
    return text;
}

}  // namespace ttnn::graph
