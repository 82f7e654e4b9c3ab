// Where a path that is to be written leads, link by link: the rules that all who write files share.
//
// A regular file, or one that is not there yet, is replaced: written beside and renamed over it. Whatever else there is
// (a pipe, a device, a descriptor of this process such as /dev/stdout) is written into and stays.
#pragma once

#include <filesystem>

namespace tracelift {

struct Destination {
    std::filesystem::path path;
    bool replaced = true;  // false: written into
    int descriptor = -1;   // of this process, where the path names one
    int problem = 0;       // errno where it leads nowhere

    // What is written and then renamed to `path`.
    std::filesystem::path fresh() const;
};

Destination destination_of(std::filesystem::path path);

}  // namespace tracelift
