// SPDX-License-Identifier: Apache-2.0
// `draw`: a finding, or an attempt that passed, as a picture for an upstream issue, or as a trace
// to zoom into.
#include <fstream>

#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/cli/finding_picture.h"
#include "harness/runs/recordings.h"
#include "harness/runs/run_folder.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct DrawFlags {
  std::string what;    // RUN, RUN#N, a recording, or a folder with one
  std::string output;  // empty: standard output
  std::string case_name;
  std::string target;
};

std::string KnownAs(const AttemptResult& attempt) {
  if (!attempt.known || attempt.upstream.empty()) return {};
  return fmt::format("etcd #{}: {}", attempt.upstream.front(), attempt.reason);
}

constexpr std::size_t kFindings = 2;  // that share a picture

std::vector<FindingRecord> FirstFindings(std::vector<FindingRecord> findings) {
  findings.resize(std::min(kFindings, findings.size()));
  return findings;
}

// A recording without a result, judged.
Result<PictureSubject> JudgedSubject(const fs::path& file) {
  WP_ASSIGN_OR_RETURN(const Rejudged judged, JudgeRecording(file));
  PictureSubject subject{.file = file, .findings = FirstFindings(judged.findings)};
  if (judged.coverage) subject.coverage = CoverageLines(judged);
  if (!subject.findings.empty()) return subject;
  const std::string why = WhyInconclusive(std::nullopt, judged);
  subject.verdict = !why.empty()      ? fmt::format("nothing, inconclusive: {}", why)
                    : judged.coverage ? "nothing: clean, as far as the recording shows"
                                      : "nothing: clean";
  return subject;
}

// The first recording at the path, with its first findings.
Result<PictureSubject> SubjectAt(const DrawFlags& flags) {
  WP_ASSIGN_OR_RETURN(
      const std::vector<FoundRecording> found,
      FindRecordings(flags.what, {.case_name = flags.case_name, .target = flags.target}));
  const auto& [file, result] = found.front();
  if (!result) return JudgedSubject(file);
  PictureSubject subject{.file = file, .findings = FirstFindings(result->findings)};
  if (subject.findings.empty()) {
    subject.verdict = fmt::format("nothing: {}", Name(result->verdict));
  } else {
    subject.known = KnownAs(*result);
  }
  return subject;
}

Result<PictureSubject> SubjectOf(const DrawFlags& flags) {
  std::error_code ignored;
  const bool numbered = !SplitFinding(flags.what).finding.empty();
  const bool run = fs::exists(fs::path(flags.what) / "results.jsonl", ignored);
  if (!numbered && (!run || !flags.case_name.empty())) return SubjectAt(flags);
  WP_ASSIGN_OR_RETURN(
      const ChosenFinding chosen,
      ChooseFinding({.run = flags.what, .filter = flags.case_name, .target = flags.target}));
  return PictureSubject{.file = chosen.run / chosen.attempt.folder / "history.wire.zst",
                        .findings = {chosen.finding},
                        .known = KnownAs(chosen.attempt)};
}

CommandEnd DrawCommand(const DrawFlags& flags) {
  WP_ASSIGN_OR_RETURN(const PictureForm* form, PictureFormOf(flags.output));
  WP_ASSIGN_OR_RETURN(const PictureSubject subject, SubjectOf(flags));
  const Result<std::string> drawn = DrawFinding(subject, *form);
  if (!drawn.has_value()) return drawn.error().WithContext("{}", flags.what);
  if (flags.output.empty()) {
    fmt::print("{}", *drawn);
    return ExitCode::kOk;
  }
  std::ofstream file(flags.output, std::ios::binary);
  file << *drawn;
  file.close();
  if (!file) {
    return Fail(StatusCode::kUnavailable, "{}: expected a file that can be written", flags.output);
  }
  fmt::print("{}\n", Escaped(flags.output));
  return ExitCode::kOk;
}

}  // namespace

CommandBody AddDraw(const Command& command) {
  const auto flags = std::make_shared<DrawFlags>();
  command
      .Run("run", flags->what,
           "A run with a failed attempt; RUN#N for its N-th finding (default: the first that is "
           "new); or a recording")
      ->required();
  command.Value("-o,--output", flags->output, "FILE.svg|FILE.json",
                "File to write (default: the SVG to standard output)");
  command.Value("--case", flags->case_name, "CASE", "Which case, also one that passed");
  command.Value("--target", flags->target, "SPEC", "On which target");
  return [flags] { return DrawCommand(*flags); };
}

}  // namespace watchproof
