// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/finding_picture.h"

#include <set>

#include "harness/faults/fault.h"
#include "harness/report/rows.h"

namespace watchproof {
namespace {

PictureCaption CaptionOf(const PictureSubject& subject, const Picture& picture) {
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
  WP_ASSIGN_OR_RETURN(
      const Picture picture,
      ReadPicture({.file = subject.file, .evidence = subject.finding.evidence, .most = form.most}));
  return form.render(picture, CaptionOf(subject, picture));
}

}  // namespace watchproof
