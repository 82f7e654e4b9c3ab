#include "tracelift/sweep/traced.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/bind/positional_names.hpp"
#include "tracelift/dialects/format2_values.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/formats/piece_parser.hpp"
#include "tracelift/store/open.hpp"
#include "tracelift/value/bytes.hpp"
#include "tracelift/value/canonical.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_tensor(const Value& value) {
    const auto* record = value.as<Value::Struct>();
    return record != nullptr && record->type == "Tensor";
}

bool holds_tensors(const Value& value) {
    const auto* list = value.as<Value::List>();
    return is_tensor(value) || (list != nullptr && std::ranges::any_of(*list, is_tensor));
}

// What the declaration made of an argument. Tensors stay as the file has them, with their placement on a mesh.
Value typed(const ttnn::OpInfo& op, const ttnn::FieldInfo& field, const BoundCall& bound, const Value& given) {
    const auto found = std::ranges::find(bound.arguments, field.name, &Value::Entry::key);
    if (holds_tensors(given) || (found == bound.arguments.end() && field.required())) {
        return given;
    }
    if (found != bound.arguments.end()) {
        return found->value;
    }
    return field.type->encode(static_cast<const char*>(op.defaults) + field.offset);
}

std::vector<TracedArgument> named_arguments(const PieceCall& read, const BoundCall& bound) {
    std::vector<TracedArgument> arguments;
    const ttnn::OpInfo* op = bound.bound ? &overload_of(bound) : nullptr;
    const auto order = op != nullptr && read.order == Order::CPP ? op->cpp_fields() : decltype(op->cpp_fields()){};
    for (size_t i = 0; i < read.call.positional.size(); ++i) {
        if (read.call.positional[i] == nullptr) {
            continue;
        }
        const Value& given = *read.call.positional[i];
        if (op == nullptr) {
            arguments.push_back({fmt::format("arg{}", i), i, given});
            continue;
        }
        const ttnn::FieldInfo& field = read.order == Order::CPP ? *order[i] : op->fields[i];
        arguments.push_back({std::string(field.name), i, typed(*op, field, bound, given)});
    }
    for (const auto& [name, value] : read.call.keywords) {
        const ttnn::FieldInfo* field = op != nullptr ? op->find_field(name) : nullptr;
        arguments.push_back({std::string(name), {}, field != nullptr ? typed(*op, *field, bound, *value) : *value});
    }
    return arguments;
}

TracedSource source_of(const Value& execution) {
    const auto member = [&](std::string_view key) {
        const Value* found = execution.find(key);
        return found != nullptr ? *found : Value();
    };
    return {member("source"), member("machine_info")};
}

// Makes configurations of the pieces of one operation.
class Maker {
public:
    TracedConfiguration make(const MasterPiece& piece) {
        TracedConfiguration made;
        made.text = piece.arguments;
        made.hash = piece.config_hash;
        take_sources(piece, made);
        const MasterExecution executed = parser_.executions(piece).front();
        const PieceCall read = parser_.call(piece);
        const BoundCall bound = binder_.bind(read.call, read.order, executed.board);
        made.arguments = named_arguments(read, bound);
        made.identity = identity(bound, executed.hardware);
        return made;
    }

    // Empty: it can be read, and `call` has seen it.
    template <class Visit>
    std::string check(const MasterPiece& piece, const Visit& call) {
        try {
            TracedConfiguration unused;
            take_sources(piece, unused);
            parser_.executions(piece);
            call(parser_.call(piece).call);
        } catch (const std::invalid_argument& error) {
            return fmt::format("{}: {}", piece.place(), error.what());
        } catch (const JsonError& error) {
            return fmt::format("{}: {}", piece.place(), error.what());
        }
        return {};
    }

private:
    void take_sources(const MasterPiece& piece, TracedConfiguration& made) {
        for (const Value& execution : piece.told) {
            made.sources.push_back(source_of(execution));
        }
        if (made.sources.empty() && !piece.executions.empty()) {
            const Value executions = json_.parse(piece.executions);
            const auto* list = executions.as<Value::List>();
            for (const Value& execution : list != nullptr ? *list : Value::List{}) {
                made.sources.push_back(source_of(execution));
            }
        }
        if (made.sources.empty()) {
            made.sources.push_back({piece.source.empty() ? Value() : json_.parse(piece.source),
                                    piece.machine_info.empty() ? Value() : json_.parse(piece.machine_info)});
        }
    }

    PieceParser parser_;
    JsonParser json_;
    Binder binder_;
};

// Keeps the pieces of the operations that a name may mean.
class Candidates final : public MasterSink {
public:
    explicit Candidates(std::string_view name) : names_(lookup_names(name)) {
        for (const std::string& each : names_) {
            dotted_.push_back(dotted_name(each));
        }
    }

    void configuration(MasterPiece&& piece) override {
        if (piece.operation != last_) {
            last_ = piece.operation;
            wanted_ = std::ranges::find(dotted_, dotted_name(last_)) != dotted_.end();
        }
        if (wanted_) {
            pieces_[piece.operation].push_back(std::move(piece));
        }
    }
    void metadata(const Value& /*metadata*/) override {}

    // By the exact names first, then whatever way the parts of a name are joined.
    std::string chosen_name() const {
        for (const std::string& name : names_) {
            if (pieces_.contains(name)) {
                return name;
            }
        }
        for (const std::string& wanted : dotted_) {
            for (const auto& [name, pieces] : pieces_) {
                if (dotted_name(name) == wanted) {
                    return name;
                }
            }
        }
        return {};
    }
    std::vector<MasterPiece> pieces_of(const std::string& name) { return std::move(pieces_[name]); }

private:
    std::vector<std::string> names_, dotted_;
    std::string last_;
    bool wanted_ = false;
    std::map<std::string, std::vector<MasterPiece>> pieces_;
};

class Names final : public MasterSink {
public:
    void configuration(MasterPiece&& piece) override {
        if (std::ranges::find(names, piece.operation) == names.end()) {
            names.push_back(std::move(piece.operation));
        }
    }
    void metadata(const Value& /*metadata*/) override {}
    std::vector<std::string> names;
};

// The folder of the store that holds what `master` names; nothing: it is a file to be read as it is.
std::optional<fs::path> store_of(const fs::path& master) {
    const fs::path folder = fs::is_directory(master) ? master : master.parent_path();
    if (fs::is_directory(master) && !has_database(folder)) {
        return std::nullopt;
    }
    const bool ours =
        fs::is_directory(master) || is_store_file(master) || (master.filename() == master_name && has_database(folder));
    return ours ? std::optional(folder.empty() ? fs::path(".") : folder) : std::nullopt;
}

fs::path master_file(const fs::path& master) { return fs::is_directory(master) ? master / master_name : master; }

// One recorded by our own runtime: it has no text of another's.
TracedConfiguration recorded(const BoundCall& bound) {
    TracedConfiguration made;
    Json text = Json::object();
    const ttnn::OpInfo* op = bound.bound ? &overload_of(bound) : nullptr;
    for (const Value::Entry& entry : bound.arguments) {
        text[entry.key] = write_python_value(entry.value);
        const ttnn::FieldInfo* field = op != nullptr ? op->find_field(entry.key) : nullptr;
        const auto position =
            field != nullptr ? std::optional<size_t>(field - op->fields.data()) : std::optional<size_t>();
        made.arguments.push_back({entry.key, position, entry.value});
    }
    made.text = text.dump();
    return made;
}

// Reads the stored text of a configuration the way a master is read.
class Single final : public MasterSink {
public:
    explicit Single(Maker& maker) : maker_(maker) {}
    void configuration(MasterPiece&& piece) override { made = maker_.make(piece); }
    void metadata(const Value& /*metadata*/) override {}
    TracedConfiguration made;

private:
    Maker& maker_;
};

TracedConfiguration from_text(Maker& maker, const std::string& operation, const std::string& stored) {
    const std::string text =
        fmt::format(R"({{"operations":{{{}:{{"configurations":[{}]}}}}}})", Json(operation).dump(), stored);
    JsonStream stream{std::string_view(text)};
    Single single(maker);
    read_master(stream, operation, single);
    return std::move(single.made);
}

std::string stored_name(Catalog& store, std::string_view wanted) {
    const auto stored = store.operation_names();
    for (const std::string& name : lookup_names(wanted)) {
        std::string dotted = dotted_name(name);
        if (std::ranges::find(stored, dotted, &OperationSummary::name) != stored.end()) {
            return dotted;
        }
    }
    return {};
}

// Counts what the first tensors say.
class Summary {
public:
    void add(const Value& value) {
        const Value* tensor = is_tensor(value) ? &value : first_item(value);
        if (seen_ || tensor == nullptr) {
            return;
        }
        seen_ = true;
        ++shapes_;
        take(*tensor, "dtype", dtypes_);
        take(*tensor, "layout", layouts_);
        take(*tensor, "memory_config", memory_configs_);
    }
    void next() { seen_ = false; }
    TracedSummary result() const { return {shapes_, dtypes_.size(), layouts_.size(), memory_configs_.size()}; }

private:
    static const Value* first_item(const Value& value) {
        return holds_tensors(value) ? &*std::ranges::find_if(*value.as<Value::List>(), is_tensor) : nullptr;
    }
    static void take(const Value& tensor, std::string_view field, std::set<std::string>& distinct) {
        if (const Value* value = tensor.find(field)) {
            ByteWriter bytes;
            put_canonical(*value, bytes);
            distinct.insert(bytes.take());
        }
    }
    bool seen_ = false;  // the first tensor of this configuration
    size_t shapes_ = 0;
    std::set<std::string> dtypes_, layouts_, memory_configs_;
};

}  // namespace

struct TracedOperation::Parts {
    struct Entry {
        std::optional<MasterPiece> piece{};            // of a file
        std::optional<Configuration> configuration{};  // of a store
        std::string problem{};
    };
    std::string name{};
    std::vector<Entry> entries{};
    Summary summary{};
    Maker maker{};

    void read_file(const fs::path& file, std::string_view wanted) {
        Candidates candidates(wanted);
        read_master_file(file, candidates);
        name = candidates.chosen_name();
        for (MasterPiece& piece : candidates.pieces_of(name)) {
            Entry& entry = entries.emplace_back();
            entry.problem = maker.check(piece, [&](const CallView& call) {
                summary.next();
                for (const Value* value : call.positional) {
                    if (value != nullptr) {
                        summary.add(*value);
                    }
                }
                for (const auto& keyword : call.keywords) {
                    summary.add(*keyword.value);
                }
            });
            entry.piece = std::move(piece);
        }
    }

    // What is in a store could be read when it came there.
    void read_store(const fs::path& folder, std::string_view wanted) {
        const auto store = open_for_reading(folder);
        name = stored_name(*store, wanted);
        if (name.empty()) {
            return;
        }
        ConfigurationQuery query;
        query.operation = name;
        query.with_texts = true;
        store->visit(query, [&](Configuration& configuration) {
            summary.next();
            for (const Value::Entry& argument : configuration.call.arguments) {
                summary.add(argument.value);
            }
            entries.emplace_back().configuration = std::move(configuration);
            return true;
        });
    }

    TracedConfiguration stored(const Configuration& configuration) {
        const bool has_text = configuration.stored && (configuration.format == "1" || configuration.format == "2");
        TracedConfiguration made =
            has_text ? from_text(maker, name, *configuration.stored) : recorded(configuration.call);
        made.sources.clear();
        const Value machine = json_tree(machine_info(configuration.hardware));
        for (const Execution& execution : configuration.executions) {
            made.sources.push_back({Value(execution.model), machine});
        }
        if (made.sources.empty()) {
            made.sources.push_back({Value(), machine});
        }
        made.identity = configuration.identity;
        if (made.hash.empty()) {
            made.hash = configuration.legacy_hash.value_or("");
        }
        return made;
    }
};

TracedOperation::TracedOperation() : parts_(std::make_unique<Parts>()) {}
TracedOperation::~TracedOperation() = default;
TracedOperation::TracedOperation(TracedOperation&& other) noexcept = default;
TracedOperation& TracedOperation::operator=(TracedOperation&& other) noexcept = default;

const std::string& TracedOperation::name() const { return parts_->name; }
size_t TracedOperation::size() const { return parts_->entries.size(); }
const std::string& TracedOperation::problem(size_t index) const { return parts_->entries.at(index).problem; }
TracedSummary TracedOperation::summary() const { return parts_->summary.result(); }

TracedConfiguration TracedOperation::configuration(size_t index) {
    const Parts::Entry& entry = parts_->entries.at(index);
    if (!entry.problem.empty()) {
        throw std::invalid_argument(entry.problem);
    }
    return entry.piece ? parts_->maker.make(*entry.piece) : parts_->stored(*entry.configuration);
}

std::vector<std::string> lookup_names(std::string_view name) {
    std::vector<std::string> names;
    const auto add = [&](std::string_view prefix, std::string_view rest) {
        names.push_back(fmt::format("{}{}", prefix, rest));
    };
    const auto rest_after = [&](std::string_view word) {
        return starts_with_any(name, {fmt::format("{}::", word)}) ? name.substr(word.size() + 2)
                                                                  : name.substr(word.size() + 1);
    };
    add("", name);
    for (const std::string_view prefix : {"ttnn.", "ttnn::", "ttnn::experimental::", "ttnn.experimental."}) {
        add(prefix, name);
    }
    if (starts_with_any(name, {"experimental::", "experimental."})) {
        add("ttnn::experimental::", rest_after("experimental"));
        add("ttnn.experimental.", rest_after("experimental"));
    }
    add("ttnn::transformer::", name);
    add("ttnn.transformer.", name);
    if (starts_with_any(name, {"transformer::", "transformer."})) {
        add("ttnn::transformer::", rest_after("transformer"));
        add("ttnn.transformer.", rest_after("transformer"));
    }
    if (starts_with_any(name, {"ttnn::", "ttnn."})) {
        const std::string_view rest = rest_after("ttnn");
        add("", rest);
        add("ttnn::transformer::", rest);
        add("ttnn.transformer.", rest);
    }
    return names;
}

TracedOperation traced_operation(const fs::path& master, std::string_view name) {
    TracedOperation operation;
    if (const auto folder = store_of(master)) {
        operation.parts_->read_store(*folder, name);
    } else {
        operation.parts_->read_file(master_file(master), name);
    }
    return operation;
}

std::vector<std::string> traced_operation_names(const fs::path& master) {
    Names found;
    if (const auto folder = store_of(master)) {
        for (const OperationSummary& each : open_for_reading(*folder)->operation_names()) {
            found.names.push_back(each.name);
        }
    } else {
        read_master_file(master_file(master), found);
    }
    return found.names;
}

Value traced_value(const std::string& json) { return read_python_value(parse_json(json)); }

}  // namespace tracelift
