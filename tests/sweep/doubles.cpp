#include "sweep/doubles.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>

#include <unistd.h>

#include "tracelift/sweep/worker.hpp"
#include "ttnn/op/op.hpp"
#include "ttnn/reference/attach.hpp"

namespace tracelift {
namespace {

using ttnn::Tensor;

struct DoubleParams {
    Tensor input_tensor{};
    std::string text{};
};

// Gives its input back; the reference agrees.
struct Double {
    static constexpr std::string_view doc = "A test double.";
    using Params = DoubleParams;
    using Result = Tensor;
    static constexpr ttnn::FieldList fields{ttnn::arg<&Params::input_tensor>("any tensor"),
                                            ttnn::opt<&Params::text>("what the double needs to know")};
    static ttnn::reference::Outputs reference(const Params& params) {
        return {ttnn::reference::values(params.input_tensor)};
    }
};

struct Healthy : Double {
    static constexpr std::string_view name = "ttnn.double_healthy";
    static Tensor run(const Params& params) { return params.input_tensor; }
};

struct Wrong : Double {
    static constexpr std::string_view name = "ttnn.double_wrong";
    static Tensor run(const Params& params) {
        Tensor output = Tensor::allocate_on_device(params.input_tensor.spec(), params.input_tensor.device());
        ttnn::write<float>(output, std::vector<float>(output.logical_volume(), 0.5F));
        return output;
    }
};

struct WithoutReference {
    static constexpr std::string_view name = "ttnn.double_without_reference";
    static constexpr std::string_view doc = "A test double.";
    using Params = DoubleParams;
    using Result = Tensor;
    static constexpr auto fields = Double::fields;
    static constexpr std::string_view no_reference = "nobody knows what it should give";
    static Tensor run(const Params& params) { return params.input_tensor; }
};

struct BadReference : Healthy {
    static constexpr std::string_view name = "ttnn.double_bad_reference";
    static ttnn::reference::Outputs reference(const Params&) { throw std::out_of_range("the reference is broken"); }
};

struct Aborts : Double {
    static constexpr std::string_view name = "ttnn.double_aborts";
    static Tensor run(const Params&) {
        std::fputs("first line\nabout to abort\n", stderr);
        std::abort();
    }
};

struct Exits : Double {
    static constexpr std::string_view name = "ttnn.double_exits";
    static Tensor run(const Params&) { _exit(3); }
};

// Leaves its process id in the file `text`, if it has a name.
struct Sleeps : Double {
    static constexpr std::string_view name = "ttnn.double_sleeps";
    static Tensor run(const Params& params) {
        if (!params.text.empty()) {
            std::ofstream(params.text) << getpid() << std::endl;
        }
        while (true) {
            pause();
        }
    }
};

// Ends when four of its kind are in the folder `text`.
struct MeetsThreeOthers : Double {
    static constexpr std::string_view name = "ttnn.double_meets_three_others";
    static Tensor run(const Params& params) {
        namespace fs = std::filesystem;
        std::ofstream(fs::path(params.text) / std::to_string(getpid())) << "here";
        while (std::distance(fs::directory_iterator(params.text), fs::directory_iterator()) < 4) {
            usleep(1000);
        }
        return params.input_tensor;
    }
};

char* touched(size_t size) {
    auto* bytes = static_cast<char*>(std::malloc(size));
    std::memset(bytes, 1, size);
    return bytes;
}

struct EatsMemory : Double {
    static constexpr std::string_view name = "ttnn.double_eats_memory";
    static Tensor run(const Params&) {
        for (volatile char sum = 0;;) {
            sum = static_cast<char>(sum + touched(1 << 20)[1]);
        }
    }
};

// Keeps 180 MB.
struct LeaksHostMemory : Double {
    static constexpr std::string_view name = "ttnn.double_leaks_host_memory";
    static Tensor run(const Params& params) {
        static std::vector<char*> kept;
        kept.push_back(touched(180'000'000));
        return params.input_tensor;
    }
};

// Leaves a process behind that would outlive everything; its number goes into the file `text`.
struct Forks : Double {
    static constexpr std::string_view name = "ttnn.double_forks";
    static Tensor run(const Params& params) {
        const pid_t child = fork();
        if (child == 0) {
            sleep(3600);
            _exit(0);
        }
        std::ofstream(params.text) << child << std::endl;
        return params.input_tensor;
    }
};

struct LeaksDeviceMemory : Double {
    static constexpr std::string_view name = "ttnn.double_leaks_device_memory";
    static Tensor run(const Params& params) {
        static std::vector<Tensor> kept;
        kept.push_back(Tensor::allocate_on_device(params.input_tensor.spec(), params.input_tensor.device()));
        return params.input_tensor;
    }
};

struct ThrowsBadAlloc : Double {
    static constexpr std::string_view name = "ttnn.double_throws_bad_alloc";
    static Tensor run(const Params&) { throw std::bad_alloc(); }
};

struct ThrowsOther : Double {
    static constexpr std::string_view name = "ttnn.double_throws_other";
    static Tensor run(const Params&) { throw std::out_of_range("an index"); }
};

// More than a pipe holds.
struct Prints : Double {
    static constexpr std::string_view name = "ttnn.double_prints";
    static Tensor run(const Params& params) {
        for (int i = 0; i < 20'000; ++i) {
            std::puts("{\"start\": 1} and other things that look like replies");
        }
        std::fflush(stdout);
        return params.input_tensor;
    }
};

struct BreaksReplies : Double {
    static constexpr std::string_view name = "ttnn.double_breaks_replies";
    static Tensor run(const Params& params) {
        static constexpr std::string_view text = "{\"id\": oops\n";
        if (write(worker_reply_fd, text.data(), text.size()) < 0) {
            std::abort();
        }
        return params.input_tensor;
    }
};

template <class... Ds>
void register_all() {
    (ttnn::attach_reference<Ds>(), ...);
    (ttnn::register_operation(ttnn::mutable_op_info<Ds>()), ...);
}

}  // namespace

void register_doubles() {
    register_all<Healthy, Wrong, WithoutReference, BadReference, Aborts, Exits, Sleeps, MeetsThreeOthers, EatsMemory,
                 LeaksHostMemory, LeaksDeviceMemory, ThrowsBadAlloc, ThrowsOther, Prints, Forks, BreaksReplies>();
}

}  // namespace tracelift
