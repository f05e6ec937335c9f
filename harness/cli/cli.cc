// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/cli.h"

#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cases/support/case_registry.h"
#include "harness/base/escape.h"
#include "harness/cli/command_tree.h"
#include "harness/cli/commands.h"
#include "harness/cli/examples.h"
#include "harness/cli/help.h"
#include "harness/report/run_json.h"
#include "harness/report/text.h"
#include "harness/runs/parse.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/standard_output.h"
#include "harness/runs/version.h"

namespace watchproof {
namespace {

int Number(ExitCode code) { return static_cast<int>(code); }

void NamesOfCommands(const CLI::App& parent, const std::string& before,
                     std::vector<std::string>& names) {
  for (const CLI::App* command : CommandsOf(parent)) {
    const std::string name = before + command->get_name();
    if (CommandsOf(*command).empty()) names.push_back(name);
    NamesOfCommands(*command, name + " ", names);
  }
}

void PrintShortHelp(const CLI::App& app) {
  fmt::print("{}\n\n", app.get_description());
  for (std::size_t i = 0; i < kFirstSteps; ++i) fmt::print("{}", ExampleText(Examples()[i]));
  fmt::print("\n");
  std::vector<std::string> commands, codes;
  NamesOfCommands(app, "", commands);
  for (const ExitCodeInfo& info : ExitCodes()) {
    codes.push_back(fmt::format("{} {}", Number(info.code), info.name));
  }
  for (const std::string& text :
       {fmt::format("Commands: {}. Each has --help.", fmt::join(commands, ", ")),
        fmt::format("Exit codes: {}.", fmt::join(codes, ", "))}) {
    std::string indent;
    for (const std::string& line : Wrap(text, 78)) {
      fmt::print("{}{}\n", std::exchange(indent, "  "), line);
    }
  }
}

// One command line, parsed and run.
class CommandLine {
 public:
  CommandLine(int argc, char** argv) : words_(argv, argv + argc) {
    app_.formatter(std::make_shared<HelpFormatter>());
    app_.add_flag("--version", version_, "Version, commit, compiler, libraries");
    app_.add_flag("--json", json_, "With --version: as JSON");
    app_.require_subcommand(0, 1);
    AddThoseThatTest();
    AddThoseThatExplain();
    AddThoseThatDecide();
    AddTools();
    // Internal: the runner starts one process per case.
    attempt_.add_option("--spec", spec_)->required();
    attempt_.group("");
  }
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  bool StartsWithCommand() const {
    const auto commands = app_.get_subcommands([](const CLI::App*) { return true; });
    return words_.size() > 1 && std::ranges::any_of(commands, [this](const CLI::App* command) {
             return command->check_name(words_[1]);
           });
  }

  int Run() {
    // Internal: the scripts of `completion` ask so. What follows is no whole command line yet.
    if (words_.size() > 1 && words_[1] == "complete") {
      PrintCandidates(app_, {words_.begin() + 2, words_.end()});
      return Number(ExitCode::kOk);
    }
    try {
      // CLI11 takes its arguments in reverse order.
      app_.parse(std::vector<std::string>(words_.rbegin(), std::prev(words_.rend())));
    } catch (const CLI::CallForHelp& help) {
      app_.exit(help);
      return Number(ExitCode::kOk);
    } catch (const CLI::ParseError& error) {
      return WrongWords(error.what());
    }
    if (attempt_.parsed()) return RunCaseProcess(spec_);
    for (const auto& [command, body] : commands_) {
      if (command->parsed()) return Run(*command, body);
    }
    if (version_) return PrintVersion();
    PrintShortHelp(app_);
    return Number(isatty(STDOUT_FILENO) == 1 ? ExitCode::kOk : ExitCode::kUsage);
  }

 private:
  // Under the heading; in the order in which people need them.
  void Add(CLI::App& parent, const char* heading, const char* name, const char* help,
           const std::function<CommandBody(const Command&)>& add) {
    CLI::App& command = *parent.add_subcommand(name, help)->group(heading);
    commands_.emplace_back(&command, add({command, words_}));
  }
  // A command that has commands of its own.
  CLI::App& AddParent(const char* heading, const char* name, const char* help) {
    CLI::App& parent = *app_.add_subcommand(name, help)->group(heading);
    parent.require_subcommand(1);
    return parent;
  }

  void AddThoseThatTest() {
    constexpr char kTest[] = "Test";
    const auto run = [](Cases cases) {
      return [cases](const Command& command) { return AddRun(command, cases); };
    };
    Add(app_, kTest, "run", "Run cases against targets", run(Cases::kOfTargets));
    Add(app_, kTest, "fetch", "Download release binaries into a cache", AddFetch);
    Add(app_, kTest, "doctor",
        "Say what this machine and the targets can do, and what to do about it", AddDoctor);
    Add(app_, kTest, "explore", "Find what no case asks: drawn or enumerated scripts on a store",
        AddExplore);
    Add(app_, kTest, "selftest",
        "Test watchproof: faults without effect, and tampering, must be noticed",
        run(Cases::kOfWatchproof));
  }

  void AddThoseThatExplain() {
    constexpr char kUnderstand[] = "Understand a failure";
    Add(app_, kUnderstand, "explain", "Explain a case, guarantee, fault, defect, bug or word",
        AddExplain);
    Add(app_, kUnderstand, "bugs", "List the known bugs of etcd, or those of one release", AddBugs);
    Add(app_, kUnderstand, "draw", "Draw a finding, or an attempt, as SVG", AddDraw);
    Add(app_, kUnderstand, "repeat", "Repeat a failed attempt of a run until it fails again",
        AddRepeat);
    Add(app_, kUnderstand, "shrink", "Make the plan of a failed attempt smaller", AddShrink);
    Add(app_, kUnderstand, "check", "Judge recordings again", AddCheck);
    Add(app_, kUnderstand, "report", "Write the reports of runs again, or of several as one",
        AddReport);
    Add(app_, kUnderstand, "runs", "List the runs of a folder, and remove old ones", AddRuns);
    Add(app_, kUnderstand, "case", "Print a script that exploration kept as the source of a case",
        AddCaseSource);
    CLI::App& history = AddParent(kUnderstand, "history", "Print or import a recording");
    Add(history, "Commands", "dump", "Print a recording as JSON lines", AddHistoryDump);
    Add(history, "Commands", "import", "Make a recording from reports of etcd's robustness tests",
        AddHistoryImport);
  }

  void AddThoseThatDecide() {
    constexpr char kDecide[] = "Decide";
    Add(app_, kDecide, "gate", "Decide whether one build is worse than another", AddGate);
    Add(app_, kDecide, "bisect",
        "Find the release, binary or revision with which a bug came or went", AddBisect);
    Add(app_, kDecide, "compare", "Compare the pass rates of runs", AddCompare);
    CLI::App& baseline = AddParent(kDecide, "baseline", "Failures that are accepted, in a file");
    Add(baseline, "Commands", "show", "Print its entries, and what they match in runs",
        AddBaselineShow);
    Add(baseline, "Commands", "update", "Add the failures of runs, with a reason",
        AddBaselineUpdate);
    Add(baseline, "Commands", "prune", "Remove entries that have expired, or match nothing in runs",
        AddBaselinePrune);
    Add(app_, kDecide, "score", "Say how much of the contract a store keeps", AddScore);
    Add(app_, kDecide, "power", "Measure the chance of finding each known bug", AddPower);
  }

  void AddTools() {
    constexpr char kTools[] = "Tools";
    Add(app_, kTools, "list",
        "List cases, guarantees, clauses, faults, effects, defects, targets and the API", AddList);
    Add(app_, kTools, "proxy", "Run a fault-injection proxy before a server", AddProxy);
    Add(app_, kTools, "store", "Serve the embedded store", AddStore);
    Add(app_, kTools, "disk", "Run a program with a fault-injection proxy before its disk",
        AddDisk);
    Add(app_, kTools, "completion", "Print a script that completes command lines in a shell",
        AddCompletion);
    Add(app_, kTools, "man", "Print the manual page, for `man -l -`", AddMan);
  }

  int Run(const CLI::App& command, const CommandBody& body) const {
    const CommandEnd end = body();
    const CLI::App& parent = *command.get_parent();
    const std::string group = &parent == &app_ ? "" : parent.get_name() + " ";
    if (!end.why.empty()) Complain(group + command.get_name(), end.why);
    return Number(end.code);
  }

  int PrintVersion() const {
    if (json_) {
      fmt::print("{}\n", ToJsonObject({Versions().begin(), Versions().end()}));
      return Number(ExitCode::kOk);
    }
    fmt::print("watchproof {}\n", Versions().at("watchproof"));
    for (const auto& [name, version] : Versions()) {
      if (name != "watchproof") fmt::print("  {:<10} {}\n", name, version);
    }
    return Number(ExitCode::kOk);
  }

  // Prints the parser's error, and the closest known word.
  int WrongWords(const std::string& message) const {
    std::string hint;
    std::vector<std::string> commands;
    for (const CLI::App* command : CommandsOf(app_)) commands.push_back(command->get_name());
    const CLI::App* chosen = &app_;
    if (words_.size() > 1) {
      const bool command = Contains(commands, words_[1]);
      if (command) chosen = app_.get_subcommand(words_[1]);
      if (!command && !words_[1].starts_with("-")) {
        fmt::print(stderr, "watchproof: there is no command '{}'{}\n", Escaped(words_[1]),
                   DidYouMean(words_[1], commands));
        return Number(ExitCode::kUsage);
      }
    }
    std::vector<std::string> flags;
    for (const CLI::Option* option : chosen->get_options()) flags.push_back(option->get_name());
    for (const std::string& word : words_) {
      const std::string flag = word.substr(0, word.find('='));
      if (!flag.starts_with("--") || Contains(flags, flag)) {
        continue;
      }
      hint = DidYouMean(flag, flags);
      break;
    }
    const std::string command = chosen == &app_ ? "" : " " + chosen->get_name();
    fmt::print(stderr, "watchproof{}: {}{}\nTry: watchproof{} --help\n", command, Escaped(message),
               Escaped(hint), command);
    return Number(ExitCode::kUsage);
  }

  const std::vector<std::string> words_;
  CLI::App app_{"Tests whether a store keeps the guarantees of the etcd watch API under faults.",
                "watchproof"};
  std::vector<std::pair<CLI::App*, CommandBody>> commands_;
  CLI::App& attempt_ = *app_.add_subcommand("attempt", "Run one attempt of one case");
  std::string spec_;
  bool json_ = false;
  bool version_ = false;
};

}  // namespace

ExitCode Complain(std::string_view command, std::string_view message, ExitCode code) {
  fmt::print(stderr, "watchproof {}: {}\n", command, Escaped(message));
  return code;
}

CLI::Validator RunByName() {
  return CLI::Validator(
      [](std::string& given) {
        const Result<std::string> found = FindRun(given, UsualRunDir());
        if (!found.has_value()) throw CLI::ValidationError(found.error().message());
        given = *found;
        return std::string();
      },
      "");
}

Status CheckFile(const char* flag, std::string& file) {
  if (file.empty()) return {};
  if (!std::ifstream(file) || !std::filesystem::is_regular_file(file)) {
    return Fail(StatusCode::kInvalidArgument, "{} {}: no such file, or no permission to read it",
                flag, file);
  }
  file = std::filesystem::absolute(file).string();
  return {};
}

void Announce(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  TakeOverStandardStreams();
  int code = Number(ExitCode::kInternal);
  // Whatever a library throws ends as an internal error, not as a crash.
  try {
    code = CommandLine(argc, argv).Run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "watchproof: internal error: {}\n", Escaped(error.what()));
  }
  if (const int lost = CloseStandardOutput(); lost != 0) {
    fmt::print(stderr, "watchproof: standard output: {}; expected space for the whole output\n",
               FromErrno(lost).message());
    // Verdicts stay unchanged, but a lost report must not look like success.
    if (code == Number(ExitCode::kOk)) code = Number(ExitCode::kInternal);
  }
  return code;
}

void RunIfCommand(int argc, char** argv) {
  if (CommandLine(argc, argv).StartsWithCommand()) std::exit(Main(argc, argv));
}

}  // namespace watchproof
