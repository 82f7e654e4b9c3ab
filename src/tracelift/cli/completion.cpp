#include "tracelift/cli/completion.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/store/open.hpp"
#include "ttnn/device/board.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift::cli {
namespace {

constexpr std::string_view bash_script = R"(# tracelift: completion for bash.
# For this shell:   source <(tracelift completion bash)
# For every shell:  tracelift completion bash > ~/.local/share/bash-completion/completions/tracelift
_tracelift() {
    local word=${COMP_WORDS[COMP_CWORD]} line kind=
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) kind=-f ;;
            :folders) kind=-d ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <("${COMP_WORDS[0]}" __candidates "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [ -n "$kind" ]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$kind" -- "$word")
    fi
}
complete -F _tracelift tracelift
)";

constexpr std::string_view zsh_script = R"(#compdef tracelift
# tracelift: completion for zsh.
# For this shell:   source <(tracelift completion zsh)
# For every shell:  tracelift completion zsh > a folder of $fpath, as _tracelift
_tracelift() {
    local line files= folders=
    local -a found
    while IFS= read -r line; do
        case $line in
            :files) files=1 ;;
            :folders) folders=1 ;;
            *) found+=("${${line%%$'\t'*}//:/\\:}${${(M)line%$'\t'*}:+:${line#*$'\t'}}") ;;
        esac
    done < <("${words[1]}" __candidates "${(@)words[2,CURRENT]}" 2>/dev/null)
    (( ${#found} )) && _describe -t tracelift tracelift found
    [[ -n $files ]] && _files
    [[ -n $folders ]] && _files -/
    return 0
}
if [[ $funcstack[1] == _tracelift ]]; then
    _tracelift
else
    compdef _tracelift tracelift
fi
)";

constexpr std::string_view fish_script = R"(# tracelift: completion for fish.
# For this shell:   tracelift completion fish | source
# For every shell:  tracelift completion fish > ~/.config/fish/completions/tracelift.fish
function __tracelift_candidates
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in ($words[1] __candidates $words[2..-1] "$word" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path $word
            case :folders
                __fish_complete_directories $word
            case '*'
                echo $line
        end
    end
end
complete -c tracelift -f -a '(__tracelift_candidates)'
)";

struct Candidate {
    std::string word;
    std::string_view help;
};
using Candidates = std::vector<Candidate>;

const Command* find(std::span<const Command* const> commands, std::string_view name) {
    const auto found = std::ranges::find(commands, name, &Command::name);
    return found == commands.end() ? nullptr : *found;
}

const OptionInfo* find_option(std::span<const OptionInfo> options, std::string_view word) {
    const auto found = std::ranges::find_if(options, [&](const OptionInfo& option) {
        return option.long_name() == word || (option.name.size() > 2 && option.name.substr(0, 2) == word);
    });
    return found == options.end() ? nullptr : &*found;
}

// Where the words before the one that is typed have led.
struct Place {
    const Command* command = nullptr;
    const OptionInfo* waiting = nullptr;  // for its value
    std::string directory;
    size_t arguments = 0;
};

Place place_of(std::span<const std::string> words) {
    Place place;
    std::string* value = nullptr;
    std::string ignored;
    for (const std::string& word : words) {
        if (place.waiting != nullptr) {
            *value = word;
            place.waiting = nullptr;
        } else if (word.starts_with('-')) {
            const std::span<const OptionInfo> options =
                place.command != nullptr ? place.command->options : std::span(&dir_option, 1);
            const OptionInfo* option = find_option(options, word);
            place.waiting = option != nullptr && !option->value.empty() ? option : nullptr;
            value = word == "--dir" ? &place.directory : &ignored;
        } else if (const Command* next =
                       find(place.command != nullptr ? place.command->commands : all_commands(), word)) {
            place.command = next;
        } else {
            ++place.arguments;
        }
    }
    return place;
}

std::string bare(std::string_view name) { return std::string(name.substr(name.starts_with("ttnn.") ? 5 : 0)); }

// What a store knows; nothing where there is none.
Candidates stored(const Place& place, bool models) {
    Candidates found;
    try {
        const auto store =
            open_for_reading(store_directory(place.directory.empty() ? std::nullopt : std::optional(place.directory)));
        if (models) {
            for (const ModelSummary& model : store->model_summaries()) {
                found.push_back({model.name, "model"});
            }
            return found;
        }
        for (const OperationSummary& operation : store->operation_names()) {
            found.push_back({bare(operation.name), "stored operation"});
        }
    } catch (const std::exception&) {
        found.clear();
    }
    return found;
}

Candidates values(const Place& place, std::string_view kind) {
    if (kind == "OP" && (place.command == &describe_command || place.command == &opcheck_command)) {
        Candidates found;
        for (const ttnn::OpInfo* op : ttnn::all_operations()) {
            found.push_back({bare(op->name), op->doc});
        }
        return found;
    }
    if (kind == "OP" || kind == "MODEL") {
        return stored(place, kind == "MODEL");
    }
    if (kind == "BOARD") {
        Candidates found;
        for (const std::string_view name : ttnn::board_names()) {
            found.push_back({std::string(name), "board"});
        }
        return found;
    }
    if (kind == "DIR") {
        return {{":folders", {}}, {":files", {}}};  // a master file will do as well
    }
    const bool file = kind == "FILE" || kind == "PATH" || kind == "DB" || kind == "IN" || kind == "OUT" ||
                      kind == "REPORT" || kind == "TARGET" || kind == "A" || kind == "B" || kind == "STORE";
    return kind == "OUTDIR" ? Candidates{{":folders", {}}} : file ? Candidates{{":files", {}}} : Candidates{};
}

Candidates option_values(const Place& place) {
    const auto words = words_of(*place.waiting);
    Candidates found;
    for (const std::string& word : words) {
        found.push_back({word, place.waiting->help});
    }
    return found.empty() ? values(place, place.waiting->value) : found;
}

Candidates next(const Place& place, std::string_view typed) {
    Candidates found;
    if (typed.starts_with('-')) {
        const std::span<const OptionInfo> options =
            place.command != nullptr ? place.command->options : std::span(&dir_option, 1);
        for (const OptionInfo& option : options) {
            found.push_back({std::string(option.long_name()), option.help});
        }
        found.push_back({"--help", "show the help"});
        if (place.command == nullptr) {
            found.push_back({"--version", "show the version"});
        }
        return found;
    }
    for (const Command* command : place.command != nullptr ? place.command->commands : all_commands()) {
        found.push_back({std::string(command->name), command->help});
    }
    if (place.command == nullptr || place.command->arguments.empty()) {
        return found;
    }
    size_t before = 0;
    for (const ArgumentInfo& argument : place.command->arguments) {
        if (argument.most == any_number || place.arguments < before + argument.most) {
            Candidates more =
                argument.name.find('|') == std::string_view::npos ? values(place, argument.name) : Candidates{};
            for (const std::string& word : words_of({"--", argument.name})) {
                more.push_back({word, argument.help});
            }
            found.insert(found.end(), more.begin(), more.end());
            if (argument.least > 0) {
                break;  // what may be left out lets the next one in
            }
        }
        before += argument.most == any_number ? 0 : argument.most;
    }
    return found;
}

}  // namespace

std::vector<std::string> candidates(const std::vector<std::string>& words) {
    if (words.empty()) {
        return {};
    }
    const std::string& typed = words.back();
    if (std::ranges::find(words.begin(), words.end() - 1, "--") != words.end() - 1) {
        return {":files"};
    }
    const Place place = place_of(std::span(words).first(words.size() - 1));
    std::vector<std::string> lines;
    for (const auto& [word, help] : place.waiting != nullptr ? option_values(place) : next(place, typed)) {
        if (word.starts_with(':') || word.starts_with(typed)) {
            lines.push_back(help.empty() ? word : fmt::format("{}\t{}", word, help));
        }
    }
    return lines;
}

int print_candidates(const std::vector<std::string>& words) {
    for (const std::string& line : candidates(words)) {
        fmt::print("{}\n", line);
    }
    return 0;
}

namespace {

int run_completion(const Options& options) {
    const std::string& shell = options.positional().front();
    if (shell != "bash" && shell != "zsh" && shell != "fish") {
        throw UsageError{fmt::format("there is no completion for '{}', only for bash, zsh and fish", shell)};
    }
    const std::string_view script = shell == "bash" ? bash_script : shell == "zsh" ? zsh_script : fish_script;
    if (options.json()) {
        print_json({{"shell", shell}, {"script", script}});
    } else {
        fmt::print("{}", script);
    }
    return 0;
}

constexpr ArgumentInfo arguments[] = {{"bash|zsh|fish", "the shell"}};
constexpr OptionInfo options[] = {json_option};

}  // namespace

const Command completion_command{.name = "completion",
                                 .help = "print the completion script for a shell",
                                 .example = "source <(tracelift completion bash)",
                                 .arguments = arguments,
                                 .options = options,
                                 .run = run_completion};

}  // namespace tracelift::cli
