// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/finding_picture.h"

#include <set>

#include "harness/faults/fault.h"
#include "harness/history/reader.h"
#include "harness/report/rows.h"
#include "harness/report/utc.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// When the recording ended, as far as its file shows; empty: that is not known.
std::string WrittenAt(const fs::path& recording) {
  std::error_code error;
  const auto segments = SegmentsIn(recording);
  const bool folder = segments.has_value() && !segments->empty();
  const auto at = fs::last_write_time(folder ? segments->back().file : recording, error);
  if (error) return {};
  const auto since = std::chrono::file_clock::to_sys(at).time_since_epoch();
  return FormatUtc(std::chrono::duration_cast<std::chrono::seconds>(since).count());
}

bool IsAttempt(const Picture& picture) {
  return !picture.case_name.empty() && !picture.target.empty();
}

// The case and its target; of what is no attempt, the file and what is known of it.
std::string TitleOf(const fs::path& file, const Picture& picture) {
  if (IsAttempt(picture)) {
    return fmt::format("{} on {}", picture.case_name, picture.target);
  }
  std::string title = picture.case_name.empty() ? "recording" : picture.case_name;
  title +=
      fmt::format(" {}", (file.has_filename() ? file : file.parent_path()).filename().string());
  if (!picture.target.empty()) title += " of " + picture.target;
  if (const std::string at = WrittenAt(file); !at.empty()) title += ", until " + at;
  return title;
}

PictureCaption CaptionOf(const PictureSubject& subject, const Picture& picture) {
  PictureCaption caption{.title = TitleOf(subject.file, picture), .rows = {}};
  if (!IsAttempt(picture) && subject.file.has_parent_path()) {
    caption.rows.emplace_back("file", subject.file.string());
  }
  bool resembles = false;
  // Readers of an issue know neither the case nor the faults.
  for (const FindingRecord& finding : subject.findings) {
    resembles = resembles || !finding.signature.empty();
    for (const FindingRow& row : FindingRows(finding)) {
      if (row.name != "see") caption.rows.emplace_back(row.name, row.text);  // the picture has it
    }
  }
  if (!subject.known.empty() && !resembles) caption.rows.emplace_back("known as", subject.known);
  if (!subject.verdict.empty()) caption.rows.emplace_back("found", subject.verdict);
  for (const std::string& line : subject.coverage) caption.rows.emplace_back("recorded", line);
  std::set<std::string> faults;
  for (const PictureLane& lane : picture.lanes) {
    if (lane.kind != LaneKind::kFault || !faults.insert(KindOf(lane.name)).second) continue;
    const auto info = FindFault(KindOf(lane.name));
    if (!info) continue;
    caption.rows.emplace_back(KindOf(lane.name), info->explain.substr(0, info->explain.find(". ")));
  }
  return caption;
}

constexpr PictureForm kForms[] = {
    // An issue is read, not searched: fewer items than the page has.
    {".svg", 16, &ToSvg},
    {".json", 1'000'000, &ToTrace},
};

}  // namespace

Result<const PictureForm*> PictureFormOf(const std::string& output) {
  if (output.empty()) return &kForms[0];
  for (const PictureForm& form : kForms) {
    if (output.ends_with(form.ending)) return &form;
  }
  return Fail(StatusCode::kInvalidArgument,
              "{}: expected a name that ends with .svg, for a picture, or .json, for a trace that "
              "Perfetto opens",
              output);
}

Result<std::string> DrawFinding(const PictureSubject& subject, const PictureForm& form) {
  PictureRequest request{.file = subject.file, .most = form.most};
  for (const FindingRecord& finding : subject.findings) {
    request.evidence.push_back(finding.evidence);
  }
  WP_ASSIGN_OR_RETURN(const Picture picture, ReadPicture(request));
  return form.render(picture, CaptionOf(subject, picture));
}

}  // namespace watchproof
