#include <charconv>

#include "tracelift/base/json_text.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "ttnn/op/values_text.hpp"

namespace tracelift {
namespace {

void append_text(std::string& line, std::string_view key, std::string_view text) {
    line += key;
    append_json_string(line, text);
}

}  // namespace

void append_call_line(std::string& line, const CallContext& context, const LineFacts& facts, std::string_view operation,
                      std::string_view arguments, std::string_view output, const std::optional<CallError>& error) {
    append_text(line, "{\"run_id\":", context.run_id);
    append_text(line, ",\"test_nodeid\":", context.test_nodeid);
    if (context.module.empty()) {
        line += ",\"module\":null";
    } else {
        append_text(line, ",\"module\":", context.module);
    }
    line += ",\"op_index\":";
    char digits[24];
    line.append(digits, std::to_chars(digits, digits + sizeof(digits), facts.op_index).ptr);
    append_text(line, ",\"op_name\":", operation);
    line += ",\"start_ts\":";
    ttnn::append_json_number(line, facts.started);
    line += ",\"duration_ms\":";
    ttnn::append_json_number(line, facts.milliseconds);
    line += ',';
    line += arguments;
    line += ",\"output\":";
    line += output;
    if (error) {
        append_text(line, ",\"error\":{\"type\":", error->type);
        append_text(line, ",\"message\":", error->message);
        line += '}';
    }
    if (!facts.board.empty()) {
        append_text(line, ",\"board\":", facts.board);
    }
    line += "}\n";
}

}  // namespace tracelift
