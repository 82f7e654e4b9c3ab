// Results as JUnit XML: what Jenkins, GitLab and GitHub's reporters read.
#pragma once

#include <string>

#include "tracelift/sweep_report/result_set.hpp"

namespace tracelift {

// A testsuite per sweep and suite, a testcase per vector. Failures are <failure>, lost results <error>; what did not
// run, was not judged or failed as expected is <skipped> with the reason.
std::string junit_xml(const ResultSet& set);

}  // namespace tracelift
