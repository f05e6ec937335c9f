// SPDX-License-Identifier: Apache-2.0
// Random loads, delivered correctly: there must be no finding, however late the answers to the
// writes are recorded. Then one delivery is mutated: the right guarantee must find that, at the
// right watch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/base/prng.h"
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

constexpr std::uint64_t kSeeds = 40;
constexpr int kWatches = 6;
constexpr int kWrites = 60;

using Batch = std::vector<Written>;  // the events of one response

struct Watched {
  std::string from;
  std::string to;  // empty: one key
  std::int64_t start = 0;
  bool Holds(const std::string& key) const {
    return to.empty() ? key == from : key >= from && key < to;
  }
};

struct Load {
  Script script;
  std::vector<Watched> watches;
  std::vector<std::vector<Batch>> batches;  // by watch
};

std::string Key(Prng& prng) { return "k" + std::to_string(prng.Below(6)); }

// What one write changed.
Batch Write(Script& script, std::int64_t revision, std::set<std::string>& live, Prng& prng) {
  const std::string key = Key(prng);
  Batch changed{{revision, key}};
  if (prng.Chance(0.2) && live.erase(key) > 0) {
    script.Delete(key, revision);
  } else if (prng.Chance(0.4)) {
    script.Txn({.puts = {{key, prng.Word(4)}, {"t1", prng.Word(4)}, {"t2", prng.Word(4)}}},
               revision);
    live.insert({key, "t1", "t2"});
    changed.insert(changed.end(), {{revision, "t1"}, {revision, "t2"}});
  } else {
    script.Put(key, prng.Word(4), revision);
    live.insert(key);
  }
  return changed;
}

Load MakeLoad(Prng prng) {
  Load load;
  for (int i = 0; i < kWatches; ++i) {
    Watched watch{
        .from = Key(prng), .to = prng.Chance(0.7) ? "z" : "", .start = prng.Between(2, 20)};
    if (i == 0) watch = {.from = "a", .to = "z", .start = 2};  // one that sees everything
    load.script.Watch(watch.from, watch.start, {.range_end = watch.to});
    load.watches.push_back(watch);
  }
  for (int i = 0; i < kWatches; ++i) load.script.Created(i, 1);
  load.batches.resize(kWatches);
  std::set<std::string> live;
  for (std::int64_t revision = 2; revision < 2 + kWrites; ++revision) {
    const Batch changed = Write(load.script, revision, live, prng);
    for (std::size_t i = 0; i < kWatches; ++i) {
      Batch mine;
      for (const Written& event : changed) {
        if (load.watches[i].Holds(event.key) && revision >= load.watches[i].start)
          mine.push_back(event);
      }
      if (mine.empty()) continue;
      std::vector<Batch>& batches = load.batches[i];
      if (batches.empty() || prng.Chance(0.6)) batches.emplace_back();
      batches.back().insert(batches.back().end(), mine.begin(), mine.end());
    }
  }
  return load;
}

// The responses of all watches, mixed at random.
Script Deliver(Load load, Prng prng) {
  std::vector<std::size_t> next(kWatches);
  std::vector<std::size_t> turns;
  for (std::size_t i = 0; i < kWatches; ++i) turns.insert(turns.end(), load.batches[i].size(), i);
  prng.Shuffle(turns);
  for (const std::size_t i : turns) {
    load.script.Deliver(static_cast<std::int64_t>(i), load.batches[i][next[i]++]);
  }
  return load.script;
}

// Moves the answers of calls back at random, as when events overtake them.
std::vector<NumberedEntry> DelayAnswers(const Script& script, Prng prng) {
  std::multimap<std::uint64_t, Entry> placed;
  for (const NumberedEntry& line : script.lines()) {
    const bool answer = line.entry.kind == EntryKind::kCallEnded && line.line.value > 3;
    placed.emplace(line.line.value + (answer ? prng.Below(150) : 0), line.entry);
  }
  std::vector<NumberedEntry> lines;
  for (auto& [place, entry] : placed) lines.push_back({Line(lines.size() + 1), std::move(entry)});
  return lines;
}

Judgement JudgeLines(const std::vector<NumberedEntry>& lines) {
  Judge judge({});
  for (const NumberedEntry& line : lines) judge.Consume(line);
  return judge.Finish();
}

TEST(Mutation, PerfectDeliveryHasNoFindings) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Prng prng(seed);
    const Script script = Deliver(MakeLoad(prng.Fork("load")), prng.Fork("mix"));
    for (const auto& lines : {script.lines(), DelayAnswers(script, prng.Fork("delay"))}) {
      const Judgement judgement = JudgeLines(lines);
      EXPECT_TRUE(judgement.findings.empty() && judgement.undecided.empty())
          << "seed " << seed << "\n"
          << Story(judgement);
    }
  }
}

// Mutates the batches of one watch; false if they do not allow this mutation.
using Mutate = bool (*)(std::vector<Batch>& batches, Prng& prng);

void ExpectFound(std::string_view guarantee, Mutate mutate) {
  int spoiled = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Prng prng(seed);
    Load load = MakeLoad(prng.Fork("load"));
    Prng choice = prng.Fork("spoil");
    if (!mutate(load.batches[0], choice)) continue;
    ++spoiled;
    const Script script = Deliver(std::move(load), prng.Fork("mix"));
    for (const auto& lines : {script.lines(), DelayAnswers(script, prng.Fork("delay"))}) {
      const Judgement judgement = JudgeLines(lines);
      std::set<std::string_view> found;
      for (const Finding& finding : judgement.findings) {
        found.insert(Name(finding.guarantee));
        EXPECT_THAT(finding.watch, testing::StartsWith("watch 0 "));
      }
      EXPECT_TRUE(found.contains(guarantee)) << "seed " << seed << "\n" << Story(judgement);
    }
  }
  EXPECT_GT(spoiled, static_cast<int>(kSeeds) / 4);
}

TEST(Mutation, ALostResponseIsFound) {
  ExpectFound("Reliable", [](std::vector<Batch>& batches, Prng& prng) {
    batches.erase(batches.begin() + prng.Between(0, static_cast<std::int64_t>(batches.size()) - 2));
    return true;
  });
}
TEST(Mutation, ALostEndIsFound) {
  ExpectFound("Settled", [](std::vector<Batch>& batches, Prng&) {
    batches.pop_back();
    return true;
  });
}
TEST(Mutation, ALostEventOfATransactionIsFound) {
  ExpectFound("Atomic", [](std::vector<Batch>& batches, Prng& prng) {
    Batch& batch = batches[prng.Below(batches.size() - 1)];
    if (batch.size() < 2 || batch[0].revision != batch[1].revision) return false;
    batch.erase(batch.begin() + 1);
    return true;
  });
}
TEST(Mutation, ARepeatedResponseIsFound) {
  ExpectFound("Unique", [](std::vector<Batch>& batches, Prng& prng) {
    const Batch again = batches[prng.Below(batches.size())];
    batches.insert(batches.begin() + prng.Between(1, static_cast<std::int64_t>(batches.size())),
                   again);
    // The copy may come first: the other one is then the repetition.
    return true;
  });
}
TEST(Mutation, SwappedResponsesAreFound) {
  ExpectFound("Ordered", [](std::vector<Batch>& batches, Prng& prng) {
    const std::size_t i = prng.Below(batches.size() - 1);
    std::swap(batches[i], batches[i + 1]);
    return true;
  });
}
TEST(Mutation, ASplitTransactionIsFound) {
  ExpectFound("Atomic", [](std::vector<Batch>& batches, Prng& prng) {
    const std::size_t i = prng.Below(batches.size());
    Batch& batch = batches[i];
    if (batch.size() < 2 || batch[batch.size() - 2].revision != batch.back().revision) return false;
    const Batch tail{batch.back()};
    batch.pop_back();
    batches.insert(batches.begin() + static_cast<std::ptrdiff_t>(i) + 1, tail);
    return true;
  });
}

}  // namespace
}  // namespace watchproof
