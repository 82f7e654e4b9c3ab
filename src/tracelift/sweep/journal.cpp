#include "tracelift/sweep/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "tracelift/sweep/call.hpp"
#include "tracelift/sweep/record_json.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "results.jsonl";

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), why));
}

Json head_json(const JournalHead& head) {
    return {{"run", to_json(head.run)}, {"key", head.key}, {"ledger", head.ledger},
            {"total", head.total},      {"own", head.own}, {"vectors", head.vectors}};
}

JournalHead head_from_json(const Json& json) {
    return {.run = run_from_json(json.at("run")),
            .key = json.at("key").get<std::string>(),
            .ledger = json.at("ledger").get<std::string>(),
            .total = json.at("total").get<uint64_t>(),
            .own = json.at("own").get<uint64_t>(),
            .vectors = json.at("vectors").get<std::vector<std::string>>()};
}

void take_line(JournalContents& contents, const std::string& line, size_t number) {
    try {
        const Json json = Json::parse(line);
        if (number == 1) {
            contents.head = head_from_json(json);
        } else if (const auto finished = json.find("finished"); finished != json.end()) {
            contents.head.run.finished = finished->get<std::string>();
            contents.finished = true;
        } else {
            contents.results.push_back(record_from_json(json));
        }
    } catch (const std::exception& error) {
        fail(contents.path, fmt::format("line {}: expected a {} of a sweep: {}", number,
                                        number == 1 ? "journal's first line" : "result", error.what()));
    }
}

// Names sort by time; a process begins no two runs in the same millisecond.
std::string folder_name(const std::string& started) {
    std::string name;
    std::ranges::copy_if(started, std::back_inserter(name), [](char c) { return c >= '0' && c <= '9'; });
    return fmt::format("{}_{}", name, getpid());
}

}  // namespace

Journal::Journal(fs::path path, int flags)
    : path_(std::move(path)), fd_(open(path_.c_str(), flags | O_WRONLY | O_APPEND | O_CLOEXEC, 0666)) {
    if (fd_.get() < 0) {
        fail(path_, std::strerror(errno));
    }
    if (flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
        fail(path_, "another process is running this sweep");
    }
}

Journal Journal::create(const fs::path& sweeps, const JournalHead& head) {
    const fs::path folder = sweeps / folder_name(head.run.started);
    fs::create_directories(folder);
    Journal journal(folder / file_name, O_CREAT);
    journal.write_line(head_json(head));
    return journal;
}

Journal Journal::reopen(JournalContents& contents) {
    Journal journal(contents.path, 0);
    contents = read_journal(contents.path);
    if (ftruncate(journal.fd_.get(), static_cast<off_t>(contents.whole_bytes)) != 0) {
        fail(contents.path, std::strerror(errno));
    }
    return journal;
}

void Journal::append(const ResultRecord& record) { write_line(to_json(record)); }

void Journal::finish(const std::string& when) { write_line({{"finished", when}}); }

void Journal::write_line(const Json& json) {
    const std::string line = to_line(json);
    ssize_t written = 0;
    do {
        written = write(fd_.get(), line.data(), line.size());
    } while (written < 0 && errno == EINTR);
    if (written != static_cast<ssize_t>(line.size())) {
        fail(path_, written < 0 ? std::strerror(errno) : "a result could not be written whole: is the disk full?");
    }
}

JournalContents read_journal(const fs::path& given) {
    JournalContents contents;
    contents.path = fs::is_directory(given) ? given / file_name : given;
    std::ifstream file(contents.path, std::ios::binary);
    if (!file) {
        fail(contents.path, std::strerror(errno));
    }
    size_t number = 0;
    for (std::string line; std::getline(file, line) && !file.eof();) {  // without an end it is no whole line
        take_line(contents, line, ++number);
        contents.whole_bytes += line.size() + 1;
    }
    if (number == 0) {
        fail(contents.path, "expected a journal of a sweep, found no whole line");
    }
    return contents;
}

std::optional<JournalHead> read_head(const fs::path& folder) {
    std::ifstream file(folder / file_name, std::ios::binary);
    std::string line;
    if (!std::getline(file, line) || file.eof()) {
        return std::nullopt;
    }
    try {
        return head_from_json(Json::parse(line));
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::optional<JournalContents> last_journal(const fs::path& sweeps, const std::string& key) {
    std::vector<fs::path> folders;
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(sweeps, absent)) {
        folders.push_back(entry.path());
    }
    std::ranges::sort(folders, std::greater<>());
    for (const fs::path& folder : folders) {
        if (const auto head = read_head(folder); head && head->key == key) {
            return read_journal(folder);
        }
    }
    return std::nullopt;
}

}  // namespace tracelift
