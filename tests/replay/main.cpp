// The tests and, as `<this> sweep-worker`, the workers that they start.
#include <string_view>

#include <gtest/gtest.h>

#include "replay/planted_bugs.hpp"
#include "tracelift/sweep/worker.hpp"

int main(int argc, char** argv) {
    tracelift::register_planted_bugs();
    if (argc > 1 && std::string_view(argv[1]) == tracelift::worker_argument) {
        return tracelift::run_worker();
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
