// SPDX-License-Identifier: Apache-2.0
// The commands, one function each: it adds the command's flags and returns the function that runs
// it once they are parsed.
//
//   const CommandBody fetch = AddFetch(*app.add_subcommand("fetch", "..."));
//   ... app.parse(argc, argv) ...
//   return fetch();
//
// Once per process. Ownership: the app outlives the function.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/exit_code.h"
#include "harness/cli/run_options.h"

namespace watchproof {

using CommandBody = std::function<ExitCode()>;

// Runs cases against targets, or self-tests. `words` are the command line; they outlive this.
CommandBody AddRun(CLI::App& command, Cases cases, const std::vector<std::string>& words);
// One failed attempt of a run again, with the same seed, target and flags, until it fails once more
// (kFailed) or every attempt has passed (kOk). Any other exit code is that of attempts that prove
// nothing. Changes the working folder to that of the run.
CommandBody AddRepeat(CLI::App& command, const std::vector<std::string>& words);
// The plan of a failed attempt, reduced to what the failure needs. kOk: the plan that is written
// fails; kInconclusive: the failure did not show again.
CommandBody AddShrink(CLI::App& command);
// Judges recordings again and compares the findings with those of the run. kFailed when there is a
// new finding; otherwise kInconclusive when a recording is damaged, cut off, without a watch, or
// undecided where the run had a verdict.
CommandBody AddCheck(CLI::App& command);
// A finding, or an attempt, as lanes over time in an SVG.
CommandBody AddDraw(CLI::App& command);
// Writes the reports of a run again, or of several runs as one.
CommandBody AddReport(CLI::App& command);
// The runs of a folder; with --keep-runs all but the last are removed.
CommandBody AddRuns(CLI::App& command);
// The failures that a file accepts, and what they match in runs. kStaleExpectations: one has
// expired, or matches nothing.
CommandBody AddBaselineShow(CLI::App& command);
// Adds the new failures of runs to such a file, or gives expired entries a new day.
CommandBody AddBaselineUpdate(CLI::App& command);
// Removes the entries that have expired, or match nothing.
CommandBody AddBaselinePrune(CLI::App& command);
// Pass rates of runs beside each other. kFailed: something fails in the last that did not fail in
// the first, more often, or in another way.
CommandBody AddCompare(CLI::App& command);
// Whether one build is worse than another. kOk: it is not; kFailed: it is; kInconclusive: it takes
// more.
CommandBody AddGate(CLI::App& command, const std::vector<std::string>& words);
// Between which two releases, binaries or revisions a bug came or went. kOk: two neighbours;
// kInconclusive: others between them could not be judged, or the ends cannot be distinguished.
CommandBody AddBisect(CLI::App& command, const std::vector<std::string>& words);
// The chance of finding each known bug. kFailed: one was not found, or a fixed release fails.
CommandBody AddPower(CLI::App& command, const std::vector<std::string>& words);
// Places the binaries of releases in the cache. Their paths go to standard output, everything else
// to standard error. kTarget: not all could be had; kUsage: one is not known, and none was fetched.
CommandBody AddFetch(CLI::App& command);
// A recording as one JSON document per line; of a damaged one up to there, and kInconclusive.
CommandBody AddHistoryDump(CLI::App& command);
// Makes a recording of the client reports of etcd's robustness tests.
CommandBody AddHistoryImport(CLI::App& command);
// What this machine and the targets can do; with --config the settings of `run`. kTarget: a target
// cannot be used.
CommandBody AddDoctor(CLI::App& command, const std::vector<std::string>& words);
// All things with a name, by kind.
CommandBody AddList(CLI::App& command);
// The answer key, or the bugs of one release.
CommandBody AddBugs(CLI::App& command);
// What `list`, `bugs` and `explain` know by name. Of one kind, "case"; an empty kind: all.
struct NamedThing {
  std::string name;
  std::string summary;
};
std::vector<NamedThing> NamesOf(const std::string& kind);
// Every thing of that name; an unknown name gets the closest match.
CommandBody AddExplain(CLI::App& command);
// Scripts on a store, or on the embedded one under virtual time. kOk: nothing new was found;
// kInconclusive: nothing was, and no script, or server, could be judged in full.
CommandBody AddExplore(CLI::App& command);
// A script that completes command lines in a shell; it asks this program for the words.
CommandBody AddCompletion(CLI::App& command);
// The manual page of the whole command.
CommandBody AddMan(CLI::App& command, const CLI::App& root);
// What may come in place of the last of `words`, the line behind the program's name: "word\thelp"
// for each. Nothing where a file may.
void PrintCandidates(const CLI::App& root, const std::vector<std::string>& words);
// Serves the embedded store until a signal comes. Prints "serving on HOST:PORT, http on HOST:PORT"
// once clients can connect.
CommandBody AddStore(CLI::App& command);
// Serves the proxy until a signal comes. Prints where it listens and where it can be controlled,
// and at the end the connections and what every effect did.
CommandBody AddProxy(CLI::App& command);

// Prints why a command cannot do what was asked for.
ExitCode Complain(std::string_view command, std::string_view message,
                  ExitCode code = ExitCode::kUsage);
// Prints a line that scripts which start the command wait for.
void Announce(const std::string& line);

}  // namespace watchproof
