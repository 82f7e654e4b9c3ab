// Gathering and scattering against plain loops over chips, on meshes of several shapes.
#include "ccl_support.hpp"
#include "ttnn/ops/ccl/all_gather.hpp"
#include "ttnn/ops/ccl/all_gather_async.hpp"
#include "ttnn/ops/ccl/reduce_scatter.hpp"

namespace ttnn {
namespace {

using testing::Axis;
using testing::element;
using testing::elements;
using testing::error_of;
using testing::group_of;
using testing::holders_of;
using testing::mesh_of;
using testing::place_of;
using testing::spread;
using testing::Values;
using testing::values_of;

Values expected_gather(const Shape& shape, const std::vector<uint32_t>& group, size_t dim) {
    const uint32_t rows = shape[0];
    const uint32_t columns = shape[1];
    const auto members = static_cast<uint32_t>(group.size());
    Values values;
    for (uint32_t row = 0; row < (dim == 0 ? rows * members : rows); ++row) {
        for (uint32_t column = 0; column < (dim == 1 ? columns * members : columns); ++column) {
            const uint32_t member = dim == 0 ? row / rows : column / columns;
            values.push_back(element(group[member], uint64_t{row % rows} * columns + column % columns));
        }
    }
    return values;
}

Values expected_scatter(const Shape& shape, const std::vector<uint32_t>& group, size_t dim, size_t place) {
    const auto members = static_cast<uint32_t>(group.size());
    const uint32_t rows = dim == 0 ? shape[0] / members : shape[0];
    const uint32_t columns = dim == 1 ? shape[1] / members : shape[1];
    const auto at = static_cast<uint32_t>(place);
    Values values;
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            const uint64_t from_row = dim == 0 ? at * rows + row : row;
            const uint64_t from_column = dim == 1 ? at * columns + column : column;
            float sum = 0.0F;
            for (const uint32_t member : group) {
                sum += element(member, from_row * shape[1] + from_column);
            }
            values.push_back(sum);
        }
    }
    return values;
}

class Collectives : public testing::OnMeshes {};

TEST_P(Collectives, AllGatherJoinsThePartsOfAGroup) {
    for_all([](const Tensor& input, Axis axis, int64_t dim, size_t at) {
        const Tensor output = all_gather(input, dim, {.cluster_axis = axis});
        const MeshShape& mesh = input.device()->mesh();
        for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
            ASSERT_EQ(elements(output.part(chip)),
                      expected_gather(input.logical_shape(), holders_of(input, group_of(mesh, axis, chip)), at));
        }
    });
}

TEST_P(Collectives, AllGatherAsyncDoesTheSame) {
    for_all([](const Tensor& input, Axis axis, int64_t dim, size_t at) {
        const Tensor output = experimental::all_gather_async.Op<GatherAsyncInto<false>>::with(
            {.input_tensor = input, .dim = dim, .cluster_axis = axis});
        const MeshShape& mesh = input.device()->mesh();
        for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
            ASSERT_EQ(elements(output.part(chip)),
                      expected_gather(input.logical_shape(), holders_of(input, group_of(mesh, axis, chip)), at));
        }
    });
}

TEST_P(Collectives, ReduceScatterLeavesEachChipItsSliceOfTheSum) {
    for_all([](const Tensor& input, Axis axis, int64_t dim, size_t at) {
        const MeshShape& mesh = input.device()->mesh();
        const Shape& shape = input.logical_shape();
        if (shape[static_cast<int64_t>(at)] % group_of(mesh, axis, 0).size() != 0) {
            EXPECT_NE(error_of([&] { reduce_scatter(input, dim, {.cluster_axis = axis}); }), "");
            return;
        }
        const Tensor output = reduce_scatter(input, dim, {.cluster_axis = axis});
        for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
            const std::vector<uint32_t> group = group_of(mesh, axis, chip);
            ASSERT_EQ(elements(output.part(chip)),
                      expected_scatter(shape, holders_of(input, group), at, place_of(group, chip)));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Meshes, Collectives, testing::some_meshes(), testing::mesh_name);

TEST(CollectiveTopology, IsThatOfTheInputButForTheAxis) {
    const auto device = mesh_of(2, 4);
    const Tensor input = spread(device, {32, 64}, DataType::BFLOAT16, Layout::TILE);
    EXPECT_EQ(all_gather(input, 1, {.cluster_axis = 1}).topology(), (Topology{{{0}, {}}, {{2, 4}}}));
    EXPECT_EQ(all_gather(input, 0, {.cluster_axis = 0}).topology(), (Topology{{{}, {1}}, {{2, 4}}}));
    EXPECT_EQ(reduce_scatter(input, -1, {.cluster_axis = 0}).topology(), (Topology{{{1}, {1}}, {{2, 4}}}));
}

TEST(CollectiveErrors, NameTheArgument) {
    const auto device = mesh_of(2, 4);
    const Tensor input = spread(device, {32, 62}, DataType::BFLOAT16, Layout::TILE);
    EXPECT_NE(error_of([&] { all_gather(input, 2); }).find("'dim'"), std::string::npos);
    EXPECT_NE(error_of([&] { all_gather(input, -3); }).find("'dim'"), std::string::npos);
    EXPECT_NE(error_of([&] { all_gather(input, 0, {.cluster_axis = 2}); }).find("'cluster_axis'"), std::string::npos);
    EXPECT_NE(error_of([&] { reduce_scatter(input, 1, {.cluster_axis = 1}); }).find("62 elements"), std::string::npos);
}

TEST(CollectivesOnOneChip, GiveTheInput) {
    const auto device = Device::open();
    Tensor input = Tensor::allocate_on_device(TensorSpec({17, 40}, DataType::BFLOAT16, Layout::TILE), device);
    write<float>(input, values_of(0, input.logical_volume()));
    EXPECT_EQ(elements(all_gather(input, 0)), elements(input));
    EXPECT_EQ(elements(reduce_scatter(input, 1, {.cluster_axis = 1})), elements(input));
}

}  // namespace
}  // namespace ttnn
