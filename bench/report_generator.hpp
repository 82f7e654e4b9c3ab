// Graph reports of any size, the same for the same size: a model that runs operations of 17 nodes over 200 weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

namespace bench {

class ReportGenerator {
public:
    explicit ReportGenerator(const std::filesystem::path& path) : file_(path, std::ios::binary) {
        text_ +=
            R"x({"version":1,"devices":[{"device_id":0,"num_y_cores":8,"num_x_cores":8,"worker_l1_size":1499136,)x"
            R"x("l1_num_banks":64,"num_dram_channels":12}],"metadata":{"capture_timestamp_ns":1700000000000000000},)x"
            R"x("graph":[)x";
        node("capture_start", "", "", 0);
    }

    void weight() {
        const uint64_t buffer = count_;
        node("buffer", "", R"x("device_id":"0","layout":"INTERLEAVED","size":"2097152","type":"DRAM")x", 0);
        allocation("buffer_allocate", buffer, "DRAM", address_ += 176128, 0);
    }

    void operation() {
        const std::string name = names[operations_ % std::size(names)];
        const uint64_t start = count_;
        const uint64_t result = start + 6;
        function("function_start", "ttnn::" + name, 1, fmt::format("{},{}", start + 1, start + 15), argument_twice,
                 operations_ == 0 ? "" : std::to_string(last_tensor_));
        function("function_start", "ttnn::prim::" + name, 2, fmt::format("{},{}", start + 2, start + 14), "", "");
        function("function_start", "Device Operation", 3, fmt::format("{},{}", start + 3, start + 13), "", "");
        function("function_start", "create_device_tensor", 4, std::to_string(start + 7), "", "");
        const uint64_t buffer = count_;
        node("buffer", std::to_string(result),
             R"x("device_id":"0","layout":"INTERLEAVED","size":"131072","type":"L1")x", 4);
        const uint64_t address = 103712 + operations_ % 300 * 2048;
        allocation("buffer_allocate", buffer, "L1", address, 4);
        node("tensor", "",
             fmt::format(R"x("address":"{}","buffer_type":"L1","device_id":"0","dtype":"DataType::BFLOAT16","layout":)x"
                         R"x("Layout::TILE","memory_config":"{}","shape":"Shape([1, 1, 256, 256])","tensor_id":"{}")x",
                         address, memory_config, operations_ + 1),
             4);
        function("function_end", "create_device_tensor", 4, std::to_string(result), "", "");
        node("circular_buffer_deallocate_all", std::to_string(start + 2), R"x("device_id":"0")x", 3);
        for (int i = 0; i < 3; ++i) {
            node("circular_buffer_allocate", "",
                 R"x("address":"0","core_range_set":"{[(x=0,y=0) - (x=7,y=7)]}","device_id":"0",)x"
                 R"x("globally_allocated":"0","size":"4096")x",
                 3);
        }
        function("function_end", "Device Operation", 3, std::to_string(result), "", "");
        function("function_end", "ttnn::prim::" + name, 2, std::to_string(result), "", "");
        if (operations_ > 0) {
            allocation("buffer_deallocate", last_buffer_, "L1", 0, 1);
        } else {
            node("circular_buffer_deallocate_all", std::to_string(start), R"x("device_id":"0")x", 1);
        }
        function("function_end", "ttnn::" + name, 1, fmt::format("{},{}", result, count_ + 1), "", "");
        last_buffer_ = buffer;
        last_tensor_ = result;
        ++operations_;
    }

    size_t finish() {
        node("capture_end", "", "", 0);
        text_ += "]}\n";
        flush();
        return count_;
    }

    uint64_t bytes() const { return written_ + text_.size(); }
    uint64_t count() const { return count_; }

private:
    static constexpr const char* names[] = {"add", "matmul", "softmax", "multiply", "layer_norm"};
    static constexpr const char* memory_config =
        "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::"
        "nullopt)";
    static constexpr const char* argument_twice =
        R"x("Tensor(storage=DeviceStorage(),tensor_spec=TensorSpec(logical_shape=Shape([1, 1, 256, 256]),tensor_layout=)x"
        R"x(TensorLayout(dtype=DataType::BFLOAT16,page_config=PageConfig(config=TilePageConfig(tile=Tile(tile_shape=)x"
        R"x({32, 32},face_shape={16, 16},num_faces=4))))))","Tensor(storage=DeviceStorage(),tensor_spec=TensorSpec()x"
        R"x(logical_shape=Shape([1, 1, 256, 256]),tensor_layout=TensorLayout(dtype=DataType::BFLOAT16))))")x";

    void node(std::string_view type, std::string_view links, std::string_view params, int level,
              std::string_view arguments = "", std::string_view inputs = "", std::string_view more = "") {
        fmt::format_to(
            std::back_inserter(text_),
            R"x({}{{"arguments":[{}],"connections":[{}],"counter":{},{}"input_tensors":[{}],"node_type":"{}",)x"
            R"x("params":{{{}}},"stacking_level":{}}})x",
            count_ == 0 ? "" : ",", arguments, links, count_, more, inputs, type, params, level);
        ++count_;
        if (text_.size() > (size_t{1} << 20)) {
            flush();
        }
    }

    void function(std::string_view type, const std::string& name, int level, const std::string& links,
                  std::string_view arguments, const std::string& inputs) {
        const std::string duration = type == "function_end" ? fmt::format(R"x("duration_ns":{},)x", 1000 + count_) : "";
        node(type, links, fmt::format(R"x("name":"{}")x", name), level, arguments, inputs, duration);
    }

    void allocation(std::string_view type, uint64_t buffer, std::string_view memory, uint64_t address, int level) {
        const std::string place = type == "buffer_allocate" ? fmt::format(R"x("address":"{}",)x", address) : "";
        node(type, std::to_string(buffer),
             fmt::format(R"x({}"device_id":"0","layout":"INTERLEAVED","num_cores":"0","page_size":"2048","size":"{}",)x"
                         R"x("type":"{}")x",
                         place, memory == "L1" ? 131072 : 2097152, memory),
             level);
    }

    void flush() {
        file_ << text_;
        written_ += text_.size();
        text_.clear();
    }

    std::ofstream file_;
    std::string text_;
    uint64_t count_ = 0;
    uint64_t written_ = 0;
    uint64_t operations_ = 0;
    uint64_t address_ = 0;
    uint64_t last_buffer_ = 0;
    uint64_t last_tensor_ = 0;
};

// Around `nodes` nodes; returns how many it has become.
inline size_t write_report(const std::filesystem::path& path, size_t nodes) {
    ReportGenerator generator(path);
    for (size_t i = 0; i < 200 && 3 * i < nodes; ++i) {
        generator.weight();
    }
    while (generator.count() + 18 <= nodes) {
        generator.operation();
    }
    return generator.finish();
}

inline size_t nodes_for_bytes(double bytes) {
    ReportGenerator sample("/dev/null");
    for (int i = 0; i < 1000; ++i) {
        sample.operation();
    }
    return static_cast<size_t>(bytes / (static_cast<double>(sample.bytes()) / static_cast<double>(sample.count())));
}

}  // namespace bench
