// Work of one call on several processors.
#pragma once

#include <algorithm>
#include <cstddef>

#include "ttnn/core/function_ref.hpp"
#include "ttnn/core/stop.hpp"

namespace ttnn {

// Calls work(first, last) for ranges that together are [0, count): on this thread and, where there is enough to do for
// them, on others. `least` members are worth a thread of their own, some 100 microseconds of work. A range has as many,
// unless there are fewer. Results must not depend on where ranges begin.
//
// One call has the processors at a time: inside of another one, and while a OneThread lives, all is one range on this
// thread. The error of the first range that has one is thrown, after all have ended.
void parallel(size_t count, size_t least, FunctionRef<void(size_t first, size_t last)> work);

// Numbers that are worth a thread where little is done to each: converted, copied, added.
inline constexpr size_t parallel_numbers = size_t{1} << 17;

// Calls use(first, count) for blocks of `total` numbers, in parallel and with a checkpoint before each.
template <class Use>
void in_blocks(size_t total, Use use) {
    constexpr size_t block = size_t{1} << 20;
    parallel(total, parallel_numbers, [&](size_t begin, size_t end) {
        for (size_t first = begin; first < end; first += block) {
            checkpoint();
            use(first, std::min(block, end - first));
        }
    });
}

}  // namespace ttnn
