#include "tracelift/store/export.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/base/clock.hpp"
#include "tracelift/base/indent.hpp"
#include "tracelift/base/json_stream.hpp"
#include "tracelift/base/json_text.hpp"
#include "tracelift/dialects/format1.hpp"
#include "tracelift/dialects/format1_arguments.hpp"
#include "tracelift/dialects/format2_arguments.hpp"
#include "tracelift/formats/legacy_hash.hpp"
#include "tracelift/formats/value_text.hpp"

namespace tracelift {
namespace {

constexpr std::string_view untraced = "untraced-";  // runs that no uid names

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == text.npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + "\"";
}

std::string text_of(const Json& json) { return json_text(json, -1, JsonCharacters::ASCII); }

Json execution_json(const Configuration& configuration, const Execution& execution) {
    Json json{{"source", execution.model},
              {"machine_info", machine_info(configuration.hardware)},
              {"count", execution.count}};
    if (!execution.trace_uid.starts_with(untraced)) {
        json["trace_uid"] = execution.trace_uid;
    }
    return json;
}

bool is_same(const Json& listed, const Json& execution) {
    return listed.is_object() && listed.value("source", Json()) == execution["source"] &&
           listed.value("trace_uid", Json()) == execution.value("trace_uid", Json());
}

// What its master said of its executions, and what the store knows beyond that.
Json executions_json(const Configuration& configuration, Json listed) {
    listed = listed.is_array() ? std::move(listed) : Json::array();
    for (const Execution& each : configuration.executions) {
        const Json execution = execution_json(configuration, each);
        const auto known = std::ranges::find_if(listed, [&](const Json& one) { return is_same(one, execution); });
        if (known == listed.end()) {
            listed.push_back(execution);
        } else if (!known->contains("count") || (*known)["count"] != each.count) {
            (*known)["count"] = each.count;
        }
    }
    return listed;
}

class Exporter {
public:
    Exporter(Catalog& store, const ExportOptions& options, const TextSink& sink)
        : store_(store), options_(options), sink_(sink) {}

    ExportReport run() {
        const bool master = options_.format == ExportFormat::FORMAT_1 || options_.format == ExportFormat::FORMAT_2;
        if (options_.format == ExportFormat::CSV) {
            sink_(
                "operation,identity,config_hash,bound,board_type,device_series,card_count,mesh_shape,models,"
                "executions,arguments\r\n");
        }
        sink_(master ? "{\n  \"operations\": {" : "");
        for (const OperationSummary& operation : store_.operations()) {
            const auto& chosen = options_.operations;
            if (chosen.empty() || std::ranges::find(chosen, operation.name) != chosen.end()) {
                master ? write_operation(operation.name) : write_rows(operation.name);
            }
        }
        if (master) {
            write_metadata();
        }
        return report_;
    }

private:
    bool first_format() const { return options_.format == ExportFormat::FORMAT_1; }

    template <class Visit>
    void visit(const std::string& operation, const Visit& visit) {
        ConfigurationQuery query = options_.query;
        query.operation = operation;
        query.with_texts = true;
        store_.visit(query, [&](Configuration& configuration) {
            ++visited_;
            if (options_.progress) {
                options_.progress(visited_);
            }
            if (!options_.wanted || options_.wanted(configuration)) {
                visit(configuration);
            }
            return true;
        });
    }

    void write_operation(const std::string& operation) {
        const std::string name = first_format() ? cpp_name(operation) : operation;
        int64_t count = 0;
        visit(operation, [&](const Configuration& configuration) {
            if (count == 0) {
                sink_(fmt::format("{}\n    {}: {{\n      \"configurations\": [", report_.operations == 0 ? "" : ",",
                                  text_of(name)));
            }
            text_ = count == 0 ? "\n        " : ",\n        ";
            indent_json(configuration_text(configuration), 4, text_);
            sink_(text_);
            note_sources(configuration);
            ++count;
        });
        if (count == 0) {
            return;
        }
        sink_("\n      ]\n    }");
        ++report_.operations;
        report_.configurations += static_cast<size_t>(count);
        counts_[name] = count;
    }

    std::string configuration_text(const Configuration& configuration) {
        return first_format() ? format1_text(configuration) : format2_text(configuration);
    }

    // 1.0 where nothing is known of its source, or where it came so and the metadata say whose all of it is; else 1.2.
    // The arguments of a file of this format are copied as they stand.
    std::string format1_text(const Configuration& configuration) {
        const bool copied = configuration.stored && configuration.format == "1";
        std::string arguments =
            copied ? stored_arguments(*configuration.stored) : text_of(format1_arguments(configuration.call));
        std::vector<std::string> sources;
        for (const Execution& execution : configuration.executions) {
            if (execution.model != "unknown" && std::ranges::find(sources, execution.model) == sources.end()) {
                sources.push_back(execution.model);
            }
        }
        const bool said_elsewhere = one_model_ && copied && configuration.stored->starts_with('[');
        if ((sources.empty() || said_elsewhere) && !configuration.hardware) {
            return arguments;
        }
        const Json source = sources.empty() ? Json("unknown") : sources.size() == 1 ? Json(sources[0]) : Json(sources);
        std::string text = fmt::format(R"({{"arguments":{},"source":{})", arguments, text_of(source));
        if (configuration.hardware) {
            text += fmt::format(R"(,"machine_info":[{}])", text_of(machine_info(configuration.hardware)));
        }
        return text + "}";
    }

    // Of a configuration in format 1: itself where it is a list (1.0), else the member of that name.
    static std::string stored_arguments(std::string_view stored) {
        if (stored.starts_with('[')) {
            return std::string(stored);
        }
        std::string arguments;
        JsonStream from(stored);
        from.members([&](const std::string& key) {
            const std::string_view value = from.value();
            arguments = key == "arguments" ? value : arguments;
        });
        return arguments;
    }

    // What a master of this format said is copied as it stands.
    std::string format2_text(const Configuration& configuration) {
        const bool copied = configuration.stored && configuration.format == "2";
        const Json made = copied ? Json() : format2_arguments(configuration.call);
        std::string arguments = copied ? std::string() : text_of(made);
        Json listed;
        std::string more;
        if (copied) {
            JsonStream from(*configuration.stored);
            from.members([&](const std::string& key) {
                const std::string_view value = from.value();
                if (key == "arguments") {
                    arguments = value;
                } else if (key == "executions") {
                    listed = Json::parse(value);
                } else if (key != "config_id" && key != "config_hash") {
                    more += fmt::format(",{}:{}", text_of(key), value);  // what later writers add
                }
            });
        }
        std::string hash;
        if (copied && configuration.legacy_hash) {
            hash = *configuration.legacy_hash;
        } else {
            ++report_.new_hashes;
            hash = format2_hash(options_.hash, configuration.call.operation, copied ? Json::parse(arguments) : made,
                                machine_info(configuration.hardware));
        }
        return fmt::format(R"({{"config_id":{},"config_hash":{},"arguments":{},"executions":{}{}}})", ++config_id_,
                           text_of(hash), arguments, text_of(executions_json(configuration, std::move(listed))), more);
    }

    void note_sources(const Configuration& configuration) {
        for (const Execution& execution : configuration.executions) {
            if (std::ranges::find(sources_, execution.model) == sources_.end()) {
                sources_.push_back(execution.model);
            }
        }
    }

    void write_metadata() {
        Json metadata{{"models", sources_}};
        if (first_format()) {
            metadata["total_operations"] = store_.total_operations();
        }
        metadata["unique_operations"] = report_.operations;
        metadata["total_configurations"] = report_.configurations;
        if (!first_format()) {
            metadata["operations_summary"] = counts_;
        }
        metadata["last_updated"] = local_time();
        if (first_format()) {
            metadata["operation_types"] = counts_;
        }
        std::string text;
        indent_json(text_of(metadata), 1, text);
        sink_(fmt::format("{}}},\n  \"metadata\": {}\n}}\n", report_.operations == 0 ? "" : "\n  ", text));
    }

    void write_rows(const std::string& operation) {
        size_t count = 0;
        visit(operation, [&](const Configuration& configuration) {
            ++count;
            options_.format == ExportFormat::JSONL ? write_line(configuration) : write_csv(configuration);
        });
        report_.operations += count != 0 ? 1 : 0;
        report_.configurations += count;
    }

    void write_line(const Configuration& configuration) {
        Json executions = Json::array();
        for (const Execution& execution : configuration.executions) {
            executions.push_back(execution_json(configuration, execution));
        }
        const Json line{{"operation", configuration.call.operation},
                        {"identity", configuration.identity},
                        {"bound", configuration.call.bound},
                        {"arguments", format2_arguments(configuration.call)},
                        {"executions", std::move(executions)}};
        sink_(text_of(line) + "\n");
    }

    void write_csv(const Configuration& configuration) {
        std::vector<std::string> models;
        int64_t count = 0;
        for (const Execution& execution : configuration.executions) {
            count += execution.count;
            if (std::ranges::find(models, execution.model) == models.end()) {
                models.push_back(execution.model);
            }
        }
        std::string arguments;
        for (const auto& [name, value] : configuration.call.arguments) {
            arguments += fmt::format("{}{}={}", arguments.empty() ? "" : "; ", name, show_text(value));
        }
        const Hardware none{"", "", 0, {}, 0};
        const Hardware& machine = configuration.hardware ? *configuration.hardware : none;
        const std::string cards = configuration.hardware ? std::to_string(machine.card_count) : "";
        std::string row;
        for (const std::string& field :
             {configuration.call.operation, configuration.identity, configuration.legacy_hash.value_or(""),
              std::string(configuration.call.bound ? "1" : "0"), machine.board_type, machine.device_series, cards,
              fmt::format("{}", fmt::join(machine.mesh_shape, "x")), fmt::format("{}", fmt::join(models, "; ")),
              std::to_string(count), arguments}) {
            row += (row.empty() ? "" : ",") + csv_field(field);
        }
        sink_(row + "\r\n");
    }

    Catalog& store_;
    const ExportOptions& options_;
    const TextSink& sink_;
    const bool one_model_ = store_.models().size() == 1;
    ExportReport report_;
    std::string text_;
    Json counts_ = Json::object();
    std::vector<std::string> sources_;
    int64_t config_id_ = 0;
    uint64_t visited_ = 0;
};

}  // namespace

ExportReport export_configurations(Catalog& store, const ExportOptions& options, const TextSink& sink) {
    return Exporter(store, options, sink).run();
}

}  // namespace tracelift
