# Writes the sources of one header under ttnn/ops; see operations.cmake.
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

# The names of the static members, for the check of their spelling. Brackets and semicolons would mean lists to CMake.
file(READ ${ROOT}/${HEADER} text)
string(REPLACE ";" "=" text "${text}")
string(REPLACE "[" "(" text "${text}")
string(REPLACE "]" ")" text "${text}")
string(REGEX MATCHALL "\n +static [^(={]*[(={]" members "${text}")
set(names "")
foreach(member IN LISTS members)
  if(member MATCHES "([A-Za-z_0-9]+) *[(={]$")
    list(APPEND names ${CMAKE_MATCH_1})
  endif()
endforeach()
list(REMOVE_DUPLICATES names)
set(checks "")
foreach(name IN LISTS names)
  string(APPEND checks "static_assert(is_no_misspelt_member(\"${name}\"), \"${HEADER}: misspelt member '${name}'\");\n")
endforeach()

if(defines STREQUAL "")
  file(WRITE ${OUT}/${ID}.cpp
"// Generated from ${HEADER}.
#include \"ttnn/op/declaration_members.hpp\"
namespace ttnn {
${checks}}  // namespace ttnn
")
  return()
endif()
file(WRITE ${OUT}/${ID}.cpp
"// Generated from ${HEADER}.
#include \"${HEADER}\"
namespace ttnn {
${checks}${defines}
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
