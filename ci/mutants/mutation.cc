// SPDX-License-Identifier: Apache-2.0
#include "ci/mutants/mutation.h"

#include <algorithm>

#include "ci/mutants/reference_streams.h"
#include "harness/base/check.h"

namespace watchproof {

const std::vector<Guarantee>& GuaranteesOfWatches() {
  static const std::vector<Guarantee> kOfWatches = [] {
    std::vector<Guarantee> guarantees = AllGuarantees();
    std::erase_if(guarantees, [](Guarantee guarantee) {
      return std::none_of(AllMutations().begin(), AllMutations().end(),
                          [&](const auto& mutation) { return mutation.primary == guarantee; });
    });
    return guarantees;
  }();
  return kOfWatches;
}

const std::vector<MutationInfo>& AllMutations() {
  using G = Guarantee;
  static const std::vector<MutationInfo> kAll = {
      {Mutation::kDeleteResponse, "delete-response", G("Reliable"), "a response never came"},
      {Mutation::kDuplicateResponse, "duplicate-response", G("Unique"), "a response came twice"},
      {Mutation::kSwapResponses, "swap-responses", G("Ordered"), "two responses changed places"},
      {Mutation::kSplitResponse, "split-response", G("Atomic"), "a response came as two"},
      {Mutation::kTruncateResponse, "truncate-response", G("Atomic"),
       "the last events of a response are missing"},
      {Mutation::kTruncateBytes, "truncate-bytes", G("Headers"), "a message ends too early"},
      {Mutation::kSilence, "silence", G("Settled"), "nothing more came for a watch"},
      {Mutation::kDeleteEvent, "delete-event", G("Reliable"), "an event never came"},
      {Mutation::kDuplicateEvent, "duplicate-event", G("Unique"), "an event came twice"},
      {Mutation::kSwapEvents, "swap-events", G("Ordered"), "two events changed places"},
      {Mutation::kAlterKey, "alter-key", G("Filtered"), "another key"},
      {Mutation::kAlterValue, "alter-value", G("Reliable"), "another value"},
      {Mutation::kAlterRevision, "alter-revision", G("Ordered"), "another revision of an event"},
      {Mutation::kAlterVersion, "alter-version", G("Fields"), "another version"},
      {Mutation::kAlterCreateRevision, "alter-create-revision", G("Fields"),
       "another create revision"},
      {Mutation::kAlterLease, "alter-lease", G("Fields"), "another lease"},
      {Mutation::kAlterPrevious, "alter-prev-kv", G("PreviousValue"),
       "the previous value is another, or missing, or too many"},
      {Mutation::kAlterType, "alter-type", G("Reliable"), "a put for a delete, or the reverse"},
      {Mutation::kFlipCreated, "flip-created", G("Settled"), "the flag created"},
      {Mutation::kFlipCanceled, "flip-canceled", G("Settled"), "the flag canceled"},
      {Mutation::kFlipFragment, "flip-fragment", G("Fragmented"), "the flag fragment"},
      {Mutation::kAlterWatchId, "alter-watch-id", G("Isolated"), "meant for another watch"},
      {Mutation::kAlterProgress, "alter-progress", G("Bookmarkable"),
       "another revision of a progress answer"},
      {Mutation::kAlterCompactRevision, "alter-compact-revision", G("CompactionSurfaced"),
       "another compact revision"},
      {Mutation::kAlterHeaderRevision, "alter-header-revision", G("Headers"),
       "another revision in the header"},
      {Mutation::kAlterSender, "alter-sender", G("Headers"), "another cluster or member"},
      {Mutation::kReplayAtResumption, "replay-at-resumption", G("Resumable"),
       "a resumed watch repeats the last events of its predecessor"},
      {Mutation::kLoseAtResumption, "lose-at-resumption", G("Resumable"),
       "a resumed watch misses its first events"},
  };
  return kAll;
}

const MutationInfo& InfoOf(Mutation mutation) {
  const auto& all = AllMutations();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const MutationInfo& info) { return info.mutation == mutation; });
  WP_CHECK(found != all.end(), "a mutation without a row");
  return *found;
}

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

// Adapts the client's requests: with the mutant's messages it would have resumed at another
// revision. No target can make a recording in which a watch stops at one revision and its successor
// starts at another one: that is the client's choice. So the start of each resuming watch is moved
// to where its predecessor stops in the mutant, along the whole chain.
// Requires: `mutated` holds the creates of `lines`, in their order.
void AdaptResumptions(const std::vector<NumberedEntry>& lines,
                      std::vector<NumberedEntry>& mutated) {
  if (!Resumes(lines)) return;
  const ReferenceStreams reported = Listen(lines, UINT64_MAX);
  ReferenceStreams mutant = Listen(mutated, UINT64_MAX);
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
    mutated[watch.asked_line - 1].entry.payload =
        Bytes::Copy(Message().Nested(1, Write(watch.asked)).bytes());
  }
}

// How often a mutation tries to find a message that it can change.
constexpr int kTries = 30;

class Mutator {
 public:
  Mutator(const Subject& subject, Mutation mutation, Prng& prng)
      : subject_(subject), mutation_(mutation), prng_(prng) {}

  std::optional<Mutant> Run() {
    if (subject_.reported.empty()) return std::nullopt;
    for (int i = 0; i < kTries; ++i) {
      if (!Mutate()) continue;
      Renumber(mutant_->lines);
      AdaptResumptions(subject_.recording.lines, mutant_->lines);
      return std::move(mutant_);
    }
    return std::nullopt;
  }

 private:
  bool Mutate() {
    mutant_.reset();
    switch (mutation_) {
      case Mutation::kReplayAtResumption:
      case Mutation::kLoseAtResumption:
        return AtResumption();
      default:
        break;
    }
    const Reported& reported = prng_.Pick(subject_.reported);
    switch (mutation_) {
      case Mutation::kDeleteResponse:
        return Delete(reported, "is missing");
      case Mutation::kDuplicateResponse:
        return Duplicate(reported);
      case Mutation::kSwapResponses:
        return Swap(reported);
      case Mutation::kSplitResponse:
        return Split(reported);
      case Mutation::kTruncateBytes:
        return TruncateBytes(reported);
      case Mutation::kSilence:
        return Silence(reported);
      default:
        return Alter(reported);
    }
  }

  Mutant& Begin(const Reported& reported, std::string what) {
    mutant_.emplace();
    mutant_->mutation = mutation_;
    mutant_->before = reported;
    mutant_->line = reported.index + 1;
    mutant_->lines = subject_.recording.lines;
    mutant_->what =
        fmt::format("line {}, stream {}, watch {} ({}): {}", reported.index + 1, reported.stream,
                    reported.answer.watch_id, Name(reported.role), what);
    return *mutant_;
  }
  auto At(std::size_t index) { return mutant_->lines.begin() + static_cast<std::ptrdiff_t>(index); }
  // The responses of its stream from it on, itself first.
  std::vector<std::size_t> FromOn(const Reported& reported) const {
    const std::vector<std::size_t>& all = subject_.by_stream.at(reported.stream);
    std::vector<std::size_t> later;
    for (const std::size_t i : all) {
      if (subject_.reported[i].index >= reported.index) later.push_back(i);
    }
    return later;
  }

  bool Delete(const Reported& reported, std::string what) {
    Begin(reported, std::move(what));
    mutant_->lines.erase(At(reported.index));
    return true;
  }

  // After itself, or, as if the server sent it again, after a later response of its stream.
  bool Duplicate(const Reported& reported) {
    const std::vector<std::size_t> later = FromOn(reported);
    const std::size_t reach = prng_.Chance(0.5) ? 1 : std::min<std::size_t>(later.size(), 20);
    const Reported& behind = subject_.reported[later[prng_.Below(reach)]];
    Begin(reported, fmt::format("comes again after line {}", behind.index + 1));
    mutant_->other = behind;
    mutant_->line = behind.index + 2;
    NumberedEntry again = mutant_->lines[reported.index];
    again.entry.at = mutant_->lines[behind.index].entry.at;
    mutant_->lines.insert(At(behind.index + 1), std::move(again));
    return true;
  }

  bool Swap(const Reported& reported) {
    std::vector<std::size_t> later = FromOn(reported);
    if (prng_.Chance(0.5)) {
      std::erase_if(later, [&](std::size_t i) {
        return subject_.reported[i].answer.watch_id != reported.answer.watch_id;
      });
    }
    if (later.size() < 2) return false;
    const Reported& other = subject_.reported[later[1]];
    if (other.answer == reported.answer) return false;
    Begin(reported, fmt::format("changes places with line {}", other.index + 1));
    mutant_->other = other;
    std::swap(At(reported.index)->entry.payload, At(other.index)->entry.payload);
    return true;
  }

  bool Split(const Reported& reported) {
    if (reported.answer.events.size() < 2) return false;
    const std::size_t cut = 1 + prng_.Below(reported.answer.events.size() - 1);
    WatchAnswer head = reported.answer;
    WatchAnswer rest = reported.answer;
    const auto at = static_cast<std::ptrdiff_t>(cut);
    head.events.erase(head.events.begin() + at, head.events.end());
    rest.events.erase(rest.events.begin(), rest.events.begin() + at);
    Begin(reported, fmt::format("comes as two, the first with {} of {} events", cut,
                                reported.answer.events.size()));
    NumberedEntry second = mutant_->lines[reported.index];
    second.entry = Encoded(second.entry, rest);
    Replace(reported, head);
    mutant_->lines.insert(At(reported.index + 1), std::move(second));
    return true;
  }

  bool TruncateBytes(const Reported& reported) {
    const Bytes payload = subject_.recording.lines[reported.index].entry.payload;
    if (payload.size() < 2) return false;
    const std::size_t left = 1 + prng_.Below(payload.size() - 1);
    Begin(reported, fmt::format("ends after {} of {} bytes", left, payload.size()));
    At(reported.index)->entry.payload = Bytes::Copy(payload.view().substr(0, left));
    auto after = Decode(At(reported.index)->entry);
    if (after.has_value()) mutant_->after = *std::move(after);
    return !(mutant_->after == reported.answer);
  }

  bool Silence(const Reported& reported) {
    Begin(reported, "is the first of all later ones that are missing");
    std::vector<std::size_t> later = FromOn(reported);
    std::reverse(later.begin(), later.end());
    for (const std::size_t i : later) {
      const Reported& lost = subject_.reported[i];
      if (lost.answer.watch_id == reported.answer.watch_id) mutant_->lines.erase(At(lost.index));
    }
    return true;
  }

  bool AtResumption() {
    if (subject_.resumed.empty()) return false;
    const Subject::Resumed& resumed = prng_.Pick(subject_.resumed);
    const Reported* last = nullptr;   // the last events of the predecessor
    const Reported* first = nullptr;  // the first events of the successor
    for (const Reported& reported : subject_.reported) {
      if (reported.role != Role::kEvents) continue;
      if (reported.stream == resumed.before_stream &&
          reported.answer.watch_id == resumed.before_id) {
        last = &reported;
      } else if (first == nullptr && reported.stream == resumed.stream &&
                 reported.answer.watch_id == resumed.id) {
        first = &reported;
      }
    }
    if (first == nullptr) return false;
    if (mutation_ == Mutation::kLoseAtResumption) return Delete(*first, "is missing");
    if (last == nullptr) return false;
    Begin(*last,
          fmt::format("comes again before line {}, for the watch that resumed", first->index + 1));
    mutant_->other = *first;
    WatchAnswer again = last->answer;
    again.watch_id = resumed.id;
    NumberedEntry line = mutant_->lines[first->index];
    line.entry = Encoded(line.entry, again);
    mutant_->line = first->index + 1;
    mutant_->lines.insert(At(first->index), std::move(line));
    return true;
  }

  void Replace(const Reported& reported, const WatchAnswer& after) {
    At(reported.index)->entry = Encoded(At(reported.index)->entry, after);
    mutant_->after = after;
  }

  // Changes of one message.
  bool Alter(const Reported& reported) {
    WatchAnswer after = reported.answer;
    const std::string what = AlterAnswer(reported, after);
    if (what.empty() || after == reported.answer) return false;
    Begin(reported, what);
    Replace(reported, after);
    return true;
  }

  std::string AlterAnswer(const Reported& reported, WatchAnswer& after) {
    switch (mutation_) {
      case Mutation::kFlipCreated:
        after.created = !after.created;
        return fmt::format("created is {}", after.created);
      case Mutation::kFlipCanceled:
        after.canceled = !after.canceled;
        return fmt::format("canceled is {}", after.canceled);
      case Mutation::kFlipFragment:
        after.fragment = !after.fragment;
        return fmt::format("fragment is {}", after.fragment);
      case Mutation::kAlterWatchId:
        return AlterWatchId(reported, after);
      case Mutation::kAlterProgress:
        if (reported.role != Role::kProgress) return {};
        return AlterNumber("progress", after.revision);
      case Mutation::kAlterHeaderRevision:
        if (reported.role == Role::kProgress) return {};
        return AlterNumber("the header's revision", after.revision);
      case Mutation::kAlterCompactRevision:
        // Mostly where there is one.
        if (reported.role != Role::kNotice && prng_.Chance(0.9)) return {};
        return AlterNumber("the compact revision", after.compact_revision);
      case Mutation::kAlterSender: {
        std::uint64_t& id = prng_.Chance(0.5) ? after.cluster_id : after.member_id;
        id ^= 1 + prng_.Below(1000);
        return "comes from another cluster or member";
      }
      default:
        return AlterEvents(after);
    }
  }

  std::string AlterWatchId(const Reported& reported, WatchAnswer& after) {
    if (prng_.Chance(0.5)) {
      const auto& neighbours = subject_.by_stream.at(reported.stream);
      after.watch_id = subject_.reported[prng_.Pick(neighbours)].answer.watch_id;
    } else {
      after.watch_id = prng_.Chance(0.2) ? -1 : after.watch_id + prng_.Between(1, 1'000'000);
    }
    return fmt::format("is for watch {}", after.watch_id);
  }

  std::string AlterNumber(std::string_view name, std::int64_t& number) {
    const std::int64_t before = number;
    switch (prng_.Below(4)) {
      case 0:
        number += prng_.Chance(0.5) ? 1 : -1;
        break;
      case 1:
        number += prng_.Between(-20, 20);
        break;
      case 2:
        number = prng_.Between(0, 2 * std::max<std::int64_t>(number, 1));
        break;
      default:
        number = prng_.Chance(0.5) ? 0 : number + prng_.Between(1, 1'000'000'000);
    }
    return fmt::format("{} is {} instead of {}", name, number, before);
  }

  std::string AlterEvents(WatchAnswer& after) {
    std::vector<WatchEvent>& events = after.events;
    if (events.empty()) return {};
    const std::size_t i = prng_.Below(events.size());
    const auto at = events.begin() + static_cast<std::ptrdiff_t>(i);
    switch (mutation_) {
      case Mutation::kTruncateResponse:
        events.erase(at, events.end());
        return fmt::format("ends after {} events", i);
      case Mutation::kDeleteEvent:
        events.erase(at);
        return fmt::format("lacks event {}", i);
      case Mutation::kDuplicateEvent: {
        const WatchEvent again = *at;
        events.insert(events.begin() + prng_.Between(0, static_cast<std::int64_t>(events.size())),
                      again);
        return fmt::format("has event {} twice", i);
      }
      case Mutation::kSwapEvents: {
        const std::size_t other = prng_.Below(events.size());
        if (other == i) return {};
        std::swap(events[i], events[other]);
        return fmt::format("events {} and {} changed places", i, other);
      }
      default:
        return fmt::format("event {}: {}", i, AlterEvent(events[i]));
    }
  }

  std::string AlterEvent(WatchEvent& event) {
    switch (mutation_) {
      case Mutation::kAlterKey:
        return AlterKey(event.kv.key);
      case Mutation::kAlterValue:
        return AlterText("value", event.kv.value);
      case Mutation::kAlterRevision:
        return AlterNumber("the revision", event.kv.mod_revision);
      case Mutation::kAlterVersion:
        return AlterNumber("the version", event.kv.version);
      case Mutation::kAlterCreateRevision:
        return AlterNumber("the create revision", event.kv.create_revision);
      case Mutation::kAlterLease:
        return AlterNumber("the lease", event.kv.lease);
      case Mutation::kAlterPrevious:
        return AlterPrevious(event);
      default:
        event.type = prng_.Chance(0.9) ? 1 - event.type : 2;
        return fmt::format("the type is {}", event.type);
    }
  }

  std::string AlterKey(std::string& key) {
    switch (prng_.Below(3)) {
      case 0:
        key = prng_.Pick(subject_.keys);
        break;
      case 1:
        key = prng_.Chance(0.5) ? "\xff" + key : "!" + key;
        break;
      default:
        return AlterText("key", key);
    }
    return "the key is another";
  }

  std::string AlterText(std::string_view name, std::string& text) {
    if (text.empty() || prng_.Chance(0.2)) {
      text += static_cast<char>(prng_.Below(256));
      return fmt::format("the {} is longer", name);
    }
    if (prng_.Chance(0.3)) {
      text.resize(prng_.Below(text.size()));
      return fmt::format("the {} is shorter", name);
    }
    char& byte = text[prng_.Below(text.size())];
    byte = static_cast<char>(byte ^ static_cast<char>(1 << prng_.Below(8)));
    return fmt::format("one bit of the {} is another", name);
  }

  std::string AlterPrevious(WatchEvent& event) {
    if (!event.previous) {
      // Mostly where there is one.
      if (prng_.Chance(0.7)) return {};
      event.previous = event.kv;
      return "a previous value appears";
    }
    switch (prng_.Below(7)) {
      case 0:
        event.previous.reset();
        return "the previous value is missing";
      case 1:
        return "previous: " + AlterKey(event.previous->key);
      case 2:
        return "previous: " + AlterText("value", event.previous->value);
      case 3:
        return "previous: " + AlterNumber("the revision", event.previous->mod_revision);
      case 4:
        return "previous: " + AlterNumber("the version", event.previous->version);
      case 5:
        return "previous: " + AlterNumber("the create revision", event.previous->create_revision);
      default:
        return "previous: " + AlterNumber("the lease", event.previous->lease);
    }
  }

  const Subject& subject_;
  const Mutation mutation_;
  Prng& prng_;
  std::optional<Mutant> mutant_;
};

}  // namespace

std::optional<Mutant> Mutate(const Subject& subject, Mutation mutation, Prng& prng) {
  return Mutator(subject, mutation, prng).Run();
}

}  // namespace watchproof
