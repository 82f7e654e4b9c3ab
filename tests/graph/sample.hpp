// The guide's sample, add([4,3,32,32], [1,3,32,32]) by way of a repeat, and a plain add.
#pragma once

#include "trace_recorder.hpp"

namespace ttnn::graph::testing {

enum class Releases : uint8_t { NO, YES };  // circular_buffer_deallocate_all before the circular buffers of a program

// 34 nodes as in the guide; 36 with releases, as real runs have them.
inline Trace guide_sample(Releases releases = Releases::NO,
                          TraceRecorder::Flavour flavour = TraceRecorder::Flavour::SAMPLE) {
    const FakeTensor a{0, "ttnn.Shape([4, 3, 32, 32])", 24576};
    const FakeTensor b{1, "ttnn.Shape([1, 3, 32, 32])", 6144};
    const FakeTensor repeated{2, "ttnn.Shape([4, 3, 32, 32])", 24576};
    const FakeTensor result{3, "ttnn.Shape([4, 3, 32, 32])", 24576};
    TraceRecorder recorder(flavour);
    const auto release = [&] {
        if (releases == Releases::YES) {
            recorder.release_circular_buffers();
        }
    };
    recorder.begin("ttnn::add", 2, {a, b});
    recorder.begin("ttnn::repeat", 2, {b});
    recorder.begin("ttnn::prim::repeat", 5);
    recorder.begin("Device Operation", 2);
    recorder.create(repeated, 1953396066);
    release();
    recorder.circular_buffer(4096, "{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=3)]}");
    recorder.end({repeated});
    recorder.end({repeated});
    recorder.end({repeated});
    recorder.begin("ttnn::prim::binary", 10, {a, repeated});
    recorder.begin("Device Operation", 2);
    recorder.create(result);
    release();
    for (int i = 0; i < 3; ++i) {
        recorder.circular_buffer(4096, "{[(x=0,y=0) - (x=7,y=7)]}");
    }
    recorder.end({result});
    recorder.end({result});
    recorder.deallocate(repeated);
    recorder.end({result});
    recorder.deallocate(result);
    return recorder.finish();
}

// One operation of the 2025 nesting: ttnn::X > ttnn::prim::Y > device operation > create_device_tensor.
inline void record_operation(TraceRecorder& recorder, const std::string& name, const std::string& prim,
                             const std::vector<FakeTensor>& inputs, const FakeTensor& output,
                             std::vector<std::string> arguments = {}) {
    recorder.begin(name, inputs.size(), inputs, std::move(arguments));
    recorder.begin(prim, inputs.size(), inputs);
    recorder.begin("Device Operation", 2);
    recorder.create(output);
    recorder.release_circular_buffers();
    for (int i = 0; i < 3; ++i) {
        recorder.circular_buffer(4096, "{[(x=0,y=0) - (x=7,y=7)]}");
    }
    recorder.end({output});
    recorder.end({output});
    recorder.end({output});
}

// Around `nodes` nodes of operations that feed each other, with arguments and durations.
inline Trace long_trace(size_t nodes) {
    TraceRecorder recorder;
    FakeTensor last{0, "Shape([1, 1, 1024, 1024])", 2097152, "DRAM"};
    const std::string argument =
        "Tensor(storage=DeviceStorage(),tensor_spec=TensorSpec(logical_shape=Shape([1, 1, 1024, 1024]),tensor_layout="
        "TensorLayout(dtype=DataType::BFLOAT16,page_config=PageConfig(config=TilePageConfig(tile=Tile(tile_shape={32, "
        "32},face_shape={16, 16},num_faces=4))),memory_config=MemoryConfig(memory_layout=INTERLEAVED))))";
    constexpr size_t nodes_per_operation = 16;
    for (uint32_t id = 1; id <= nodes / nodes_per_operation; ++id) {
        const FakeTensor next{id, "Shape([1, 1, 1024, 1024])", 2097152, id % 2 == 0 ? "L1" : "DRAM"};
        record_operation(recorder, "ttnn::add", "ttnn::prim::binary_ng", {last, last}, next, {argument, argument});
        recorder.deallocate(last);
        last = next;
    }
    return recorder.finish(1'000'000);
}

}  // namespace ttnn::graph::testing
