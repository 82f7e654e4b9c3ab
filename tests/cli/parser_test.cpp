#include "tracelift/cli/parser.hpp"

#include <functional>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/cli/commands.hpp"

namespace tracelift::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

void for_each_command(std::span<const Command* const> commands, const std::string& above,
                      const std::function<void(const Command&, const std::string&)>& visit) {
    for (const Command* command : commands) {
        const std::string name = above + std::string(command->name);
        visit(*command, name);
        for_each_command(command->commands, name + " ", visit);
    }
}

// As a shell does it with what our examples use: blanks, and quotation marks of both kinds.
std::vector<std::string> words_of_shell(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    char quote = 0;
    for (const char c : line) {
        if (quote != 0 ? c == quote : c == '"' || c == '\'') {
            quote = quote != 0 ? '\0' : c;
        } else if (c == ' ' && quote == 0) {
            words.push_back(std::exchange(word, {}));
        } else {
            word += c;
        }
    }
    words.push_back(word);
    return words;
}

std::string error_of(std::vector<std::string> words) { return parse(words).usage_error.value_or("(none)"); }

TEST(CommandLine, EveryOptionAndArgumentHasALineOfHelp) {
    for_each_command(all_commands(), "", [](const Command& command, const std::string& name) {
        EXPECT_FALSE(command.help.empty()) << name;
        EXPECT_EQ(command.help.find('\n'), std::string_view::npos) << name;
        const std::string help = *parse(words_of_shell(name + " --help")).text;
        EXPECT_THAT(help, StartsWith(std::string(command.help))) << name;
        for (const OptionInfo& option : command.options) {
            EXPECT_FALSE(option.help.empty()) << name << " " << option.name;
            EXPECT_THAT(help, HasSubstr(std::string(option.help))) << name;
        }
        for (const ArgumentInfo& argument : command.arguments) {
            EXPECT_FALSE(argument.help.empty()) << name << " " << argument.name;
            EXPECT_THAT(help, HasSubstr(std::string(argument.help))) << name;
        }
        EXPECT_THAT(help, HasSubstr(std::string(command.example))) << name;
        EXPECT_THAT(help, HasSubstr("Exit status: " + std::string(command.statuses))) << name;
    });
}

TEST(CommandLine, EveryExampleIsACommandLineThatParses) {
    for_each_command(all_commands(), "", [](const Command& command, const std::string& name) {
        if (&command == &completion_command) {
            EXPECT_THAT(std::string(command.example), HasSubstr("tracelift completion bash"));
            return;
        }
        auto words = words_of_shell(command.example);
        ASSERT_EQ(words.front(), "tracelift") << name;
        words.erase(words.begin());
        const Invocation invocation = parse(words);
        EXPECT_TRUE(invocation.options.has_value()) << name << ": " << invocation.usage_error.value_or("");
        EXPECT_THAT(invocation.name, StartsWith(name));
    });
}

TEST(CommandLine, EveryCommandPrintsJson) {
    for_each_command(all_commands(), "", [](const Command& command, const std::string& name) {
        if (command.run != nullptr) {
            EXPECT_EQ(std::ranges::count(command.options, std::string_view("--json"), &OptionInfo::long_name), 1)
                << name;
        }
    });
}

TEST(CommandLine, TheStoreIsNamedBeforeOrAfterTheCommand) {
    const auto before = parse({"--dir", "here", "show", "add"});
    const auto after = parse({"show", "add", "--dir", "here"});
    ASSERT_TRUE(before.options && after.options);
    EXPECT_EQ(before.options->value("--dir"), "here");
    EXPECT_EQ(after.options->value("--dir"), "here");
    EXPECT_EQ(parse({"--dir=a", "sweep", "run", "add", "--dir=b"}).options->value("--dir"), "b");
    EXPECT_EQ(parse({"sweep", "--dir=c", "run", "add"}).options->value("--dir"), "c");
    EXPECT_EQ(error_of({"--dir", "here", "boards"}), "'boards' does not use --dir");
}

TEST(CommandLine, UnknownNamesAreAnsweredWithTheNearest) {
    EXPECT_EQ(error_of({"shwo", "add"}), "unknown command 'shwo'; did you mean 'show'?");
    EXPECT_EQ(error_of({"report", "imprt", "a", "b"}), "unknown command 'imprt'; did you mean 'import'?");
    EXPECT_EQ(error_of({"show", "add", "--limt", "3"}), "unknown option '--limt'; did you mean '--list' or '--limit'?");
    EXPECT_EQ(error_of({"show", "add", "--limt=3"}), "unknown option '--limt'; did you mean '--list' or '--limit'?");
    EXPECT_EQ(error_of({"trace", "x", "--keep"}), "unknown option '--keep'; did you mean '--keep-traces'?");
    EXPECT_EQ(error_of({"show", "--xyzzy"}), "unknown option '--xyzzy'");
    EXPECT_EQ(error_of({"--bad", "show"}), "unknown option '--bad'");
    EXPECT_THAT(error_of({"graph"}), StartsWith("expected one of calls, print"));
    EXPECT_THAT(error_of({"sweep", "--all"}), HasSubstr("'--all'"));
}

TEST(CommandLine, NamesOfCommandsAreArgumentsBehindACommand) {
    EXPECT_THAT(parse({"show", "trace"}).options->positional(), ElementsAre("trace"));
    EXPECT_THAT(parse({"describe", "merge", "report"}).options->positional(), ElementsAre("merge", "report"));
    EXPECT_THAT(parse({"report", "ops", "stats"}).options->positional(), ElementsAre("stats"));
}

TEST(CommandLine, WordsReachTheCommandAsTheyAre) {
    const auto trace = parse({"trace", "t.py::test_x[a-b]", "--name", "[a,b]", "--", "--dir", "x", "--"});
    ASSERT_TRUE(trace.options) << *trace.usage_error;
    EXPECT_THAT(trace.options->positional(), ElementsAre("t.py::test_x[a-b]"));
    EXPECT_EQ(trace.options->value("--name"), "[a,b]");
    EXPECT_THAT(trace.options->rest(), ElementsAre("--dir", "x", "--"));
    EXPECT_THAT(parse({"export", "-"}).options->positional(), ElementsAre("-"));
    EXPECT_THAT(parse({"export", "--", "--strange"}).options->positional(), ElementsAre("--strange"));
    EXPECT_THAT(parse({"import", "[x]", "{y}", "", "a b"}).options->positional(), ElementsAre("[x]", "{y}", "", "a b"));
    EXPECT_EQ(parse({"merge", "a", "b", "-o", "c"}).options->value("--output"), "c");
    EXPECT_EQ(parse({"show", "add", "--model", "a", "--model", "b"}).options->value("--model"), "b");
    EXPECT_EQ(parse({"show", "add", "--model", ""}).options->value("--model"), "");
    EXPECT_EQ(parse({"show", "add", "--where", "--dir"}).options->value("--where"), "--dir");
}

TEST(CommandLine, NumbersAreCheckedForTheirRange) {
    EXPECT_EQ(error_of({"sweep", "run", "--all", "--timeout", "1e300"}),
              "--timeout takes a number from 0.001 to 1,000,000, got '1e300'");
    EXPECT_EQ(error_of({"sweep", "run", "--all", "--memory", "99999999999999"}),
              "--memory takes a number from 1 to 1,000,000,000, got '99999999999999'");
    EXPECT_EQ(error_of({"show", "add", "--limit", "99999999999999999999"}),
              "--limit takes a whole number from 1 to 1,000,000,000,000,000, or all, got '99999999999999999999'");
    EXPECT_EQ(error_of({"selfcheck", "--jobs", "0"}), "--jobs takes a whole number from 1 to 1,024, got '0'");
    for (const std::string bad : {"nan", "inf", "-1", "1.5", "", "x", "1x", " 1", "1e999", "0x10"}) {
        EXPECT_THAT(error_of({"ops", "--limit", bad}), StartsWith("--limit takes a whole number")) << bad;
    }
    EXPECT_EQ(parse({"ops", "--limit", "1e3"}).options->whole_or("--limit", 0), 1000);
    EXPECT_EQ(parse({"show", "add", "--limit", "all"}).options->value("--limit"), "all");
    EXPECT_EQ(parse({"sweep", "run", "--timeout", "0.5", "add"}).options->number_or("--timeout", 0), 0.5);
}

TEST(CommandLine, WordsToChooseFromAreChecked) {
    EXPECT_EQ(error_of({"convert", "a", "b", "--format", "json"}),
              "--format takes 1, 2, jsonl or csv, got 'json'; did you mean jsonl?");
    EXPECT_EQ(error_of({"trace", "x", "--via", "air"}), "--via takes raw, params, calls or graph, got 'air'");
}

TEST(CommandLine, ArgumentsAreCounted) {
    EXPECT_EQ(error_of({"trace"}), "expected 1 argument (TARGET), got 0");
    EXPECT_EQ(error_of({"convert", "a"}), "expected 2 arguments (IN OUT), got 1");
    EXPECT_EQ(error_of({"merge", "a", "-o", "b"}), "expected at least 2 arguments (IN...), got 1");
    EXPECT_EQ(error_of({"ops", "a", "b"}), "expected at most 1 argument (PATTERN), got 2");
    EXPECT_EQ(error_of({"boards", "a"}), "takes no arguments, got 1");
    EXPECT_EQ(error_of({"show", "add", "--dir"}), "--dir needs a value");
}

TEST(CommandLine, HelpAndVersionNeedNothingElse) {
    EXPECT_THAT(*parse({"--help"}).text, HasSubstr("usage: tracelift [--dir DIR] COMMAND ..."));
    EXPECT_THAT(*parse({"report", "import", "-h"}).text,
                HasSubstr("usage: tracelift report import [OPTIONS] REPORT... OUTDIR"));
    EXPECT_THAT(*parse({"diff", "--help"}).text,
                HasSubstr("1 they differ, 2 wrong usage or one of them cannot be read"));
    EXPECT_THAT(*parse({"--version"}).text, StartsWith("tracelift "));
    const std::string all = help_of_all();
    for (const Command* command : all_commands()) {
        EXPECT_THAT(all, HasSubstr(std::string(command->help)));
    }
}

}  // namespace
}  // namespace tracelift::cli
