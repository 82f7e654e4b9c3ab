// SIGINT and SIGTERM while a long command works: they are noted, so that the command can tell what it did and how to go
// on. A second one ends the process at once.
#pragma once

#include <string>
#include <vector>

namespace tracelift::cli {

// Thrown where work is given up because of a signal. Not a std::exception: nobody takes it for a failed piece of work.
struct Interrupted {
    int signal = 0;
};

// One inside another leaves everything to the outer one.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    // The signal that came; 0: none.
    static int arrived();
    // Throws Interrupted when one came.
    static void check();

private:
    bool inner_;
};

// "SIGINT"
const char* signal_name(int signal);
// The exit status of a command that a signal ended, as shells have it.
inline int interrupted_status(int signal) { return 128 + signal; }
// Words of a command that tells how to go on, quoted where a shell would read them otherwise.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace tracelift::cli
