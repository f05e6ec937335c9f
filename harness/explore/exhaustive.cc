// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/exhaustive.h"

#include <algorithm>
#include <utility>

namespace watchproof::explore {
namespace {

constexpr const char* kKey = "a/1";

// A letter that is one step; the two that stop and start the client are not.
struct Alphabet {
  std::vector<Step> steps;
  std::uint8_t per_id = 0;  // the first so many are about one id, as many about the other
  std::uint8_t stall = 0;
  std::uint8_t go_on = 0;
  std::uint8_t size() const { return static_cast<std::uint8_t>(go_on + 1); }
};

const Alphabet& Letters() {
  static const Alphabet alphabet = [] {
    Alphabet made;
    for (const std::int64_t id : {1, 2}) {
      for (const Place start :
           {Place{}, Place{Place::From::kFloor, 0}, Place{Place::From::kHead, 1}}) {
        made.steps.push_back(Create{.key = kKey, .start = start, .id = id});
      }
      made.steps.push_back(Cancel{1, id});
      if (id == 1) made.per_id = static_cast<std::uint8_t>(made.steps.size());
    }
    made.steps.push_back(Put{.key = kKey});
    made.steps.push_back(Delete{.key = kKey});
    made.steps.push_back(Compact{});
    made.steps.push_back(AskProgress{});
    made.stall = static_cast<std::uint8_t>(made.steps.size());
    made.go_on = static_cast<std::uint8_t>(made.stall + 1);
    return made;
  }();
  return alphabet;
}

// After each letter every loop takes a turn, and the client takes everything, unless it stalls.
Script Spell(const Word& word, const Limits& limits) {
  Script script{.limits = limits, .steps = {}};
  bool stalled = false;
  for (const std::uint8_t letter : word) {
    if (letter < Letters().steps.size()) script.steps.push_back(Letters().steps[letter]);
    if (letter >= Letters().steps.size()) stalled = letter == Letters().stall;
    for (const Loop loop : {Loop::kCommit, Loop::kSync, Loop::kVictims}) {
      script.steps.push_back(Turn{loop});
    }
    if (!stalled) script.steps.push_back(Receive{1, kEveryReply});
  }
  return script;
}

// A real server's loops turn by themselves, and its client reads unless it is stopped.
Script SpellForServer(const Word& word) {
  Script script;
  for (const std::uint8_t letter : word) {
    if (letter < Letters().steps.size()) script.steps.push_back(Letters().steps[letter]);
    if (letter == Letters().stall) script.steps.push_back(Receive{1, 0});
    if (letter == Letters().go_on) script.steps.push_back(Receive{1, kEveryReply});
    script.steps.push_back(Turn{Loop::kCommit});
  }
  return script;
}

// The two ids are alike: a word that begins with the second is another one with the ids exchanged.
bool IsMirrored(const Word& word) {
  const auto first =
      std::ranges::find_if(word, [](std::uint8_t letter) { return letter < 2 * Letters().per_id; });
  return first != word.end() && *first >= Letters().per_id;
}

// What a stalled client has not taken depends on all that was done since.
std::string SinceStall(const Word& word) {
  std::string since;
  bool stalled = false;
  for (const std::uint8_t letter : word) {
    if (letter == Letters().go_on) stalled = false;
    if (letter == Letters().stall) stalled = true;
    if (!stalled) {
      since.clear();
    } else {
      since += static_cast<char>('A' + letter);
    }
  }
  return since;
}

}  // namespace

std::uint64_t ScriptsOfSize(int size) {
  std::uint64_t scripts = 1;
  for (; size > 0; --size) scripts *= Letters().size();
  return scripts;
}

// To the next word of the size, or to the first of the next size; false after the last.
bool Enumeration::Count() {
  if (word_.size() > size_) return false;
  for (auto letter = word_.rbegin(); letter != word_.rend(); ++letter) {
    if (++*letter < Letters().size()) return true;
    *letter = 0;
  }
  word_.push_back(0);
  return word_.size() <= size_;
}

std::optional<Script> Enumeration::Next() {
  do {
    if (!Count()) return std::nullopt;
  } while (IsMirrored(word_));
  return SpellForServer(word_);
}

bool Exhaustive::Next() {
  if (at_ == frontier_.size()) {
    frontier_ = std::exchange(next_frontier_, {});
    at_ = 0;
    levels_.emplace_back();
  }
  if (frontier_.empty() || levels_.size() > static_cast<std::size_t>(options_.size)) {
    levels_.resize(std::min(levels_.size(), static_cast<std::size_t>(options_.size)));
    return false;
  }
  Word word = frontier_[at_];
  word.push_back(letter_);
  if (++letter_ == Letters().size()) {
    letter_ = 0;
    ++at_;
  }
  if (IsMirrored(word)) return true;
  std::string state = options_.run(Spell(word, options_.limits)) + "|" + SinceStall(word);
  ++levels_.back().scripts;
  if (states_.insert(std::move(state)).second) {
    ++levels_.back().states;
    next_frontier_.push_back(std::move(word));
  }
  return true;
}

}  // namespace watchproof::explore
