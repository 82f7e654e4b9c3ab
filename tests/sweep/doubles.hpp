// Operations that misbehave, each in one way, and some that do not.
#pragma once

namespace tracelift {

// ttnn.double_<behaviour>; before the registry is first used.
void register_doubles();

}  // namespace tracelift
