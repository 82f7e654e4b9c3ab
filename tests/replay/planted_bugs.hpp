// Operations with a bug each, which shows only in some calls.
#pragma once

namespace tracelift {

// ttnn.planted_<bug>; before the registry is first used.
void register_planted_bugs();

}  // namespace tracelift
