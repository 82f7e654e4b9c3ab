#include "tracelift/calls/call_tracing.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <pthread.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/calls/call_writer.hpp"
#include "tracelift/calls/line_file.hpp"

namespace tracelift {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

CallTracing& CallTracing::instance() {
    static auto* tracing = new CallTracing();
    return *tracing;
}

CallTracing::CallTracing() : writer_(std::make_shared<CallWriter>(*this)) {
    context_.run_id = utc_text();
    // Parts are collected at the end of the process; a forked child writes a file of its own.
    std::atexit([] { instance().write_lines({}); });
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] {
                       instance().mutex_.unlock();
                       instance().switch_after_fork();
                       instance().reopen_after_fork();
                   });
}

// The thread that was attaching or detaching is not here.
void CallTracing::switch_after_fork() {
    if (std::exchange(switching_, false)) {
        ttnn::detach(writer_);
        attached_ = false;
        update_observer();
    }
}

void CallTracing::reopen_after_fork() {
    if (!lines_) {
        return;
    }
    const std::filesystem::path path = lines_->path();
    lines_->abandon();
    lines_.reset();
    try {
        write_lines(path);
    } catch (const std::exception& error) {
        complain("no calls are written", error.what());
    }
}

// Without the lock, which the writer takes: detaching waits for it. One thread switches at a time, and looks afterwards
// whether others want something else by now.
void CallTracing::update_observer() {
    for (;;) {
        bool wanted = false;
        {
            const std::lock_guard lock(mutex_);
            wanted = parameters_on_ || lines_ != nullptr;
            if (switching_ || wanted == attached_) {
                return;
            }
            switching_ = true;
            attached_ = wanted;
            attachments_ += wanted ? 1 : 0;
        }
        wanted ? ttnn::attach(writer_) : ttnn::detach(writer_);
        const std::lock_guard lock(mutex_);
        switching_ = false;
    }
}

void CallTracing::trace_parameters(bool on) {
    parameters_on_ = on;
    update_observer();
}

void CallTracing::write_lines(const std::filesystem::path& path) {
    std::shared_ptr<LineFile> before = lines();  // closed outside the lock
    if (before && !path.empty() && before->path() == std::filesystem::absolute(path)) {
        return;
    }
    before.reset();
    auto next = path.empty() ? nullptr : std::make_shared<LineFile>(path);
    {
        const std::lock_guard lock(mutex_);
        before = std::exchange(lines_, std::move(next));
    }
    update_observer();
}

std::shared_ptr<LineFile> CallTracing::lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
}

void CallTracing::set_context(CallContext context) {
    const std::lock_guard lock(mutex_);
    context_ = std::move(context);
    op_index_ = 0;
}

void CallTracing::start_from_environment() {
    try {
        if (const std::string asked = variable(trace_parameters_variable); !asked.empty() && asked != "0") {
            trace_values(asked == "values");
            trace_parameters(true);
        }
        if (const std::string path = variable(lines_variable); !path.empty()) {
            write_lines(path);
        }
    } catch (const std::exception& error) {
        complain("calls are not traced", error.what());
    }
}

void CallTracing::complain(const char* what, const std::string& why) {
    if (!complained_.exchange(true)) {
        fmt::print(stderr, "tracelift: {}: {} (reported once)\n", what, why);
    }
}

}  // namespace tracelift
