// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/oracle.h"

#include <functional>
#include <optional>
#include <utility>

#include "harness/history/reader.h"

namespace watchproof {
namespace {

using EachLine = std::function<Result<bool>(const NumberedEntry&)>;

struct Extent {
  std::string damage;  // see HistoryReader
  bool unfinished = false;
};

// Until there is no line left or `each` returns false.
Result<Extent> ReadLines(const std::filesystem::path& file, const EachLine& each) {
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
  while (true) {
    WP_ASSIGN_OR_RETURN(const std::optional<NumberedEntry> line, reader->Next());
    if (!line) return Extent{reader->damage(), reader->unfinished()};
    WP_ASSIGN_OR_RETURN(const bool more, each(*line));
    if (!more) return Extent();
  }
}

// What the first line of the recording says of it.
Result<RunStarted> ReadStart(const std::filesystem::path& file) {
  RunStarted started;
  const auto take = [&started](const NumberedEntry& line) -> Result<bool> {
    if (line.entry.kind != EntryKind::kRunStarted) return false;
    WP_ASSIGN_OR_RETURN(started, ParseRunStarted(line.entry.text));
    return false;
  };
  if (auto read = ReadLines(file, take); !read.has_value()) return std::move(read).error();
  return started;
}

}  // namespace

Result<JudgedRecording> JudgeFile(const std::filesystem::path& file,
                                  const std::function<void(const NumberedEntry&)>& see) {
  JudgedRecording judged;
  WP_ASSIGN_OR_RETURN(judged.started, ReadStart(file));
  JudgeOptions options = OptionsOf(judged.started);
  Observed observed;
  if (judged.started.passive) {
    auto read = ReadLines(file, [&observed](const NumberedEntry& line) {
      observed.Consume(line);
      return true;
    });
    if (!read.has_value()) return std::move(read).error();
    judged.coverage = observed.coverage();
    options.observed = &observed;
  }
  // The revisions of one cluster are no evidence about another one.
  if (judged.coverage && judged.coverage->clusters.size() > 1) return judged;
  LagMeter lag;
  Judge judge(options, &lag);
  WP_ASSIGN_OR_RETURN(const Extent read, ReadLines(file, [&](const NumberedEntry& line) {
                        judge.Consume(line);
                        if (see) see(line);
                        judged.last = line.line;
                        return true;
                      }));
  judged.cut_off = read.damage;
  judged.unfinished = read.unfinished;
  judged.judgement = judge.Finish(judged.cut_off.empty() ? Ending::kWhole : Ending::kCutOff);
  judged.watches = judge.watches().size();
  judged.lag = lag.Summary();
  return judged;
}

}  // namespace watchproof
