// SPDX-License-Identifier: Apache-2.0
#include "ci/mutants/recast.h"

#include <algorithm>

#include "ci/mutants/reference_streams.h"
#include "harness/base/check.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

Message Write(const WatchCreateView& create) {
  Message message;
  if (!create.key.empty()) message.Text(1, create.key);
  if (!create.range_end.empty()) message.Text(2, create.range_end);
  message.Optional(3, create.start_revision).Optional(4, create.progress_notify ? 1 : 0);
  // The kinds to leave out: NOPUT is 0, which a repeated field must spell out.
  if (create.no_put) message.Number(5, 0);
  if (create.no_delete) message.Number(5, 1);
  message.Optional(6, create.prev_kv ? 1 : 0)
      .Optional(7, create.watch_id)
      .Optional(8, create.fragment ? 1 : 0);
  return message;
}

bool Resumes(const std::vector<NumberedEntry>& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const NumberedEntry& line) {
    return line.entry.kind == EntryKind::kAnnotation &&
           line.entry.text.find(R"("type":"resume")") != std::string::npos;
  });
}

}  // namespace

void Rewrite(const std::vector<NumberedEntry>& lines, std::vector<NumberedEntry>& spoiled) {
  if (!Resumes(lines)) return;
  const ReferenceStreams reported = Listen(lines, UINT64_MAX);
  ReferenceStreams mutant = Listen(spoiled, UINT64_MAX);
  WP_CHECK(reported.watches.size() == mutant.watches.size(), "mutations keep the requests");
  // A predecessor is created before its successor, so a chain is moved from its beginning on.
  for (std::size_t i = 0; i < reported.watches.size(); ++i) {
    const auto& before = reported.watches[i].continues;
    if (!before) continue;
    if (reported.watches[i].asked.start_revision != ResumeAt(reported.watches[*before])) continue;
    ReferenceWatch& watch = mutant.watches[i];
    const std::int64_t start = ResumeAt(mutant.watches[*before]);
    if (watch.asked.start_revision == start) continue;
    watch.asked.start_revision = start;
    spoiled[watch.asked_line - 1].entry.payload =
        Bytes::Copy(Message().Nested(1, Write(watch.asked)).bytes());
  }
}

}  // namespace watchproof
