#include "tracelift/cli/parser.hpp"

#include <algorithm>
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "ttnn/op/nearest.hpp"

namespace tracelift::cli {
namespace {

constexpr size_t column = 34;  // where the help of an option begins

// An application of CLI11 for each command, with what was given to it.
struct Node {
    const Command* command = nullptr;  // null: the whole tool
    Node* parent = nullptr;
    CLI::App* app = nullptr;
    Options::Given given{};
    std::vector<std::unique_ptr<Node>> children{};

    Node(const Command* own, Node* above, CLI::App* its = nullptr) : command(own), parent(above), app(its) {}

    std::string name() const {
        if (command == nullptr) {
            return {};
        }
        const std::string above = parent->name();
        return above.empty() ? std::string(command->name) : fmt::format("{} {}", above, command->name);
    }
};

class HelpFormatter : public CLI::Formatter {
public:
    explicit HelpFormatter(const Node& node) : node_(&node) { column_width(column); }
    std::string make_usage(const CLI::App*, std::string) const override {
        return usage_of(node_->command, node_->name()) + "\n";
    }
    std::string make_description(const CLI::App* app) const override { return app->get_description() + "\n\n"; }

private:
    const Node* node_;
};

std::string_view argument_help_column(std::string& line, const ArgumentInfo& argument) {
    line = fmt::format("  {}{}", argument.name, argument.most > 1 ? "..." : "");
    line = fmt::format("{:<{}}{}\n", line, column, argument.help);
    return line;
}

std::string footer_of(const Command& command) {
    std::string text;
    std::string line;
    if (!command.arguments.empty()) {
        text += "\nArguments:\n";
        for (const ArgumentInfo& argument : command.arguments) {
            text += argument_help_column(line, argument);
        }
    }
    text += fmt::format("\nExample:\n  {}\n", command.example);
    return text + fmt::format("\nExit status: {}", command.statuses);
}

void add_option(Node& node, const OptionInfo& option) {
    const std::string key(option.long_name());
    if (option.value.empty()) {
        node.app->add_flag_function(
            std::string(option.name), [&node, key](int64_t) { node.given[key] = ""; }, std::string(option.help));
        return;
    }
    const std::string alone = option.value_optional ? words_of(option).front() : "";
    CLI::Option* added = node.app
                             ->add_option_function<std::string>(
                                 std::string(option.name),
                                 [&node, key, alone](const std::string& text) {
                                     node.given[key] = text.empty() && !alone.empty() ? alone : text;
                                 },
                                 std::string(option.help))
                             ->type_name(std::string(option.value))
                             ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    if (option.value_optional) {
        added->expected(0, 1);
    }
}

bool takes_store(const Command& command) {
    return std::ranges::find(command.options, dir_option.name, &OptionInfo::name) != command.options.end() ||
           std::ranges::any_of(command.commands, [](const Command* inner) { return takes_store(*inner); });
}

void set_up(Node& node, std::span<const Command* const> commands) {
    node.app->set_help_flag("-h,--help", "show this help");
    node.app->allow_extras();
    node.app->require_subcommand(0, 1);
    node.app->formatter(std::make_shared<HelpFormatter>(node));
    for (const Command* command : commands) {
        Node& child = *node.children.emplace_back(std::make_unique<Node>(command, &node));
        child.app = node.app->add_subcommand(std::string(command->name), std::string(command->help));
        child.app->group("Commands");
        child.app->footer(footer_of(*command));
        for (const OptionInfo& option : command->options) {
            add_option(child, option);
        }
        if (!command->commands.empty() && takes_store(*command)) {
            add_option(child, dir_option);
        }
        set_up(child, command->commands);
    }
}

// The command that was named last.
Node& named(Node& node) {
    for (const auto& child : node.children) {
        if (child->app->parsed()) {
            return named(*child);
        }
    }
    return node;
}

std::string quoted(std::vector<std::string> names) {
    std::ranges::transform(names, names.begin(), [](const std::string& name) { return fmt::format("'{}'", name); });
    return ttnn::did_you_mean(names);
}

bool is_option(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

std::string unknown_option(const Node& node, const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* option : node.app->get_options()) {
        for (const std::string& each : option->get_lnames()) {
            known.push_back(each);
        }
    }
    std::vector<std::string> near = ttnn::nearest_names(name.substr(name.find_first_not_of('-')), known);
    std::ranges::transform(near, near.begin(), [](const std::string& each) { return "--" + each; });
    return fmt::format("unknown option '{}'{}", name, quoted(near));
}

std::string unknown_command(const Node& node, const std::string& word) {
    std::vector<std::string> known;
    for (const auto& child : node.children) {
        known.emplace_back(child->command->name);
    }
    const auto near = ttnn::nearest_names(word, known);
    return fmt::format("unknown command '{}'{}", word, quoted(near));
}

std::string missing_command(const Node& node) {
    std::vector<std::string_view> names;
    for (const auto& child : node.children) {
        names.push_back(child->command->name);
    }
    return fmt::format("expected one of {}", fmt::join(names, ", "));
}

// What was given before the command (only --dir can be) counts as if it stood behind it.
void take_over(Node& node) {
    for (const Node* above = node.parent; above != nullptr; above = above->parent) {
        for (const auto& [key, text] : above->given) {
            const auto known = std::ranges::find(node.command->options, key, &OptionInfo::long_name);
            if (known == node.command->options.end()) {
                throw UsageError{fmt::format("'{}' does not use {}", node.name(), key)};
            }
            node.given.emplace(key, text);
        }
    }
}

Options options_of(Node& root, Node& node, std::vector<std::string> rest) {
    std::vector<std::string> positional;
    std::vector<Node*> path{&node};
    while (path.back() != &root) {
        path.push_back(path.back()->parent);
    }
    std::ranges::reverse(path);
    for (const Node* each : path) {
        for (const std::string& word : each->app->remaining()) {
            if (is_option(word)) {
                throw UsageError{unknown_option(*each, word)};
            }
            if (each != &node || node.command == nullptr || !node.children.empty()) {
                throw UsageError{unknown_command(*each, word)};
            }
            positional.push_back(word);
        }
    }
    if (node.command->run == nullptr) {
        throw UsageError{missing_command(node)};
    }
    take_over(node);
    if (!node.command->rest_is_targets) {
        positional.insert(positional.end(), rest.begin(), rest.end());
        rest.clear();
    }
    return {*node.command, std::move(node.given), std::move(positional), std::move(rest)};
}

// Of CLI11's errors only one can come up: the others are about what we leave to Options.
std::string needs_value(const CLI::ParseError& error) {
    const std::string text = error.what();
    const size_t colon = text.find(':');
    return colon == text.npos ? text : fmt::format("{} needs a value", text.substr(0, colon));
}

void set_up_root(Node& root) {
    root.app->set_version_flag("--version", fmt::format("tracelift {}", TRACELIFT_VERSION), "show the version");
    add_option(root, dir_option);
    set_up(root, all_commands());
    root.app->footer("\nEvery command has its own --help. Shell completion: tracelift completion --help");
}

constexpr const char* description = "tracelift: lifts operation traces out of model runs into tests";

}  // namespace

Invocation parse(const std::vector<std::string>& arguments) {
    CLI::App app(description, "tracelift");
    Node root{nullptr, nullptr, &app};
    set_up_root(root);
    const auto dashes = std::ranges::find(arguments, "--");
    std::vector<std::string> reversed(std::make_reverse_iterator(dashes),
                                      std::make_reverse_iterator(arguments.begin()));
    std::vector<std::string> rest(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
    Invocation invocation;
    const auto told = [&](Node& node) {
        invocation.command = node.command;
        invocation.name = node.name();
    };
    try {
        app.parse(std::move(reversed));
        Node& node = named(root);
        told(node);
        const std::vector<std::string> unknown = app.remaining();
        if (node.command == nullptr && unknown.empty()) {
            invocation.usage_error = "expected a command";
        } else if (node.command == nullptr) {
            const std::string& word = unknown.front();
            invocation.usage_error = is_option(word) ? unknown_option(node, word) : unknown_command(node, word);
        } else {
            invocation.options = options_of(root, node, std::move(rest));
        }
    } catch (const CLI::CallForHelp&) {
        Node& node = named(root);
        told(node);
        invocation.text = node.app->help();
    } catch (const CLI::CallForVersion& version) {
        invocation.text = fmt::format("{}\n", version.what());
    } catch (const CLI::ParseError& error) {
        told(named(root));
        invocation.usage_error = needs_value(error);
    } catch (const UsageError& error) {
        invocation.usage_error = error.message;
    }
    return invocation;
}

std::string usage_of(const Command* command, const std::string& name) {
    if (command == nullptr) {
        return "usage: tracelift [--dir DIR] COMMAND ...";
    }
    std::string text = fmt::format("usage: tracelift {}", name);
    if (!command->commands.empty()) {
        return text + " COMMAND ...";
    }
    text += command->options.empty() ? "" : " [OPTIONS]";
    for (const ArgumentInfo& argument : command->arguments) {
        const std::string word = fmt::format("{}{}", argument.name, argument.most > 1 ? "..." : "");
        text += argument.least == 0 ? fmt::format(" [{}]", word) : " " + word;
    }
    return text + (command->rest_is_targets ? " [-- ARGS...]" : "");
}

std::string help_of_all() {
    CLI::App app(description, "tracelift");
    Node root{nullptr, nullptr, &app};
    set_up_root(root);
    return app.help();
}

}  // namespace tracelift::cli
