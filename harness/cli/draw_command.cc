// SPDX-License-Identifier: Apache-2.0
// `draw`: a finding, or an attempt that passed, as a picture for an upstream issue, or as a trace
// to zoom into.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <set>

#include "harness/base/escape.h"
#include "harness/cli/chosen_finding.h"
#include "harness/cli/commands.h"
#include "harness/cli/recordings.h"
#include "harness/faults/fault.h"
#include "harness/report/picture.h"
#include "harness/report/rows.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct DrawFlags {
  std::string what;    // RUN, RUN#N, a recording, or a folder with one
  std::string output;  // empty: standard output
  std::string case_name;
  std::string target;
};

// A recording and what is to be shown of it.
struct Subject {
  fs::path file;
  FindingRecord finding;
  std::string known = {};  // which bug the attempt shows, if that is known
};

std::string KnownAs(const AttemptResult& attempt) {
  if (!attempt.known || attempt.upstream.empty()) return {};
  return fmt::format("etcd #{}: {}", attempt.upstream.front(), attempt.reason);
}

// The one recording at the path: its first finding, if there is any.
Result<Subject> SubjectAt(const DrawFlags& flags) {
  WP_ASSIGN_OR_RETURN(std::vector<FoundRecording> found, FindRecordings(flags.what));
  std::erase_if(found, [&](const FoundRecording& one) {
    const bool other_case =
        !flags.case_name.empty() && (!one.result || one.result->case_name != flags.case_name);
    return other_case ||
           (!flags.target.empty() && (!one.result || one.result->target != flags.target));
  });
  if (found.empty()) {
    return Fail(StatusCode::kNotFound,
                "{}: no recording of {}{}{} in it; `run --keep all` also keeps those of passing "
                "attempts",
                flags.what, flags.case_name.empty() ? "any case" : flags.case_name,
                flags.target.empty() ? "" : " on ", flags.target);
  }
  const FoundRecording& first = found.front();
  if (first.result && !first.result->findings.empty()) {
    return Subject{first.file, first.result->findings.front(), KnownAs(*first.result)};
  }
  if (first.result) return Subject{.file = first.file, .finding = {}};
  WP_ASSIGN_OR_RETURN(const Rejudged judged, JudgeRecording(first.file));
  Subject subject{.file = first.file, .finding = {}};
  if (!judged.findings.empty()) subject.finding = judged.findings.front();
  return subject;
}

Result<Subject> SubjectOf(const DrawFlags& flags) {
  std::error_code ignored;
  const bool numbered =
      !fs::exists(flags.what, ignored) && flags.what.rfind('#') != flags.what.npos;
  const bool run = fs::exists(fs::path(flags.what) / "results.jsonl", ignored);
  if (!numbered && (!run || !flags.case_name.empty())) return SubjectAt(flags);
  WP_ASSIGN_OR_RETURN(
      const ChosenFinding chosen,
      ChooseFinding({.run = flags.what, .filter = flags.case_name, .target = flags.target}));
  return Subject{chosen.run / chosen.attempt.folder / "history.wire.zst", chosen.finding,
                 KnownAs(chosen.attempt)};
}

PictureCaption CaptionOf(const Subject& subject, const Picture& picture) {
  PictureCaption caption{.title = fmt::format("{} on {}", picture.case_name, picture.target),
                         .rows = {}};
  // Readers of an issue know neither the case nor the faults.
  for (const FindingRow& row : FindingRows(subject.finding)) {
    if (row.name != "see") caption.rows.emplace_back(row.name, row.text);  // the picture has it
  }
  if (!subject.known.empty() && subject.finding.signature.empty()) {
    caption.rows.emplace_back("known as", subject.known);
  }
  std::set<std::string> faults;
  for (const PictureLane& lane : picture.lanes) {
    if (lane.kind != LaneKind::kFault || !faults.insert(KindOf(lane.name)).second) continue;
    const auto info = FindFault(KindOf(lane.name));
    if (!info) continue;
    caption.rows.emplace_back(KindOf(lane.name), info->explain.substr(0, info->explain.find(". ")));
  }
  return caption;
}

// What the ending of the output file asks for.
struct Form {
  std::string_view ending;
  std::size_t most;  // items of a lane
  std::string (*render)(const Picture&, const PictureCaption&);
};
constexpr Form kForms[] = {
    // An issue is read, not searched: fewer items than the page has.
    {".svg", 16, &ToSvg},
    {".json", 1'000'000, &ToTrace},
};

Result<const Form*> FormOf(const std::string& output) {
  if (output.empty()) return &kForms[0];
  for (const Form& form : kForms) {
    if (output.ends_with(form.ending)) return &form;
  }
  return Fail(StatusCode::kInvalidArgument,
              "{}: expected a name that ends with .svg, for a picture, or .json, for a trace that "
              "Perfetto opens",
              output);
}

Result<std::string> Draw(const Subject& subject, const Form& form) {
  WP_ASSIGN_OR_RETURN(
      const Picture picture,
      ReadPicture({.file = subject.file, .evidence = subject.finding.evidence, .most = form.most}));
  return form.render(picture, CaptionOf(subject, picture));
}

ExitCode DrawCommand(const DrawFlags& flags) {
  const Result<const Form*> form = FormOf(flags.output);
  if (!form.has_value()) return Complain("draw", form.error().message());
  const Result<Subject> subject = SubjectOf(flags);
  if (!subject.has_value()) return Complain("draw", subject.error().message());
  const Result<std::string> drawn = Draw(*subject, **form);
  if (!drawn.has_value()) {
    return Complain("draw", drawn.error().WithContext("{}", flags.what).message());
  }
  if (flags.output.empty()) {
    fmt::print("{}", *drawn);
    return ExitCode::kOk;
  }
  std::ofstream file(flags.output, std::ios::binary);
  file << *drawn;
  file.close();
  if (!file) {
    return Complain("draw", fmt::format("{}: expected a file that can be written", flags.output));
  }
  fmt::print("{}\n", Escaped(flags.output));
  return ExitCode::kOk;
}

}  // namespace

CommandBody AddDraw(CLI::App& command) {
  const auto flags = std::make_shared<DrawFlags>();
  command
      .add_option("what", flags->what,
                  "Folder of a run with a failed attempt; FOLDER#N for its N-th finding (default: "
                  "the first that is new); or a recording")
      ->required();
  command
      .add_option("-o,--output", flags->output,
                  "File to write (default: the SVG to standard output)")
      ->type_name("FILE.svg|FILE.json");
  command.add_option("--case", flags->case_name, "Which case, also one that passed")
      ->type_name("NAME");
  command.add_option("--target", flags->target, "On which target")->type_name("SPEC");
  return [flags] { return DrawCommand(*flags); };
}

}  // namespace watchproof
