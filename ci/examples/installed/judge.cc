// SPDX-License-Identifier: Apache-2.0
// Judges a recording: recording in, findings out. Exits with 1 if there is a finding.
#include <cstdio>
#include <string>

#include "harness/checkers/oracle.h"

int main(int argc, char** argv) {
  if (argc != 2) return 4;
  const auto judged = watchproof::JudgeFile(argv[1]);
  if (!judged.has_value()) {
    std::fprintf(stderr, "%s\n", judged.error().message().c_str());
    return 4;
  }
  for (const watchproof::Finding& finding : judged->judgement.findings) {
    std::printf("%s\n  expected %s\n  observed %s\n", std::string(Name(finding.guarantee)).c_str(),
                finding.expected.c_str(), finding.observed.c_str());
  }
  return judged->judgement.findings.empty() ? 0 : 1;
}
