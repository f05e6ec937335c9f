// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/oracle.h"

#include <optional>

#include "harness/history/reader.h"

namespace watchproof {
namespace {

// What the first line of the recording says of it.
Result<RunStarted> ReadStart(const std::filesystem::path& file) {
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
  WP_ASSIGN_OR_RETURN(const std::optional<NumberedEntry> first, reader->Next());
  if (!first || first->entry.kind != EntryKind::kRunStarted) return RunStarted();
  return ParseRunStarted(first->entry.text);
}

}  // namespace

Result<JudgedRecording> JudgeFile(const std::filesystem::path& file,
                                  const std::function<void(const NumberedEntry&)>& see) {
  JudgedRecording judged;
  WP_ASSIGN_OR_RETURN(judged.started, ReadStart(file));
  JudgeOptions options = OptionsOf(judged.started);
  Observed observed;
  if (judged.started.passive) {
    WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
    WP_RETURN_IF_ERROR(reader->Each([&observed](const NumberedEntry& line) {
      observed.Consume(line);
      return true;
    }));
    judged.coverage = observed.coverage();
    options.observed = &observed;
  }
  // The revisions of one cluster are no evidence about another one.
  if (judged.coverage && judged.coverage->clusters.size() > 1) return judged;
  LagMeter lag;
  Judge judge(options, &lag);
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
  WP_RETURN_IF_ERROR(reader->Each([&](const NumberedEntry& line) {
    judge.Consume(line);
    if (see) see(line);
    judged.last = line.line;
    return true;
  }));
  judged.cut_off = reader->damage();
  judged.unfinished = reader->unfinished();
  judged.judgement = judge.Finish(judged.cut_off.empty() ? Ending::kWhole : Ending::kCutOff);
  judged.watches = judge.watches().size();
  judged.lag = lag.Summary();
  return judged;
}

}  // namespace watchproof
