// Files that are written again: regular ones whole or not at all, links keep pointing, everything else is written into.
#include "tracelift/base/replaced_file.hpp"

#include <fstream>
#include <future>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/catalog/sqlite/master_file.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ReplacedFiles : public ::testing::Test {
protected:
    size_t files_in_folder() const {
        return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    ScratchFolder scratch_;
    fs::path folder_ = scratch_.path();
};

TEST_F(ReplacedFiles, ARegularFileIsReplacedWholeAndKeepsItsPermissions) {
    const fs::path path = folder_ / "a.json";
    replace_file(path, "one");
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    std::ifstream reader(path);
    {
        ReplacedFile file(path);
        file.write("two");
        file.finish();
        EXPECT_EQ(read_file(path), "one");
        file.rename();
    }
    EXPECT_EQ(read_file(path), "two");
    std::string old;
    reader >> old;
    EXPECT_EQ(old, "one");  // who had it open still has the old one
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(ReplacedFiles, NothingIsLeftOfAFileThatIsGivenUp) {
    const fs::path path = folder_ / "a.json";
    replace_file(path, "one");
    { ReplacedFile(path).write("two"); }
    EXPECT_EQ(read_file(path), "one");
    EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(ReplacedFiles, ALinkKeepsPointingAndItsTargetIsReplaced) {
    fs::create_directory(folder_ / "far");
    replace_file(folder_ / "far/target", "one");
    fs::create_symlink("far/target", folder_ / "near");
    fs::create_symlink(folder_ / "near", folder_ / "link");
    struct stat before {};
    stat((folder_ / "far/target").c_str(), &before);
    replace_file(folder_ / "link", "two");
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "near"));
    EXPECT_EQ(fs::read_symlink(folder_ / "near"), "far/target");
    EXPECT_EQ(read_file(folder_ / "far/target"), "two");
    struct stat after {};
    stat((folder_ / "far/target").c_str(), &after);
    EXPECT_NE(before.st_ino, after.st_ino);  // by renaming, not by writing into it

    fs::create_symlink("far/new", folder_ / "dangling");
    replace_file(folder_ / "dangling", "three");
    EXPECT_TRUE(fs::is_symlink(folder_ / "dangling"));
    EXPECT_EQ(read_file(folder_ / "far/new"), "three");
}

TEST_F(ReplacedFiles, AFileThatWasBuiltElsewhereFollowsLinksToo) {
    replace_file(folder_ / "built", "new");
    replace_file(folder_ / "target", "old");
    fs::create_symlink("target", folder_ / "link");
    move_into_place(folder_ / "built", folder_ / "link");
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(read_file(folder_ / "target"), "new");
    EXPECT_FALSE(fs::exists(folder_ / "built"));

    replace_file(folder_ / "built", "new");
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    EXPECT_THROW(move_into_place(folder_ / "built", folder_ / "pipe"), StoreError);
    EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
}

TEST_F(ReplacedFiles, APipeIsWrittenInto) {
    const fs::path pipe = folder_ / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    auto reading = std::async(std::launch::async, [&] { return read_file(pipe); });
    const std::string text(300'000, 'x');  // more than a pipe holds
    replace_file(pipe, text);
    EXPECT_EQ(reading.get(), text);
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(ReplacedFiles, ADeviceIsWrittenIntoAndAFullOneSaysSo) {
    replace_file("/dev/null", "gone");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    try {
        replace_file("/dev/full", "too much");
        FAIL() << "it is full";
    } catch (const StoreError& error) {
        EXPECT_THAT(error.what(), HasSubstr("/dev/full: cannot be written: No space left"));
    }
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(ReplacedFiles, ADescriptorIsWrittenIntoWhereItStands) {
    const fs::path path = folder_ / "out";
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(write(fd, "first ", 6), 6);
    replace_file(fs::path("/dev/fd") / std::to_string(fd), "second ");
    ASSERT_EQ(write(fd, "third", 5), 5);
    close(fd);
    EXPECT_EQ(read_file(path), "first second third");
}

TEST_F(ReplacedFiles, AFolderOrALoopIsRefused) {
    try {
        replace_file(folder_, "");
        FAIL() << "it is a folder";
    } catch (const StoreError& error) {
        EXPECT_THAT(error.what(), HasSubstr("Is a directory"));
    }
    fs::create_symlink("loop", folder_ / "loop");
    EXPECT_THROW(replace_file(folder_ / "loop", ""), StoreError);
    EXPECT_TRUE(fs::is_symlink(folder_ / "loop"));
    EXPECT_EQ(files_in_folder(), 1U);
}

}  // namespace
}  // namespace tracelift
