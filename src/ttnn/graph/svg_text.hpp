// Texts of unknown origin inside an SVG document. Bytes that are not UTF-8 and characters that XML forbids become
// U+FFFD; markup characters are escaped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ttnn::graph::svg {

// The whole text; line ends stay.
void append_xml(std::string& out, std::string_view text);

// The text as one line of at most `columns` columns of a monospaced font; what is cut off becomes an ellipsis.
void append_xml_line(std::string& out, std::string_view text, size_t columns);

}  // namespace ttnn::graph::svg
