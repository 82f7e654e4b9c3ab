# Collects the operations: for every header under ttnn/ops two small sources are generated, one that defines and
# registers the declarations of that header (kernel side) and one that registers their references (reference side,
# where compute/ cannot be included). Headers with parts of declarations only get one that checks how their members are
# spelt. The sources follow the header through ninja, so editing an operation does not
# reconfigure; a new header does (CONFIGURE_DEPENDS).

set(TTNN_GENERATOR ${CMAKE_CURRENT_LIST_DIR}/generate_operation.cmake)

function(ttnn_collect_operations root out_kernel_sources out_reference_sources)
  set(generated ${CMAKE_BINARY_DIR}/operations)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${root} ${root}/ttnn/ops/*.hpp)
  list(SORT headers)
  set(kernels)
  set(references)
  set(declare)
  set(call_kernels)
  set(call_references)
  foreach(header ${headers})
    string(REPLACE "ttnn/ops/" "" id ${header})
    string(REGEX REPLACE "\\.hpp$" "" id ${id})
    string(REPLACE "/" "_" id ${id})
    file(STRINGS ${root}/${header} uses REGEX "^TTNN_(OPERATION|DECLARATION)\\(")
    if(NOT uses) # a helper header; gaining its first operation line asks for a reconfigure
      add_custom_command(
        OUTPUT ${generated}/${id}.cpp
        COMMAND ${CMAKE_COMMAND} -DROOT=${root} -DHEADER=${header} -DID=${id} -DOUT=${generated} -P ${TTNN_GENERATOR}
        DEPENDS ${root}/${header} ${TTNN_GENERATOR}
        COMMENT "Checking ${header}")
      list(APPEND kernels ${generated}/${id}.cpp)
      continue()
    endif()
    add_custom_command(
      OUTPUT ${generated}/${id}.cpp ${generated}/${id}_reference.cpp
      COMMAND ${CMAKE_COMMAND} -DROOT=${root} -DHEADER=${header} -DID=${id} -DOUT=${generated} -P ${TTNN_GENERATOR}
      DEPENDS ${root}/${header} ${TTNN_GENERATOR}
      COMMENT "Declaring ${header}")
    list(APPEND kernels ${generated}/${id}.cpp)
    list(APPEND references ${generated}/${id}_reference.cpp)
    string(APPEND declare "void register_${id}(std::vector<OpInfo*>&);\nvoid register_${id}_reference();\n")
    string(APPEND call_kernels "    register_${id}(operations);\n")
    string(APPEND call_references "    register_${id}_reference();\n")
  endforeach()
  file(CONFIGURE OUTPUT ${generated}/register_all.cpp @ONLY CONTENT
"// Generated from the headers under ttnn/ops.
#include <vector>
namespace ttnn {
struct OpInfo;
@declare@
void register_all_operations(std::vector<OpInfo*>& operations) {
@call_kernels@}
void register_all_references() {
@call_references@}
}  // namespace ttnn
")
  list(APPEND kernels ${generated}/register_all.cpp)
  set(${out_kernel_sources} ${kernels} PARENT_SCOPE)
  set(${out_reference_sources} ${references} PARENT_SCOPE)
endfunction()
