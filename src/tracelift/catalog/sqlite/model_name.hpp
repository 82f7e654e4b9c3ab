// Names of models, derived from the sources that traces name: "models/demos/bert/demo.py [HF_MODEL:org/Name]".
#pragma once

#include <string>
#include <string_view>

namespace tracelift {

class Database;

struct ModelName {
    std::string name;         // short, lower-case; "unknown" where the source says nothing
    std::string family;       // "llama", "bert", ...; empty: none of the known ones
    std::string source_file;  // without the tags
    std::string hf_model;     // empty: none
};

// The last segment of the Hugging Face id; else the first telling segment of the path.
ModelName model_name_of(std::string_view source);

// The name, or with _2, _3, ... behind it where it is taken.
std::string free_short_name(Database& database, const std::string& name);

}  // namespace tracelift
