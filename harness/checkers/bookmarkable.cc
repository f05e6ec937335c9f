// SPDX-License-Identifier: Apache-2.0
// Bookmarkable: a progress response means that everything up to its revision has been delivered.
#include <map>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

// What it does to a Kubernetes cache.
constexpr std::string_view kBookmarkTooHigh =
    "A Kubernetes cache resumes from the bookmark, and so skips the changes that were still to "
    "come.";
constexpr std::string_view kBookmarkTooLow =
    "A Kubernetes cache resumes from the bookmark, and so receives changes again that it already "
    "has, or is refused as compacted.";
constexpr std::string_view kBookmarkMissing =
    "A Kubernetes cache cannot detect that it is up to date: reads of the latest state wait, and "
    "after a disconnection it resumes from a revision that may be compacted.";

constexpr std::string_view kProgressComes = "W-13";
constexpr std::string_view kProgressOfTheStore = "W-14";
constexpr std::string_view kProgressOnRequest = "W-15";
constexpr std::string_view kProgressUnasked =
    "A Kubernetes cache that did not ask for bookmarks gets messages that it has no use for.";

class Bookmarkable final : public Checker {
 public:
  // header.revision of an event response is no bookmark: a batch of history carries the current
  // revision.
  void Delivered(WatchIndex watch, const Response& response) override {
    const Bookmark& bookmark = At(bookmarks_, watch);
    for (const EventView& event : response.message.events) {
      if (event.kv.mod_revision > bookmark.revision) continue;
      Add(watch, [&] {
        return Draft{.expected = fmt::format("no event at or below revision {} after that progress",
                                             bookmark.revision),
                     .observed = fmt::format("the {} {}", Phrase(event),
                                             Since(response.where, bookmark.where)),
                     .evidence = {bookmark.where.line},
                     .where = response.where,
                     .symptom = symptom::PassedOver{watch},
                     .impact = kBookmarkTooHigh};
      });
    }
  }

  void Progress(WatchIndex watch, const Response& response) override {
    Exercised();
    Bookmark& bookmark = At(bookmarks_, watch);
    const std::int64_t revision = response.message.header.revision;
    const WatchState& state = facts().state(watch);
    if (revision < bookmark.revision) {
      Add(watch, {.expected = fmt::format("progress of at least {}", bookmark.revision),
                  .observed = fmt::format("progress {} {}", revision,
                                          Since(response.where, bookmark.where)),
                  .evidence = {bookmark.where.line},
                  .where = response.where,
                  .symptom = symptom::ProgressBack{&response},
                  .impact = kBookmarkTooLow,
                  .clause = kProgressOfTheStore});
    } else if (Revision(revision).next() < state.start) {
      Add(watch,
          {.expected =
               fmt::format("no progress before the store reaches revision {}, one below the "
                           "start of the watch",
                           state.start.previous()),
           .observed = fmt::format("progress {} in line {}", revision, response.where.line.value),
           .evidence = {facts().details(watch).asked.line},
           .where = response.where,
           .symptom = symptom::ProgressBelowStart{&response},
           .impact = kBookmarkTooLow,
           .clause = kProgressOfTheStore});
    } else if (Revision(revision) < state.last_event) {
      Add(watch,
          {.expected = fmt::format("progress of at least {}, the revision of an event that was "
                                   "delivered",
                                   state.last_event),
           .observed = fmt::format("progress {} in line {}", revision, response.where.line.value),
           .evidence = {facts().details(watch).latest.line},
           .where = response.where,
           .symptom = symptom::ProgressBack{&response},
           .impact = kBookmarkTooLow,
           .clause = kProgressOfTheStore});
    }
    CheckProgressAsked(watch, response);
    if (revision >= bookmark.revision) bookmark = {revision, response.where};
    if (const auto due = due_.find(state.stream.value); due != due_.end()) {
      Settle(due, {revision, response.where});
    }
  }

  void Annotated(const Annotation& annotation, Where where) override {
    if (const auto* due = std::get_if<ProgressDue>(&annotation)) {
      Exercised();
      Revision head = facts().model.calls().reached();
      for (const WatchIndex watch : facts().table.On(due->stream)) {
        head = std::max(head, facts().state(watch).last_event);
      }
      due_[due->stream.value] = {*due, where, head.value, {}};
    } else if (const auto* over = std::get_if<ProgressOver>(&annotation)) {
      Over(over->stream, where);
    }
  }

 private:
  struct Bookmark {
    std::int64_t revision = 0;
    Where where;
  };
  // What the driver waits for, and the latest answer that was too low.
  struct Due {
    ProgressDue what;
    Where where;
    std::int64_t head = 0;
    Bookmark latest;
  };

  // Progress for one watch, by its id: without a request only for watches with progress_notify.
  void CheckProgressAsked(WatchIndex watch, const Response& response) const {
    const WatchDetails& details = facts().details(watch);
    if (response.message.watch_id < 0 || details.progress_asked) return;
    if (facts().table.ProgressAsked(response.stream)) return;
    Add(watch,
        {.expected = "no progress: the watch was created without progress_notify, and "
                     "the client has not requested progress on its stream",
         .observed = fmt::format("progress {} in line {}", response.message.header.revision,
                                 response.where.line.value),
         .evidence = {details.asked.line},
         .where = response.where,
         .symptom = symptom::Empty{&response},
         .impact = kProgressUnasked,
         .clause = kProgressOnRequest},
        Level::kShould);
  }

  // Progress below a revision acknowledged before is no answer.
  void Settle(std::map<std::uint32_t, Due>::iterator due, const Bookmark& reported) {
    due->second.latest = reported;
    if (reported.revision >= due->second.head) due_.erase(due);
  }

  void Over(StreamId stream, Where where) {
    const auto found = due_.find(stream.value);
    if (found == due_.end()) return;  // it came
    const Due due = found->second;
    due_.erase(found);
    // A server takes the requests of a stream in their order.
    if (const auto create = CreateBefore(stream, due.where.line)) {
      return Undecide(fmt::format("line {}: progress was requested while {} was not answered",
                                  due.where.line.value, facts().table.Label(*create)));
    }
    Add(stream,
        {.expected = fmt::format(
             "progress of at least revision {}, that of the store, within "
             "{} ms: {}, and no events were left to deliver",
             due.head, due.what.limit_ms,
             due.what.asked ? "it was requested repeatedly" : "the watches have progress_notify"),
         .observed = fmt::format(
             "{} in {}, from line {} to line {}",
             due.latest.where.line.value == 0
                 ? std::string("none")
                 : fmt::format("progress {} in line {} and nothing higher", due.latest.revision,
                               due.latest.where.line.value),
             Milliseconds(where.at - due.where.at), due.where.line.value, where.line.value),
         .evidence = {due.where.line},
         .where = where,
         .symptom = symptom::NoProgress{stream, due.what.asked},
         .about = Revision(due.head),
         .impact = kBookmarkMissing,
         .clause = kProgressComes,
         .by_silence = true});
  }

  // A request to create that was sent before, and has no answer yet.
  std::optional<WatchIndex> CreateBefore(StreamId stream, Line line) const {
    for (const WatchIndex watch : facts().table.On(stream)) {
      const WatchDetails& details = facts().details(watch);
      if (!details.created && !details.ended && details.asked.line < line) return watch;
    }
    return std::nullopt;
  }

  std::vector<Bookmark> bookmarks_;
  std::map<std::uint32_t, Due> due_;  // by stream, until progress comes
};

const CheckerRegistration<Bookmarkable> kBookmarkable{{
    .guarantee = Guarantee("Bookmarkable"),
    .place = 60,
    .gravity = Gravity::kSilence,
    .clause = "W-6",
    .impact = "A Kubernetes cache resumes from the bookmark, and so skips the changes that were "
              "still to come, or receives changes again that it already has.",
    .explain = "A progress response is a bookmark for the client: everything up to its revision "
               "has been delivered, so the client may resume at the next revision and lose "
               "nothing. A progress response that overtakes events makes such a client lose them "
               "(etcd #15220). Progress never goes backwards, nor below an event that was "
               "delivered, and a watch with a future start receives no progress below its start "
               "(etcd #20221): a client that resumed from there would start too early. A progress "
               "response with the watch id -1 covers every watch of the stream that has been "
               "announced. A single missing progress response is allowed, because servers may "
               "drop the request. But on a stream without pending events progress must come, "
               "within a bound that the case sets, if it is requested repeatedly; and it must "
               "follow the store: a progress response below a revision acknowledged before does "
               "not count. Without a request a server sends progress only to watches with "
               "progress_notify (should).",
}};

}  // namespace
}  // namespace watchproof
