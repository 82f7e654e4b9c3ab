// Products fused with collectives. The result is that of one after the other, and so is what runs here.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"
#include "ttnn/ops/matmul/matmul_rules.hpp"

namespace ttnn {

namespace ccl {
// What the fused operations declare alike about their product.
template <class Params>
inline constexpr FieldList fused_product_fields{
    kw<&Params::memory_config_mm>("of the product, default: DRAM interleaved"),
    kw<&Params::transpose_a>("transpose the last two dimensions of the first operand"),
    kw<&Params::transpose_b>("transpose the last two dimensions of the weights"),
    kw<&Params::dtype>("of the product, default: of the first operand"),
    kw<&Params::program_config>("how the work is cut; may carry an activation"),
    kw<&Params::activation>("function applied to the product"),
    kw<&Params::compute_kernel_config>("precision, no effect on results here"),
    kw<&Params::core_grid>("cores to use; not together with a program config")};

template <class Params>
matmul_rules::Arguments product_of(std::string_view op, const Tensor& operand, const Tensor& weights,
                                   const std::optional<Tensor>& bias, const Params& params) {
    return {.op = op,
            .a = operand,
            .b = weights,
            .bias = bias,
            .transpose_a = params.transpose_a,
            .transpose_b = params.transpose_b,
            .memory_config = params.memory_config_mm,
            .dtype = params.dtype,
            .program_config = params.program_config,
            .activation = params.activation,
            .compute_kernel_config = params.compute_kernel_config,
            .core_grid = params.core_grid};
}
}  // namespace ccl

struct AllGatherMatmulAsync {
    static constexpr std::string_view name = "ttnn.experimental.all_gather_matmul_async";
    static constexpr std::string_view doc =
        "Joins the parts of all chips and multiplies the whole by each chip's weights: both tensors.";
    struct Params {
        Tensor input_tensor{};
        Tensor weight_tensor{};
        std::optional<Tensor> persistent_output_buffer{};
        std::optional<int64_t> dim{};
        SemaphoreArgument multi_device_global_semaphore{};
        CoreCoord all_gather_core_grid_offset{};
        std::optional<Tensor> bias{};
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config_ag{};
        CclTopology topology = CclTopology::Ring;
        std::optional<GlobalSemaphore> barrier_semaphore{};
        std::optional<int64_t> subdevice_id{};
        std::optional<MemoryConfig> memory_config_mm{};
        bool transpose_a = false;
        bool transpose_b = false;
        std::optional<DataType> dtype{};
        std::optional<MatmulProgramConfig> program_config{};
        std::optional<Activation> activation{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<CoreGrid> core_grid{};
        std::optional<int64_t> chunks_per_sync{};
        std::optional<int64_t> num_workers_per_link{};
        std::optional<int64_t> num_buffers_per_channel{};
    };
    using Result = std::vector<Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::weight_tensor>("second operand of the product"),
                  opt<&Params::persistent_output_buffer>("gets the whole; written into and returned").mutates(),
                  opt<&Params::dim>("dimension to join, negative from the end; must be given"),
                  opt<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
                  opt<&Params::all_gather_core_grid_offset>("no effect"),
                  kw<&Params::bias>("added to every row of the product"),
                  kw<&Params::memory_config_ag>("of the whole, default: the input's, shards refitted"),
                  kw<&Params::barrier_semaphore>("no effect").is_volatile()} +
        ccl::link_fields<Params> + ccl::chunk_fields<Params> + ccl::fused_product_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

struct AllGatherMatmul {
    static constexpr std::string_view name = "ttnn.experimental.all_gather_matmul";
    static constexpr std::string_view doc = "The older form of all_gather_matmul_async.";
    struct Params {
        Tensor input_tensor{};
        Tensor weight_tensor{};
        int64_t dim = 0;
        CoreCoord all_gather_core_grid_offset{};
        std::optional<Tensor> bias{};
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config_ag{};
        std::optional<int64_t> num_workers{};
        std::optional<int64_t> num_buffers_per_channel{};
        std::optional<MemoryConfig> memory_config_mm{};
        bool transpose_a = false;
        bool transpose_b = false;
        std::optional<DataType> dtype{};
        std::optional<MatmulProgramConfig> program_config{};
        std::optional<Activation> activation{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<CoreGrid> core_grid{};
    };
    using Result = std::vector<Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh"),
                  arg<&Params::weight_tensor>("second operand of the product"),
                  arg<&Params::dim>("dimension to join, negative from the end"),
                  arg<&Params::all_gather_core_grid_offset>("no effect"),
                  kw<&Params::bias>("added to every row of the product"),
                  kw<&Params::num_links>("links between chips to use; no effect on results"),
                  kw<&Params::memory_config_ag>("of the whole, default: the input's, shards refitted"),
                  kw<&Params::num_workers>("no effect on results"),
                  kw<&Params::num_buffers_per_channel>("no effect on results")} +
        ccl::fused_product_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

struct MatmulReduceScatterAsync {
    static constexpr std::string_view name = "ttnn.experimental.matmul_reduce_scatter_async";
    static constexpr std::string_view doc =
        "Each chip's product, and its slice of the sum of all products: both tensors.";
    struct Params {
        Tensor input_tensor{};
        Tensor weight_tensor{};
        Tensor persistent_intermediate_buffer{};
        Tensor persistent_output_buffer{};
        int64_t dim = 0;
        SemaphoreArgument multi_device_global_semaphore{};
        CoreCoord reduce_scatter_core_grid_offset{};
        std::optional<GlobalSemaphore> barrier_semaphore{};
        std::optional<Tensor> bias{};
        int64_t num_links = 1;
        std::optional<MemoryConfig> memory_config_rs{};
        std::optional<MemoryConfig> intermediate_memory_config_rs{};
        CclTopology topology = CclTopology::Ring;
        std::optional<int64_t> subdevice_id{};
        std::optional<MemoryConfig> memory_config_mm{};
        bool transpose_a = false;
        bool transpose_b = false;
        std::optional<DataType> dtype{};
        std::optional<MatmulProgramConfig> program_config{};
        std::optional<Activation> activation{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<CoreGrid> core_grid{};
    };
    using Result = std::vector<Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a mesh, first operand of the product"),
                  arg<&Params::weight_tensor>("second operand of the product"),
                  arg<&Params::persistent_intermediate_buffer>("room for what is on its way; stays as it is here"),
                  arg<&Params::persistent_output_buffer>("gets the slices; written into and returned").mutates(),
                  arg<&Params::dim>("dimension to cut, negative from the end"),
                  opt<&Params::multi_device_global_semaphore>(ccl::semaphore_doc).is_volatile(),
                  opt<&Params::reduce_scatter_core_grid_offset>("no effect"),
                  kw<&Params::barrier_semaphore>("no effect").is_volatile(),
                  kw<&Params::bias>("added to every row of the products"),
                  kw<&Params::memory_config_rs>("no effect: the buffer has one"),
                  kw<&Params::intermediate_memory_config_rs>("no effect: there is no intermediate tensor here")} +
        ccl::link_fields<Params> + ccl::fused_product_fields<Params>;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<AllGatherMatmulAsync> all_gather_matmul_async{};
inline constexpr Op<AllGatherMatmul> all_gather_matmul{};
inline constexpr Op<MatmulReduceScatterAsync> matmul_reduce_scatter_async{};
}  // namespace experimental

TTNN_DECLARATION(AllGatherMatmulAsync);
TTNN_DECLARATION(AllGatherMatmul);
TTNN_DECLARATION(MatmulReduceScatterAsync);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"

namespace ttnn {

namespace reference {

inline std::optional<Tensor> part_of(const std::optional<Tensor>& tensor, uint32_t chip) {
    return tensor ? std::optional(tensor->part(chip)) : std::nullopt;
}

// Gathering changes no number, so the whole can be stored again as the parts are.
inline Tensor stored(const Array& whole, const Tensor& like, const MemoryConfig& memory) {
    const MemoryConfig config(TensorMemoryLayout::INTERLEAVED, memory.buffer_type());
    Tensor tensor = Tensor::allocate_on_host(TensorSpec(whole.shape, like.dtype(), like.layout(), config));
    const std::vector<float> numbers(whole.values.begin(), whole.values.end());
    write<float>(tensor, numbers);
    return tensor;
}

template <class Params>
std::vector<Array> gathered_product(std::string_view op, const Params& params, int64_t dim, uint32_t chip) {
    const Tensor& input = params.input_tensor;
    Array whole = gathered(input, members(mesh_of(input), std::nullopt, chip), dim);
    const Tensor operand = stored(whole, input, params.memory_config_ag.value_or(input.memory_config()));
    const Tensor weights = params.weight_tensor.part(chip);
    Array product =
        linear(matmul_rules::reference_call(ccl::product_of(op, operand, weights, part_of(params.bias, chip), params)));
    return {std::move(whole), std::move(product)};
}

}  // namespace reference

inline std::vector<reference::Array> AllGatherMatmulAsync::mesh_reference(const Params& params, uint32_t chip) {
    return reference::gathered_product(name, params, *params.dim, chip);
}
inline std::vector<reference::Array> AllGatherMatmul::mesh_reference(const Params& params, uint32_t chip) {
    return reference::gathered_product(name, params, params.dim, chip);
}

// Every product is stored before the sum.
inline std::vector<reference::Array> MatmulReduceScatterAsync::mesh_reference(const Params& params, uint32_t chip) {
    const auto chips = reference::members(reference::mesh_of(params.input_tensor), std::nullopt, chip);
    const DataType dtype = params.dtype.value_or(params.input_tensor.dtype());
    std::vector<reference::Array> products;
    std::vector<reference::Array> stored;
    for (const uint32_t member : chips) {
        const Tensor operand = params.input_tensor.part(member);
        const Tensor weights = params.weight_tensor.part(member);
        products.push_back(reference::linear(matmul_rules::reference_call(
            ccl::product_of(name, operand, weights, reference::part_of(params.bias, member), params))));
        stored.push_back(reference::stored_between(products.back(), dtype));
    }
    return {products[chip], reference::slice_of_sum(stored, chips, chip, params.dim, dtype)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/ccl/all_gather_async.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/reduce_scatter_async.hpp"
#include "ttnn/ops/matmul/linear.hpp"

namespace ttnn {

namespace ccl {

template <class Params>
Tensor product(const Tensor& operand, const Params& params) {
    return linear.with({.input_tensor_a = operand,
                        .input_tensor_b = params.weight_tensor,
                        .bias = params.bias,
                        .transpose_a = params.transpose_a,
                        .transpose_b = params.transpose_b,
                        .memory_config = params.memory_config_mm,
                        .dtype = params.dtype,
                        .program_config = params.program_config,
                        .activation = params.activation,
                        .compute_kernel_config = params.compute_kernel_config,
                        .core_grid = params.core_grid});
}

}  // namespace ccl

inline void AllGatherMatmulAsync::validate(const Params& params) {
    ccl::check_whole(name, "input_tensor", params.input_tensor);
    ccl::checked_dim(name, "dim", params.input_tensor, ccl::given_dim(name, params.dim));
}

inline std::vector<Tensor> AllGatherMatmulAsync::run(const Params& params) {
    const Op<GatherAsyncInto<false>> gather;
    const Tensor whole = gather.with({.input_tensor = params.input_tensor,
                                      .persistent_output_buffer = params.persistent_output_buffer,
                                      .dim = params.dim,
                                      .multi_device_global_semaphore = params.multi_device_global_semaphore,
                                      .num_links = params.num_links,
                                      .memory_config = params.memory_config_ag,
                                      .topology = params.topology,
                                      .subdevice_id = params.subdevice_id,
                                      .barrier_semaphore = params.barrier_semaphore,
                                      .chunks_per_sync = params.chunks_per_sync,
                                      .num_workers_per_link = params.num_workers_per_link,
                                      .num_buffers_per_channel = params.num_buffers_per_channel});
    return {whole, ccl::product(whole, params)};
}

inline void AllGatherMatmulAsync::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32}),
                    .weight_tensor = ccl::spread(make, {1, 1, 32 * ccl::chips(make), 32}),
                    .dim = 3});
}

inline void AllGatherMatmul::validate(const Params& params) {
    ccl::check_whole(name, "input_tensor", params.input_tensor);
    ccl::checked_dim(name, "dim", params.input_tensor, params.dim);
}

inline std::vector<Tensor> AllGatherMatmul::run(const Params& params) {
    const Op<GatherAsyncInto<false>> gather;
    const Tensor whole = gather.with({.input_tensor = params.input_tensor,
                                      .dim = params.dim,
                                      .num_links = params.num_links,
                                      .memory_config = params.memory_config_ag,
                                      .num_buffers_per_channel = params.num_buffers_per_channel});
    return {whole, ccl::product(whole, params)};
}

inline void AllGatherMatmul::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 32}),
                    .weight_tensor = ccl::spread(make, {1, 1, 32 * ccl::chips(make), 32}),
                    .dim = 3});
}

inline void MatmulReduceScatterAsync::validate(const Params& params) {
    ccl::check_whole(name, "input_tensor", params.input_tensor);
}

inline std::vector<Tensor> MatmulReduceScatterAsync::run(const Params& params) {
    const Tensor product = ccl::product(params.input_tensor, params);
    const Tensor slices = experimental::reduce_scatter_minimal_async.with(
        {.input_tensor = product,
         .persistent_output_buffers =
             std::vector{params.persistent_intermediate_buffer, params.persistent_output_buffer},
         .dim = params.dim,
         .multi_device_global_semaphore = params.multi_device_global_semaphore,
         .barrier_semaphore = params.barrier_semaphore,
         .num_links = params.num_links,
         .memory_config = params.memory_config_rs,
         .intermediate_memory_config = params.intermediate_memory_config_rs,
         .topology = params.topology,
         .subdevice_id = params.subdevice_id});
    return {product, slices};
}

inline void MatmulReduceScatterAsync::cases(CaseMaker& make) {
    const uint32_t chips = ccl::chips(make);
    make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 64}),
                    .weight_tensor = ccl::spread(make, {1, 1, 64, 32 * chips}),
                    .persistent_intermediate_buffer = ccl::spread(make, {1, 1, 32, 32 * chips}),
                    .persistent_output_buffer = ccl::spread(make, {1, 1, 32, 32}),
                    .dim = 3});
}

}  // namespace ttnn

#endif
