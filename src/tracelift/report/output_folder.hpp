// OutputFolder: where a database and the files beside it come into being. Nothing that is there changes before
// `publish`.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tracelift::report {

class OutputFolder {
public:
    // Makes the folder, and waits for another import into it to end. Throws std::runtime_error.
    OutputFolder(const std::filesystem::path& folder, const std::string& database);
    // Removes what was not published.
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    bool has_database() const;
    const std::filesystem::path& database() const { return database_; }
    // The file to build the new database in; with a copy of the present one where asked for.
    const std::filesystem::path& partial(bool copy);
    // A file beside the database, by its path in the folder.
    void add_file(const std::string& name, std::string text) { files_.emplace_back(name, std::move(text)); }
    bool has_file(const std::string& name) const;
    // The same for a file that is too long to be kept as text: the path to write it to.
    std::filesystem::path stage_file(const std::string& name);
    void remove_file(const std::string& name) { removed_.push_back(name); }
    // Files first, the database last; each is written under another name and renamed.
    void publish();

private:
    std::filesystem::path staged_path(const std::string& name) const { return folder_ / ("." + name + ".partial"); }

    std::filesystem::path folder_;
    std::filesystem::path database_;
    std::filesystem::path partial_;
    std::vector<std::pair<std::string, std::string>> files_;
    std::vector<std::string> staged_;
    std::vector<std::string> removed_;
    int lock_ = -1;
};

}  // namespace tracelift::report
