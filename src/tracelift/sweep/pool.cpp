#include "tracelift/sweep/pool.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <variant>

#include <unistd.h>

#include "tracelift/sweep/worker_process.hpp"

namespace tracelift {
namespace {

using Clock = std::chrono::steady_clock;

// How often memory is looked at. A worker can touch some gigabytes per second.
constexpr std::chrono::milliseconds sampling_period{20};
// A worker may be lost before a call for reasons that pass; not twice.
constexpr unsigned attempts_to_start = 2;

double milliseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

struct Job {
    const CallRequest* request = nullptr;
    unsigned attempts = 0;
};

// Why the pool killed a worker.
struct Sentence {
    Status status;
    std::string message;
};

struct Worker {
    explicit Worker(const std::vector<std::string>& command) : process(command) {}

    WorkerProcess process;
    std::optional<Job> job;
    bool started = false;       // it has announced the call
    bool retiring = false;      // its input is closed, it gets no further call
    Clock::time_point since{};  // when the current step began: sending the call, the call itself, finishing
    std::optional<Sentence> sentence;

    bool idle() const { return !job && !retiring && !sentence; }
    void give(Job next);
    void retire();
    void condemn(Status status, std::string message);
};

void Worker::give(Job next) {
    ++next.attempts;
    job = next;
    started = false;
    since = Clock::now();
    process.forget_output();
    process.send(to_line(to_json(*next.request)));
}

void Worker::retire() {
    retiring = true;
    since = Clock::now();
    process.close_input();
}

void Worker::condemn(Status status, std::string message) {
    sentence = Sentence{status, std::move(message)};
    process.kill();
}

struct Started {};
using Reply = std::variant<Started, CallResult>;

// Nothing for a line that does not answer the call of this id.
std::optional<Reply> parse_reply(const std::string& line, int64_t id) {
    try {
        const Json json = Json::parse(line);
        if (json.contains("start")) {
            return json.at("start") == id ? std::optional<Reply>(Started{}) : std::nullopt;
        }
        CallResult result = result_from_json(json);
        return result.id == id ? std::optional<Reply>(std::move(result)) : std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

class Pool {
public:
    Pool(std::span<const CallRequest> requests, const PoolOptions& options, const CallDone& done);
    void run();

private:
    void employ();
    void wait_for_events() const;
    void look_after(Worker& worker);
    void take_replies(Worker& worker);
    void retire_if_grown(Worker& worker) const;
    void enforce_limits(Worker& worker) const;
    void bury(Worker& worker);
    void finish(Worker& worker, const CallResult& result);
    void lose_remaining(const std::string& reason);

    const PoolOptions& options_;
    const CallDone& done_;
    size_t capacity_;
    std::deque<Job> waiting_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

Pool::Pool(std::span<const CallRequest> requests, const PoolOptions& options, const CallDone& done)
    : options_(options), done_(done), capacity_(std::max(options.workers, 1U)) {
    for (const CallRequest& request : requests) {
        waiting_.push_back({&request});
    }
}

void Pool::run() {
    for (employ(); !workers_.empty(); employ()) {
        wait_for_events();
        if (options_.go_on && !options_.go_on()) {
            return;  // before the workers' ends are judged: a signal from the keyboard reaches them too
        }
        for (const auto& worker : workers_) {
            look_after(*worker);
        }
        std::erase_if(workers_, [](const auto& worker) { return worker->process.ended(); });
    }
}

// Gives every idle worker a call, hires where calls are left over, and lets go whom nobody needs.
void Pool::employ() {
    for (const auto& worker : workers_) {
        if (!worker->idle()) {
            continue;
        }
        if (waiting_.empty()) {
            worker->retire();
            continue;
        }
        worker->give(waiting_.front());
        waiting_.pop_front();
    }
    while (!waiting_.empty() && workers_.size() < capacity_) {
        try {
            workers_.push_back(std::make_unique<Worker>(options_.worker_command));
        } catch (const std::system_error& error) {
            if (workers_.empty()) {
                lose_remaining(error.what());
            }
            capacity_ = workers_.size();  // go on with those that there are
            return;
        }
        workers_.back()->give(waiting_.front());
        waiting_.pop_front();
    }
}

void Pool::wait_for_events() const {
    std::vector<pollfd> events;
    for (const auto& worker : workers_) {
        worker->process.add_events(events);
    }
    // An interrupted wait is a short one.
    poll(events.data(), events.size(), static_cast<int>(sampling_period.count()));
}

void Pool::look_after(Worker& worker) {
    worker.process.pump();
    take_replies(worker);  // before the limits: a result that has come counts
    if (worker.process.ended()) {
        bury(worker);
    } else {
        enforce_limits(worker);
    }
}

void Pool::take_replies(Worker& worker) {
    while (worker.job && !worker.sentence) {
        const auto line = worker.process.next_reply();
        if (!line) {
            return;
        }
        const auto reply = parse_reply(*line, worker.job->request->id);
        if (!reply) {
            worker.condemn(Status::INFRA_WORKER_LOST, fmt::format("broken reply of the worker: '{}'", *line));
        } else if (const auto* result = std::get_if<CallResult>(&*reply)) {
            finish(worker, *result);
            retire_if_grown(worker);
        } else {
            worker.started = true;
            worker.since = Clock::now();
        }
    }
}

// What earlier calls left in its memory must not be charged to the next one.
void Pool::retire_if_grown(Worker& worker) const {
    if (worker.process.resident_bytes() > options_.memory_limit / 2) {
        worker.retire();
    }
}

void Pool::enforce_limits(Worker& worker) const {
    if (worker.sentence || worker.idle()) {
        return;
    }
    if (Clock::now() - worker.since > options_.timeout) {
        worker.condemn(
            worker.started ? Status::FAIL_TIMEOUT : Status::INFRA_WORKER_LOST,
            fmt::format("{} within {} ms", worker.started ? "no result" : "the worker did not start the call",
                        options_.timeout.count()));
        return;
    }
    const uint64_t resident = worker.job && worker.started ? worker.process.resident_bytes() : 0;
    if (resident > options_.memory_limit) {
        worker.condemn(Status::FAIL_HOST_MEMORY, fmt::format("{:.0f} MB of host memory in use, {:.0f} MB allowed",
                                                             megabytes(resident), megabytes(options_.memory_limit)));
    }
}

// Decides what the death of a worker means for its call.
void Pool::bury(Worker& worker) {
    if (!worker.job) {
        return;
    }
    if (!worker.started && worker.job->attempts < attempts_to_start) {
        waiting_.push_front(*worker.job);
        return;
    }
    CallResult result{.id = worker.job->request->id};
    if (worker.sentence) {
        result.status = worker.sentence->status;
        result.message = worker.sentence->message;
    } else {
        const bool own_fault = worker.started && !worker.process.ended_by_sigkill();
        result.status = own_fault ? Status::FAIL_CRASH : Status::INFRA_WORKER_LOST;
        result.message = fmt::format("the worker {} {} the call", worker.process.how_it_ended(),
                                     worker.started ? "during" : "before it started");
        if (const std::string output = worker.process.last_output(); !output.empty()) {
            result.message += ": " + output;
        }
    }
    result.milliseconds = worker.started ? milliseconds_since(worker.since) : 0.0;
    finish(worker, result);
}

void Pool::finish(Worker& worker, const CallResult& result) {
    const Job job = *worker.job;
    worker.job.reset();
    done_(*job.request, result);
}

void Pool::lose_remaining(const std::string& reason) {
    for (; !waiting_.empty(); waiting_.pop_front()) {
        const CallRequest& request = *waiting_.front().request;
        done_(request, {.id = request.id, .status = Status::INFRA_WORKER_LOST, .message = reason});
    }
}

}  // namespace

unsigned PoolOptions::default_workers() { return std::max(std::thread::hardware_concurrency(), 1U); }

uint64_t PoolOptions::default_memory_limit() {
    return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 4;
}

void run_calls(std::span<const CallRequest> requests, const PoolOptions& options, const CallDone& done) {
    Pool(requests, options, done).run();
}

}  // namespace tracelift
