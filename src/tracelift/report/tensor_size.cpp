#include "tracelift/report/tensor_size.hpp"

#include <algorithm>

#include "tracelift/report/viewer_text.hpp"

namespace tracelift::report {

std::optional<int64_t> size_without_allocation(const NodeView& tensor, const ReportFile& report, NodeLookup& ahead) {
    if (tensor.integer("device_id") && tensor.position + 1 < report.nodes()) {
        const NodeView& next = ahead.read(tensor.position + 1);
        const auto links = next.links();
        const auto size = next.integer("size");
        const bool is_its_buffer = std::ranges::find(links, static_cast<uint64_t>(tensor.counter)) != links.end();
        if (next.is(NodeType::BUFFER) && is_its_buffer && size) {
            return size;
        }
    }
    return tensor_bytes(tensor.text("shape"), tensor.text("dtype"), tensor.text("layout"));
}

}  // namespace tracelift::report
