// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/known_bugs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/checkers/testing/script.h"
#include "harness/history/history_parser.h"

namespace watchproof {
namespace {

// The signature of the first finding of the guarantee.
std::string SignatureOf(Guarantee guarantee, const Script& script) {
  for (const Finding& finding : script.Judge().findings) {
    if (finding.guarantee == guarantee) return finding.signature;
  }
  return "not found";
}

TEST(KnownBug, OfALostDeleteDependsOnItsRevision) {
  const auto lost = [](bool compacted) {
    Script script;
    script.Put("k", "a", 2).Delete("k", 3);
    if (compacted) script.Compact(3);
    script.Watch("k", 3).Created(0, 3).Put("k", "b", 4).Deliver(0, {{4, "k"}});
    return SignatureOf(Guarantee("Reliable"), script);
  };
  EXPECT_EQ(lost(true), signature::kDeleteAtTheFloor);
  EXPECT_EQ(lost(false), "");
}

TEST(KnownBug, OfALossBesideANegativeStart) {
  EXPECT_EQ(SignatureOf(Guarantee("Reliable"), Script()
                                                   .Put("k", "a", 2)
                                                   .Put("k", "b", 3)
                                                   .Watch("k", 2)
                                                   .Watch("k", -1)
                                                   .Created(0, 3)
                                                   .Created(1, 3)
                                                   .Deliver(0, {{3, "k"}})),
            signature::kNegativeStart);
}

TEST(KnownBug, OfImpossibleProgress) {
  const Script script = Script().Put("k", "a", 2);
  EXPECT_EQ(
      SignatureOf(Guarantee("Bookmarkable"),
                  Script(script).Watch("k", 2).Created(0, 2).Progress(0, 2).Deliver(0, {{2, "k"}})),
      signature::kProgressOvertakes);
  EXPECT_EQ(SignatureOf(Guarantee("Bookmarkable"),
                        Script(script).Watch("k", 9).Created(0, 2).Progress(0, 2)),
            signature::kProgressBelowStart);
}

TEST(KnownBug, OfRepeatedEvents) {
  EXPECT_EQ(SignatureOf(Guarantee("Unique"), Script()
                                                 .Put("k", "a", 2)
                                                 .Watch("k", 2)
                                                 .Created(0, 2)
                                                 .Deliver(0, {{2, "k"}})
                                                 .Deliver(0, {{2, "k"}})),
            signature::kReplayed);
}

TEST(KnownBug, OfSilenceAndOfFalseNotices) {
  const Script written = Script().Put("k", "a", 2).Put("k", "b", 3);
  EXPECT_EQ(SignatureOf(Guarantee("CompactionSurfaced"),
                        Script(written).Compact(3).Watch("k", 2).Created(0, 3)),
            signature::kSilentAfterCompaction);
  EXPECT_EQ(SignatureOf(Guarantee("CompactionSurfaced"),
                        Script(written).Watch("k", 2).Created(0, 3).Compacted(0, 3)),
            signature::kFalseNotice);
}

// The bug concerns open ranges only.
TEST(KnownBug, OfAKeyOutsideTheReadRight) {
  const auto shown = [](const std::string& end) {
    return SignatureOf(Guarantee("Authorized"),
                       Script()
                           .Annotate(ReadRight{StreamId(1), {"a/"}, {"a0"}})
                           .Watch("a/", 0, {.range_end = end})
                           .Created(0)
                           .Put("b", "v", 2)
                           .Deliver(0, {{2, "b"}}));
  };
  EXPECT_EQ(shown(std::string(1, '\0')), signature::kOpenRangeAllowed);
  EXPECT_EQ(shown("c"), "");
}

// Two creates waited together, and their watches have swapped ids.
TEST(KnownBug, OfAnswersInAnotherOrder) {
  const Script crossed = Script()
                             .Watch("a", 0)
                             .Watch("b", 0)
                             .Created(0)
                             .Created(1)
                             .Put("a", "v", 2)
                             .Deliver(1, {{2, "a"}});
  EXPECT_EQ(SignatureOf(Guarantee("Filtered"), crossed), signature::kAnswersOutOfOrder);
  const Script one_by_one = Script()
                                .Watch("a", 0)
                                .Created(0)
                                .Watch("b", 0)
                                .Created(1)
                                .Put("a", "v", 2)
                                .Deliver(1, {{2, "a"}});
  EXPECT_EQ(SignatureOf(Guarantee("Filtered"), one_by_one), "");
}

struct Reported {
  std::string_view signature;
  BugCarrier target;
  std::string text;
};
void PrintTo(const Reported& reported, std::ostream* out) {
  *out << reported.signature << " on " << reported.target.version << ", "
       << reported.target.members;
}

class KnownBug : public testing::TestWithParam<Reported> {};

TEST_P(KnownBug, TextDependsOnTheRelease) {
  EXPECT_EQ(KnownBugText(GetParam().signature, GetParam().target), GetParam().text);
}

BugCarrier Etcd(std::string version, int members) {
  return {.is_etcd = true, .version = std::move(version), .members = members};
}

BugCarrier Other(std::string version, int members) {
  return {.is_etcd = false, .version = std::move(version), .members = members};
}

const std::string kFloor = "the delete at exactly the compaction revision is lost";
const std::string kFalse =
    "after a snapshot was restored, a watch receives ErrCompacted without cause";
const std::string kStale = "a linearizable read is stale while the leader changes";
const std::string kQuiet = "requested progress is not sent before the next event";

INSTANTIATE_TEST_SUITE_P(
    Releases, KnownBug,
    testing::Values(
        // Another product, or an unknown release of etcd: every bug is possible.
        Reported{signature::kFalseNotice, Other("3.6.16", 1), "etcd #15271: " + kFalse},
        Reported{signature::kStaleRead, Other("", 0), "etcd #20418: " + kStale},
        Reported{signature::kFalseNotice, Etcd("", 0), "etcd #15271: " + kFalse},
        Reported{signature::kFalseNotice, Etcd("main", 3), "etcd #15271: " + kFalse},
        // The bug needs more members than the target has.
        Reported{signature::kStaleRead, Etcd("3.5.16", 1), ""},
        Reported{signature::kStaleRead, Etcd("", 1), ""},
        Reported{signature::kStaleRead, Etcd("3.5.16", 3), "etcd #20418: " + kStale},
        Reported{signature::kStaleRead, Etcd("3.5.16", 0), "etcd #20418: " + kStale},
        // Before the bug was introduced, while it was present, after it was fixed.
        Reported{signature::kStaleRead, Etcd("3.3.25", 3), ""},
        Reported{signature::kStaleRead, Etcd("3.4.19", 3), ""},
        Reported{signature::kStaleRead, Etcd("3.4.23", 3), "etcd #20418: " + kStale},
        Reported{signature::kNoProgress, Etcd("3.4.24", 1), ""},
        Reported{signature::kNoProgress, Etcd("3.4.25", 1), "etcd #17507: " + kQuiet},
        Reported{signature::kNoProgress, Etcd("3.4.31", 1),
                 "looked like etcd #17507, fixed in 3.4.31: this may be new (" + kQuiet + ")"},
        Reported{signature::kFalseNotice, Etcd("3.6.16", 3),
                 "looked like etcd #15271, fixed in 3.6.0: this may be new (" + kFalse + ")"},
        Reported{signature::kFalseNotice, Etcd("3.8.0-alpha.0", 3),
                 "looked like etcd #15271, fixed in 3.6.0: this may be new (" + kFalse + ")"},
        Reported{signature::kFalseNotice, Etcd("3.3.25", 3), "etcd #15271: " + kFalse},
        // Two bugs with the same signature; the release has one of them.
        Reported{signature::kDeleteAtTheFloor, Etcd("3.4.23", 1),
                 "etcd #18089 (and #19179 after a crash): " + kFloor},
        Reported{signature::kDeleteAtTheFloor, Etcd("3.5.16", 1), "etcd #19179: " + kFloor},
        Reported{
            signature::kDeleteAtTheFloor, Etcd("3.5.30", 1),
            "looked like etcd #18089, fixed in 3.5.16, and etcd #19179, fixed in 3.5.18: this may "
            "be new (" +
                kFloor + ")"},
        // Open everywhere, and tagged before its fix.
        Reported{signature::kNoticeRepeated, Etcd("3.7.3", 1),
                 "etcd #22294: ErrCompacted is sent again and again"},
        Reported{signature::kOpenRangeAllowed, Etcd("3.8.0-alpha.0", 1),
                 "GHSA-xg4h-6gfc-h4m8: a user with the right to read one key may watch every key "
                 "from it on"}));

TEST(KnownBugs, HaveATextEach) {
  for (const std::string_view signature : AllSignatures()) {
    EXPECT_THAT(KnownBugText(signature, {}), testing::HasSubstr(": ")) << signature;
  }
}

// Two findings of one guarantee with different impacts.
TEST(Impact, FitsTheFinding) {
  const auto impact_of = [](const Script& script) {
    for (const Finding& finding : script.Judge().findings) {
      if (finding.guarantee == Guarantee("CompactionSurfaced")) return finding.impact;
    }
    return std::string("not found");
  };
  const Script written = Script().Put("k", "a", 2).Put("k", "b", 3);
  EXPECT_EQ(
      impact_of(Script(written).Compact(3).Watch("k", 2).Created(0, 3)),
      "A Kubernetes cache starts over only when it receives ErrCompacted. Without it, the cache "
      "serves outdated objects as if they were current.");
  EXPECT_EQ(
      impact_of(Script(written).Watch("k", 2).Created(0, 3).Compacted(0, 3)),
      "A Kubernetes cache lists everything anew without need; all caches at once may overload the "
      "store.");
}

TEST(Impact, IsThereForEveryGuarantee) {
  for (const Guarantee guarantee : AllGuarantees()) {
    EXPECT_THAT(std::string(Impact(guarantee)), testing::HasSubstr("Kubernetes"))
        << Name(guarantee);
  }
}

}  // namespace
}  // namespace watchproof
