// SPDX-License-Identifier: Apache-2.0
// The commands, one function each: it adds the command's flags and returns the function that runs
// it once they are parsed.
//
//   const CommandBody fetch = AddFetch({*app.add_subcommand("fetch", "..."), words});
//   ... app.parse(argc, argv) ...
//   const CommandEnd end = fetch();
//
// Once per process. Ownership: the parser and the words outlive the function.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runs/exit_code.h"
#include "harness/runs/run_options.h"

namespace watchproof {

using CommandBody = std::function<CommandEnd()>;

// Replaces the name of a run by its folder, in the usual folder of runs.
CLI::Validator RunByName();

// A command to which its flags are added.
struct Command {
  CLI::App& parser;
  const std::vector<std::string>& words;  // the whole command line

  // The heading in --help of what is added from now on.
  void Group(const std::string& heading) const { parser.option_defaults()->group(heading); }
  // A flag with a value. A text that is not empty is shown as its default.
  template <typename T>
  CLI::Option* Value(const std::string& name, T& value, const std::string& form,
                     const std::string& help) const {
    CLI::Option* option = parser.add_option(name, value, help)->type_name(form);
    return std::is_same_v<T, std::string> ? option->capture_default_str() : option;
  }
  CLI::Option* Repeatable(const std::string& name, std::vector<std::string>& values,
                          const std::string& form, const std::string& help) const {
    return Value(name, values, form, help + " (repeatable)")->allow_extra_args(false);
  }
  CLI::Option* Switch(const std::string& name, bool& on, const std::string& help) const {
    return parser.add_flag(name, on, help);
  }
  // A run, by its folder or its name: see FindRun. Where the command takes another path, too, that
  // stays as it is.
  template <typename T>
  CLI::Option* Run(const std::string& name, T& value, const std::string& help) const {
    return Value(name, value, "RUN", help)->transform(RunByName());
  }
  // A word without a flag.
  template <typename T>
  CLI::Option* Word(const std::string& name, T& value, const std::string& help) const {
    return parser.add_option(name, value, help);
  }
};

// Beside each what its exit code says, and what else cli.cc does not say of it.
CommandBody AddRun(const Command& command, Cases cases);
// One failed attempt of a run again, with the same seed, target and flags, until it fails once more
// (kFailed) or every attempt has passed (kOk). Any other exit code is that of attempts that prove
// nothing. Changes the working folder to that of the run.
CommandBody AddRepeat(const Command& command);
// The plan of a failed attempt, reduced to what the failure needs. kOk: the plan that is written
// fails; kInconclusive: the failure did not show again.
CommandBody AddShrink(const Command& command);
// Judges recordings again and compares the findings with those of the run. kFailed when there is a
// new finding; otherwise kInconclusive when a recording is damaged, cut off, without a watch, or
// undecided where the run had a verdict.
CommandBody AddCheck(const Command& command);
CommandBody AddDraw(const Command& command);
CommandBody AddReport(const Command& command);
CommandBody AddRuns(const Command& command);
// The failures that a file accepts, and what they match in runs. kStaleExpectations: one has
// expired, or matches nothing.
CommandBody AddBaselineShow(const Command& command);
CommandBody AddBaselineUpdate(const Command& command);
CommandBody AddBaselinePrune(const Command& command);
// Pass rates of runs beside each other. kFailed: something fails in the last that did not fail in
// the first, more often, or in another way.
CommandBody AddCompare(const Command& command);
// Whether one build is worse than another. kOk: it is not; kFailed: it is; kInconclusive: it takes
// more.
CommandBody AddGate(const Command& command);
// Between which two releases, binaries or revisions a bug came or went. kOk: two neighbours;
// kInconclusive: others between them could not be judged, or the ends cannot be distinguished.
CommandBody AddBisect(const Command& command);
// A script that exploration kept, as the source of a case.
CommandBody AddCaseSource(const Command& command);
// The chance of finding each known bug. kFailed: one was not found, or a fixed release fails.
CommandBody AddPower(const Command& command);
// How much of the contract a store keeps. With --verify, of what a store has published: kFailed:
// something that it says is kept is broken; kInconclusive: not all of that was shown.
CommandBody AddScore(const Command& command);
// Places the binaries of releases in the cache. Their paths go to standard output, everything else
// to standard error. kTarget: not all could be had; kUsage: one is not known, and none was fetched.
CommandBody AddFetch(const Command& command);
// A recording as one JSON document per line; of a damaged one up to there, and kInconclusive.
CommandBody AddHistoryDump(const Command& command);
CommandBody AddHistoryImport(const Command& command);
// What this machine and the targets can do; with --config the settings of `run`. kTarget: a target
// cannot be used.
CommandBody AddDoctor(const Command& command);
CommandBody AddList(const Command& command);
CommandBody AddBugs(const Command& command);
// What `list`, `bugs` and `explain` know by name. Of one kind, "case"; an empty kind: all.
struct NamedThing {
  std::string name;
  std::string summary;
};
std::vector<NamedThing> NamesOf(const std::string& kind);
// Every thing of that name; an unknown name gets the closest match.
CommandBody AddExplain(const Command& command);
// Scripts on a store, or on the embedded one under virtual time. kOk: nothing new was found;
// kInconclusive: nothing was, and no script, or server, could be judged in full.
CommandBody AddExplore(const Command& command);
// A script that completes command lines in a shell; it asks this program for the words.
CommandBody AddCompletion(const Command& command);
CommandBody AddMan(const Command& command);
// What may come in place of the last of `words`, the line behind the program's name: "word\thelp"
// for each. Nothing where a file may, and "//files" at the end where a file may as well.
void PrintCandidates(const CLI::App& root, const std::vector<std::string>& words);
// Serves the embedded store until a signal comes. Prints "serving on HOST:PORT, http on HOST:PORT"
// once clients can connect.
CommandBody AddStore(const Command& command);
// Serves the proxy until a signal comes. Prints where it listens and where it can be controlled,
// and at the end the connections and what every effect did.
CommandBody AddProxy(const Command& command);
// Runs a program until it ends. kOk: it exited with 0, or an effect killed it; kInconclusive: an
// effect had none; kTarget: it could not be started; kInterrupted and kTerminated: a signal that
// was passed on has ended it; kFailed: anything else. Standard output is the program's alone.
CommandBody AddDisk(const Command& command);

// A whole run. `done`, if given, is what it came to, empty when it did not start.
CommandEnd RunCommand(RunOptions options, const std::string& executable, RunRecord* done = nullptr);
// Prints what a run inside another command has to say at its end, if anything.
ExitCode ReportEnd(const CommandEnd& end);
// Prints why a command cannot do what was asked for, before it ends.
ExitCode Complain(std::string_view command, std::string_view message,
                  ExitCode code = ExitCode::kUsage);
// The error is that the file of a flag cannot be read. Makes its path absolute, since cases run in
// another folder. An empty one was not given.
Status CheckFile(const char* flag, std::string& file);
// Prints a line that scripts which start the command wait for.
void Announce(const std::string& line);

}  // namespace watchproof
