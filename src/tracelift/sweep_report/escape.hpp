// Texts of unknown origin in the languages of reports. Messages quote anything: markup, line ends, bytes that are not
// UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "tracelift/value/json.hpp"

namespace tracelift {

// One line that a terminal can show; longer texts end with an ellipsis.
std::string one_line(std::string_view text, size_t longest);
// For elements and attributes of HTML and XML. XML cannot hold most control characters: they become \xNN.
std::string markup_text(std::string_view text);
// Data of a GitHub workflow command, and a property of one.
std::string github_data(std::string_view text);
std::string github_property(std::string_view text);
// A cell of a table in Markdown, shown as it is.
std::string markdown_cell(std::string_view text, size_t longest);
// JSON inside <script>: nothing in it ends the element.
std::string script_json(const Json& json);

}  // namespace tracelift
