// Errors of files and databases. Their texts name the file, the place and what was expected.
#pragma once

#include <stdexcept>

namespace tracelift {

// An input that cannot be used at all.
class FileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A database that cannot be opened, read or written, or a file that cannot be written.
class StoreError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace tracelift
