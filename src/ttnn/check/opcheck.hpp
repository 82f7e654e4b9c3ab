// opcheck: every operation's own cases against its reference, in all dtypes, layouts and memory kinds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/check/scorecard.hpp"

namespace ttnn {

// Perturbs an operation's result; a check that does not turn red then is not worth having.
enum class Mutation : uint8_t {
    NONE,
    SCALE,        // every element times 1 + 2^-6 (integers: plus 1)
    DROP_COLUMN,  // the last column overwritten by the largest magnitude with the other sign (integers: by 1 or -1)
    ARGUMENTS,    // SCALE of the arguments that the call writes into and does not return, results stay
    STRAY,        // one byte of an argument that the call writes into, in a page where it had to change nothing
};
template <>
struct EnumInfo<Mutation> {
    static constexpr std::string_view type = "Mutation";
    static constexpr EnumMember<Mutation> members[] = {{Mutation::NONE, "none"},
                                                       {Mutation::SCALE, "scale"},
                                                       {Mutation::DROP_COLUMN, "drop-column"},
                                                       {Mutation::ARGUMENTS, "arguments"},
                                                       {Mutation::STRAY, "stray"}};
};

enum class CallOutcome : uint8_t {
    JUDGED,         // the scorecard has the verdict
    REJECTED,       // the operation refused the call
    OUT_OF_MEMORY,  // it refused because the device's memory does not suffice
    HOST_MEMORY,    // this process ran out of memory
    NO_REFERENCE,   // it ran, and nothing judges it: the reason is what the declaration says
};

struct CallCheck {
    CallOutcome outcome = CallOutcome::JUDGED;
    bool called = false;                // the operation was entered
    Scorecard scorecard;                // its `reason` also says why a call was not judged
    std::vector<TensorSpec> outputs{};  // of a call that returned
    double milliseconds = 0.0;          // of the operation alone
};

struct CheckOptions {
    Mutation mutation = Mutation::NONE;
    bool compare = true;  // false: only make the inputs and call; every call that returns passes
    bool filled = false;  // the inputs have their values already
    std::function<void(const Tensor&)> output{};  // sees each output of a call that returned, before it is judged
};

// Fills the inputs, calls the operation, computes the reference and compares all outputs; the scorecard is that of
// the worst. Whatever these steps throw becomes an outcome.
CallCheck check_call(AnyParams& params, uint64_t seed, const CheckOptions& options = {});

struct CaseResult {
    Combination combination;
    std::string call;       // arguments as text
    bool rejected = false;  // the operation refused the combination; `scorecard.reason` says why
    Scorecard scorecard;
};

struct OpCheck {
    const OpInfo* op = nullptr;
    size_t cases = 0;
    size_t failed = 0;
    size_t rejected = 0;
    double worst_pcc = 1.0;
    double worst_ulp = 0.0;
    std::vector<CaseResult> failures;  // the first few
    bool pass() const { return cases > 0 && failed == 0; }
};

// Runs all cases of one operation and its overloads. `each` sees every case as it ends.
OpCheck check_operation(const OpInfo& op, const std::shared_ptr<Device>& device, Mutation mutation = Mutation::NONE,
                        const std::function<void(const CaseResult&)>& each = {});

}  // namespace ttnn
