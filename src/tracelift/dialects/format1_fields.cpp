#include "tracelift/dialects/format1_fields.hpp"

#include <map>

#include "ttnn/op/record_types.hpp"

namespace tracelift {
namespace {

using Types = std::map<std::string_view, std::string_view, std::less<>>;  // by field

struct BareFields {
    Types records = {{"grid", "CoreRangeSet"},
                     {"memory_config", "MemoryConfig"},
                     {"shard_spec", "ShardSpec"},
                     {"nd_shard_spec", "NdShardSpec"}};
    Types enums;
};

// What memory configs have, and the fields of every declared record.
const BareFields& bare_fields() {
    static const BareFields fields = [] {
        BareFields found;
        for (const ttnn::RecordType& record : ttnn::record_types()) {
            for (const ttnn::FieldInfo& field : *record.fields) {
                const std::string_view type = ttnn::type_name_of(field);
                if (type == "CoreRangeSet" || type == "UnaryWithParam") {
                    found.records.emplace(field.name, type);
                } else if (type == "MathFidelity") {
                    found.enums.emplace(field.name, type);
                }
            }
        }
        return found;
    }();
    return fields;
}

std::string_view type_in(const Types& types, std::string_view field) {
    const auto found = types.find(field);
    return found == types.end() ? std::string_view() : found->second;
}

}  // namespace

std::string_view bare_record_of(std::string_view field) { return type_in(bare_fields().records, field); }
std::string_view bare_enum_of(std::string_view field) { return type_in(bare_fields().enums, field); }

}  // namespace tracelift
