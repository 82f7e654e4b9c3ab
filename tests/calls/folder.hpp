// A folder of its own for a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace tracelift {

class FolderTest : public testing::Test {
protected:
    FolderTest() {
        std::string pattern = (std::filesystem::temp_directory_path() / "calls-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
    }
    ~FolderTest() override { std::filesystem::remove_all(folder_); }

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

    std::filesystem::path folder_;
};

}  // namespace tracelift
