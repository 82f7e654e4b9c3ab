// A folder for one test with reports in it, and imports into `out`.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tracelift/report/import.hpp"

namespace tracelift::report::testing {

class Sandbox {
public:
    Sandbox() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        std::string name = std::string(test->test_suite_name()) + "." + test->name();
        for (char& c : name) {
            c = c == '/' ? '_' : c;
        }
        root_ = std::filesystem::temp_directory_path() / ("tracelift_report_" + std::to_string(getpid()) + "_" + name);
        std::filesystem::remove_all(root_);
        std::filesystem::create_directories(root_ / "in");
    }
    ~Sandbox() { std::filesystem::remove_all(root_); }
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    std::filesystem::path in() const { return root_ / "in"; }
    std::filesystem::path out() const { return root_ / "out"; }
    std::filesystem::path database() const { return out() / "db.sqlite"; }

    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(in() / name, std::ios::binary) << text;
        return in() / name;
    }
    static std::string read(const std::filesystem::path& path) {
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
    }
    ImportOptions options(const std::filesystem::path& input) const {
        ImportOptions options;
        options.inputs = {input};
        options.directory = out();
        return options;
    }
    // A report with these nodes, as "graph".
    static std::string report(const std::string& nodes, const std::string& other = "") {
        return R"({"version": 1, "devices": [], "metadata": {"rank": 0})" + other + R"(, "graph": [)" + nodes + "]}";
    }

private:
    std::filesystem::path root_;
};

}  // namespace tracelift::report::testing
