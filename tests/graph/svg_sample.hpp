// What the tests of pictures need: the 34-node sample of the graph tracing guide as a trace, and a reader of SVG.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ttnn/graph/svg.hpp"
#include "ttnn/graph/trace.hpp"

namespace ttnn::graph::svg_test {

// Adds nodes in order and numbers them.
class TraceBuilder {
public:
    using Connections = std::vector<uint32_t>;

    TraceBuilder& add(NodeType type, Node::Params params = {}, Connections connections = {}) {
        Node& node = trace_.emplace_back();
        node.counter = static_cast<uint32_t>(trace_.size() - 1);
        node.type = type;
        node.params = std::move(params);
        node.connections = std::move(connections);
        return *this;
    }

    TraceBuilder& capture_start(Connections connections = {}) {
        return add(NodeType::CAPTURE_START, {}, std::move(connections));
    }
    TraceBuilder& capture_end() { return add(NodeType::CAPTURE_END); }
    TraceBuilder& start(std::string name, Connections connections = {}) {
        return add(NodeType::FUNCTION_START, {{"inputs", "2"}, {"name", std::move(name)}}, std::move(connections));
    }
    TraceBuilder& end(std::string name, Connections connections = {}) {
        return add(NodeType::FUNCTION_END, {{"name", std::move(name)}}, std::move(connections));
    }
    TraceBuilder& tensor(std::string shape, Connections connections = {}) {
        return add(NodeType::TENSOR, {{"shape", "ttnn.Shape([" + std::move(shape) + "])"}}, std::move(connections));
    }
    TraceBuilder& buffer(std::string size, Connections connections) {
        return memory(NodeType::BUFFER, std::move(size), std::move(connections));
    }
    TraceBuilder& allocate(std::string size, uint32_t buffer) {
        return memory(NodeType::BUFFER_ALLOCATE, std::move(size), {buffer});
    }
    TraceBuilder& deallocate(uint32_t buffer) { return memory(NodeType::BUFFER_DEALLOCATE, "0", {buffer}); }
    TraceBuilder& circular_buffer(std::string cores) {
        return add(NodeType::CIRCULAR_BUFFER_ALLOCATE, {{"address", "0"},
                                                        {"core_range_set", std::move(cores)},
                                                        {"globally_allocated", "false"},
                                                        {"size", "4096"}});
    }

    uint32_t size() const { return static_cast<uint32_t>(trace_.size()); }
    Trace take() { return std::move(trace_); }

private:
    TraceBuilder& memory(NodeType type, std::string size, Connections connections) {
        return add(type, {{"layout", "INTERLEAVED"}, {"size", std::move(size)}, {"type", "L1"}},
                   std::move(connections));
    }

    Trace trace_;
};

inline Trace sample_trace() {
    TraceBuilder builder;
    builder.capture_start({1, 32});
    builder.start("ttnn::add", {3, 5, 6, 18, 30, 31});
    builder.tensor("4, 3, 32, 32", {1, 18}).buffer("24576", {2, 2});
    builder.tensor("1, 3, 32, 32", {1, 6}).buffer("6144", {4, 4});
    builder.start("ttnn::repeat", {7, 17});
    builder.start("ttnn::prim::repeat", {8, 16});
    builder.start("Device Operation", {9, 14, 15});
    builder.start("create_device_tensor", {10, 11, 12});
    builder.buffer("24576", {13, 13, 13, 13, 13}).allocate("24576", 10);
    builder.end("create_device_tensor", {13});
    builder.tensor("4, 3, 32, 32", {18});
    builder.circular_buffer("{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=3)]}");
    builder.end("Device Operation", {13}).end("ttnn::prim::repeat", {13}).end("ttnn::repeat", {13, 18});
    builder.start("ttnn::prim::binary", {19, 29});
    builder.start("Device Operation", {20, 25, 26, 27, 28});
    builder.start("create_device_tensor", {21, 22, 23});
    builder.buffer("24576", {24, 24, 24, 24}).allocate("24576", 21);
    builder.end("create_device_tensor", {24});
    builder.tensor("4, 3, 32, 32");
    for (int i = 0; i < 3; ++i) {
        builder.circular_buffer("{[(x=0,y=0) - (x=7,y=7)]}");
    }
    builder.end("Device Operation", {24}).end("ttnn::prim::binary", {24});
    builder.deallocate(10);
    builder.end("ttnn::add", {24, 33});
    builder.deallocate(21).capture_end();
    return builder.take();
}

struct Element {
    std::string name;
    std::map<std::string, std::string> attributes;
    std::string text;  // with escapes undone, without that of its children
    size_t parent = 0;

    std::string at(const std::string& key) const { return attributes.contains(key) ? attributes.at(key) : ""; }
};

// Reads exactly the XML that to_svg may write; anything else is a failure at its place.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    std::vector<Element> read() {
        while (!rest_.empty() && !failed_) {
            if (rest_.starts_with("</")) {
                close();
            } else if (rest_[0] == '<') {
                open();
            } else {
                characters();
            }
        }
        expect(open_.empty(), "an element that is not closed");
        return std::move(elements_);
    }

private:
    void expect(bool condition, const char* problem) {
        if (!condition && !failed_) {
            failed_ = true;
            ADD_FAILURE() << problem << " at: " << rest_.substr(0, 200);
        }
    }

    std::string take_until(std::string_view ends) {
        const size_t size = std::min(rest_.find_first_of(ends), rest_.size());
        std::string taken(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return taken;
    }

    void skip(std::string_view text) {
        expect(rest_.starts_with(text), "unexpected markup");
        rest_.remove_prefix(std::min(text.size(), rest_.size()));
    }

    void open() {
        expect(!open_.empty() || elements_.empty(), "a second root");
        skip("<");
        Element element{take_until(" />"), {}, "", open_.empty() ? 0 : open_.back()};
        while (!failed_ && rest_.starts_with(" ")) {
            skip(" ");
            const std::string key = take_until("=<>");
            skip("=\"");
            expect(element.attributes.emplace(key, take_until("\"<")).second, "an attribute twice");
            skip("\"");
        }
        if (const std::string id = element.at("id"); !id.empty()) {
            expect(ids_.insert(id).second, "an id twice");
        }
        const bool is_closed = rest_.starts_with("/");
        skip(is_closed ? "/>" : ">");
        if (!is_closed) {
            open_.push_back(elements_.size());
        }
        elements_.push_back(std::move(element));
    }

    void close() {
        skip("</");
        expect(!open_.empty() && take_until(">") == elements_[open_.back()].name, "a tag that closes nothing");
        skip(">");
        if (!open_.empty()) {
            open_.pop_back();
        }
    }

    void characters() {
        std::string text = take_until("<&");
        const auto is_allowed = [](char c) { return c == '\n' || static_cast<unsigned char>(c) >= ' '; };
        expect(std::ranges::all_of(text, is_allowed) && text.find('>') == text.npos, "a forbidden character");
        if (rest_.starts_with("&")) {
            static const std::map<std::string, char> escapes = {
                {"&amp", '&'}, {"&lt", '<'}, {"&gt", '>'}, {"&quot", '"'}, {"&#39", '\''}};
            const auto found = escapes.find(take_until(";"));
            expect(found != escapes.end(), "an unknown escape");
            skip(";");
            text += found == escapes.end() ? '?' : found->second;
        }
        if (!open_.empty()) {
            elements_[open_.back()].text += text;
        }
    }

    std::string_view rest_;
    std::vector<Element> elements_;
    std::vector<size_t> open_;
    std::set<std::string> ids_;
    bool failed_ = false;
};

// The document by its parts.
struct Picture {
    explicit Picture(const std::string& svg) : elements(Reader(svg).read()) {}
    explicit Picture(const Trace& trace, const SvgOptions& options = {}) : Picture(to_svg(trace, options)) {}

    // Children named `child` of all groups whose class begins with `group`.
    std::vector<Element> find(const std::string& group, const std::string& child) const {
        std::vector<Element> found;
        for (const Element& element : elements) {
            const Element& parent = elements[element.parent];
            const bool is_child = element.name == child && parent.name == "g";
            if (is_child && (parent.at("class") + " ").starts_with(group + " ")) {
                found.push_back(element);
            }
        }
        return found;
    }

    std::vector<std::string> texts(const std::string& group, const std::string& child = "text") const {
        std::vector<std::string> found;
        for (const Element& element : find(group, child)) {
            found.push_back(element.text);
        }
        return found;
    }

    std::vector<Element> elements;
};

}  // namespace ttnn::graph::svg_test
