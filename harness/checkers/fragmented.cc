// SPDX-License-Identifier: Apache-2.0
// Fragmented: the parts of a response that was too large for one message add up to the whole.
#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Fragmented final : public Checker {
 public:
  void Delivered(WatchIndex watch, const Response& response) override {
    Open& open = At(open_, watch);
    CheckSize(watch, open, response);
    if (!response.last_part) Exercised();
    if (open.parts == 0 && response.last_part) return;
    if (!facts().details(watch).fragments_asked) {
      Report(watch, "whole responses, as the watch has fragments disabled",
             fmt::format("a fragment in line {}", response.where.line.value), response.where,
             response.where);
    }
    if (open.parts > 0 && response.message.header.revision != open.header) {
      Report(watch,
             fmt::format("one header for all parts of a response: the first has revision {}",
                         open.header),
             fmt::format("revision {} in the part {}", response.message.header.revision,
                         Since(response.where, open.first)),
             open.first, response.where);
    }
    if (open.parts++ == 0) {
      open.first = response.where;
      open.header = response.message.header.revision;
    }
    open.latest = response.where;
    open.bytes = SizeOf(response);
    open.highest = std::max(open.highest, response.highest);
    if (response.last_part) open = {};
  }

  void Answered(WatchIndex watch, const Response& response) override {
    CheckPosition(watch, "an answer to a create", response);
  }
  void Cancelled(WatchIndex watch, const Response& response) override {
    CheckPosition(watch, "a cancellation", response);
  }

  void Progress(WatchIndex watch, const Response& response) override {
    CheckPosition(watch, "a progress answer", response);
    if (At(open_, watch).parts > 0) Between(watch, "a progress answer", response.where);
  }

  void Compacted(WatchIndex watch, const Response& response) override {
    CheckPosition(watch, "ErrCompacted", response);
    if (At(open_, watch).parts > 0) Between(watch, "ErrCompacted", response.where);
  }

  void Finish(WatchIndex watch) override {
    const Open& open = At(open_, watch);
    if (open.parts == 0) return;
    const WatchDetails& details = facts().details(watch);
    switch (facts().state(watch).end) {
      case WatchEnd::kCancelled:
        return Between(watch, "the end of the watch", *details.ended);
      case WatchEnd::kOpen:
        if (NothingDue(facts(), watch)) return;
        break;
      case WatchEnd::kStreamClosed: {
        // A cut loses the remaining parts, if any changes were left for them.
        const bool known = open.highest <= facts().timeline().known_through() && !facts().passive();
        if (!known || facts().comparer.FirstMissing(watch)) return;
        break;
      }
      default:
        return;
    }
    Report(watch, "a last part, without the fragment flag",
           fmt::format("no part follows the one in line {}", open.latest.line.value), open.first,
           open.latest);
  }

 private:
  // A response with its last part missing.
  struct Open {
    std::uint32_t parts = 0;
    std::int64_t header = 0;
    Where first;
    Where latest;
    Revision highest{};
    std::size_t bytes = 0;  // of the latest part
  };

  static std::size_t SizeOf(const Response& response) {
    return response.payload.view().size() + response.tail.view().size();
  }

  // Two successive parts were too large for one message, so no larger message may come whole. One
  // event cannot be split.
  void CheckSize(WatchIndex watch, const Open& open, const Response& response) {
    if (facts().options.hashed_values) return;  // which are not as long
    const std::size_t size = SizeOf(response);
    if (open.parts > 0 && open.bytes + size < too_large_) {
      too_large_ = open.bytes + size;
      shown_ = response.where;
    }
    if (size <= too_large_ || response.message.events.size() < 2) return;
    const WatchDetails& details = facts().details(watch);
    if (!details.fragments_asked) return;
    // etcd sends what it had ready before the answer to the create in one piece.
    const bool was_ready = facts().state(watch).events == 0 && details.requested_start > 0;
    Add(watch,
        {.expected = fmt::format("messages of at most {} bytes: line {} shows that "
                                 "the server splits what is larger",
                                 too_large_, shown_.line.value),
         .observed = fmt::format("{} events in {} bytes in line {}", response.message.events.size(),
                                 size, response.where.line.value),
         .evidence = {shown_.line},
         .where = response.where},
        was_ready ? Level::kMay : Level::kShould);
  }

  void CheckPosition(WatchIndex watch, std::string_view what, const Response& response) const {
    if (!response.message.fragment) return;
    Report(watch, "fragments of events only",
           fmt::format("{} with the fragment flag in line {}", what, response.where.line.value),
           response.where, response.where);
  }

  void Between(WatchIndex watch, std::string_view what, Where where) {
    const Open& open = At(open_, watch);
    Report(watch, "all parts of a response before anything else of the watch",
           fmt::format("{} {}, which is not the last part", what, Since(where, open.latest)),
           open.latest, where);
  }

  void Report(WatchIndex watch, std::string expected, std::string observed, Where first,
              Where second) const {
    Add(watch, {.expected = std::move(expected),
                .observed = std::move(observed),
                .evidence = {first.line},
                .where = second});
  }

  std::vector<Open> open_;
  std::size_t too_large_ = SIZE_MAX;  // bytes
  Where shown_;
};

const CheckerRegistration<Fragmented> kFragmented{{
    .guarantee = Guarantee("Fragmented"),
    .place = 120,
    .gravity = Gravity::kData,
    .clause = "W-10",
    .impact = "A Kubernetes cache takes a part of a response for the whole, and treats a "
              "half-received revision as complete.",
    .explain = "A watch with fragments enabled may receive a large response in parts; each part "
               "but the last has the fragment flag set. The parts carry the same watch id and the "
               "same header, no other message of that watch comes between them, and the last one "
               "must come unless the stream is cut. A watch without fragments enabled never "
               "receives parts; with fragments, no message may be larger than the size at which "
               "the server has been seen to split (should). Parts may end inside a revision, as "
               "etcd documents: they exist to split large revisions. Whether a revision is spread "
               "over two responses is judged by Atomic, which counts the parts of one response as "
               "a whole. Source: the field fragment of WatchCreateRequest in the etcd v3 API.",
}};

}  // namespace
}  // namespace watchproof
