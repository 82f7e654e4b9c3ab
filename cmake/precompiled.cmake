# Headers that nearly every source of a target reads are compiled once per target. A source still includes what it
# uses: `make lint` and the preset nocapture precompile nothing.
option(TRACELIFT_PRECOMPILE "Precompile the headers that most sources read" ON)

set(PRECOMPILED_STANDARD <algorithm> <functional> <map> <memory> <optional> <span> <string> <string_view> <variant> <vector>
    <fmt/format.h>)

# -fpch-preprocess is what ccache needs to see through a precompiled header. With one, GCC 12's false warning about
# copies of strings (bug 105329) also comes under two other names.
set(PRECOMPILED_OPTIONS -fpch-preprocess -Wno-stringop-overflow -Wno-array-bounds)

# tracelift_precompile(target header...): the standard library, fmt, and the headers named.
function(tracelift_precompile target)
  if(TRACELIFT_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${PRECOMPILED_STANDARD} ${ARGN})
    target_compile_options(${target} PRIVATE ${PRECOMPILED_OPTIONS})
    # What compiles the header itself must not look at the precompiled one that an earlier build left: ccache would take
    # that for the contents of the headers, and give back what it once made of it with other changes.
    set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.cxx
                                PROPERTIES COMPILE_OPTIONS -fno-pch-preprocess)
  endif()
endfunction()

# tracelift_precompile_as(target owner): what another target with the same flags has compiled.
function(tracelift_precompile_as target owner)
  if(TRACELIFT_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    target_compile_options(${target} PRIVATE ${PRECOMPILED_OPTIONS})
  endif()
endfunction()
