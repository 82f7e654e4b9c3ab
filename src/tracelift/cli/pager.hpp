// Output that is longer than the terminal goes through a pager; in a pipe it goes straight on.
#pragma once

#include <cstdio>

namespace tracelift::cli {

class Pager {
public:
    Pager();
    ~Pager();
    Pager(const Pager&) = delete;
    Pager& operator=(const Pager&) = delete;
    std::FILE* out() const { return out_; }

private:
    std::FILE* out_ = stdout;
};

}  // namespace tracelift::cli
