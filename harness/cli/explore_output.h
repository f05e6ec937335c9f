// SPDX-License-Identifier: Apache-2.0
// What `explore` prints, whatever it explores: the seed, what was done, each new finding, and at
// the end the known bugs, what did not show alone, and the sum of it. With --json the same as
// documents, one per line (report/schemas/explore.schema.json).
//
//   ExploreOutput output(options);
//   output.Begin(folder.shown());
//   output.New(std::move(found));
//   return output.End(exploration.Explore());
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/cli/explore_options.h"
#include "harness/decide/found_finding.h"
#include "harness/runs/console.h"

namespace watchproof {

class ExploreOutput {
 public:
  explicit ExploreOutput(const ExploreOptions& options);

  // The first line, so that an exploration that does not end can be repeated; with the folder of
  // the run, if there is one.
  void Begin(const std::string& folder = {});
  void Progress(const std::string& line) { console_.Progress(line); }
  // What was done, in complete lines: with --verbose alone, where it is for the authors of
  // watchproof.
  void Done(const std::string& text);
  void Detail(const std::string& text);
  // Gets its number, and is printed.
  void New(FoundFinding found);
  // Printed at the end: once for each bug, with the gravest of what it showed.
  void Known(FoundFinding found);
  // Shown beside other scripts, and by none alone; printed at the end as one line, and each in a
  // file of the folder.
  void NotAlone(FoundFinding found);
  // What was not judged, and why, with how many times.
  void NotJudged(const std::string& what, const std::map<std::string, std::uint64_t>& reasons);

  // If the run is made after the beginning.
  void SetFolder(const std::string& folder) { folder_ = folder; }
  // Where the next script that is kept goes, by the guarantee that it breaks.
  std::filesystem::path NextFile(std::string_view guarantee);

  // As people know it: with its version.
  const std::string& target() const { return target_; }
  void SetTarget(const std::string& label) { target_ = label; }
  int reported() const { return number_; }
  std::size_t columns() const { return console_.style().width; }

  // The last lines. An error that is no finding is left to the caller to print.
  CommandEnd End(CommandEnd end);

 private:
  void SayKnown();
  void SayNotAlone();
  std::string Sum() const;
  void SayEnd(const CommandEnd& end);

  const ExploreOptions& options_;
  Console console_{{}};
  std::string folder_, target_;
  int number_ = 0;  // of the last new finding
  int files_ = 0;
  std::vector<FoundFinding> known_;
  std::vector<FoundFinding> not_alone_;
  std::vector<std::string> done_, not_judged_;  // for the end of a program's output
};

}  // namespace watchproof
