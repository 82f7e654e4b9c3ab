#include "ttnn/graph/stack.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include "ttnn/graph/symbols.hpp"

namespace ttnn::graph {
namespace {

constexpr int most_frames = 64;
constexpr int own_frames = 3;  // this function, the capture and the notification

// Frames of the capture itself end with ttnn::notify or what calls it for an operation, ttnn::notify_begin.
constexpr std::string_view last_own_function = "ttnn::notify";

std::atomic<StackTraces> wanted{StackTraces::OFF};

std::string demangled(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    return status == 0 ? text.get() : symbol;
}

std::string frame_text(void* address) {
    Dl_info place{};
    if (dladdr(address, &place) == 0 || place.dli_fname == nullptr) {
        return fmt::format("?() [{}]", address);
    }
    const auto offset = static_cast<uint64_t>(static_cast<char*>(address) - static_cast<char*>(place.dli_fbase));
    const Symbol symbol = find_symbol(place.dli_fname, offset);
    if (symbol.name.empty()) {
        return fmt::format("{}(+{:#x}) [{}]", place.dli_fname, offset, address);
    }
    return fmt::format("{}({}+{:#x}) [{}]", place.dli_fname, demangled(symbol.name), symbol.offset, address);
}

}  // namespace

std::string (*python_frames)() = nullptr;

void enable_stack_traces(StackTraces traces) { wanted.store(traces, std::memory_order_relaxed); }
bool stack_traces_enabled() { return wanted.load(std::memory_order_relaxed) != StackTraces::OFF; }
bool cpp_frames_wanted() { return wanted.load(std::memory_order_relaxed) == StackTraces::WITH_CPP; }

std::vector<void*> current_frames() {
    void* frames[most_frames + own_frames];
    const int count = backtrace(frames, most_frames + own_frames);
    return std::vector<void*>(frames + std::min(count, own_frames), frames + count);
}

std::string current_python_frames() { return python_frames != nullptr ? python_frames() : std::string(); }

std::vector<std::string> stack_texts(const std::vector<void*>& frames, std::string_view python) {
    std::vector<std::string> texts;
    while (!python.empty()) {
        const size_t end = std::min(python.find('\n'), python.size());
        texts.emplace_back(python.substr(0, end));
        python.remove_prefix(std::min(end + 1, python.size()));
    }
    const auto first = static_cast<ptrdiff_t>(texts.size());
    for (void* frame : frames) {
        texts.push_back(frame_text(frame));
    }
    const auto own = std::find_if(texts.rbegin(), texts.rend() - first,
                                  [](const std::string& text) { return text.find(last_own_function) != text.npos; });
    texts.erase(texts.begin() + first, own == texts.rend() - first ? texts.begin() + first : own.base());
    return texts;
}

}  // namespace ttnn::graph
