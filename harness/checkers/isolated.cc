// SPDX-License-Identifier: Apache-2.0
// Isolated: watches that share a stream do not disturb each other.
#include <unordered_map>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Isolated final : public Checker {
 public:
  using Checker::Checker;

  void Delivered(WatchIndex, const Response& response, Findings& findings) override {
    CheckCluster(response, findings);
  }
  void Progress(WatchIndex, const Response& response, Findings& findings) override {
    CheckCluster(response, findings);
  }
  void Compacted(WatchIndex, const Response& response, Findings& findings) override {
    CheckCluster(response, findings);
  }

  void Stray(const Response& response, Findings& findings) override {
    if (response.message.events.empty()) return;
    findings.Add(Guarantee::kIsolated, response.stream, [&] {
      return Draft{
          .expected = "events only for watches that have been created",
          .observed = fmt::format("the {} for watch {}, which the stream does not have, in line {}",
                                  Phrase(response.message.events.front()),
                                  response.message.watch_id, response.where.line.value),
          .evidence = {response.where.line},
          .at = response.where.at};
    });
  }

  void Finish(WatchIndex watch, Findings& findings) override {
    const auto neighbour = NeighbourToBlame(facts(), watch);
    if (!neighbour) return;
    const WatchDetails& details = facts().book.details(watch);
    const WatchDetails& other = facts().book.details(*neighbour);
    const Where end = other.cancel_asked ? *other.cancel_asked : *other.ended;
    findings.Add(Guarantee::kIsolated, watch, [&] {
      return Draft{
          .expected = "a watch that lasts until it is cancelled, whatever its neighbours do",
          .observed =
              fmt::format("the target ended it {}, where {} was {}, giving as reason {}",
                          Since(*details.ended, end), facts().book.Label(*neighbour),
                          other.cancel_asked ? "cancelled" : "ended", Quoted(details.end_text)),
          .evidence = {end.line, details.ended->line},
          .at = details.ended->at};
    });
  }

 private:
  struct Cluster {
    std::uint64_t id = 0;  // 0: not told yet
    Where where;
  };

  // One stream is one server's; an answer of another cluster is meant for someone else.
  void CheckCluster(const Response& response, Findings& findings) {
    const std::uint64_t id = response.message.header.cluster_id;
    if (latest_ != nullptr && latest_stream_ == response.stream && latest_->id == id) return;
    latest_ = &clusters_[response.stream.value];
    latest_stream_ = response.stream;
    if (id == 0 || latest_->id == id) return;
    if (latest_->id == 0) {
      *latest_ = {id, response.where};
      return;
    }
    findings.Add(Guarantee::kIsolated, response.stream, [&] {
      return Draft{
          .expected = fmt::format("answers of one cluster, {:x}, as in line {}", latest_->id,
                                  latest_->where.line.value),
          .observed = fmt::format("one of cluster {:x} in line {}", id, response.where.line.value),
          .evidence = {latest_->where.line, response.where.line},
          .at = response.where.at};
    });
  }

  std::unordered_map<std::uint32_t, Cluster> clusters_;  // by stream
  Cluster* latest_ = nullptr;
  StreamId latest_stream_{};
};

const CheckerRegistration kIsolated{{
    .guarantee = Guarantee::kIsolated,
    .promise = "No watch of a stream disturbs another: not by its events, and not by its end.",
    .explain = "One stream carries many watches, and each must live as if it were alone. Events "
               "are only for watches that the stream has; all answers come from one cluster; when "
               "one watch is cancelled, refused or told ErrCompacted, no other ends with it (etcd "
               "#12385: a refused create was answered with another watch's id). How long a "
               "neighbour may delay the others is a question of the case, not of this guarantee. "
               "Source: the watch ids of the etcd v3 watch API.",
    .make = [](const Facts& facts) { return std::make_unique<Isolated>(facts); },
}};

}  // namespace

std::optional<WatchIndex> NeighbourToBlame(const Facts& facts, WatchIndex watch) {
  const WatchState& state = facts.book.state(watch);
  const WatchDetails& details = facts.book.details(watch);
  if (state.end != WatchEnd::kCancelled || details.cancel_asked) return std::nullopt;
  std::optional<WatchIndex> latest;
  Line latest_end{};
  for (std::uint32_t i = 0; i < facts.book.size(); ++i) {
    const WatchIndex other(i);
    if (i == watch.value || facts.book.state(other).stream != state.stream) continue;
    const WatchDetails& theirs = facts.book.details(other);
    const auto& end = theirs.cancel_asked ? theirs.cancel_asked : theirs.ended;
    if (!end || end->line > details.ended->line || end->line < latest_end) continue;
    latest = other;
    latest_end = end->line;
  }
  return latest;
}

}  // namespace watchproof
