// A folder of its own for a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tracelift/base/scratch_folder.hpp"

namespace tracelift {

class FolderTest : public testing::Test {
protected:
    static std::string text_of(const std::filesystem::path& path) {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }
    static std::vector<std::string> lines_of(const std::filesystem::path& path) {
        std::ifstream file(path);
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);) {
            lines.push_back(line);
        }
        return lines;
    }

    ScratchFolder scratch_;
    std::filesystem::path folder_ = scratch_.path();
};

}  // namespace tracelift
