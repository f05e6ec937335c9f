// SPDX-License-Identifier: Apache-2.0
// Collects the findings of the checkers: one per guarantee, watch or client, and known bug that it
// looks like; repeats are counted.
//
//   findings.Add(Guarantee("Ordered"), watch, [&] { return Draft{.expected = ...}; });
//
// Once a finding has no signature, no more drafts are made of its kind, because a broken watch
// produces thousands; one with a signature says nothing of those that follow.
// Not thread-safe. Ownership: refers to the watch table and the signer.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/checkers/finding.h"
#include "harness/checkers/signer.h"
#include "harness/checkers/symptom.h"
#include "harness/checkers/watch_table.h"

namespace watchproof {

// A finding without its guarantee and watch.
struct Draft {
  std::string expected;
  std::string observed;
  std::vector<Line> evidence{};
  Where where{};  // the offending line: also the last of the evidence, and the time
  Duration at{};  // where no one line offends
  Symptom symptom{};
  std::optional<Loss> lost{};
  // The revision that it is about, since the history may have changed there. 0: of a watch, the
  // latest that it has received.
  Revision about{};
  // On a Kubernetes cache, where a guarantee can be broken with different impacts; empty: that of
  // the guarantee.
  std::string_view impact{};
  // A clause of the contract, by its id, where a guarantee has more than its headline; empty: that.
  std::string_view clause{};
  bool by_silence = false;  // see Finding
};

// With the line that shows whether it belongs to a standing promise.
struct MemberSubject {
  std::int64_t number = 0;
  Line line{};
  std::uint8_t part = 0;  // of it, where a guarantee looks at several
};
struct ClientSubject {
  std::uint32_t number = 0;
  const std::string& name;
  Line line{};
};

class Findings {
 public:
  // Both outlive the findings.
  Findings(const WatchTable& table, const Signer& signer) : table_(table), signer_(signer) {}

  // About a watch; a stream, and so no watch in particular (0: the store); a member of the target;
  // or the key-value calls of a client.
  template <typename Subject, typename MakeDraft>
  void Add(Guarantee guarantee, const Subject& subject, MakeDraft make,
           Level level = Level::kMust) {
    const Key key{guarantee, IdOf(subject), level, PromiseOf(subject)};
    if (!CountRepeat(key)) File(key, LabelOf(subject), make());
  }
  template <typename Subject>
  void Add(Guarantee guarantee, const Subject& subject, Draft draft, Level level = Level::kMust) {
    Add(
        guarantee, subject, [&] { return std::move(draft); }, level);
  }
  // From the line on the driver asks for the standing promise of this name; empty: for none.
  void AskPromise(Line from, const std::string& name, const std::string& text) {
    promises_[from] = name;
    promise_texts_[name] = text.empty() ? name : text;
  }
  // A reason why the recording proves less than it seems to: reported, but no finding against the
  // target.
  void Undecide(std::string reason);
  const std::vector<std::string>& undecided_reasons() const { return undecided_reasons_; }
  bool Has(Guarantee guarantee, WatchIndex watch) const;
  // Once the whole recording is known.
  void SignInHindsight();

  // In the order they were found, without the counts of repeats. Notes (Level::kMay) are apart.
  const std::vector<Finding>& all() const { return failures_.findings; }
  // Ordered by time, "and N more like it" added.
  std::vector<Finding> Finished() const { return Finished(failures_); }
  std::vector<Finding> FinishedNotes() const { return Finished(notes_); }

 private:
  static constexpr std::size_t kMostUndecidedReasons = 10;

  static std::uint64_t IdOf(WatchIndex watch) { return watch.value; }
  static std::uint64_t IdOf(StreamId stream) { return (1ULL << 32) + stream.value; }
  static std::uint64_t IdOf(const ClientSubject& client) { return (1ULL << 33) + client.number; }
  static std::uint64_t IdOf(const MemberSubject& member) {
    return (1ULL << 34) + (std::uint64_t{member.part} << 16) +
           static_cast<std::uint64_t>(member.number);
  }
  std::string LabelOf(WatchIndex watch) const { return table_.Label(watch); }
  static std::string LabelOf(StreamId stream) {
    return stream.value == 0 ? "the store" : fmt::format("stream {}", stream.value);
  }
  static std::string LabelOf(const ClientSubject& client) {
    return client.name.empty() ? "a client" : fmt::format("client {}", client.name);
  }
  static std::string LabelOf(const MemberSubject& member) {
    return fmt::format("every watch of member {}", member.number);
  }

  template <typename Subject>
  std::string_view PromiseOf(const Subject& subject) const {
    if constexpr (requires { subject.line; }) {
      const auto next = promises_.upper_bound(subject.line);
      if (next != promises_.begin()) return std::prev(next)->second;
    }
    return {};
  }

  // One for each level and promise: a finding of the level may must not hide one of the level must,
  // nor one of a standing promise what the attempt is about.
  struct Key {
    Guarantee guarantee;
    std::uint64_t subject;
    Level level;
    std::string_view promise{};
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.guarantee.name()) + key.subject * 3 +
             static_cast<std::uint64_t>(key.level) + std::hash<std::string_view>()(key.promise);
    }
  };

  struct Filed {
    std::vector<Finding> findings;
    std::vector<std::uint64_t> repeats;  // of each finding
    std::vector<Revision> about;         // likewise
  };

  Filed& Of(Level level) { return level == Level::kMay ? notes_ : failures_; }
  bool CountRepeat(const Key& key);
  void File(const Key& key, std::string watch, Draft draft);
  std::optional<WatchIndex> WatchOf(const Key& key) const;
  static std::vector<Finding> Finished(const Filed& filed);

  const WatchTable& table_;
  const Signer& signer_;
  Filed failures_;
  Filed notes_;
  std::vector<std::string> undecided_reasons_;
  std::map<Line, std::string> promises_;  // by their first lines
  std::map<std::string, std::string, std::less<>> promise_texts_;
  // What was filed under the key, each with another signature.
  std::unordered_map<Key, std::vector<std::size_t>, HashKey> index_;
};

// By level, then by gravity, and of equal ones the earliest first: the order of every report.
void GravestFirst(std::vector<Finding>& findings);

}  // namespace watchproof
