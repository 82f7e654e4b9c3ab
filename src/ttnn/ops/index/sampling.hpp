// sampling: one of the most probable entries of every user's row. manual_seed: where the draws begin.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Sampling {
    static constexpr std::string_view name = "ttnn.sampling";
    static constexpr std::string_view doc =
        "For each of 32 users one entry drawn from the k largest values of a row, from the shortest prefix of them "
        "whose probability exceeds p; k = 1 and p = 0 give the largest.";
    struct Params {
        Tensor input_values_tensor{};
        Tensor input_indices_tensor{};
        Tensor k{};
        Tensor p{};
        Tensor temp{};
        std::optional<int64_t> seed{};
        std::optional<CoreRangeSet> sub_core_grids{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_values_tensor>("BFLOAT16 [N, C, H, W] in TILE, 32 rows: a row per user"),
        arg<&Params::input_indices_tensor>("INT32 or UINT32 in ROW_MAJOR, same shape: what stands for a column"),
        arg<&Params::k>("UINT32 [32] in ROW_MAJOR: how many of the largest, 1 to 32"),
        arg<&Params::p>("BFLOAT16 [32] in ROW_MAJOR: probability to exceed, 0 to 1"),
        arg<&Params::temp>("BFLOAT16 [32] in ROW_MAJOR: 1 / temperature"),
        kw<&Params::seed>("the same draws every time; default: the users' generators go on"),
        kw<&Params::sub_core_grids>("32 cores to use"),
        kw<&Params::output_tensor>("INT32 or UINT32 [1, 1, 1, 32] in ROW_MAJOR, written and returned").mutates()};
    static constexpr std::string_view no_reference =
        "random draws: tests look at greedy ones, at what can be drawn, at frequency and repetition";

    static void validate(const Params& params);
    static Result run(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
};

struct ManualSeed {
    static constexpr std::string_view name = "ttnn.manual_seed";
    static constexpr std::string_view doc =
        "Seeds the generators that ttnn.sampling draws from without a seed: those of all users, or of some.";
    struct Params {
        TensorOrScalar seeds = int64_t{0};
        std::optional<DeviceHandle> device{};
        std::optional<TensorOrScalar> user_ids{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        opt<&Params::seeds>("a number, or a UINT32 tensor in ROW_MAJOR with one per user id; 4294967295 of a tensor "
                            "leaves a generator alone"),
        kw<&Params::device>("needed where no tensor is given"),
        kw<&Params::user_ids>("0 to 31: a number for a number, a tensor for either"),
        kw<&Params::sub_core_grids>("no effect here")};
    static constexpr std::string_view no_reference = "changes what ttnn.sampling draws; tests look at that";

    static void validate(const Params& params);
    static Result run(const Params& params);
};

TTNN_OPERATION(sampling, Sampling);
TTNN_OPERATION(manual_seed, ManualSeed);

}  // namespace ttnn

#ifndef TTNN_REFERENCE_SIDE

#include "ttnn/compute/sampling.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {

namespace indexing {

// A core per user: values and their places by tiles, then what the softmax of one tile and the draw need.
inline void sampling_program(Program& program, const Sampling::Params& params) {
    const Tensor& values = params.input_values_tensor;
    const CoreRangeSet cores = params.sub_core_grids.value_or(
        num_cores_to_corerangeset(compute::sampling_users, program.device().compute_grid(), true));
    const uint64_t tile = page_bytes(values);
    const uint64_t index_tile = Tile().bytes(DataType::UINT16);
    const uint64_t row = tile_columns(values);
    const auto add = [&](std::initializer_list<uint64_t> sizes) {
        for (const uint64_t bytes : sizes) {
            program.circular_buffer(cores, movement::capped(program, params.input_indices_tensor, bytes));
        }
    };
    add({4 * tile, 4 * index_tile, tile, 4 * tile, row * tile, row * index_tile, 2 * tile, 2 * tile, 2 * index_tile});
    add({tile, tile, tile, compute::sampling_users * page_bytes(params.input_indices_tensor)});
    add({128, 128, 64, 64});  // results, k, p and temperature of all users
}

inline void sample_users(std::span<const Tensor> inputs, std::span<const double> drawn, Tensor& output) {
    const Dense<float> values = read<float>(inputs[0]);
    const Dense<uint32_t> numbers = read<uint32_t>(inputs[1]);
    const Dense<uint32_t> most = read<uint32_t>(inputs[2]);
    const Dense<float> share = read<float>(inputs[3]);
    const Dense<float> heat = read<float>(inputs[4]);
    const size_t width = inputs[0].logical_shape()[-1];
    std::vector<uint32_t> chosen(compute::sampling_users);
    for (size_t user = 0; user < chosen.size(); ++user) {
        const compute::SamplingRow row{.values = {values.data() + user * width, width},
                                       .most = most[user],
                                       .share = share[user],
                                       .inverse_heat = heat[user],
                                       .drawn = drawn[user]};
        chosen[user] = numbers[user * width + compute::sample(row)];
    }
    write<uint32_t>(output, chosen);
}

inline void check_per_user(const Tensor& tensor, std::string_view argument, std::initializer_list<DataType> dtypes) {
    check_dtype(Sampling::name, argument, tensor, dtypes);
    check_layout(Sampling::name, argument, tensor, Layout::ROW_MAJOR);
}

inline void check_sampling(const Sampling::Params& params) {
    const std::string_view name = Sampling::name;
    const auto integers = {DataType::UINT32, DataType::INT32};
    check_dtype(name, "input_values_tensor", params.input_values_tensor, {DataType::BFLOAT16});
    check_layout(name, "input_values_tensor", params.input_values_tensor, Layout::TILE);
    check_interleaved(name, "input_values_tensor", params.input_values_tensor);
    check_interleaved(name, "input_indices_tensor", params.input_indices_tensor);
    check_per_user(params.input_indices_tensor, "input_indices_tensor", integers);
    check_per_user(params.k, "k", {DataType::UINT32});
    check_per_user(params.p, "p", {DataType::BFLOAT16});
    check_per_user(params.temp, "temp", {DataType::BFLOAT16});
    require(!params.sub_core_grids || params.sub_core_grids->num_cores() == compute::sampling_users,
            "{}: argument 'sub_core_grids' must have a core for each of {} users", name, compute::sampling_users);
    if (params.output_tensor) {
        check_per_user(*params.output_tensor, "output_tensor", integers);
        check_interleaved(name, "output_tensor", *params.output_tensor);
    }
}

inline const Tensor* tensor_in(const TensorOrScalar& value) { return std::get_if<Tensor>(&value); }

inline std::shared_ptr<Device> seeded_device(const ManualSeed::Params& params) {
    if (const Tensor* seeds = tensor_in(params.seeds)) {
        return seeds->device();
    }
    if (const Tensor* users = params.user_ids ? tensor_in(*params.user_ids) : nullptr) {
        return users->device();
    }
    return params.device.value_or(nullptr);
}

inline uint32_t user_number(double number) {
    require(number >= 0 && number < compute::sampling_users, "{}: argument 'user_ids' holds {}, users are 0 to {}",
            ManualSeed::name, number, compute::sampling_users - 1);
    return static_cast<uint32_t>(number);
}

inline std::vector<uint32_t> users_to_seed(const ManualSeed::Params& params, const Tensor& ids) {
    std::vector<uint32_t> users;
    if (ids) {
        const Dense<double> numbers = read<double>(ids);
        std::ranges::transform(numbers, std::back_inserter(users), user_number);
    } else if (params.user_ids) {
        users.push_back(user_number(static_cast<double>(std::get<int64_t>(*params.user_ids))));
    } else {
        for (uint32_t user = 0; user < compute::sampling_users; ++user) {
            users.push_back(user);
        }
    }
    return users;
}

inline void seed_generators(const ManualSeed::Params& params, const std::shared_ptr<Device>& device,
                            const Tensor& seeds, const Tensor& ids) {
    const std::vector<uint32_t> users = users_to_seed(params, ids);
    if (!seeds) {
        return compute::seed_users(device, users, static_cast<uint32_t>(std::get<int64_t>(params.seeds)));
    }
    const Dense<uint32_t> numbers = read<uint32_t>(seeds);
    for (size_t i = 0; i < users.size(); ++i) {
        if (numbers[i] != UINT32_MAX) {
            compute::seed_users(device, {&users[i], 1}, numbers[i]);
        }
    }
}

inline void check_seed_tensor(std::string_view argument, const Tensor& tensor) {
    check_dtype(ManualSeed::name, argument, tensor, {DataType::UINT32});
    check_layout(ManualSeed::name, argument, tensor, Layout::ROW_MAJOR);
}

}  // namespace indexing

inline void Sampling::validate(const Params& params) {
    constexpr uint32_t users = compute::sampling_users;
    const Shape& shape = params.input_values_tensor.logical_shape();
    require(
        shape.rank() == 4 && shape[3] != 0 && shape.volume() / shape[3] == users && shape[3] % tile_size == 0,
        "{}: argument 'input_values_tensor' must be [N, C, H, W] with N * C * H = {} and W a multiple of {}, got {}",
        name, users, tile_size, shape);
    require(params.input_indices_tensor.logical_shape() == shape,
            "{}: argument 'input_indices_tensor' must have the shape of the values, {}, got {}", name, shape,
            params.input_indices_tensor.logical_shape());
    const auto check = [&](std::string_view argument, const Tensor& tensor) {
        require(tensor.logical_shape() == Shape{users}, "{}: argument '{}' must be [{}], got {}", name, argument, users,
                tensor.logical_shape());
    };
    check("k", params.k);
    check("p", params.p);
    check("temp", params.temp);
    require(!params.seed || (*params.seed >= 0 && *params.seed <= UINT32_MAX),
            "{}: argument 'seed' must be between 0 and {}, got {}", name, UINT32_MAX, params.seed.value_or(0));
    if (params.output_tensor) {
        check_preallocated(name, "output_tensor", *params.output_tensor, {1, 1, 1, users});
    }
    check_at_launch([&] { indexing::check_sampling(params); });
}

inline Tensor Sampling::run(const Params& params) {
    const Tensor tensors[] = {params.input_values_tensor, params.input_indices_tensor, params.k, params.p, params.temp};
    const auto program = [&](Program& p, std::span<const Tensor>) { indexing::sampling_program(p, params); };
    const std::optional<uint32_t> seed =
        params.seed ? std::optional(static_cast<uint32_t>(*params.seed)) : std::nullopt;
    // All chips draw alike, as users are the same on all of them.
    std::optional<std::array<double, compute::sampling_users>> drawn;
    if (!drops_writes(params.input_values_tensor)) {
        drawn = compute::draw_for_users(params.input_values_tensor.device(), seed);
    }
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        indexing::sample_users(inputs, *drawn, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(tensors[0]).add(tensors[1]).add(tensors[2]).add(tensors[3]).add(tensors[4]);
        list.add_at_run(params.seed).add(params.sub_core_grids).add(params.output_tensor);
    };
    const TensorSpec spec({1, 1, 1, compute::sampling_users}, DataType::UINT32, Layout::ROW_MAJOR,
                          params.input_values_tensor.memory_config());
    return launch({"ttnn::prim::sampling", tensors, program, kernel, arguments}, spec, params.output_tensor);
}

inline Domain Sampling::domain(const Params& params, std::string_view field) {
    if (field == "k") {
        return Domain::integer(1, compute::sampled_entries);
    }
    if (field == "input_indices_tensor") {
        return Domain::integer(0, params.input_values_tensor.logical_shape().from_end(0) - 1);
    }
    return field == "p" ? Domain::real(0.0, 1.0) : Domain::real(0.5, 2.0);
}

inline void ManualSeed::validate(const Params& params) {
    const Tensor* seeds = indexing::tensor_in(params.seeds);
    const Tensor* users = params.user_ids ? indexing::tensor_in(*params.user_ids) : nullptr;
    require(indexing::seeded_device(params) != nullptr, "{}: argument 'device' is needed where no tensor is given",
            name);
    require(seeds == nullptr || users != nullptr,
            "{}: Seeds were provided as a tensor, so user_ids must not be provided as a scalar: argument 'user_ids' "
            "must be a tensor",
            name);
    require(seeds != nullptr || std::holds_alternative<int64_t>(params.seeds), "{}: argument 'seeds' must be an int",
            name);
    require(!params.user_ids || users != nullptr || std::holds_alternative<int64_t>(*params.user_ids),
            "{}: argument 'user_ids' must be an int or a tensor", name);
    if (seeds != nullptr) {
        require(seeds->logical_volume() == users->logical_volume(),
                "{}: arguments 'seeds' and 'user_ids' must have the same number of elements, got {} and {}", name,
                seeds->logical_volume(), users->logical_volume());
        indexing::check_seed_tensor("seeds", *seeds);
    } else {
        const auto seed = std::get<int64_t>(params.seeds);
        require(seed >= 0 && seed <= UINT32_MAX, "{}: argument 'seeds' must be between 0 and {}, got {}", name,
                UINT32_MAX, seed);
    }
    if (users != nullptr) {
        indexing::check_seed_tensor("user_ids", *users);
    }
}

inline Tensor ManualSeed::run(const Params& params) {
    const Tensor* seeds = indexing::tensor_in(params.seeds);
    const Tensor* users = params.user_ids ? indexing::tensor_in(*params.user_ids) : nullptr;
    const Tensor tensors[] = {seeds != nullptr ? *seeds : Tensor(), users != nullptr ? *users : Tensor()};
    const std::shared_ptr<Device> device = indexing::seeded_device(params);
    const auto program = [&](Program& p, std::span<const Tensor>) {
        const CoreRangeSet cores = p.split(compute::sampling_users, true);
        for (const Tensor& tensor : tensors) {
            if (tensor) {
                p.circular_buffer(cores, round_up<uint64_t>(page_bytes(tensor), 32));
            }
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor>) {
        indexing::seed_generators(params, device, inputs[0], inputs[1]);
    };
    Primitive primitive{"ttnn::prim::manual_seed", tensors, program, kernel};
    // The result says nothing; it stands for the call.
    return launch_on(device, primitive, TensorSpec({1}, DataType::UINT32, Layout::ROW_MAJOR));
}

}  // namespace ttnn

#endif
