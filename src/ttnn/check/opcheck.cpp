#include "ttnn/check/opcheck.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <span>

#include "ttnn/device/device.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

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
            if (mutation != Mutation::DROP_COLUMN) {
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

// What a call is judged by.
struct Expectation {
    std::vector<reference::Array> outputs;
    std::string problem;  // why there is none
};

// Whether a call may change or free the tensors that it is given: what is not read from them before is lost. Those in
// L1 may be worked on in place, and are never large.
bool writes_into_inputs(AnyParams& params) {
    const OpInfo& op = params.op();
    bool found = false;
    for (const uint16_t index : op.tensor_fields) {
        const FieldInfo& field = op.fields[index];
        field.type->visit_tensors(params.field(field), [&](const Tensor& tensor) {
            found = found || field.mutates() || (tensor.is_on_device() && tensor.memory_config().is_l1());
        });
    }
    return found;
}

// On the host what every chip of the mesh holds. References ask the copy which mesh it was, and what the tensor was
// spread like says less: it may be a line of all chips.
Tensor kept_copy(const Tensor& tensor) {
    if (!tensor || !tensor.is_on_device() || tensor.num_parts() != tensor.device()->num_chips()) {
        return copy_to_host(tensor);
    }
    std::map<const void*, Tensor> known;  // chips that share bytes share the copy
    std::vector<Tensor> parts;
    for (uint32_t chip = 0; chip < tensor.num_parts(); ++chip) {
        Tensor& copy = known[tensor.part_identity(chip)];
        copy = copy ? copy : copy_to_host(tensor.part(chip));
        parts.push_back(copy);
    }
    const MeshShape& mesh = tensor.device()->mesh();
    return Tensor::from_parts(parts, {std::vector<Placement>(mesh.rank()), mesh});
}

// The arguments as they are before the call, for the reference: tensors that the call may write into are copied.
AnyParams kept_arguments(AnyParams& params) {
    AnyParams kept = params;
    if (writes_into_inputs(params)) {
        for (const uint16_t index : kept.op().tensor_fields) {
            const FieldInfo& field = kept.op().fields[index];
            field.type->visit_tensors(kept.field(field), [](const Tensor& tensor) {
                const_cast<Tensor&>(tensor) = kept_copy(tensor);  // a handle inside `kept`, which is ours
            });
        }
    }
    return kept;
}

// Why the inputs have no values; empty: they have.
std::string fill_problem(AnyParams& params, uint64_t seed) {
    try {
        fill_inputs(params, seed);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        return fmt::format("the inputs cannot be made: {}", error.what());
    }
    return {};
}

// The tensors of a field, or of all fields.
std::vector<Tensor> tensors_of(const AnyParams& params, const FieldInfo& field) {
    std::vector<Tensor> tensors;
    field.type->visit_tensors(params.field(field), [&](const Tensor& tensor) { tensors.push_back(tensor); });
    return tensors;
}

Tensor on_chip(const Tensor& tensor, uint32_t chip) {
    return tensor && tensor.num_parts() > 1 ? tensor.part(chip) : tensor;
}

std::vector<Tensor> on_chip(std::span<const Tensor> tensors, uint32_t chip) {
    std::vector<Tensor> parts;
    for (const Tensor& tensor : tensors) {
        parts.push_back(on_chip(tensor, chip));
    }
    return parts;
}

// The arguments as one chip of a mesh has them.
AnyParams on_chip(const AnyParams& params, uint32_t chip) {
    AnyParams result = params;
    for (const uint16_t index : result.op().tensor_fields) {
        const FieldInfo& field = result.op().fields[index];
        field.type->visit_tensors(result.field(field), [&](const Tensor& tensor) {
            const_cast<Tensor&>(tensor) = on_chip(tensor, chip);  // a handle inside `result`, which is ours
        });
    }
    return result;
}

// One of the chips that have the same bytes in all tensors, for each such set. Where an operation looks at several
// chips all of them count.
std::vector<uint32_t> chips_to_judge(const AnyParams& kept, std::span<const Tensor> outputs) {
    std::vector<Tensor> tensors(outputs.begin(), outputs.end());
    for (const uint16_t index : kept.op().tensor_fields) {
        std::ranges::copy(tensors_of(kept, kept.op().fields[index]), std::back_inserter(tensors));
    }
    uint32_t parts = 1;
    for (const Tensor& tensor : tensors) {
        parts = std::max(parts, tensor ? tensor.num_parts() : 1);
    }
    std::vector<uint32_t> chips;
    std::set<std::vector<const void*>> known;
    for (uint32_t chip = 0; chip < parts; ++chip) {
        std::vector<const void*> key;
        for (const Tensor& tensor : tensors) {
            key.push_back(tensor && tensor.num_parts() > 1 ? tensor.part_identity(chip) : nullptr);
        }
        if (known.insert(std::move(key)).second || kept.op().mesh_reference != nullptr) {
            chips.push_back(chip);
        }
    }
    return chips;
}

// Made after the call: a reference does not check what the operation checks. `hold`: it is to be independent of the
// tensors of the call from here on.
Expectation expectation(const AnyParams& kept, uint32_t chip, bool hold) {
    const OpInfo& op = kept.op();
    Expectation expected;
    try {
        if (op.mesh_reference != nullptr) {
            expected.outputs = op.mesh_reference(kept.data(), chip);
        } else if (op.reference != nullptr) {
            expected.outputs = op.reference(on_chip(kept, chip).data());
        }
        for (const reference::Array& output : expected.outputs) {
            if (hold) {
                output.values.held();
            }
        }
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        expected.problem = fmt::format("the reference failed: {}", error.what());
    }
    return expected;
}

bool perturbs_results(Mutation mutation) { return mutation == Mutation::SCALE || mutation == Mutation::DROP_COLUMN; }

bool judges_outputs(const OpInfo& op) { return op.reference != nullptr || op.mesh_reference != nullptr; }

Scorecard judge(const Expectation& expected, std::span<const Tensor> outputs, const Tolerance& tolerance,
                Mutation mutation) {
    if (outputs.size() != expected.outputs.size()) {
        return {.reason =
                    fmt::format("{} outputs where the reference has {}", outputs.size(), expected.outputs.size())};
    }
    Scorecard worst{.reason = "no outputs to compare"};
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (perturbs_results(mutation)) {
            mutate(outputs[i], mutation);
        }
        const Scorecard card = compare(expected.outputs[i], outputs[i], tolerance);
        if (i == 0 || !card.pass || card.max_ulp > worst.max_ulp) {
            worst = card;
        }
        if (!card.pass) {
            break;
        }
    }
    return worst;
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// What a call did to an argument, element by element and page by page.
class Untouched {
public:
    // `before` is on the host.
    Untouched(const reference::Array& expected, const Tensor& before, const Tensor& after)
        : before_(before), after_(after), touched_(Tensor::allocate_on_host(before.spec())) {
        for (const Band& band : bands_of(before.spec(), usual_band)) {
            look_at(expected, band);
        }
    }

    // Where the reference leaves the argument as it was the call must have left it so, to the last bit. Padding belongs
    // to what stays where nothing else of its page changes.
    std::string problem() const {
        if (!problem_.empty()) {
            return problem_;
        }
        for (uint64_t page = 0; page < before_.spec().num_pages(); ++page) {
            const size_t byte = first_difference(page);
            if (stays(page) && byte < page_size()) {
                return fmt::format("byte {} of page {} changed, where all elements had to stay", byte, page);
            }
        }
        return {};
    }
    // Whether the call was to write into a part of the argument only. What computes every element anew may find some as
    // they were, and makes of padding what it likes.
    bool mostly() const {
        uint64_t staying = 0;
        for (uint64_t page = 0; page < before_.spec().num_pages(); ++page) {
            staying += stays(page) ? 1 : 0;
        }
        return 2 * staying >= before_.spec().num_pages();
    }
    // Changes a byte that had to stay; there may be none.
    void stray() {
        for (uint64_t page = before_.spec().num_pages(); page-- > 0;) {
            if (stays(page)) {
                after_.mutable_bytes()[after_.page_offset(page) + page_size() - 1] ^= std::byte{1};
                return;
            }
        }
    }

private:
    size_t page_size() const { return before_.spec().page_size(); }
    static const std::byte* page_of(const Tensor& tensor, uint64_t page) {
        return tensor.bytes().data() + tensor.page_offset(page);
    }
    // The marks of its elements are zeros, and so is padding.
    bool stays(uint64_t page) const {
        const std::byte* marks = page_of(touched_, page);
        return std::all_of(marks, marks + page_size(), [](std::byte byte) { return byte == std::byte{0}; });
    }
    size_t first_difference(uint64_t page) const {
        const std::byte* before = page_of(before_, page);
        return static_cast<size_t>(std::mismatch(before, before + page_size(), page_of(after_, page)).first - before);
    }
    void look_at(const reference::Array& expected, const Band& band) {
        const bool shares_exponents = is_block_float(before_.dtype());  // what is written beside an element rounds it
        std::vector<double> want(band.size);
        std::vector<double> old_values(band.size);
        std::vector<double> new_values(band.size);
        expected.values.read(band.first, want);
        read_part<double>(before_, band.first, old_values);
        read_part<double>(after_, band.first, new_values);
        for (uint64_t i = 0; i < band.size; ++i) {
            const bool left = same_number(want[i], old_values[i]);
            if (left && !shares_exponents && !same_number(new_values[i], old_values[i]) && problem_.empty()) {
                problem_ =
                    fmt::format("element {} had to stay {} and is {}", band.first + i, old_values[i], new_values[i]);
            }
            want[i] = left ? 0 : 1;
        }
        if (is_integer(before_.dtype())) {
            write_band<uint32_t>(touched_, band, std::vector<uint32_t>(want.begin(), want.end()));
        } else {
            write_band<float>(touched_, band, std::vector<float>(want.begin(), want.end()));
        }
    }

    Tensor before_;
    Tensor after_;
    Tensor touched_;  // 1 for each element that the reference changes
    std::string problem_;
};

Scorecard judge_untouched(const reference::Array& expected, const Tensor& before, const Tensor& after, bool returned,
                          Mutation mutation, Scorecard card) {
    if (!card.pass || drops_writes(after) || expected.shape != before.logical_shape()) {
        return card;  // of another shape a view is returned, whose elements are judged
    }
    Untouched untouched(expected, before, after);
    if (returned && !untouched.mostly()) {
        return card;
    }
    if (mutation == Mutation::STRAY) {
        untouched.stray();
    }
    card.reason = untouched.problem();
    card.pass = card.reason.empty();
    return card;
}

// One argument that the call writes into, on one chip. `returned`: what the reference gives for it as an output.
Scorecard judge_argument(const AnyParams& kept, const FieldInfo& field, const Tensor& before, const Tensor& after,
                         const reference::Array* returned, uint32_t chip, Mutation mutation) {
    const OpInfo& op = kept.op();
    if (returned != nullptr) {
        return judge_untouched(*returned, before, after, true, mutation, {.pass = true, .equal = true, .reason = {}});
    }
    if (op.mutated_reference == nullptr) {
        return {.reason =
                    fmt::format("'{}' is marked as mutated, and nothing says what it holds afterwards", field.name)};
    }
    if (mutation == Mutation::ARGUMENTS || perturbs_results(mutation)) {
        mutate(after, mutation);
    }
    const reference::Array expected = op.mutated_reference(on_chip(kept, chip).data(), field.name);
    return judge_untouched(expected, before, after, false, mutation, compare(expected, after, op.tolerance));
}

// The arguments that the call writes into, but for those that it frees. `expected`: of the outputs, for what is
// returned.
Scorecard judge_mutated(const AnyParams& kept, const AnyParams& params, std::span<const Tensor> outputs,
                        const Expectation& expected, uint32_t chip, Mutation mutation) {
    Scorecard worst{.pass = true, .equal = true, .reason = {}};
    for (const FieldInfo& field : params.op().fields) {
        if (!field.mutates() || !field.type->has_tensors) {
            continue;
        }
        const std::vector<Tensor> before = tensors_of(kept, field);
        const std::vector<Tensor> after = tensors_of(params, field);
        for (size_t i = 0; worst.pass && i < after.size(); ++i) {
            const auto returned = std::ranges::find_if(outputs, [&](const Tensor& output) {
                return output && output.storage_key() == after[i].storage_key();
            });
            const auto place = static_cast<size_t>(returned - outputs.begin());
            if (!after[i].is_allocated() || (returned != outputs.end() && place >= expected.outputs.size())) {
                continue;
            }
            Scorecard card =
                judge_argument(kept, field, on_chip(before[i], chip), on_chip(after[i], chip),
                               returned != outputs.end() ? &expected.outputs[place] : nullptr, chip, mutation);
            if (!card.pass) {
                card.reason = fmt::format("argument '{}': {}", field.name, card.reason);
            }
            if (!card.pass || card.max_ulp >= worst.max_ulp) {
                worst = card;
            }
        }
    }
    return worst;
}

Scorecard judge_chip(const AnyParams& kept, const AnyParams& params, std::span<const Tensor> outputs, uint32_t chip,
                     Mutation mutation) {
    Scorecard card{.pass = true, .equal = true, .reason = {}};
    Expectation expected;
    if (judges_outputs(kept.op())) {
        expected = expectation(kept, chip, mutation != Mutation::NONE);
        if (!expected.problem.empty()) {
            return {.reason = expected.problem};
        }
        card = judge(expected, on_chip(outputs, chip), params.op().tolerance, mutation);
    }
    if (!card.pass) {
        return card;
    }
    Scorecard mutated = judge_mutated(kept, params, outputs, expected, chip, mutation);
    return !mutated.pass || mutated.max_ulp > card.max_ulp ? mutated : card;
}

// The worst of all chips.
Scorecard judge_call(const AnyParams& kept, const AnyParams& params, std::span<const Tensor> outputs,
                     Mutation mutation) {
    std::optional<Scorecard> worst;
    const std::vector<uint32_t> chips = chips_to_judge(kept, outputs);
    for (const uint32_t chip : chips) {
        Scorecard card = judge_chip(kept, params, outputs, chip, mutation);
        if (!card.pass && chips.size() > 1) {
            card.reason = fmt::format("chip {}: {}", chip, card.reason);
        }
        if (!worst || !card.pass || card.max_ulp > worst->max_ulp) {
            worst = std::move(card);
        }
        if (!worst->pass) {
            break;
        }
    }
    return *worst;
}

void run_call(AnyParams& params, uint64_t seed, const CheckOptions& options, CallCheck& check) {
    const OpInfo& op = params.op();
    const bool judged = options.compare && op.is_judged();
    const std::string unfilled =
        options.filled ? "" : fill_problem(params, seed);  // the call may be illegal all the same
    std::optional<AnyParams> kept;
    if (judged && unfilled.empty()) {
        kept = kept_arguments(params);
    }
    std::vector<Tensor> outputs;
    check.called = true;
    const auto begin = std::chrono::steady_clock::now();
    try {
        outputs = call_operation(params);
    } catch (const Error& error) {
        const bool memory = dynamic_cast<const OutOfMemory*>(&error) != nullptr;
        check.outcome = memory ? CallOutcome::OUT_OF_MEMORY : CallOutcome::REJECTED;
        check.scorecard.reason = error.what();
        return;
    }
    check.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    for (const Tensor& output : outputs) {
        if (output) {
            check.outputs.push_back(output.spec());
            if (options.output) {
                options.output(output);
            }
        }
    }
    if (!unfilled.empty()) {
        check.scorecard.reason = unfilled;
    } else if (kept) {
        check.scorecard = judge_call(*kept, params, outputs, options.mutation);
    } else if (options.compare) {
        check.outcome = CallOutcome::NO_REFERENCE;
        check.scorecard.reason = op.no_reference;
    } else {
        check.scorecard.pass = true;
    }
}

CaseResult run_case(AnyParams& params, const Combination& combination, Mutation mutation, uint64_t seed) {
    std::string call = call_text(params);  // as it was before the operation could deallocate its inputs
    CallCheck check = check_call(params, seed, {.mutation = mutation});
    const bool rejected = check.outcome == CallOutcome::REJECTED || check.outcome == CallOutcome::OUT_OF_MEMORY;
    return {combination, std::move(call), rejected, std::move(check.scorecard)};
}

void check_declaration(const OpInfo& op, const std::shared_ptr<Device>& device, Mutation mutation,
                       const std::function<void(const CaseResult&)>& each, OpCheck& check) {
    if (op.cases == nullptr || !op.is_judged()) {
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

CallCheck check_call(AnyParams& params, uint64_t seed, const CheckOptions& options) {
    all_operations();  // references and overloads are known once everything is registered
    CallCheck check;
    try {
        run_call(params, seed, options, check);
    } catch (const std::bad_alloc&) {
        check.outcome = CallOutcome::HOST_MEMORY;
        check.scorecard.reason = "not enough host memory for this call";
    } catch (const std::exception& error) {
        check.scorecard.reason = fmt::format("unexpected exception: {}", error.what());
    }
    return check;
}

OpCheck check_operation(const OpInfo& op, const std::shared_ptr<Device>& device, Mutation mutation,
                        const std::function<void(const CaseResult&)>& each) {
    all_operations();  // as above
    OpCheck check;
    check.op = &op;
    for (const OpInfo* overload = &op; overload != nullptr; overload = overload->next_overload) {
        check_declaration(*overload, device, mutation, each, check);
    }
    return check;
}

}  // namespace ttnn
