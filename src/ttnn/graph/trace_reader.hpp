// TraceReader: the receiving end of nlohmann's event parser. It keeps nodes only, never the document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ttnn/graph/trace.hpp"

namespace ttnn::graph {

class TraceReader {
public:
    explicit TraceReader(std::string name) : name_(std::move(name)) {}

    // The trace, complete and checked; call once, after the parser has finished.
    Trace take();

    // What nlohmann calls.
    bool null();
    bool boolean(bool value);
    bool number_integer(int64_t value);
    bool number_unsigned(uint64_t value);
    bool number_float(double value, const std::string& text);
    bool string(std::string& value);
    bool binary(nlohmann::json::binary_t& value);
    bool start_object(size_t);
    bool key(std::string& name);
    bool end_object();
    bool start_array(size_t);
    bool end_array();
    bool parse_error(size_t position, const std::string& token, const nlohmann::json::exception& error);

private:
    enum class Place : uint8_t { ROOT, REPORT, GRAPH, NODE, PARAMS, NUMBERS, TEXTS, SKIPPED };
    enum class Key : uint8_t {
        ARGUMENTS,
        CONNECTIONS,
        COUNTER,
        DURATION_NS,
        INPUT_TENSORS,
        NODE_TYPE,
        PARAMS,
        STACK_TRACE,
        STACKING_LEVEL,
        UNKNOWN,
    };
    struct Scalar {
        enum class Kind : uint8_t { NOTHING, BOOLEAN, UNSIGNED, OTHER_NUMBER, TEXT } kind;
        std::string_view text;  // of every kind
        uint64_t number = 0;    // of UNSIGNED
    };

    static Key key_of(std::string_view name);
    static std::string describe(const Scalar& value);

    bool value(const Scalar& value);
    void node_value(const Scalar& value);
    uint64_t number_up_to(const Scalar& value, uint64_t most) const;
    void set_node_type(const Scalar& value);
    void begin_node();
    void finish_node();
    void finish_params();
    void take_duration_from_params();
    void begin_skipped();
    void check_references(const Node& node) const;

    bool seen(Key key) const { return (seen_ >> static_cast<unsigned>(key) & 1U) != 0; }
    Node& node() { return trace_.back(); }
    // Fails with the place that is being read.
    [[noreturn]] void fail_here(const std::string& text) const;
    [[noreturn]] void fail_type(std::string_view expected, std::string_view found) const;
    std::string place_text() const;

    std::string name_;
    Trace trace_;
    std::vector<bool> without_level_;
    std::vector<bool> without_inputs_;
    Place place_ = Place::ROOT;
    Place after_skipped_ = Place::ROOT;
    size_t skipped_depth_ = 0;
    bool in_report_ = false;
    bool has_graph_ = false;
    bool key_is_graph_ = false;
    Key key_ = Key::UNKNOWN;
    uint32_t seen_ = 0;  // keys of the node being read, one bit each
    uint64_t counter_ = 0;
    std::string key_text_;
    std::string param_;
};

// Sets the levels of the marked nodes to what nesting says.
void derive_levels(Trace& trace, const std::vector<bool>& marked);
// Sets the inputs of the marked function_starts to the tensors that are connected to them.
void derive_input_tensors(Trace& trace, const std::vector<bool>& marked);

}  // namespace ttnn::graph
