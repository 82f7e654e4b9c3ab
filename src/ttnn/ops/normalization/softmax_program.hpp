// Checks and runs the softmax operations that softmax.hpp declares.
#pragma once

#include "ttnn/ops/normalization/softmax_rules.hpp"

namespace ttnn::softmax_program {

void validate(const softmax_rules::Arguments& args);
// The form with one mask for all matrices exists for sharded inputs only.
void validate_shared_mask(const softmax_rules::Arguments& args);
Tensor run(const softmax_rules::Arguments& args);

}  // namespace ttnn::softmax_program
