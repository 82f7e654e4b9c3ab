// The records of configurations as tables: what readers and writers of other forms ask instead of knowing each class.
#pragma once

#include <string_view>
#include <vector>

#include "ttnn/op/field.hpp"

namespace ttnn {

struct RecordType {
    std::string_view name;  // of the Python class
    const std::vector<FieldInfo>* fields;
};

// Every record that a parameter may hold.
const std::vector<RecordType>& record_types();
// nullptr when there is none of that name.
const RecordType* find_record_type(std::string_view name);

// The type of a field by its name in signatures, without the None that it may be: "CoreRangeSet", "MathFidelity",
// "int".
std::string_view type_name_of(const FieldInfo& field);
// Whether that is the name of an enum.
bool is_enum_type(std::string_view type);

}  // namespace ttnn
