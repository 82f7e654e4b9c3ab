#include "ttnn/op/record_types.hpp"

#include <algorithm>

#include "ttnn/op/config_fields.hpp"
#include "ttnn/op/leaf_types.hpp"

namespace ttnn {
namespace {

std::vector<RecordType> make_record_types() {
    std::vector<RecordType> types;
    for_each_leaf_type([&]<class T>() {
        if constexpr (Record<T>) {
            if (std::ranges::find(types, RecordInfo<T>::name, &RecordType::name) == types.end()) {
                types.push_back({RecordInfo<T>::name, &record_fields<T>()});
            }
        }
    });
    return types;
}

}  // namespace

const std::vector<RecordType>& record_types() {
    static const std::vector<RecordType> types = make_record_types();
    return types;
}

const RecordType* find_record_type(std::string_view name) {
    const auto& types = record_types();
    const auto found = std::ranges::find(types, name, &RecordType::name);
    return found == types.end() ? nullptr : &*found;
}

std::string_view type_name_of(const FieldInfo& field) {
    constexpr std::string_view optional = " | None";
    const std::string_view name = field.type->name;
    return name.ends_with(optional) ? name.substr(0, name.size() - optional.size()) : name;
}

bool is_enum_type(std::string_view type) {
    bool found = false;
    for_each_leaf_type([&]<class T>() {
        if constexpr (NamedEnum<T>) {
            found = found || EnumInfo<T>::type == type;
        }
    });
    return found;
}

}  // namespace ttnn
