// Arguments that a bound call keeps although its declaration did not take them, and that it is carried out without: a
// value that the capture did not write down, or one that has no effect on the result and no form of ours (a circular
// buffer shared between programs).
#pragma once

#include "tracelift/bind/binding.hpp"

namespace tracelift {

bool can_be_left_out(std::string_view argument, const Value& value);
inline bool can_be_left_out(const Value::Entry& argument) { return can_be_left_out(argument.key, argument.value); }
// Of those, the ones that may change the result.
bool is_lost(const Value::Entry& argument);
bool has_lost_arguments(const BoundCall& call);
// The arguments that a call can be carried out with.
Value::Dict replayable(const Value::Dict& arguments);

}  // namespace tracelift
