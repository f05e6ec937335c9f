// SPDX-License-Identifier: Apache-2.0
// The store against a model that keeps a full copy of every state it was ever in.
#include <gtest/gtest.h>

#include <map>

#include "embedded_store/mvcc/store_fixture.h"
#include "harness/base/prng.h"

namespace watchproof::store {
namespace {

constexpr int kOperations = 300;
constexpr std::uint64_t kSeeds = 20;

class Model {
 public:
  using State = std::map<std::string, KeyValue>;

  void Put(const std::string& key, const std::string& value) {
    KeyValue& kv = open_[key];
    if (kv.version == 0) kv.create = next();
    kv = {
        .key = key, .value = value, .create = kv.create, .mod = next(), .version = kv.version + 1};
    events_[next()].push_back(fmt::format("put {}={}@{}", key, value, next()));
  }
  void Delete(const KeyRange& range) {
    std::erase_if(open_, [&](const auto& entry) {
      if (!range.Contains(entry.first)) return false;
      events_[next()].push_back(fmt::format("delete {}@{}", entry.first, next()));
      return true;
    });
  }
  void Commit() {
    if (events_.contains(next())) states_.push_back(open_);
  }

  Revision current() const { return Revision{static_cast<std::int64_t>(states_.size())}; }
  std::vector<std::string> ReadAll(Revision at) const {
    std::vector<std::string> texts;
    for (const auto& [key, kv] : states_[static_cast<std::size_t>(at.value - 1)]) {
      texts.push_back(Text(kv));
    }
    return texts;
  }
  std::vector<std::string> EventsFrom(Revision from) const {
    std::vector<std::string> all;
    for (auto it = events_.lower_bound(from); it != events_.end(); ++it) {
      all.insert(all.end(), it->second.begin(), it->second.end());
    }
    return all;
  }

 private:
  Revision next() const { return current().next(); }
  std::vector<State> states_{State{}};  // by revision, from 1
  State open_;
  std::map<Revision, std::vector<std::string>> events_;
};

class Walk {
 public:
  explicit Walk(std::uint64_t seed) : random_(seed) {}

  void Step() {
    switch (random_.Below(15)) {
      case 0:
        Compact();
        break;
      case 1:
        Txn();
        break;
      case 2:
      case 3:
        DeleteSome();
        break;
      default:
        PutOne();
        break;
    }
    ASSERT_EQ(store_.current(), model_.current());
  }
  void CompareAll() const {
    const Revision floor = std::max(store_.compacted(), Revision{1});
    for (Revision at = floor; at <= model_.current(); at = at.next()) {
      ASSERT_EQ(ReadAll(store_, at), model_.ReadAll(at)) << "at revision " << at.value;
      ASSERT_EQ(Texts(store_.ReadHistory(at, model_.current(), WithPrevious::kNo).events),
                model_.EventsFrom(at))
          << "from revision " << at.value;
    }
  }

 private:
  std::string Key() { return fmt::format("k{}", random_.Below(6)); }
  KeyRange Range() {
    const std::string begin = Key();
    if (random_.Chance(0.5)) return KeyRange::Single(begin);
    return random_.Chance(0.2) ? KeyRange::From(begin) : KeyRange{begin, Key()};
  }
  void PutOne() {
    const PutOp put{.key = Key(), .value = random_.Word(3)};
    ASSERT_TRUE(store_.Put(put).has_value());
    model_.Put(put.key, put.value);
    model_.Commit();
  }
  void DeleteSome() {
    const KeyRange range = Range();
    ASSERT_TRUE(store_.DeleteRange({.range = range}).has_value());
    model_.Delete(range);
    model_.Commit();
  }
  void Txn() {
    const KeyRange deleted = Range();
    TxnOp txn{.success = {DeleteOp{.range = deleted}}};
    model_.Delete(deleted);
    for (int i = 0; i < 6; ++i) {
      const std::string key = fmt::format("k{}", i);
      if (deleted.Contains(key) || random_.Chance(0.5)) continue;
      txn.success.push_back(PutOp{.key = key, .value = "t"});
      model_.Put(key, "t");
    }
    ASSERT_TRUE(store_.Txn(txn).has_value());
    model_.Commit();
  }
  void Compact() {
    CompareAll();
    // Not always: long histories are worth reading too.
    if (store_.compacted() == store_.current() || random_.Chance(0.5)) return;
    const Revision floor{random_.Between(store_.compacted().value + 1, store_.current().value)};
    ASSERT_TRUE(store_.Compact(floor).has_value());
    CompareAll();
  }

  Prng random_;
  MvccStore store_;
  Model model_;
};

class RandomWalk : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWalk, MatchesTheModelAboveTheFloor) {
  Walk walk(GetParam());
  for (int i = 0; i < kOperations; ++i) {
    walk.Step();
    if (HasFatalFailure()) return;
  }
  walk.CompareAll();
}

INSTANTIATE_TEST_SUITE_P(Store, RandomWalk, testing::Range<std::uint64_t>(1, kSeeds + 1));

}  // namespace
}  // namespace watchproof::store
