// What the collectives declare alike: the arguments that say how chips talk to each other.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn::ccl {

inline constexpr std::string_view axis_doc = "dimension of the mesh along which chips form a group";
inline constexpr std::string_view axis_or_all_doc =
    "dimension of the mesh along which chips form a group; default: all chips are one";
inline constexpr std::string_view semaphore_doc = "no effect; traces leave it out";

template <class Params>
inline constexpr FieldList link_fields{kw<&Params::num_links>("links between chips to use; no effect on results"),
                                       kw<&Params::topology>("how chips are linked; no effect on results"),
                                       kw<&Params::subdevice_id>("no effect")};

// How much of a tensor is on its way at once.
template <class Params>
inline constexpr FieldList buffering_fields{kw<&Params::num_workers_per_link>("no effect on results"),
                                            kw<&Params::num_buffers_per_channel>("no effect on results")};
template <class Params>
inline constexpr FieldList chunk_fields =
    FieldList{kw<&Params::chunks_per_sync>("no effect on results")} + buffering_fields<Params>;

// Values only move: what arrives is what was sent.
inline constexpr Tolerance exact{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

}  // namespace ttnn::ccl
