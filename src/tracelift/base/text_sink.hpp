// TextSink: where a text of any length goes, piece by piece.
#pragma once

#include <functional>
#include <string_view>

namespace tracelift {

using TextSink = std::function<void(std::string_view)>;

}  // namespace tracelift
