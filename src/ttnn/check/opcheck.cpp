#include "ttnn/check/opcheck.hpp"

#include <algorithm>
#include <cmath>

#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

constexpr size_t kept_failures = 5;

std::vector<Combination> all_combinations() {
    std::vector<Combination> list;
    for (const auto& dtype : EnumInfo<DataType>::members) {
        if (dtype.value == DataType::INVALID) {
            continue;
        }
        for (const Layout layout : {Layout::ROW_MAJOR, Layout::TILE}) {
            for (const auto& memory : EnumInfo<MemoryKind>::members) {
                list.push_back({dtype.value, layout, memory.value});
            }
        }
    }
    return list;
}

void mutate(Tensor tensor, Mutation mutation) {
    const size_t width = tensor.logical_shape().from_end(0);
    const auto change = [&]<class T>(Dense<T> values) {
        // A number that no neighbour of a shared exponent can hide.
        T largest{};
        for (const T value : values) {
            if constexpr (std::is_same_v<T, float>) {
                largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
            }
        }
        largest = largest == T{0} ? T{1} : largest;
        for (size_t i = 0; i < values.size(); ++i) {
            if (mutation == Mutation::SCALE) {
                if constexpr (std::is_same_v<T, float>) {
                    values[i] *= 1.015625F;
                } else {
                    values[i] += 1;
                }
            } else if (i % width == width - 1) {
                values[i] = values[i] > T{0} ? T{0} - largest : largest;
            }
        }
        write<T>(tensor, values.span());
    };
    is_integer(tensor.dtype()) ? change(read<uint32_t>(tensor)) : change(read<float>(tensor));
}

std::string call_text(const AnyParams& params) {
    return tracelift::Value(encode_call(params.op(), params.data())).to_text();
}

void tally(OpCheck& check, CaseResult result, const std::function<void(const CaseResult&)>& each) {
    if (result.rejected) {
        ++check.rejected;
    } else {
        ++check.cases;
        check.worst_pcc = std::min(check.worst_pcc, result.scorecard.pcc);
        check.worst_ulp = std::max(check.worst_ulp, result.scorecard.max_ulp);
        check.failed += result.scorecard.pass ? 0 : 1;
    }
    if (each) {
        each(result);
    }
    if (!result.rejected && !result.scorecard.pass && check.failures.size() < kept_failures) {
        check.failures.push_back(std::move(result));
    }
}

CaseResult run_case(AnyParams& params, const Combination& combination, Mutation mutation, uint64_t seed) {
    const OpInfo& op = params.op();
    CaseResult result{.combination = combination, .call = call_text(params), .rejected = false, .scorecard = {}};
    fill_inputs(params, seed);
    // The reference goes first: the operation may write into its inputs.
    std::vector<reference::Array> expected;
    try {
        expected = op.reference(params.data());
    } catch (const std::exception& error) {
        result.scorecard.reason = fmt::format("the reference failed: {}", error.what());
    }
    std::vector<Tensor> outputs;
    try {
        outputs = call_operation(params);
    } catch (const Error& error) {
        result.rejected = true;
        result.scorecard.reason = error.what();
        return result;
    }
    if (!result.scorecard.reason.empty()) {
        return result;
    }
    if (outputs.size() != expected.size()) {
        result.scorecard.reason = fmt::format("{} outputs where the reference has {}", outputs.size(), expected.size());
        return result;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (mutation != Mutation::NONE) {
            mutate(outputs[i], mutation);
        }
        const Scorecard card = compare(expected[i], outputs[i], op.tolerance);
        if (i == 0 || !card.pass || card.max_ulp > result.scorecard.max_ulp) {
            result.scorecard = card;
        }
        if (!card.pass) {
            break;
        }
    }
    return result;
}

void check_declaration(const OpInfo& op, const std::shared_ptr<Device>& device, Mutation mutation,
                       const std::function<void(const CaseResult&)>& each, OpCheck& check) {
    if (op.cases == nullptr || op.reference == nullptr) {
        return;
    }
    uint64_t seed = 1;
    for (const Combination& combination : all_combinations()) {
        CaseMaker maker(op, device, combination);
        try {
            op.cases(maker);
        } catch (const NotApplicable&) {
        } catch (const Error& error) {
            tally(check, {combination, "(making the inputs)", true, {.reason = error.what()}}, each);
        }
        for (AnyParams& params : maker.take()) {
            tally(check, run_case(params, combination, mutation, ++seed), each);
        }
    }
}

}  // namespace

OpCheck check_operation(const OpInfo& op, const std::shared_ptr<Device>& device, Mutation mutation,
                        const std::function<void(const CaseResult&)>& each) {
    OpCheck check;
    check.op = &op;
    for (const OpInfo* overload = &op; overload != nullptr; overload = overload->next_overload) {
        check_declaration(*overload, device, mutation, each, check);
    }
    return check;
}

}  // namespace ttnn
