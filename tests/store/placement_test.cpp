// Tensors on a mesh of chips: their placement is a part of their value, of the identity, and of what stores keep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/bind/binding.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/catalog/sqlite/schema.hpp"
#include "tracelift/catalog/sqlite/store.hpp"
#include "tracelift/dialects/format2_arguments.hpp"
#include "tracelift/dialects/format2_values.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/value/bytes.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/tensor_placement.hpp"
#include "ttnn/op/type_info.hpp"

namespace tracelift {
namespace {

using testing::HasSubstr;

constexpr const char* n300_mesh = "n300:eth@1x2";
const ttnn::Topology in_columns{{{}, {3}}, {{1, 2}}};

// Hashes that these calls had in masters of real cards before tensors had placements of their own.
constexpr const char* hash_of_add = "5a32d00b066dd02a3db31d814c9502ba8c59b0794ab6657e6b51a915f560e357";
constexpr const char* hash_of_concat = "5b8662313a35954b2dd8e4858adaef3e07a9efb7a96658261c0446974ee1b9c0";

ttnn::Tensor tensor_on(const std::shared_ptr<ttnn::Device>& device) {
    const ttnn::TensorSpec spec(ttnn::Shape({1, 1, 32, 64}), ttnn::DataType::BFLOAT16, ttnn::Layout::TILE, {});
    return ttnn::Tensor::allocate_on_device(spec, device);
}

Value encoded(const ttnn::Tensor& tensor) { return ttnn::type_info<ttnn::Tensor>().encode(&tensor); }

ttnn::Tensor decoded(const Value& value, const std::shared_ptr<ttnn::Device>& device) {
    ttnn::Tensor tensor;
    ttnn::type_info<ttnn::Tensor>().decode(value, {device, {}}, &tensor);
    return tensor;
}

Value::Dict placement(const char* placements, const char* distribution, const char* mesh) {
    return {{"placement", placements}, {"distribution_shape", distribution}, {"mesh_device_shape", mesh}};
}

Value placed(ttnn::Tensor tensor, const ttnn::Topology& topology) {
    tensor.set_topology(topology);
    return encoded(tensor);
}

TEST(Placements, AreEncodedAsMastersHaveThem) {
    const auto device = open_board(n300_mesh);
    const Value tensor = placed(tensor_on(device), in_columns);
    ASSERT_NE(tensor.find("tensor_placement"), nullptr);
    EXPECT_EQ(*tensor.find("tensor_placement"),
              Value(placement("['PlacementReplicate', 'PlacementShard(3)']", "[1, 2]", "[1, 2]")));
    EXPECT_EQ(*placed(tensor_on(device), ttnn::Topology::replicated(2)).find("tensor_placement"),
              Value(placement("['PlacementReplicate']", "[2]", "[1, 2]")));
}

TEST(Placements, TensorsOnOneChipHaveNone) {
    EXPECT_EQ(encoded(tensor_on(ttnn::Device::open({.board = "n300"}))).find("tensor_placement"), nullptr);
    EXPECT_EQ(placed(tensor_on(open_board(n300_mesh)), {}).find("tensor_placement"), nullptr);  // nobody said
}

TEST(Placements, NewTensorsAreReplicated) {
    EXPECT_EQ(*encoded(tensor_on(open_board(n300_mesh))).find("tensor_placement"),
              Value(placement("['PlacementReplicate']", "[2]", "[1, 2]")));
}

TEST(Placements, AreDecodedOnTheirMesh) {
    const auto device = open_board(n300_mesh);
    const Value tensor = placed(tensor_on(device), in_columns);
    EXPECT_EQ(decoded(tensor, device).topology(), in_columns);
    EXPECT_EQ(encoded(decoded(tensor, device)), tensor);
    const Value part = encoded(decoded(tensor, device).part(1));
    EXPECT_EQ(encoded(decoded(part, device)), part);
}

TEST(Placements, OneChipTakesWhatItWouldHold) {
    const Value tensor = placed(tensor_on(open_board(n300_mesh)), in_columns);
    const ttnn::Tensor one = decoded(tensor, ttnn::Device::open({.board = "n300"}));
    EXPECT_EQ(one.num_parts(), 1U);
    EXPECT_EQ(one.logical_shape(), ttnn::Shape({1, 1, 32, 64}));
}

TEST(Placements, OfAnotherMeshAreRefused) {
    const Value tensor = placed(tensor_on(open_board(n300_mesh)), in_columns);
    try {
        decoded(tensor, open_board("n300@2x1"));
        FAIL();
    } catch (const ttnn::DecodeError& error) {
        EXPECT_THAT(error.what(), HasSubstr("on a mesh of 2x1, as the device is, got one on 1x2"));
    }
}

TEST(Placements, ThatMeanNothingAreRefused) {
    const auto device = open_board(n300_mesh);
    for (const Value::Dict& bad :
         {placement("['Elsewhere']", "[2]", "[1, 2]"), placement("['PlacementReplicate']", "[1, 2]", "[1, 2]"),
          placement("['PlacementReplicate']", "[3]", "[1, 2]"), placement("['PlacementReplicate']", "2", "[1, 2]"),
          placement("['PlacementShard(x)']", "[2]", "[1, 2]"), placement("['PlacementReplicate']", "[0]", "[1, 2]")}) {
        auto tensor = std::move(placed(tensor_on(device), {})).take<Value::Struct>();
        tensor.fields.push_back({"tensor_placement", bad});
        EXPECT_THROW(decoded(tensor, device), ttnn::DecodeError) << Value(bad).to_text();
    }
}

TEST(Placements, OfTheHostMakeParts) {
    const auto device = open_board(n300_mesh);
    const Value on_device = placed(tensor_on(device), ttnn::Topology::replicated(2));
    const Value on_host = encoded(ttnn::copy_to_host(decoded(on_device, device)));
    EXPECT_EQ(*on_host.find("tensor_placement"), *on_device.find("tensor_placement"));
    EXPECT_EQ(decoded(on_host, device).num_parts(), 2U);
    EXPECT_EQ(encoded(decoded(on_host, device)), on_host);
}

class CallsOnAMesh : public testing::Test {
protected:
    BoundCall bound(const StoredCall& call) {
        BoundCall result = binder_.bind(call, Order::PYTHON, n300_mesh);
        EXPECT_TRUE(result.bound) << result.note;
        return result;
    }
    std::string hash_of(const StoredCall& call) { return identity(bound(call), hardware_of_board(n300_mesh)); }

    Binder binder_;
    const std::shared_ptr<ttnn::Device> device_ = open_board(n300_mesh);
    const Value a_ = placed(tensor_on(device_), in_columns);
    const Value b_ = placed(tensor_on(device_), ttnn::Topology::replicated(2));
};

TEST_F(CallsOnAMesh, HaveTheIdentityOfTheSameCallInAMaster) {
    EXPECT_EQ(hash_of({"ttnn.add", {a_, b_}, {}}), hash_of_add);
    EXPECT_EQ(hash_of({"ttnn.concat", {Value(Value::List{a_, a_})}, {{"dim", -1}}}), hash_of_concat);
}

TEST_F(CallsOnAMesh, DifferByTheirPlacements) {
    EXPECT_NE(hash_of({"ttnn.add", {b_, b_}, {}}), hash_of_add);
    EXPECT_NE(hash_of({"ttnn.add", {b_, a_}, {}}), hash_of_add);
}

TEST_F(CallsOnAMesh, KeepTheirPlacementsThroughFormat2) {
    const BoundCall add = bound({"ttnn.add", {a_, b_}, {}});
    const Json written = format2_arguments(add);
    EXPECT_EQ(written["arg0"]["tensor_placement"]["placement"], "['PlacementReplicate', 'PlacementShard(3)']");
    const auto read = [&](const char* key) { return read_python_value(json_tree(written[key])); };
    EXPECT_EQ(hash_of({"ttnn.add", {read("arg0"), read("arg1")}, {}}), hash_of_add);
}

TEST_F(CallsOnAMesh, APlacementOnOneChipSaysNothing) {
    auto single = std::move(encoded(tensor_on(ttnn::Device::open({.board = "n150"})))).take<Value::Struct>();
    const Value plain = single;
    single.fields.push_back({"tensor_placement", placement("['PlacementReplicate']", "[1]", "[1, 1]")});
    EXPECT_EQ(binder_.bind({"ttnn.relu", {Value(single)}, {}}, Order::PYTHON).arguments,
              binder_.bind({"ttnn.relu", {plain}, {}}, Order::PYTHON).arguments);
}

std::string bytes_of(const Value::Dict& dict) {
    ByteWriter writer;
    emit(dict, writer);
    return writer.take();
}

TEST_F(CallsOnAMesh, OfOlderStoresGetTheirPlacementsBack) {
    const ScratchFolder folder;
    const BoundCall concat = bound({"ttnn.concat", {Value(Value::List{a_, a_})}, {{"dim", -1}}});
    Value::Dict arguments = concat.arguments;
    auto list = std::move(arguments[0].value).take<Value::List>();
    Value::Dict placements;
    for (size_t i = 0; i < list.size(); ++i) {
        auto tensor = std::move(list[i]).take<Value::Struct>();
        placements.push_back({"tensors[" + std::to_string(i) + "]", tensor.fields.back().value});
        tensor.fields.pop_back();
        list[i] = std::move(tensor);
    }
    arguments[0].value = std::move(list);
    {
        Database old(folder.path() / database_name, Database::Mode::WRITE);
        migrate(old, 3);
        old.run(
            "INSERT INTO operation VALUES (1, 'ttnn.concat');"
            "INSERT INTO hardware VALUES (1, 'Wormhole', 'n300', 1, '1x2', 2)");
        Statement insert(old,
                         "INSERT INTO configuration (id, operation_id, hardware_id, identity, canonical_version, "
                         "bound, board, placements, arguments) VALUES (1, 1, 1, ?, 1, 1, 'n300:eth', ?, ?)");
        insert.with(hash_of_concat, bytes_of(placements), bytes_of(arguments)).run();
    }
    size_t seen = 0;
    Store::open_for_writing(folder.path()).visit({}, [&](Configuration& configuration) {
        ++seen;
        EXPECT_EQ(Value(configuration.call.arguments), Value(concat.arguments));
        EXPECT_EQ(identity(configuration.call, configuration.hardware), configuration.identity);
        return true;
    });
    EXPECT_EQ(seen, 1U);
}

// --- texts of boards ----------------------------------------------------------------------------------------------

TEST(BoardTexts, NameABoardAndAMesh) {
    EXPECT_EQ(BoardText::parse("galaxy@4x8").board, "galaxy");
    EXPECT_EQ(BoardText::parse("galaxy@4x8").mesh.dims, (std::vector<uint32_t>{4, 8}));
    EXPECT_EQ(BoardText::parse("n300:eth").to_string(), "n300:eth");
    EXPECT_EQ(BoardText::parse("n300:eth@1x1").to_string(), "n300:eth");
    EXPECT_EQ(BoardText::parse(n300_mesh).to_string(), n300_mesh);
    for (const char* bad : {"n150@", "n150@0x2", "n150@2x", "n150@x2", "n150@-1x2", "n150@2x2 ", "n150@9999x9999"}) {
        EXPECT_THROW(BoardText::parse(bad), ttnn::Error) << bad;
    }
    EXPECT_EQ(board_text(*open_board(n300_mesh)), n300_mesh);
    EXPECT_EQ(open_board("n150@2x3")->num_chips(), 6U);
}

TEST(BoardTexts, TellTheHardware) {
    EXPECT_EQ(*hardware_of_board(n300_mesh), (Hardware{"Wormhole", "n300", 1, {1, 2}, 2}));
    EXPECT_EQ(*hardware_of_board("galaxy@4x8"), (Hardware{"Wormhole", "tt-galaxy-wh", 32, {4, 8}, 32}));
    EXPECT_EQ(*hardware_of_board("n150"), (Hardware{"Wormhole", "n150", 1, {1, 1}, 1}));
    EXPECT_EQ(hardware_of_board("somebody's")->board_type, "unknown");
}

TEST_F(CallsOnAMesh, AreReplayedOnTheMeshOfTheirTensorsElseOfTheirMachine) {
    const Hardware galaxy{"Wormhole", "tt-galaxy-wh", 32, {4, 8}, 32};
    EXPECT_EQ(board_to_replay("n300:eth", galaxy, {{"input_tensor", a_}}), n300_mesh);
    EXPECT_EQ(board_to_replay("n300:eth", std::nullopt, {{"tensors", Value::List{a_}}}), n300_mesh);
    EXPECT_EQ(board_to_replay("galaxy", galaxy, {{"dim", 1}}), "galaxy@4x8");
    EXPECT_EQ(board_to_replay("n150", hardware_of_board("n150"), {}), "n150");
    EXPECT_EQ(board_to_replay("n150@1x1", galaxy, {{"input_tensor", a_}}), "n150@1x1");
}

}  // namespace
}  // namespace tracelift
