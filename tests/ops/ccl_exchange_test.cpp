// Sums for all chips, broadcasts and exchanges against plain loops over chips, on meshes of several shapes.
#include "ccl_support.hpp"
#include "math_support.hpp"
#include "ttnn/ops/ccl/all_gather.hpp"
#include "ttnn/ops/ccl/all_reduce.hpp"
#include "ttnn/ops/ccl/all_reduce_async.hpp"
#include "ttnn/ops/ccl/all_to_all.hpp"
#include "ttnn/ops/ccl/barrier.hpp"
#include "ttnn/ops/ccl/broadcast.hpp"
#include "ttnn/ops/ccl/mesh_partition.hpp"
#include "ttnn/ops/ccl/point_to_point.hpp"
#include "ttnn/ops/ccl/reduce_scatter.hpp"
#include "ttnn/ops/ccl/reduce_scatter_async.hpp"

namespace ttnn {
namespace {

using testing::Axis;
using testing::element;
using testing::elements;
using testing::error_of;
using testing::group_of;
using testing::holder_of;
using testing::mesh_of;
using testing::place_of;
using testing::spread;
using testing::Values;
using testing::values_of;

// Columns and rows of a chip's part that begin at some element.
Values box_of(uint32_t chip, const Shape& shape, std::array<uint32_t, 2> from, std::array<uint32_t, 2> size) {
    Values values;
    for (uint32_t row = from[0]; row < from[0] + size[0]; ++row) {
        for (uint32_t column = from[1]; column < from[1] + size[1]; ++column) {
            values.push_back(element(chip, uint64_t{row} * shape[1] + column));
        }
    }
    return values;
}

class ExchangesOnMeshes : public testing::OnMeshes {};

TEST_P(ExchangesOnMeshes, AllReduceGivesEveryChipTheSum) {
    for_all([](const Tensor& input, Axis axis, int64_t, size_t) {
        const Tensor output = all_reduce(input, {.cluster_axis = axis});
        const MeshShape& mesh = input.device()->mesh();
        for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
            Values sum(input.logical_volume(), 0.0F);
            for (const uint32_t member : group_of(mesh, axis, chip)) {
                for (uint64_t i = 0; i < sum.size(); ++i) {
                    sum[i] += element(holder_of(input, member), i);
                }
            }
            ASSERT_EQ(elements(output.part(chip)), sum);
        }
    });
}

TEST_P(ExchangesOnMeshes, AllBroadcastGivesATensorForEachMember) {
    for_all([](const Tensor& input, Axis axis, int64_t, size_t) {
        const std::vector<Tensor> outputs = all_broadcast(input, {.cluster_axis = axis});
        const MeshShape& mesh = input.device()->mesh();
        ASSERT_EQ(outputs.size(), group_of(mesh, axis, 0).size());
        for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
            const std::vector<uint32_t> group = group_of(mesh, axis, chip);
            for (size_t i = 0; i < group.size(); ++i) {
                ASSERT_EQ(elements(outputs[i].part(chip)),
                          values_of(holder_of(input, group[i]), input.logical_volume()));
            }
        }
    });
}

TEST_P(ExchangesOnMeshes, BroadcastGivesWhatTheSenderHolds) {
    for_all([](const Tensor& input, Axis axis, int64_t, size_t) {
        const MeshShape& mesh = input.device()->mesh();
        const uint32_t sender = mesh.num_chips() / 2;
        const Tensor output = ccl::broadcast(input, mesh.coordinate_of(sender), {.cluster_axis = axis});
        for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
            const std::vector<uint32_t> group = group_of(mesh, axis, chip);
            const size_t place = place_of(group_of(mesh, axis, sender), sender);
            ASSERT_EQ(elements(output.part(chip)), values_of(holder_of(input, group[place]), input.logical_volume()));
        }
    });
}

TEST_P(ExchangesOnMeshes, AllToAllCutsOneDimensionAndJoinsTheOther) {
    for_all([](const Tensor& input, Axis axis, int64_t, size_t cut) {
        const MeshShape& mesh = input.device()->mesh();
        const Shape& shape = input.logical_shape();
        const auto members = static_cast<uint32_t>(group_of(mesh, axis, 0).size());
        if (shape[static_cast<int64_t>(cut)] % members != 0) {
            return;
        }
        const auto joined = static_cast<int64_t>(1 - cut);
        const Tensor output =
            experimental::all_to_all_async_generic(input, joined, static_cast<int64_t>(cut), {.cluster_axis = axis});
        const std::array<uint32_t, 2> size{cut == 0 ? shape[0] / members : shape[0],
                                           cut == 1 ? shape[1] / members : shape[1]};
        for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
            const std::vector<uint32_t> group = group_of(mesh, axis, chip);
            const auto place = static_cast<uint32_t>(place_of(group, chip));
            const std::array<uint32_t, 2> from{cut == 0 ? place * size[0] : 0, cut == 1 ? place * size[1] : 0};
            Values expected(size[0] * size[1] * members);
            for (uint32_t member = 0; member < members; ++member) {
                const Values box = box_of(holder_of(input, group[member]), shape, from, size);
                for (uint32_t row = 0; row < size[0]; ++row) {
                    for (uint32_t column = 0; column < size[1]; ++column) {
                        const uint32_t to = joined == 0 ? (member * size[0] + row) * size[1] + column
                                                        : (row * members + member) * size[1] + column;
                        expected[to] = box[row * size[1] + column];
                    }
                }
            }
            ASSERT_EQ(elements(output.part(chip)), expected);
        }
    });
}

TEST_P(ExchangesOnMeshes, MeshPartitionLeavesEachChipASliceOfItsOwn) {
    for_all([](const Tensor& input, Axis axis, int64_t dim, size_t at) {
        const MeshShape& mesh = input.device()->mesh();
        const Shape& shape = input.logical_shape();
        const auto members = static_cast<uint32_t>(group_of(mesh, axis, 0).size());
        if (shape[dim] % members != 0) {
            EXPECT_NE(error_of([&] { mesh_partition(input, dim, {.cluster_axis = axis}); }).find("share evenly"),
                      std::string::npos);
            return;
        }
        const Tensor output = mesh_partition(input, dim, {.cluster_axis = axis});
        const std::array<uint32_t, 2> size{at == 0 ? shape[0] / members : shape[0],
                                           at == 1 ? shape[1] / members : shape[1]};
        for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
            const auto place = static_cast<uint32_t>(place_of(group_of(mesh, axis, chip), chip));
            ASSERT_EQ(elements(output.part(chip)),
                      box_of(holder_of(input, chip), shape,
                             {at == 0 ? place * size[0] : 0, at == 1 ? place * size[1] : 0}, size));
        }
    });
}

TEST_P(ExchangesOnMeshes, PartitionUndoesGathering) {
    for_all([](const Tensor& input, Axis axis, int64_t dim, size_t) {
        if (axis) {
            const Tensor whole = all_gather(input, dim, {.cluster_axis = axis});
            const Tensor parts = mesh_partition(whole, dim, {.cluster_axis = axis});
            for (uint32_t chip = 0; chip < input.num_parts(); ++chip) {
                ASSERT_EQ(elements(parts.part(chip)), elements(input.part(chip)));
            }
        }
    });
}

TEST_P(ExchangesOnMeshes, PointToPointChangesTheReceiverOnly) {
    for_all([](const Tensor& input, Axis axis, int64_t dim, size_t) {
        if (axis || dim != 0) {
            return;  // it knows neither
        }
        const MeshShape& mesh = input.device()->mesh();
        const uint32_t last = mesh.num_chips() - 1;
        const Tensor target = spread(input.device(), input.logical_shape(), input.dtype(), input.layout());
        const Tensor output =
            point_to_point(input, mesh.coordinate_of(0), mesh.coordinate_of(last), {.output_tensor = target});
        EXPECT_EQ(output, target);
        for (uint32_t chip = 0; chip <= last; ++chip) {
            ASSERT_EQ(elements(output.part(chip)), values_of(chip == last ? 0 : chip, input.logical_volume()));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Meshes, ExchangesOnMeshes, testing::some_meshes(), testing::mesh_name);

TEST(CollectiveTopology, OfSumsBroadcastsAndSlices) {
    const auto device = mesh_of(2, 4);
    const Tensor input = spread(device, {32, 64}, DataType::BFLOAT16, Layout::TILE);  // cut along 0 and 1
    EXPECT_EQ(all_reduce(input, {.cluster_axis = 1}).topology(), (Topology{{{0}, {}}, {{2, 4}}}));
    EXPECT_EQ(all_reduce(input).topology(), (Topology{{{}, {}}, {{2, 4}}}));
    EXPECT_EQ(all_broadcast(input, {.cluster_axis = 0})[1].topology(), (Topology{{{}, {1}}, {{2, 4}}}));
    EXPECT_EQ(mesh_partition(input, 0, {.cluster_axis = 1}).topology(), (Topology{{{0}, {0}}, {{2, 4}}}));
    EXPECT_EQ(experimental::all_to_all_async_generic(input, 1, 0, {.cluster_axis = 1}).topology(),
              (Topology{{{0}, {0}}, {{2, 4}}}));
}

TEST(CollectiveTopology, OfTensorsSpreadInOneLine) {
    const auto line = mesh_of(1, 8);
    Tensor input = spread(line, {32, 64}, DataType::BFLOAT16, Layout::TILE);
    input.set_topology({{{1}}, {{8}}});
    EXPECT_EQ(all_gather(input, 1).topology(), (Topology{{{}}, {{8}}}));
    EXPECT_EQ(all_gather(input, 1, {.cluster_axis = 1}).topology(), (Topology{{{}}, {{8}}}));
    EXPECT_EQ(reduce_scatter(input, 0).topology(), (Topology{{{0}}, {{8}}}));
    const auto grid = mesh_of(2, 4);
    input = spread(grid, {32, 64}, DataType::BFLOAT16, Layout::TILE);
    input.set_topology({{{1}}, {{8}}});
    EXPECT_EQ(all_gather(input, 1, {.cluster_axis = 1}).topology(), (Topology{{{1}, {}}, {{2, 4}}}));
}

TEST(CollectiveErrors, NameTheArgumentOfExchanges) {
    const auto device = mesh_of(2, 4);
    const Tensor input = spread(device, {32, 62}, DataType::BFLOAT16, Layout::TILE);
    const auto contains = [](const std::string& text, std::string_view part) {
        return text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(contains(error_of([&] { all_reduce(input, {.cluster_axis = -1}); }), "'cluster_axis'"));
    EXPECT_TRUE(contains(error_of([&] { mesh_partition(input, 5); }), "'dim'"));
    EXPECT_TRUE(contains(error_of([&] { ccl::broadcast(input, MeshCoordinate{{2, 0}}); }), "'sender_coord'"));
    EXPECT_TRUE(contains(error_of([&] {
                             point_to_point(input, MeshCoordinate{{0, 0}}, MeshCoordinate{{0}});
                         }),
                         "'receiver_coord'"));
    EXPECT_TRUE(contains(error_of([&] { all_gather(input.part(3), 0); }), "what one chip holds"));
    EXPECT_TRUE(contains(error_of([&] { experimental::reduce_scatter_minimal_async(input); }), "'dim' is missing"));
    EXPECT_TRUE(
        contains(error_of([&] { experimental::all_reduce(input, {.math_op = ReduceType::Max}); }), "'math_op'"));
}

TEST(CollectiveTraces, NamePrimitives) {
    const auto device = mesh_of(2, 4);
    const Tensor input = spread(device, {32, 128}, DataType::BFLOAT16, Layout::TILE);
    const auto primitives_of = [](const auto& call) {
        const test::Recording recording;
        call();
        std::vector<std::string> names;
        for (const std::string& name : recording->names) {
            if (name.starts_with("ttnn::prim::")) {
                names.push_back(name.substr(12));
            }
        }
        return names;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(primitives_of([&] { all_gather(input, 0, {.cluster_axis = 0}); }), Names{"all_gather"});
    EXPECT_EQ(primitives_of([&] { all_gather(input, 0); }), (Names{"all_gather", "all_gather"}));
    EXPECT_EQ(primitives_of([&] { all_reduce(input, {.cluster_axis = 1}); }), (Names{"reduce_scatter", "all_gather"}));
    EXPECT_EQ(primitives_of([&] { all_broadcast(input, {.cluster_axis = 1}); }), Names{"all_broadcast"});
    EXPECT_EQ(primitives_of([&] { mesh_partition(input, 1, {.cluster_axis = 1}); }), Names{"mesh_partition"});
    EXPECT_EQ(primitives_of([&] { barrier(input); }), Names{});
}

}  // namespace
}  // namespace ttnn
