// execute: one call in this process, on an emulated device, against the operation's reference.
#pragma once

#include "tracelift/sweep/call.hpp"

namespace tracelift {

// Whatever the call does short of ending the process becomes a status. Devices stay open for the thread's next call of
// the same board; their memory is as free afterwards as before.
CallResult execute(const CallRequest& request);

}  // namespace tracelift
