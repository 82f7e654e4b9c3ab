#include "tracelift/sweep/pool.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

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
    size_t index = 0;
    std::chrono::milliseconds timeout{};
    unsigned attempts = 0;
    unsigned timeouts = 0;
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
    bool loading = false;       // what the call needs first: a module and its libraries
    bool retiring = false;      // its input is closed, it gets no further call
    Clock::time_point since{};  // when the current step began: sending the call, the call itself, finishing
    std::optional<Sentence> sentence;

    bool idle() const { return !job && !retiring && !sentence; }
    void give(Job next, const std::string& request);
    void retire();
    void condemn(Status status, std::string message);
};

void Worker::give(Job next, const std::string& request) {
    ++next.attempts;
    job = next;
    started = loading = false;
    since = Clock::now();
    process.forget_output();
    process.send(request);
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

// A line of a worker, or nothing where it does not answer the piece of this id.
std::optional<Json> parse_reply(const std::string& line, int64_t id) {
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) {
        return std::nullopt;
    }
    const auto answered = json.contains("start") ? json.find("start") : json.find("id");
    if (answered == json.end() || *answered != id) {
        return std::nullopt;
    }
    return json;
}

class Pool {
public:
    Pool(Work& work, const PoolOptions& options);
    void run();

private:
    void employ();
    bool give_next(Worker& worker);
    void skip_refused();
    void take_reply(Worker& worker, const std::string& line);
    void wait_for_events() const;
    void look_after(Worker& worker);
    void take_replies(Worker& worker);
    void retire_if_grown(Worker& worker) const;
    void enforce_limits(Worker& worker) const;
    void bury(Worker& worker);
    bool gets_another_try(Worker& worker);
    std::chrono::milliseconds limit_of(const Worker& worker) const;
    void lose_remaining(const std::string& reason);

    Work& work_;
    const PoolOptions& options_;
    size_t capacity_;
    std::deque<Job> waiting_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

Pool::Pool(Work& work, const PoolOptions& options)
    : work_(work), options_(options), capacity_(std::max(options.workers, 1U)) {
    for (size_t index = 0; index < work.size(); ++index) {
        waiting_.push_back({index, work.timeout(index).value_or(options.timeout)});
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

// What is refused ends before its turn.
void Pool::skip_refused() {
    while (!waiting_.empty()) {
        const auto loss = work_.refused(waiting_.front().index);
        if (!loss) {
            return;
        }
        const size_t index = waiting_.front().index;
        waiting_.pop_front();
        work_.lost(index, *loss);
    }
}

bool Pool::give_next(Worker& worker) {
    skip_refused();
    if (waiting_.empty()) {
        return false;
    }
    const Job next = waiting_.front();
    waiting_.pop_front();
    worker.give(next, work_.request(next.index));
    return true;
}

// Gives every idle worker a call, hires where calls are left over, and lets go whom nobody needs.
void Pool::employ() {
    for (const auto& worker : workers_) {
        if (worker->idle() && !give_next(*worker)) {
            worker->retire();
        }
    }
    skip_refused();
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
        give_next(*workers_.back());
        skip_refused();
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
        take_reply(worker, *line);
    }
}

void Pool::take_reply(Worker& worker, const std::string& line) {
    const Job job = *worker.job;
    const auto reply = parse_reply(line, work_.id(job.index));
    if (reply && reply->contains("start")) {
        worker.started = true;
        worker.loading = reply->value("loading", false);
        worker.since = Clock::now();
        return;
    }
    try {
        if (!reply) {
            throw BrokenReply{"it does not answer what was asked"};
        }
        work_.replied(job.index, *reply);
        worker.job.reset();
        retire_if_grown(worker);
    } catch (const BrokenReply& broken) {
        worker.condemn(Status::INFRA_WORKER_LOST,
                       fmt::format("broken reply of the worker ({}): '{:.1000}'", broken.reason, line));
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
    const std::chrono::milliseconds limit = limit_of(worker);
    if (Clock::now() - worker.since > limit) {
        worker.condemn(worker.started ? Status::FAIL_TIMEOUT : Status::INFRA_WORKER_LOST,
                       fmt::format("{} within {} ms",
                                   worker.started ? "no result" : "the worker did not start the call", limit.count()));
        return;
    }
    const uint64_t resident =
        worker.job && worker.started ? worker.process.bytes_with_children(options_.memory_limit) : 0;
    if (resident > options_.memory_limit) {
        worker.condemn(Status::FAIL_HOST_MEMORY, fmt::format("{:.0f} MB of host memory in use, {:.0f} MB allowed",
                                                             megabytes(resident), megabytes(options_.memory_limit)));
    }
}

// How long the current step of a worker may take.
std::chrono::milliseconds Pool::limit_of(const Worker& worker) const {
    if (!worker.job) {
        return options_.timeout;
    }
    const bool running = worker.started && !worker.loading;
    return running ? worker.job->timeout : options_.start_timeout.value_or(worker.job->timeout);
}

bool Pool::gets_another_try(Worker& worker) {
    Job& job = *worker.job;
    if (worker.sentence && worker.sentence->status == Status::FAIL_TIMEOUT) {
        return job.timeouts++ < options_.timeout_retries;
    }
    return !worker.started && job.attempts < attempts_to_start;
}

// Decides what the death of a worker means for its call.
void Pool::bury(Worker& worker) {
    if (!worker.job) {
        return;
    }
    if (gets_another_try(worker)) {
        waiting_.push_front(*worker.job);
        return;
    }
    Loss loss;
    if (worker.sentence) {
        loss.status = worker.sentence->status;
        loss.message = worker.sentence->message;
    } else {
        const bool own_fault = worker.started && !worker.process.ended_by_sigkill();
        loss.status = own_fault ? Status::FAIL_CRASH : Status::INFRA_WORKER_LOST;
        loss.message = fmt::format("the worker {} {} the call", worker.process.how_it_ended(),
                                   worker.started ? "during" : "before it started");
        if (const std::string output = worker.process.last_output(); !output.empty()) {
            loss.message += ": " + output;
        }
    }
    loss.milliseconds = worker.started ? milliseconds_since(worker.since) : 0.0;
    const size_t index = worker.job->index;
    worker.job.reset();
    work_.lost(index, loss);
}

void Pool::lose_remaining(const std::string& reason) {
    while (!waiting_.empty()) {
        const size_t index = waiting_.front().index;
        waiting_.pop_front();
        work_.lost(index, {.status = Status::INFRA_WORKER_LOST, .message = reason});
    }
}

// Calls of operations as work.
class CallWork : public Work {
public:
    CallWork(std::span<const CallRequest> requests, const CallDone& done) : requests_(requests), done_(done) {}
    size_t size() const override { return requests_.size(); }
    int64_t id(size_t index) const override { return requests_[index].id; }
    std::string request(size_t index) const override { return to_line(to_json(requests_[index])); }
    void replied(size_t index, const Json& reply) override { done_(requests_[index], parsed_result(reply)); }
    void lost(size_t index, const Loss& loss) override {
        done_(requests_[index], {.id = requests_[index].id,
                                 .status = loss.status,
                                 .message = loss.message,
                                 .milliseconds = loss.milliseconds});
    }

private:
    std::span<const CallRequest> requests_;
    const CallDone& done_;
};

}  // namespace

unsigned PoolOptions::default_workers() { return std::max(std::thread::hardware_concurrency(), 1U); }

uint64_t PoolOptions::default_memory_limit() {
    return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 3;
}

CallResult parsed_result(const Json& reply) {
    try {
        return result_from_json(reply);
    } catch (const std::exception& error) {
        throw BrokenReply{error.what()};
    }
}

void run_work(Work& work, const PoolOptions& options) { Pool(work, options).run(); }

void run_calls(std::span<const CallRequest> requests, const PoolOptions& options, const CallDone& done) {
    CallWork work(requests, done);
    run_work(work, options);
}

}  // namespace tracelift
