// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<AnswerDiffers> DifferencesIn(const Recording& recording) {
  std::vector<AnswerDiffers> all;
  for (const NumberedEntry& line : recording.lines()) {
    const auto annotation = ParseAnnotation(line.entry.text);
    if (annotation) all.push_back(std::get<AnswerDiffers>(*annotation));
  }
  return all;
}

// Compares an answer with itself after each change of one field: every one of them makes it another
// answer, but a ticket, which no client sees.
template <typename Answer>
void ExpectEachFieldToCount(const Answer& answer,
                            const std::vector<std::function<void(Answer&)>>& changes) {
  Recording recording;
  Answers answers(recording);
  answers.Compare<Answer>("a call", answer, answer);
  EXPECT_THAT(DifferencesIn(recording), IsEmpty());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Answer changed = answer;
    changes[i](changed);
    answers.Compare<Answer>("a call", answer, changed);
    EXPECT_THAT(DifferencesIn(recording), SizeIs(i + 1)) << ToText(answer) << ", change " << i;
  }
  Answer later = answer;
  later.ticket = store::Ticket(77);
  answers.Compare<Answer>("a call", answer, later);
  EXPECT_THAT(DifferencesIn(recording), SizeIs(changes.size()));
}

const store::KeyValue kKv{
    .key = "a", .value = "x", .create = Revision(2), .mod = Revision(3), .version = 2, .lease = 7};

TEST(Answers, EachFieldOfAReadCounts) {
  using Answer = store::RangeAnswer;
  const Answer answer{.revision = Revision(3), .kvs = {kKv}, .count = 1};
  std::vector<std::function<void(Answer&)>> changes = {
      [](Answer& one) { one.revision = Revision(4); },
      [](Answer& one) { one.more = true; },
      [](Answer& one) { one.count = 2; },
      [](Answer& one) { one.kvs.clear(); },
      [](Answer& one) { one.kvs.push_back(one.kvs[0]); },
      [](Answer& one) { one.kvs[0].key = "b"; },
      [](Answer& one) { one.kvs[0].value = ""; },
      [](Answer& one) { one.kvs[0].create = Revision(3); },
      [](Answer& one) { one.kvs[0].mod = Revision(2); },
      [](Answer& one) { one.kvs[0].version = 3; },
      [](Answer& one) { one.kvs[0].lease = 0; }};
  ExpectEachFieldToCount(answer, changes);
}

TEST(Answers, EachFieldOfAWriteCounts) {
  ExpectEachFieldToCount<store::PutAnswer>(
      {.revision = Revision(3), .previous = kKv},
      {[](store::PutAnswer& one) { one.revision = Revision(4); },
       [](store::PutAnswer& one) { one.previous.reset(); },
       [](store::PutAnswer& one) { one.previous->value = "y"; }});
  ExpectEachFieldToCount<store::DeleteAnswer>(
      {.revision = Revision(3), .deleted = 1, .previous = {kKv}},
      {[](store::DeleteAnswer& one) { one.revision = Revision(4); },
       [](store::DeleteAnswer& one) { one.deleted = 2; },
       [](store::DeleteAnswer& one) { one.previous.clear(); }});
  const store::PutAnswer put{.revision = Revision(3)};
  ExpectEachFieldToCount<store::TxnAnswer>(
      {.revision = Revision(3), .succeeded = true, .answers = {put}},
      {[](store::TxnAnswer& one) { one.revision = Revision(4); },
       [](store::TxnAnswer& one) { one.succeeded = false; },
       [](store::TxnAnswer& one) { one.answers.clear(); },
       [](store::TxnAnswer& one) {
         std::get<store::PutAnswer>(one.answers[0]).revision = Revision(4);
       }});
  ExpectEachFieldToCount<store::Granted>(
      {.revision = Revision(3), .id = 7, .ttl = 60s},
      {[](store::Granted& one) { one.revision = Revision(4); },
       [](store::Granted& one) { one.id = 8; }, [](store::Granted& one) { one.ttl = 61s; }});
}

TEST(Answers, ARefusalIsComparedWithItsWords) {
  Recording recording;
  Answers answers(recording);
  using Put = Result<store::PutAnswer>;
  const Put done = store::PutAnswer{.revision = Revision(2)};
  const Put refused = Status(StatusCode::kNotFound, "no such lease");
  answers.Compare("a put", refused, refused);
  EXPECT_THAT(DifferencesIn(recording), IsEmpty());
  answers.Compare("a put", refused, done);
  answers.Compare("a put", done, refused);
  answers.Compare("a put", refused, Put(Status(StatusCode::kNotFound, "no such key")));
  answers.Compare("a put", refused, Put(Status(StatusCode::kOutOfRange, "no such lease")));
  const std::vector<AnswerDiffers> all = DifferencesIn(recording);
  ASSERT_THAT(all, SizeIs(4));
  EXPECT_EQ(all[0].client, kClient);
  EXPECT_EQ(all[0].expected, "a put to be refused: no such lease");
  EXPECT_EQ(all[0].observed, "revision 2, before nothing instead of not found: no such lease");
  EXPECT_EQ(all[1].expected, "a put to be answered from what was done");
  EXPECT_THAT(all[3].observed, HasSubstr("out of range"));
}

TEST(Answers, NumbersAndLeasesAreNamed) {
  Recording recording;
  Answers answers(recording);
  answers.CompareNumbers("watches", 2, 2U);
  answers.CompareNumbers("watches", 2, 3U);
  ASSERT_THAT(DifferencesIn(recording), SizeIs(1));
  EXPECT_EQ(DifferencesIn(recording).front().expected, "the number of watches to be what it is");
  EXPECT_EQ(DifferencesIn(recording).front().observed, "3 instead of 2");
  EXPECT_EQ(ToText(std::vector<std::int64_t>{3, 1}), "leases 3 1");
  EXPECT_EQ(ToText(store::LeaseState{.granted = 60s, .remaining = 5s, .keys = {"a", "b"}}),
            "5 s of 60 s, keys a b");
}

}  // namespace
}  // namespace watchproof::explore
