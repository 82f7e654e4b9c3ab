// Which operations of a trace are kept: not excluded, and on the list of valid ones.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tracelift {

class OperationFilter {
public:
    // The operations that we implement, without those that only move data about.
    OperationFilter();
    // Lists of names, one a line, in either style; '#' starts a comment. Throws an error that names the file and line.
    // A list of excluded ones may be empty.
    void load_valid(const std::filesystem::path& path);
    void load_excluded(const std::filesystem::path& path);

    // Every operation whatever its name.
    void keep_all() { keep_all_ = true; }

    enum class Verdict { KEPT, EXCLUDED, NOT_LISTED };
    Verdict judge(std::string_view operation) const;
    // Dotted names.
    const std::set<std::string, std::less<>>& valid() const { return valid_; }
    const std::set<std::string, std::less<>>& excluded() const { return excluded_; }

private:
    std::set<std::string, std::less<>> valid_;
    std::set<std::string, std::less<>> excluded_;
    bool keep_all_ = false;
};

}  // namespace tracelift
