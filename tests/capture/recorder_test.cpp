// The recorder and the raw files it writes.
#include "tracelift/capture/recorder.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/capture/raw_file.hpp"
#include "tracelift/capture/raw_reader.hpp"
#include "tracelift/value/bytes.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/ops/creation/constant.hpp"
#include "ttnn/ops/eltwise/binary.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RecorderTest : public testing::Test {
protected:
    struct Begin {
        uint64_t sequence;
        std::string operation, board;
        Value arguments;
    };
    struct End {
        uint64_t nanoseconds;
        std::string error;
    };
    struct Trace {
        std::vector<Begin> begins;
        std::map<uint64_t, End> ends;
        std::string uid;
        RawSummary summary;
    };
    Trace read() const {
        Trace trace;
        RawVisitor visitor;
        visitor.session = [&](const SessionRecord& record) { trace.uid = record.trace_uid; };
        visitor.begin = [&](const BeginRecord& record) {
            trace.begins.push_back({record.sequence, std::string(record.operation), std::string(record.board),
                                    ByteReader(record.arguments).value()});
        };
        visitor.end = [&](const EndRecord& record) {
            trace.ends[record.sequence] = {record.nanoseconds, std::string(record.error)};
        };
        for (const auto& entry : fs::directory_iterator(folder_)) {
            trace.summary = read_raw_file(entry.path(), visitor);
        }
        return trace;
    }

    ScratchFolder scratch_;
    fs::path folder_ = scratch_.path();
    std::shared_ptr<ttnn::Device> device_ = ttnn::Device::open({.board = "n300:eth"});
    ttnn::Tensor tensor_ = ttnn::Tensor::allocate_on_device(
        ttnn::TensorSpec({32, 64}, ttnn::DataType::BFLOAT16, ttnn::Layout::TILE), device_);
};

// Attached for the time of a block.
class Attached {
public:
    explicit Attached(const fs::path& folder) : recorder_(std::make_shared<Recorder>(folder, "uid-1")) {
        ttnn::attach(recorder_);
    }
    ~Attached() { ttnn::detach(recorder_); }

private:
    std::shared_ptr<Recorder> recorder_;
};

TEST_F(RecorderTest, WritesArgumentsBeforeAndTheTimeAfter) {
    {
        const Attached attached(folder_);
        ttnn::add(tensor_, tensor_);
    }
    const Trace trace = read();
    ASSERT_EQ(trace.begins.size(), 1U);
    EXPECT_EQ(trace.uid, "uid-1");
    EXPECT_EQ(trace.begins[0].operation, "ttnn.add");
    EXPECT_EQ(trace.begins[0].board, "n300:eth");
    const Value* shape = trace.begins[0].arguments.find("input_tensor_a")->find("shape");
    EXPECT_EQ(*shape, (Value::List{32, 64}));
    const End& end = trace.ends.at(0);
    EXPECT_GT(end.nanoseconds, 0U);
    EXPECT_EQ(end.error, "");
}

TEST_F(RecorderTest, KeepsTheErrorOfACallThatFails) {
    {
        const Attached attached(folder_);
        EXPECT_THROW(ttnn::add(tensor_, ttnn::Tensor::allocate_on_host(tensor_.spec())), ttnn::Error);
        ttnn::add(tensor_, 1.0);
    }
    const Trace trace = read();
    ASSERT_EQ(trace.begins.size(), 2U);
    EXPECT_THAT(trace.ends.at(0).error, HasSubstr("must be on device"));
    EXPECT_EQ(trace.ends.at(1).error, "");
}

TEST_F(RecorderTest, KnowsTheBoardOfACallThatOnlyHasADevice) {
    {
        const Attached attached(folder_);
        ttnn::zeros(ttnn::Shape{32, 32}, {.device = device_});
    }
    EXPECT_EQ(read().begins.at(0).board, "n300:eth");
}

TEST_F(RecorderTest, RecordsNothingWhenDetached) {
    { const Attached attached(folder_); }
    ttnn::add(tensor_, tensor_);
    EXPECT_TRUE(read().begins.empty());
}

TEST_F(RecorderTest, RecordsAllThreadsWithOwnSequenceNumbers) {
    constexpr int threads = 4;
    constexpr int calls = 200;
    {
        const Attached attached(folder_);
        std::vector<std::thread> running;
        for (int t = 0; t < threads; ++t) {
            running.emplace_back([&] {
                for (int i = 0; i < calls; ++i) {
                    ttnn::add(tensor_, double(i));
                }
            });
        }
        for (auto& thread : running) {
            thread.join();
        }
    }
    const Trace trace = read();
    std::set<uint64_t> sequences;
    for (const Begin& begin : trace.begins) {
        sequences.insert(begin.sequence);
    }
    EXPECT_EQ(sequences.size(), size_t{threads * calls});
    EXPECT_EQ(*sequences.rbegin(), uint64_t{threads * calls - 1});
    EXPECT_EQ(trace.ends.size(), size_t{threads * calls});
    EXPECT_EQ(trace.summary.incomplete, 0U);
}

TEST_F(RecorderTest, GoesOnAcrossChunksOfTheFile) {
    const std::string payload(300'000, 'x');
    {
        RawFile file(folder_ / "big.tlraw");
        for (int i = 0; i < 200; ++i) {  // 60 MB: several chunks
            ByteWriter writer;
            writer.varint(static_cast<uint64_t>(i));
            writer.raw_text("ttnn.add");
            writer.raw_text("");
            writer.text(payload);
            file.append(RecordKind::BEGIN, writer.bytes());
        }
        EXPECT_EQ(file.dropped(), 0U);
    }
    const Trace trace = read();
    ASSERT_EQ(trace.begins.size(), 200U);
    EXPECT_EQ(*trace.begins.back().arguments.as<std::string>(), payload);
}

// Threads that take turns write to places of their own all the same.
TEST_F(RecorderTest, ThreadsShareNoRoomOfTheFile) {
    constexpr uint64_t turns = 100;
    {
        RawFile file(folder_ / "x.tlraw");
        std::atomic<uint64_t> turn = 0;
        const auto work = [&](uint64_t first) {
            for (uint64_t mine = first; mine < 2 * turns; mine += 2) {
                for (uint64_t now = turn; now != mine; now = turn) {
                    turn.wait(now);
                }
                ByteWriter writer;
                writer.varint(mine);
                writer.raw_text("ttnn.add");
                writer.raw_text("");
                writer.dict(0);
                file.append(RecordKind::BEGIN, writer.bytes());
                ++turn;
                turn.notify_all();
            }
        };
        const std::jthread even([&] { work(0); });
        const std::jthread odd([&] { work(1); });
    }
    const Trace trace = read();
    ASSERT_EQ(trace.begins.size(), 2 * turns);
    for (uint64_t i = 0; i < turns; ++i) {
        EXPECT_EQ(trace.begins[i].sequence, 2 * i);
        EXPECT_EQ(trace.begins[turns + i].sequence, 2 * i + 1);
    }
}

TEST_F(RecorderTest, AKilledProcessLeavesAllItWrote) {
    const pid_t child = fork();
    if (child == 0) {
        const Attached attached(folder_);
        for (int i = 0; i < 50; ++i) {
            ttnn::add(tensor_, double(i));
        }
        raise(SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const Trace trace = read();
    EXPECT_EQ(trace.begins.size(), 50U);
    EXPECT_EQ(trace.ends.size(), 50U);
}

TEST_F(RecorderTest, SkipsARecordWhoseWriterDied) {
    {
        RawFile file(folder_ / "x.tlraw");
        ByteWriter writer;
        writer.varint(0);
        writer.raw_text("ttnn.add");
        writer.raw_text("");
        writer.dict(0);
        for (int i = 0; i < 3; ++i) {
            file.append(RecordKind::BEGIN, writer.bytes());
        }
    }
    // The second record: magic, then header (16) and payload padded to 8.
    std::fstream file(folder_ / "x.tlraw", std::ios::in | std::ios::out | std::ios::binary);
    const RecordHeader first = [&] {
        RecordHeader header;
        file.seekg(8);
        file.read(reinterpret_cast<char*>(&header), sizeof(header));
        return header;
    }();
    const uint64_t second = 8 + 16 + (first.size + 7) / 8 * 8;
    file.seekp(static_cast<std::streamoff>(second + offsetof(RecordHeader, complete)));
    file.write("\0\0\0\0", 4);
    file.close();
    const Trace trace = read();
    EXPECT_EQ(trace.begins.size(), 2U);
    EXPECT_EQ(trace.summary.incomplete, 1U);
}

TEST_F(RecorderTest, RefusesAFileThatIsNoRawTrace) {
    std::ofstream(folder_ / "x.tlraw") << "{\"not\": \"raw\"}";
    try {
        read();
        FAIL();
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("x.tlraw: not a raw trace"));
    }
}

TEST_F(RecorderTest, NeedsAFolderThatExists) { EXPECT_THROW(Recorder(folder_ / "missing", "uid"), std::runtime_error); }

}  // namespace
}  // namespace tracelift
