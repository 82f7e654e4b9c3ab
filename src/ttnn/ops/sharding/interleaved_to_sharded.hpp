// interleaved_to_sharded: the same elements in shards.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct InterleavedToSharded {
    static constexpr std::string_view name = "ttnn.interleaved_to_sharded";
    static constexpr std::string_view doc = "Moves an interleaved tensor into a sharded memory config.";
    struct Params {
        Tensor input_tensor{};
        MemoryConfig sharded_memory_config{};
        std::optional<DataType> output_dtype{};
        bool keep_l1_aligned = false;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("interleaved tensor on a device"),
                                      arg<&Params::sharded_memory_config>("sharded, with a shard spec"),
                                      opt<&Params::output_dtype>("TILE only; default: the input's"),
                                      kw<&Params::keep_l1_aligned>("alignment of rows in L1; no effect here")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct InterleavedToShardedGrid {
    static constexpr std::string_view name = "ttnn.interleaved_to_sharded";
    static constexpr std::string_view doc = "Moves an interleaved tensor into L1 shards over a grid of cores.";
    struct Params {
        Tensor input_tensor{};
        GridOrSet grid{};
        std::array<uint32_t, 2> shard_shape{};
        TensorMemoryLayout shard_scheme = TensorMemoryLayout::HEIGHT_SHARDED;
        ShardOrientation shard_orientation = ShardOrientation::ROW_MAJOR;
        std::optional<DataType> output_dtype{};
        bool keep_l1_aligned = false;
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("interleaved tensor on a device"),
                                      arg<&Params::grid>("size of the grid from (0, 0), or the cores themselves"),
                                      arg<&Params::shard_shape>("height and width in elements"),
                                      arg<&Params::shard_scheme>("HEIGHT_SHARDED, WIDTH_SHARDED or BLOCK_SHARDED"),
                                      arg<&Params::shard_orientation>("order of the cores"),
                                      opt<&Params::output_dtype>("TILE only; default: the input's"),
                                      kw<&Params::keep_l1_aligned>("alignment of rows in L1; no effect here")};
    static constexpr Tolerance tolerance = InterleavedToSharded::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

inline constexpr Overloads<InterleavedToSharded, InterleavedToShardedGrid> interleaved_to_sharded{};
TTNN_DECLARATION(InterleavedToSharded);
TTNN_DECLARATION(InterleavedToShardedGrid);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

namespace ttnn {

inline std::vector<reference::Array> InterleavedToSharded::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}
inline std::vector<reference::Array> InterleavedToShardedGrid::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

inline void validate_to_sharded(std::string_view op, const Tensor& input, const MemoryConfig& config, DataType dtype) {
    check_interleaved(op, "input_tensor", input);
    require(config.is_sharded(), "{}: the memory config of the result must be sharded, got {}", op, config);
    require(config.shard_spec() || config.nd_shard_spec(), "{}: the sharded memory config has no shard spec", op);
    require(config.memory_layout() != TensorMemoryLayout::BLOCK_SHARDED || config.is_l1() ||
                config.created_with_nd_shard_spec(),
            "{}: BLOCK_SHARDED must be in L1, got {}", op, config.buffer_type());
    require(dtype == input.dtype() || input.layout() == Layout::TILE,
            "{}: argument 'output_dtype' is {}, which needs an input in TILE: a ROW_MAJOR one stays {}", op, dtype,
            input.dtype());
    if (input.layout() == Layout::ROW_MAJOR) {
        const uint32_t width =
            config.shard_spec() ? config.shard_spec()->shape[1] : config.nd_shard_spec()->shard_shape.from_end(0);
        require(width * element_size(dtype) % 16 == 0,
                "{}: a ROW_MAJOR shard must have rows of a multiple of 16 bytes, got {} elements of {} ({} bytes)", op,
                width, dtype, width * element_size(dtype));
    }
}

inline void to_sharded_program(Program& program, const Tensor& input, const Tensor& output) {
    const bool in_l1 = output.memory_config().is_l1() && output.memory_config().shard_spec();
    const CoreRangeSet cores =
        in_l1 ? output.memory_config().shard_spec()->grid : program.split(output.buffer()->pages().num_banks_used());
    const uint64_t units = output.buffer()->pages().slots_per_bank();
    if (in_l1) {
        shard_buffer(program, output);
    } else {
        program.circular_buffer(cores, units * page_bytes(output));
    }
    if (input.dtype() != output.dtype()) {
        program.circular_buffer(cores, units * page_bytes(input));
    }
    const Board& board = program.device().board();
    const bool unaligned = page_bytes(input) % program.device().alignment(BufferType::DRAM) != 0;
    if ((input.memory_config().is_dram() && unaligned) || board.arch == Arch::BLACKHOLE) {
        program.circular_buffer(cores, 4 * page_bytes(input));
    }
}

inline Tensor to_sharded(const Tensor& input, const MemoryConfig& config, DataType dtype,
                         const std::optional<Tensor>& preallocated = std::nullopt) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { to_sharded_program(p, input, outputs[0]); };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::transfer(inputs[0], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(config).add(dtype).add(preallocated); };
    return launch({"ttnn::prim::interleaved_to_sharded", {&input, 1}, program, kernel, arguments},
                  TensorSpec::from_padded(input.logical_shape(), input.padded_shape(), dtype, input.layout(), config,
                                          input.spec().tile()),
                  preallocated);
}

inline MemoryConfig sharded_config(const InterleavedToShardedGrid::Params& params) {
    const auto* size = std::get_if<CoreCoord>(&params.grid);
    require(size == nullptr || (size->x > 0 && size->y > 0), "{}: argument 'grid' must not be empty, got {}",
            InterleavedToShardedGrid::name, size == nullptr ? "" : size->to_string());
    const CoreRangeSet cores = size != nullptr ? CoreRangeSet(CoreRange({0, 0}, {size->x - 1, size->y - 1}))
                                               : std::get<CoreRangeSet>(params.grid);
    return MemoryConfig(params.shard_scheme, BufferType::L1,
                        ShardSpec{cores, params.shard_shape, params.shard_orientation});
}

}  // namespace movement

inline void InterleavedToSharded::validate(const Params& params) {
    check_at_launch([&] {
        movement::validate_to_sharded(name, params.input_tensor, params.sharded_memory_config,
                                      params.output_dtype.value_or(params.input_tensor.dtype()));
    });
}

inline Tensor InterleavedToSharded::run(const Params& params) {
    return movement::to_sharded(params.input_tensor, params.sharded_memory_config,
                                params.output_dtype.value_or(params.input_tensor.dtype()));
}

inline void InterleavedToSharded::cases(CaseMaker& make) {
    make.only_if(make.sharded());
    for (const Shape& shape : {Shape{1, 1, 64, 128}, Shape{2, 33, 65}, Shape{40, 48}}) {
        const Tensor input = make.interleaved(shape, make.dtype(), make.layout());
        make.add(Params{.input_tensor = input, .sharded_memory_config = make.memory_config(shape)});
    }
    const Shape shape{1, 1, 64, 96};
    make.add(Params{.input_tensor = make.interleaved(shape, make.dtype(), make.layout(), BufferType::L1),
                    .sharded_memory_config = make.memory_config(shape),
                    .output_dtype = make.floating() ? DataType::BFLOAT8_B : make.dtype()});
}

inline void InterleavedToShardedGrid::validate(const Params& params) {
    require(params.shard_scheme != TensorMemoryLayout::INTERLEAVED,
            "{}: argument 'shard_scheme' must be HEIGHT_SHARDED, WIDTH_SHARDED or BLOCK_SHARDED, got {}", name,
            params.shard_scheme);
    const MemoryConfig config = movement::sharded_config(params);
    check_at_launch([&] {
        movement::validate_to_sharded(name, params.input_tensor, config,
                                      params.output_dtype.value_or(params.input_tensor.dtype()));
    });
}

inline Tensor InterleavedToShardedGrid::run(const Params& params) {
    return movement::to_sharded(params.input_tensor, movement::sharded_config(params),
                                params.output_dtype.value_or(params.input_tensor.dtype()));
}

inline void InterleavedToShardedGrid::cases(CaseMaker& make) {
    make.only_if(make.sharded());
    const Shape shape{1, 1, 128, 128};
    const ShardSpec spec = *make.memory_config(shape).shard_spec();
    const CoreCoord size = spec.grid.bounding_box().grid_size();
    const Tensor input = make.interleaved(shape, make.dtype(), make.layout());
    make.add(Params{.input_tensor = input,
                    .grid = size,
                    .shard_shape = spec.shape,
                    .shard_scheme = make.memory_config(shape).memory_layout()});
    make.add(Params{.input_tensor = input,
                    .grid = spec.grid,
                    .shard_shape = spec.shape,
                    .shard_scheme = make.memory_config(shape).memory_layout(),
                    .shard_orientation = ShardOrientation::COL_MAJOR});
}

}  // namespace ttnn

#endif
