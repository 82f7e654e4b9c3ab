// Device operations: the steps of a report that ran a program on a device. Profilers of hardware have a row for each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tracelift::report {

// What the ttnn-visualizer takes for one when it joins a report with a profile.
bool is_device_operation(std::string_view name);

// "MatmulDeviceOperation" for "ttnn::prim::matmul": what profilers call it.
std::string device_operation_code(std::string_view primitive);

// Whether two names mean the same device operation: "Softmax", "SoftmaxDeviceOperation", "softmax".
bool same_device_operation(std::string_view a, std::string_view b);

// Follows the functions of a report and gives each the name that it has in reports of hardware. Captures of the
// emulator name every program "Device Operation"; hardware names the class of the primitive.
class DeviceOperationNames {
public:
    std::string begin(std::string_view name);
    // Of the innermost open function of this name; what is open inside it did not end.
    std::string end(std::string_view name);
    void clear() { open_.clear(); }

private:
    struct Open {
        std::string name, shown;
    };
    std::vector<Open> open_;
};

}  // namespace tracelift::report
