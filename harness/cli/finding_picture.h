// SPDX-License-Identifier: Apache-2.0
// A finding as lanes over time, for an upstream issue.
//
//   const auto svg = DrawFinding({.file = file, .findings = {finding}}, **PictureFormOf("a.svg"));
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/report/picture.h"
#include "harness/results/result.h"

namespace watchproof {

// A recording and what is to be shown of it.
struct PictureSubject {
  std::filesystem::path file;
  std::vector<FindingRecord> findings;     // that share the picture
  std::string known = {};                  // which bug the attempt shows, if that is known
  std::string verdict = {};                // without findings: "nothing: clean"
  std::vector<std::string> coverage = {};  // what a passive recording shows and does not show
};

// What the ending of the output file asks for.
struct PictureForm {
  std::string_view ending;
  std::size_t most;  // items of a lane
  std::string (*render)(const Picture&, const PictureCaption&);
};

// Empty: the first of them, SVG. Errors name the endings.
Result<const PictureForm*> PictureFormOf(const std::string& output);

// Errors say what is wrong with the recording.
Result<std::string> DrawFinding(const PictureSubject& subject, const PictureForm& form);

}  // namespace watchproof
