# Writes the two sources of one operation header; see operations.cmake.
cmake_policy(VERSION 3.25)
file(STRINGS ${ROOT}/${HEADER} lines REGEX "^TTNN_(OPERATION|DECLARATION)\\(")
set(defines "")
set(registrations "")
set(references "")
foreach(line IN LISTS lines)
  # A list item ends at the line's own semicolon; without one it still carries ");".
  string(REGEX REPLACE "\\);?$" "" line "${line}")
  string(REGEX REPLACE "^TTNN_OPERATION\\([a-zA-Z0-9_]+, *" "" declaration "${line}")
  string(REGEX REPLACE "^TTNN_DECLARATION\\(" "" declaration "${declaration}")
  if(declaration STREQUAL "")
    continue()
  endif()
  string(APPEND defines "TTNN_DEFINE(${declaration});\n")
  string(APPEND registrations "    operations.push_back(&mutable_op_info<${declaration}>());\n")
  string(APPEND references "    attach_reference<${declaration}>();\n")
endforeach()
file(WRITE ${OUT}/${ID}.cpp
"// Generated from ${HEADER}.
#include \"${HEADER}\"
namespace ttnn {
${defines}
void register_${ID}(std::vector<OpInfo*>& operations);
void register_${ID}(std::vector<OpInfo*>& operations) {
${registrations}}
}  // namespace ttnn
")
file(WRITE ${OUT}/${ID}_reference.cpp
"// Generated from ${HEADER}.
#include \"${HEADER}\"
#include \"ttnn/reference/attach.hpp\"
namespace ttnn {
void register_${ID}_reference();
void register_${ID}_reference() {
${references}}
}  // namespace ttnn
")
