#include "ttnn/graph/trace_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "ttnn/graph/trace_check.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace ttnn::graph {

namespace {

constexpr size_t deepest_skipped = 64;
constexpr std::array<std::string_view, 9> key_names = {"arguments",   "connections",   "counter",
                                                       "duration_ns", "input_tensors", "node_type",
                                                       "params",      "stack_trace",   "stacking_level"};

}  // namespace

TraceReader::Key TraceReader::key_of(std::string_view name) {
    const auto found = std::find(key_names.begin(), key_names.end(), name);
    return static_cast<Key>(found - key_names.begin());
}

std::string TraceReader::describe(const Scalar& value) {
    return value.kind == Scalar::Kind::TEXT ? fmt::format("\"{}\"", shortened(value.text)) : shortened(value.text);
}

bool TraceReader::null() { return value({Scalar::Kind::NOTHING, "null"}); }

bool TraceReader::boolean(bool flag) { return value({Scalar::Kind::BOOLEAN, flag ? "true" : "false"}); }

bool TraceReader::number_integer(int64_t number) {
    return value({Scalar::Kind::OTHER_NUMBER, fmt::format_int(number).c_str()});
}

bool TraceReader::number_unsigned(uint64_t number) {
    const fmt::format_int digits(number);
    return value({Scalar::Kind::UNSIGNED, {digits.data(), digits.size()}, number});
}

bool TraceReader::number_float(double, const std::string& text) { return value({Scalar::Kind::OTHER_NUMBER, text}); }

bool TraceReader::string(std::string& text) { return value({Scalar::Kind::TEXT, text}); }

bool TraceReader::binary(nlohmann::json::binary_t&) { fail_type("JSON", "binary data"); }

bool TraceReader::value(const Scalar& value) {
    switch (place_) {
        case Place::ROOT: fail_type("an array of nodes or a report object", describe(value));
        case Place::GRAPH: fail_type("an object", describe(value));
        case Place::REPORT:
            if (key_is_graph_) {
                fail_type("an array of nodes", describe(value));
            }
            break;
        case Place::NODE: node_value(value); break;
        case Place::PARAMS:
            if (value.kind == Scalar::Kind::NOTHING) {
                fail_type("a string or a number", "null");
            }
            node().params.emplace_back(param_, value.text);
            break;
        case Place::NUMBERS:
            (key_ == Key::CONNECTIONS ? node().connections : node().input_tensors)
                .push_back(static_cast<uint32_t>(number_up_to(value, std::numeric_limits<uint32_t>::max())));
            break;
        case Place::TEXTS:
            if (value.kind != Scalar::Kind::TEXT) {
                fail_type("texts", describe(value));
            }
            (key_ == Key::ARGUMENTS ? node().arguments : node().stack_trace).emplace_back(value.text);
            break;
        case Place::SKIPPED: break;
    }
    return true;
}

void TraceReader::node_value(const Scalar& value) {
    switch (key_) {
        case Key::COUNTER: counter_ = number_up_to(value, std::numeric_limits<uint64_t>::max()); break;
        case Key::DURATION_NS: node().duration_ns = number_up_to(value, std::numeric_limits<uint64_t>::max()); break;
        case Key::STACKING_LEVEL:
            node().stacking_level = static_cast<int32_t>(number_up_to(value, std::numeric_limits<int32_t>::max()));
            break;
        case Key::NODE_TYPE: set_node_type(value); break;
        case Key::PARAMS: fail_type("an object", describe(value));
        case Key::UNKNOWN: break;
        default: fail_type("an array", describe(value));
    }
}

uint64_t TraceReader::number_up_to(const Scalar& value, uint64_t most) const {
    if (value.kind != Scalar::Kind::UNSIGNED || value.number > most) {
        fail_type(fmt::format("a whole number from 0 to {}", most), describe(value));
    }
    return value.number;
}

void TraceReader::set_node_type(const Scalar& value) {
    if (value.kind != Scalar::Kind::TEXT) {
        fail_type("the name of a node type", describe(value));
    }
    const auto type = member_of<NodeType>(value.text);
    if (!type) {
        fail_here(fmt::format("node type {} is not known", describe(value)));
    }
    node().type = *type;
}

bool TraceReader::start_object(size_t) {
    switch (place_) {
        case Place::ROOT:
            place_ = Place::REPORT;
            in_report_ = true;
            return true;
        case Place::GRAPH: begin_node(); return true;
        case Place::NODE:
            if (key_ == Key::PARAMS) {
                node().params.clear();
                place_ = Place::PARAMS;
                return true;
            }
            break;
        default: break;
    }
    if ((place_ == Place::REPORT && !key_is_graph_) || (place_ == Place::NODE && key_ == Key::UNKNOWN) ||
        place_ == Place::SKIPPED) {
        begin_skipped();
        return true;
    }
    fail_type(place_ == Place::NODE || place_ == Place::REPORT ? "another kind of value" : "plain values", "an object");
}

bool TraceReader::start_array(size_t) {
    if (place_ == Place::ROOT || (place_ == Place::REPORT && key_is_graph_)) {
        if (has_graph_) {
            fail_here("a report has only one \"graph\"");
        }
        has_graph_ = true;
        place_ = Place::GRAPH;
        return true;
    }
    if (place_ == Place::SKIPPED || place_ == Place::REPORT || (place_ == Place::NODE && key_ == Key::UNKNOWN)) {
        begin_skipped();
        return true;
    }
    if (place_ != Place::NODE) {
        fail_type(place_ == Place::GRAPH ? "an object" : "plain values", "an array");
    }
    switch (key_) {
        case Key::CONNECTIONS: node().connections.clear(); break;
        case Key::INPUT_TENSORS: node().input_tensors.clear(); break;
        case Key::ARGUMENTS: node().arguments.clear(); break;
        case Key::STACK_TRACE: node().stack_trace.clear(); break;
        default: fail_type("another kind of value", "an array");
    }
    place_ = key_ == Key::CONNECTIONS || key_ == Key::INPUT_TENSORS ? Place::NUMBERS : Place::TEXTS;
    return true;
}

bool TraceReader::key(std::string& name) {
    switch (place_) {
        case Place::REPORT:
            key_is_graph_ = name == "graph";
            key_text_ = name;
            break;
        case Place::NODE:
            key_ = key_of(name);
            key_text_ = name;
            seen_ |= 1U << static_cast<unsigned>(key_);
            break;
        case Place::PARAMS: param_ = name; break;
        default: break;
    }
    return true;
}

bool TraceReader::end_object() {
    switch (place_) {
        case Place::NODE: finish_node(); break;
        case Place::PARAMS: finish_params(); break;
        case Place::REPORT:
            if (!has_graph_) {
                throw TraceError(fmt::format("{}: a report without the key \"graph\"", name_));
            }
            break;
        default: return end_array();
    }
    return true;
}

bool TraceReader::end_array() {
    switch (place_) {
        case Place::SKIPPED:
            if (--skipped_depth_ == 0) {
                place_ = after_skipped_;
            }
            break;
        case Place::GRAPH: place_ = in_report_ ? Place::REPORT : Place::ROOT; break;
        default: place_ = Place::NODE; break;
    }
    return true;
}

void TraceReader::begin_skipped() {
    if (place_ != Place::SKIPPED) {
        after_skipped_ = place_;
        place_ = Place::SKIPPED;
    }
    if (++skipped_depth_ > deepest_skipped) {
        fail_here(fmt::format("nested deeper than {} levels", deepest_skipped));
    }
}

Trace read_trace(std::string_view json, const std::string& name) {
    TraceReader reader(name);
    nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
    return reader.take();
}

}  // namespace ttnn::graph
