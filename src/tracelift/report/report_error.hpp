#pragma once

#include <stdexcept>

namespace tracelift::report {

// A report that cannot be imported; the text names the file and the place in it.
class ReportError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace tracelift::report
