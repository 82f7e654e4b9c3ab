// Included by every header of compute/: references are compiled where this is an error, so that none of them can share
// code with the kernel it judges.
#pragma once

#ifdef TTNN_REFERENCE_SIDE
#error "compute/ holds kernel code; a reference must not include it"
#endif
