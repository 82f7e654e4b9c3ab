#include "tracelift/report/import.hpp"

#include <algorithm>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "tracelift/report/context.hpp"
#include "tracelift/report/output_folder.hpp"
#include "tracelift/report/pictures.hpp"
#include "tracelift/report/schema.hpp"
#include "tracelift/report/side_files.hpp"

namespace tracelift::report {
namespace {

namespace fs = std::filesystem;

constexpr int64_t id_stride = 10'000;
constexpr std::string_view cluster_file = "cluster_descriptor";
constexpr std::string_view mesh_file = "physical_chip_mesh_coordinate_mapping";
constexpr std::string_view mesh_file_s = "mesh_coordinate_mapping";
constexpr const char* history_file = "operation_history.json";

std::vector<fs::path> reports_in(const fs::path& folder, Rules rules) {
    static const std::regex part("graph_capture_[0-9]+_of_[0-9]+\\.json", std::regex::icase);
    std::vector<fs::path> all;
    std::vector<fs::path> parts;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with(".json") || !entry.is_regular_file()) {
            continue;
        }
        if (rules == Rules::S || !is_side_file(name)) {
            all.push_back(entry.path());
        }
        if (std::regex_match(name, part)) {
            parts.push_back(entry.path());
        }
    }
    auto& chosen = rules == Rules::R && !parts.empty() ? parts : all;
    std::ranges::sort(chosen);
    return chosen;
}

std::vector<fs::path> find_reports(const ImportOptions& options) {
    std::vector<fs::path> paths;
    for (const fs::path& input : options.inputs) {
        if (!fs::is_directory(input)) {
            paths.push_back(input);
            continue;
        }
        const auto found = reports_in(input, options.rules);
        paths.insert(paths.end(), found.begin(), found.end());
    }
    return paths;
}

// Reads all of it, so that a later failure cannot come from the report.
void check_readable(const ReportFile& report) {
    NodeReader reader(report);
    for (size_t position = 0; position < report.nodes(); ++position) {
        reader.read(position);
    }
}

class Import {
public:
    explicit Import(const ImportOptions& options) : options_(options), folder_(options.directory, options.database) {
        summary_.database = folder_.database();
        summary_.rules = options.rules;
        if (folder_.has_database() && options.existing == Existing::REFUSE) {
            throw ReportError(fmt::format("{}: already exists; --replace replaces it, --append adds to it",
                                          folder_.database().string()));
        }
        appends_ = folder_.has_database() && options.existing == Existing::APPEND;
    }

    ImportSummary run() {
        {
            Database database(folder_.partial(appends_), Database::Mode::BUILD);
            check_appendable(database);
            fill(database);
        }
        tell_progress();
        folder_.publish();
        return std::move(summary_);
    }

private:
    void check_appendable(Database& database) const {
        if (!appends_) {
            return;
        }
        if (database.integer("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'reports'") == 0) {
            throw ReportError(
                fmt::format("{}: was made by another program and cannot be added to; --replace replaces it",
                            folder_.database().string()));
        }
        Statement other(database, "SELECT rules FROM reports WHERE rules <> ?");
        if (other.with(rules_text()).step()) {
            throw ReportError(fmt::format("{}: was made with rules {}; reports under other rules cannot be added",
                                          folder_.database().string(), other.text(0)));
        }
    }

    std::string_view rules_text() const { return options_.rules == Rules::R ? "r" : "s"; }

    void fill(Database& database) {
        const std::vector<fs::path> paths = find_reports(options_);
        Transaction transaction(database);
        create_tables(database, options_.rules);
        const int64_t first_new = database.integer("SELECT COALESCE(MAX(report_id), 0) + 1 FROM reports");
        const int64_t tensors_before = database.integer("SELECT COUNT(*) FROM tensors");
        {
            Rows rows(database, options_.rules);
            std::optional<OwnRows> own;
            if (options_.rules == Rules::R) {
                own.emplace(database);
                write_own_metadata(rows);
            }
            next_report_ = first_new;
            for (size_t i = 0; i < paths.size(); ++i) {
                add_report(database, rows, own ? &*own : nullptr, paths[i], static_cast<int64_t>(i));
            }
            add_derived();
            tell_progress();
            finish(database, rows, first_new, tensors_before);
        }
        transaction.commit();
    }

    void write_own_metadata(Rows& rows) const {
        rows.metadata({"schema_version", schema_version});
        rows.metadata({"git_url", ""});
        rows.metadata({"git_sha", ""});
        rows.metadata({"tracelift_version", TRACELIFT_VERSION});
        rows.metadata({"tracelift_rules", rules_text()});
        rows.metadata(
            {"tracelift_layout_numbers", options_.layout_numbers == LayoutNumbers::VIEWER ? "viewer" : "importers"});
    }

    void tell_progress() const {
        if (options_.progress) {
            options_.progress(read_.name, read_.done, read_.total);
        }
    }

    void add_report(Database& database, Rows& rows, OwnRows* own, const fs::path& path, int64_t index) {
        if (!options_.keep_going) {
            read_report(database, rows, own, path, index);
            return;
        }
        try {
            check_readable(ReportFile(path));
        } catch (const std::exception& error) {
            summary_.skipped.emplace_back(error.what());
            return;
        }
        read_report(database, rows, own, path, index);
    }

    void read_report(Database& database, Rows& rows, OwnRows* own, const fs::path& path, int64_t index) {
        std::error_code problem;
        read_ = {path.filename().string(), 0, fs::file_size(path, problem)};
        ReportFile report(path, [this](size_t done) {
            read_.done = done;
            tell_progress();
        });
        simdjson::dom::parser parser;
        const auto version = report.find("version");
        const std::string version_text = version ? plain_text(report.json().parse(parser, *version, "version")) : "0";
        if (version_text != "1") {
            ++summary_.warnings[fmt::format("{} has version {}, expected 1", report.name(), version_text)];
            return;
        }
        Context context{options_, database, rows, own, report, summary_};
        context.report_id = next_report_++;
        read_rank(context, parser);
        const std::string fingerprint = report.fingerprint();
        context.base_id = options_.rules == Rules::S ? id_stride * index : next_base(database, context, fingerprint);
        import_devices(context);
        import_metadata(context);
        int64_t last_id = context.base_id;
        if (own != nullptr) {
            last_id = report.has_graph() ? import_graph_r(context, path) : last_id;
            import_comparisons(context, path);
            if (report.find("buffer_pages_by_address")) {
                import_page_snapshots(context);
            } else {
                import_flat_pages(context, last_id == context.base_id ? last_id : context.base_id + 1);
            }
        } else {
            last_id = report.has_graph() ? import_graph_s(context) : last_id;
            import_flat_pages(context, context.base_id);
        }
        rows.edges.flush();
        rows.reports({context.report_id, report.name(), rules_text(), context.base_id, last_id,
                      static_cast<int64_t>(report.nodes()), static_cast<int64_t>(report.json().file().text().size()),
                      fingerprint, context.rank});
        keep_descriptors(context, parser);
        if (options_.rules == Rules::R) {
            keep_config(context, parser, path);
        }
        if (options_.svg) {
            draw(context, path.stem().string());
        }
        ++summary_.reports;
        summary_.nodes += static_cast<int64_t>(report.nodes());
    }

    void read_rank(Context& context, simdjson::dom::parser& parser) {
        const auto span = context.report.find("metadata");
        if (options_.rules == Rules::S || !span) {
            return;
        }
        const Element metadata = context.report.json().parse(parser, *span, "metadata");
        const auto number = [&](std::string_view key, int64_t otherwise) {
            const auto found = member(metadata, key);
            const auto value = found ? as_integer(*found) : std::optional(otherwise);
            if (!value) {
                context.warn(fmt::format("metadata.{} is not a whole number, taken as {}", key, otherwise));
            }
            return value.value_or(otherwise);
        };
        context.rank = number("rank", 0);
        world_size_ = number("world_size", 1);
    }

    // Ids of a further report begin above those in use.
    int64_t next_base(Database& database, const Context& context, const std::string& fingerprint) {
        Statement same(database, "SELECT report_id FROM reports WHERE fingerprint = ? AND rank = ?");
        if (same.with(fingerprint, context.rank).step()) {
            throw ReportError(
                fmt::format("{}: is already in the database, as report {}", context.report.name(), same.integer(0)));
        }
        Statement last(database, "SELECT MAX(last_id) FROM reports WHERE rank = ?");
        last.with(context.rank).step();
        return last.is_null(0) ? 0 : (last.integer(0) / id_stride + 1) * id_stride;
    }

    // "config.json", or "config_2_of_4.json" for one of several hosts.
    std::string file_of_host(std::string_view stem, std::string_view extension, int64_t rank) const {
        return world_size_ > 1 ? fmt::format("{}_{}_of_{}.{}", stem, limited_sum(rank, 1), world_size_, extension)
                               : fmt::format("{}.{}", stem, extension);
    }

    void keep_config(Context& context, simdjson::dom::parser& parser, const fs::path& path) {
        const std::string name = file_of_host("config", "json", context.rank);
        const bool is_new = !appends_ && std::ranges::find(summary_.files, name) == summary_.files.end();
        if (folder_.has_file(name) && !(is_new && is_own_config(options_.directory / name))) {
            return;
        }
        const auto span = context.report.find("metadata");
        const auto given =
            span ? member(context.report.json().parse(parser, *span, "metadata"), "report_name") : std::nullopt;
        const auto report_name = given ? as_text(*given) : std::nullopt;
        folder_.add_file(name, config_text(path, name, std::string(report_name.value_or(path.stem().string()))));
        summary_.files.push_back(name);
    }

    // A history that was there before the database is not ours.
    void keep_history(Database& database) {
        if (folder_.has_file(history_file) && !folder_.has_database()) {
            return;
        }
        write_operation_history(database, folder_.stage_file(history_file));
        summary_.files.emplace_back(history_file);
    }

    void keep_descriptors(Context& context, simdjson::dom::parser& parser) {
        const std::string_view mesh = options_.rules == Rules::S ? mesh_file_s : mesh_file;
        for (const auto& [key, file] : {std::pair{std::string_view("cluster_descriptor"), cluster_file},
                                        std::pair{std::string_view("mesh_coordinate_mapping"), mesh}}) {
            const std::string name = file_of_host(file, "yaml", context.rank);
            if (!appends_ && summary_.reports == 0) {
                folder_.remove_file(name);  // of the database that is replaced
            }
            const auto span = context.report.find(key);
            if (!span && file == cluster_file && options_.rules == Rules::R) {
                if (auto text = derived_cluster_text(context.report)) {
                    derived_.emplace(name, std::move(*text));
                }
            }
            const bool kept = std::ranges::find(summary_.files, name) != summary_.files.end();
            if (!span || kept || folder_.has_file(name)) {
                continue;
            }
            const Element text = context.report.json().parse(parser, *span, key);
            if (as_text(text)) {
                folder_.add_file(name, std::string(*as_text(text)));
                summary_.files.push_back(name);
            }
        }
    }

    // After all reports: a descriptor that one of them has goes before one made from another's devices.
    void add_derived() {
        for (const auto& [name, text] : derived_) {
            if (!folder_.has_file(name)) {
                folder_.add_file(name, text);
                summary_.files.push_back(name);
                summary_.derived.insert(name);
            }
        }
    }

    void draw(Context& context, const std::string& stem) {
        const auto add = [&](const std::string& name, std::string text) {
            folder_.add_file("graphs/" + name, std::move(text));
            ++summary_.pictures;
        };
        try {
            add(stem + ".svg", calls_svg(context.report));
        } catch (const ttnn::graph::TraceError& error) {
            context.warn(fmt::format("cannot be drawn: {}", error.what()));
        }
        if (options_.rules == Rules::R) {
            add(stem + ".memory.svg", memory_svg(context));
        }
    }

    void finish(Database& database, const Rows& rows, int64_t first_new, int64_t tensors_before) {
        const bool is_r = options_.rules == Rules::R;
        create_indexes(database, options_.rules);
        if (is_r) {
            derive_tables(database);
            // The viewer asks for one host's rows of a table only, never of a view. What has become a view was long.
            const bool several_hosts = database.integer("SELECT COUNT(DISTINCT rank) FROM reports") > 1;
            const bool is_short = first_new == 1 && rows.buffers <= options_.longest_table;
            if (options_.materialize || several_hosts || is_short || !buffers_is_view(database)) {
                materialize_buffers(database, first_new);
            }
            keep_history(database);
        }
        create_buffer_indexes(database);
        const auto count = [&](const std::string& table) { return database.integer("SELECT COUNT(*) FROM " + table); };
        auto& out = summary_.rows;
        out = {{"devices", rows.distinct_devices},
               {"operations", rows.operations.count()},
               {"tensors", count("tensors") - tensors_before},
               {"device tensor entries", rows.device_tensors.count()},
               {"buffers", rows.buffers},
               {"edges", rows.edges.count()},
               {"errors captured", rows.errors.count()},
               {"stack traces captured", rows.stack_traces.count()}};
        if (is_r) {
            out.emplace_back("tensor comparison records",
                             rows.local_comparisons.count() + rows.global_comparisons.count());
            out.emplace_back("tensor lifetime rows", count("tensor_lifetime"));
            out.emplace_back("tensor_consumers rows", count("tensor_consumers"));
            out.emplace_back("tensor_producers rows", count("tensor_producers"));
            out.emplace_back("buffer chunks", count("buffer_chunks"));
        } else {
            out.emplace_back("buffer pages", rows.pages.count());
        }
    }

    struct Read {
        std::string name{};
        size_t done = 0;
        size_t total = 0;
    };

    const ImportOptions& options_;
    OutputFolder folder_;
    Read read_;  // of the report that is read, or was last
    ImportSummary summary_;
    bool appends_ = false;
    int64_t next_report_ = 1;
    int64_t world_size_ = 1;
    std::map<std::string, std::string> derived_;  // files by their name
};

}  // namespace

ImportSummary import_reports(const ImportOptions& options) { return Import(options).run(); }

std::string summary_text(const ImportSummary& summary) {
    std::string text = fmt::format("Imported {} report(s) into {}\n", summary.reports, summary.database.string());
    const std::set<std::string> always = {"devices", "operations", "tensors", "buffers", "edges"};
    for (const auto& [what, count] : summary.rows) {
        if (count != 0 || always.contains(what)) {
            text += fmt::format("  - {} {}\n", count, what);
        }
    }
    for (const std::string& file : summary.files) {
        const size_t dot = file.rfind('.');
        if (summary.rules == Rules::S) {
            text += fmt::format("  - {} saved\n", file);
        } else if (file.substr(dot) == ".yaml" && !summary.derived.contains(file)) {
            text += fmt::format("  - {} YAML saved\n", file.substr(0, dot));
        }
    }
    if (summary.pictures > 0) {
        text += fmt::format("  - {} SVG visualizations in {}/\n", summary.pictures,
                            (summary.database.parent_path() / "graphs").string());
    }
    return text;
}

}  // namespace tracelift::report
