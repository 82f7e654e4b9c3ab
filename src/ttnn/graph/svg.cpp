#include "ttnn/graph/svg.hpp"

#include <algorithm>
#include <charconv>

#include "ttnn/core/error.hpp"
#include "ttnn/graph/flow_page.hpp"
#include "ttnn/graph/svg_edges.hpp"
#include "ttnn/graph/svg_page.hpp"

namespace ttnn::graph {
namespace {

constexpr size_t few_nodes = 200;  // AUTO draws every step of so many

struct CallRange {
    size_t first = 0;  // from 0
    size_t last = 0;   // one behind
};

CallRange chosen(const std::vector<FlowCall>& calls, const SvgOptions& options) {
    const bool all = options.first_call <= 1 && options.last_call >= calls.size();
    const CallRange range{options.first_call - std::min<size_t>(options.first_call, 1),
                          std::min(options.last_call, calls.size())};
    if (!all && range.first >= range.last) {
        throw TraceError(fmt::format("there are no calls {} to {}: {} has only {}", options.first_call,
                                     options.last_call, options.source, calls.size()));
    }
    return range;
}

std::string steps_svg(const Trace& trace, const std::vector<FlowCall>& calls, const CallRange& range,
                      const SvgOptions& options) {
    const bool all = range.last - range.first == calls.size();
    const svg::Wanted wanted{
        .max_level = options.max_level,
        .first = all ? 0 : calls[range.first].counter,
        .last = all ? std::numeric_limits<uint32_t>::max() : calls[range.last - 1].last,
        .top = svg::Page::head_height,
        .tallest = tallest_picture - 50,
    };
    const svg::Layout layout = svg::lay_out(trace, wanted);
    const svg::Edges edges = svg::find_edges(trace, layout, options);
    svg::Page page(trace, layout, edges);
    page.open(options.source);
    page.add_functions();
    page.add_edges();
    page.add_nodes();
    return page.close();
}

}  // namespace

void SvgOptions::choose_calls(std::string_view text) {
    const auto number = [&](std::string_view digits) {
        size_t value = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        require(read.ec == std::errc() && read.ptr == digits.data() + digits.size() && value > 0,
                "'{}' is not a range of calls: expected a number from 1 up, or two with '-' between them", text);
        return value;
    };
    const size_t dash = text.find('-');
    first_call = number(text.substr(0, dash));
    last_call = dash == std::string_view::npos ? first_call : number(text.substr(dash + 1));
}

std::string flow_svg(std::vector<FlowCall> calls, size_t nodes, const SvgOptions& options) {
    const CallRange range = chosen(calls, options);
    const size_t total = calls.size();
    calls.resize(range.last);
    calls.erase(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(range.first));
    uint64_t duration = 0;
    for (FlowCall& call : calls) {
        duration += call.duration_ns;
        std::erase_if(call.producers, [&](uint32_t producer) { return producer < range.first; });
        for (uint32_t& producer : call.producers) {
            producer -= static_cast<uint32_t>(range.first);
        }
    }
    const size_t number = range.first + 1;  // of the first call
    const svg::FlowLayout layout = svg::lay_out(calls, number, svg::FlowPage::head_height, tallest_picture - 50);
    std::vector<std::string> notes;
    notes.push_back(fmt::format(
        "{} calls, {} nodes, {:.3f} ms in calls. Time runs down the columns, from left to right; arrows are tensors.",
        total, nodes, static_cast<double>(duration) / 1e6));
    notes.push_back(
        fmt::format("Left out: the steps inside calls (buffers, circular buffers, nested functions). To see those of "
                    "call #{}: tracelift graph svg {} --calls {}",
                    number, options.source, number));
    if (range.first > 0 || range.last < total || layout.drawn < calls.size()) {
        const size_t last = range.first + layout.drawn;
        notes.push_back(fmt::format(
            "Left out: all calls but #{} to #{} of {}. To see others: tracelift graph svg {} --calls {}-{}", number,
            last, total, options.source, last < total ? last + 1 : 1, last < total ? total : number - 1));
    }
    if (layout.folded > 0) {
        notes.push_back(fmt::format(
            "{} calls are repetitions and not drawn again; a dashed frame says how often each runs.", layout.folded));
    }
    svg::FlowPage page(calls, layout, number);
    page.open(options.source, notes);
    page.add_frames();
    page.add_edges();
    page.add_boxes();
    return page.close();
}

std::string to_svg(const Trace& trace, const SvgOptions& options) {
    std::vector<FlowCall> calls = flow_of(trace);
    const CallRange range = chosen(calls, options);
    size_t nodes = trace.size();
    if (range.last - range.first < calls.size()) {
        nodes = calls[range.last - 1].last - calls[range.first].counter + 1;
    }
    if (options.kind == SvgKind::STEPS || (options.kind == SvgKind::AUTO && nodes <= few_nodes)) {
        return steps_svg(trace, calls, range, options);
    }
    svg::check(trace);
    return flow_svg(std::move(calls), trace.size(), options);
}

}  // namespace ttnn::graph
