// SPDX-License-Identifier: Apache-2.0
#include "harness/bugs/answer_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace watchproof {
namespace {

using ::testing::HasSubstr;

constexpr char kSignature[] = "[[signature]]\nname = \"seen\"\ntitle = \"it is seen\"\n";
constexpr char kBug[] =
    "[[bug]]\nupstream = [7, 8]\ntitle = \"t\"\ncost = \"data\"\nimpact = \"i\"\n"
    "affected = [\"3.4\"]\nsource = \"s\"\n";
constexpr char kShown[] = "[[bug.shown]]\ncase = \"A.B\"\nguarantees = [\"Unique\"]\n";

TEST(AnswerKeyParse, ABugIsNamedByItsNumberAndACaseHasItsTitleAsReason) {
  const auto key =
      AnswerKey::Parse(std::string(kSignature) + kBug + "signatures = [\"seen\"]\n" + kShown);
  ASSERT_TRUE(key.has_value()) << key.error().message();
  const Bug& bug = key->bugs().at(0);
  EXPECT_EQ(bug.name, "#7");
  EXPECT_EQ(bug.Label(), "etcd #7");
  EXPECT_EQ(bug.shown.at(0).reason, "t");
  EXPECT_EQ(bug.members, 1);
}

TEST(AnswerKeyParse, ErrorsNameTheLineAndWhatWasExpected) {
  const auto message = [](const std::string& text) {
    const auto parsed = AnswerKey::Parse(text);
    return parsed.has_value() ? std::string("accepted") : parsed.error().message();
  };
  const std::string bug = kBug;
  const std::string shown = kShown;
  EXPECT_EQ(message(kSignature + bug + "signatures = [\"seen\"]\n" + shown), "accepted");
  EXPECT_EQ(message(bug + "not_shown = \"why\"\n"), "accepted");
  EXPECT_THAT(message("[[bug"), HasSubstr("line 1"));
  EXPECT_THAT(
      message(bug),
      HasSubstr("expected one of [[bug.shown]], 'met', 'permitted' and 'not_shown' for #7"));
  EXPECT_THAT(message(bug + "not_shown = \"why\"\n" + shown),
              HasSubstr("expected one of [[bug.shown]]"));
  EXPECT_EQ(message(bug + "met = \"probing: how\"\n"), "accepted");
  EXPECT_THAT(message(bug + "met = \"luck\"\n"), HasSubstr("begin with 'exploration: '"));
  EXPECT_THAT(message(bug + "permitted = \"why\"\nnot_shown = \"why\"\n"),
              HasSubstr("expected one of"));
  EXPECT_THAT(message(bug + shown + shown), HasSubstr("line 11: A.B is listed twice for #7"));
  EXPECT_THAT(message(bug + shown), HasSubstr("line 1: expected 'signatures' for #7"));
  const std::string unseen = bug + "not_shown = \"why\"\n";
  EXPECT_THAT(message(unseen + unseen), HasSubstr("#7 is listed twice"));
  EXPECT_THAT(message(bug + "signatures = [\"seen\"]\n" + shown),
              HasSubstr("line 8: there is no [[signature]] called seen"));
  EXPECT_THAT(message(std::string(kSignature) + kSignature), HasSubstr("listed twice"));
  EXPECT_THAT(message(bug + "members = 0\n" + shown), HasSubstr("'members' of at least 1"));
  EXPECT_THAT(message(bug + "titel = \"t\"\n" + shown), HasSubstr("unknown field 'titel'"));
  EXPECT_THAT(message("[[bug]]\ntitle = \"t\"\n"), HasSubstr("'name'"));
  EXPECT_THAT(message("[[bug]]\nupstream = [7]\ntitle = \"t\"\ncost = \"dear\"\n"),
              HasSubstr("line 4: expected 'cost' to be one of data, security, outage"));
  const auto with_range = [&](const std::string& ranges) {
    return message(
        "[[bug]]\nupstream = [7]\ntitle = \"t\"\ncost = \"data\"\nimpact = \"i\"\naffected = " +
        ranges + "\nsource = \"s\"\nnot_shown = \"why\"\n");
  };
  EXPECT_EQ(with_range("[\"3.4 < 3.4.2\", \"3.5\"]"), "accepted");
  EXPECT_THAT(with_range("[]"), HasSubstr("'affected' with a list"));
  EXPECT_THAT(with_range("[\"3.5\", \"3.4\"]"), HasSubstr("line 6: expected the branches"));
  EXPECT_THAT(with_range("[\"3.4 < 3.5.2\"]"), HasSubstr("3.5.2 is of another branch"));
}

TEST(AnswerKeyParse, ABugOfAnotherProductIsNamedAfterIt) {
  const std::string head = "product = \"kine\"\nissues = \"https://kine/issues/\"\n";
  const auto key = AnswerKey::Parse(head + kBug + "not_shown = \"why\"\n");
  ASSERT_TRUE(key.has_value()) << key.error().message();
  const Bug& bug = key->bugs().at(0);
  EXPECT_EQ(key->product(), "kine");
  EXPECT_EQ(bug.product, "kine");
  EXPECT_EQ(bug.name, "kine#7");
  EXPECT_EQ(bug.Label(), "kine#7");
  EXPECT_EQ(bug.Url(), "https://kine/issues/7");
  EXPECT_THAT(AnswerKey::Parse("product = \"kine\"\n").error().message(), HasSubstr("'issues'"));
}

TEST(AnswerKeyParse, ASignatureWithoutCodeIsAGuaranteeAndWords) {
  const std::string signature = kSignature;
  const auto key = AnswerKey::Parse(
      signature + "guarantee = \"Settled\"\nsays = [\"a watch that lasts\", \"OutOfRange\"]\n");
  ASSERT_TRUE(key.has_value()) << key.error().message();
  const std::string lasts = "a watch that lasts until it is cancelled";
  EXPECT_EQ(key->SignatureOf("Settled", lasts, "ended: OutOfRange"), "seen");
  EXPECT_EQ(key->SignatureOf("Settled", lasts, "ended: EOF"), "") << "not all of the words";
  EXPECT_EQ(key->SignatureOf("Reliable", lasts, "ended: OutOfRange"), "");
  EXPECT_EQ(AnswerKey::Parse(signature)->SignatureOf("Settled", lasts, "seen"), "")
      << "code decides";
  EXPECT_THAT(AnswerKey::Parse(signature + "says = [\"a\"]\n").error().message(),
              HasSubstr("'guarantee'"));
}

TEST(AnswerKeyBuiltIn, HasASignatureAndABugForEachOther) {
  std::set<std::string> names;
  for (const AnswerKey& key : AnswerKey::All()) {
    for (const auto& [name, signature] : key.signatures()) {
      const auto& bugs = key.bugs();
      EXPECT_TRUE(std::any_of(bugs.begin(), bugs.end(),
                              [&name = name](const Bug& bug) {
                                return std::find(bug.signatures.begin(), bug.signatures.end(),
                                                 name) != bug.signatures.end();
                              }))
          << key.product() << ": " << name;
    }
    for (const Bug& bug : key.bugs()) {
      EXPECT_FALSE(bug.upstream.empty() && bug.link.empty()) << bug.name;
      EXPECT_TRUE(names.insert(bug.name).second) << bug.name << " is in two keys";
      EXPECT_EQ(AnswerKey::FindBug(bug.name), &bug);
    }
  }
}

TEST(AnswerKeyBuiltIn, IsOneForEachProduct) {
  EXPECT_EQ(AnswerKey::All().front().product(), "etcd");
  EXPECT_EQ(&AnswerKey::BuiltIn(), AnswerKey::Find("etcd"));
  for (const std::string product : {"kine", "t4"}) {
    ASSERT_NE(AnswerKey::Find(product), nullptr) << product;
    EXPECT_EQ(&AnswerKey::For(product), AnswerKey::Find(product));
  }
  EXPECT_EQ(AnswerKey::Find("command"), nullptr);
  EXPECT_TRUE(AnswerKey::For("command").bugs().empty());
  for (const char* unknown : {"", "embedded"}) {
    EXPECT_EQ(&AnswerKey::For(unknown), &AnswerKey::BuiltIn()) << unknown;
  }
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

class KnownBugTextTest : public testing::TestWithParam<Reported> {};

TEST_P(KnownBugTextTest, TextDependsOnTheRelease) {
  EXPECT_EQ(KnownBugText(GetParam().signature, GetParam().target), GetParam().text);
}

BugCarrier Etcd(std::string version, int members) {
  return {.product = "etcd", .version = std::move(version), .members = members};
}

TEST(KnownBugs, AreNamedAsFarAsTheReleaseHasThem) {
  EXPECT_EQ(KnownBugs("delete-at-the-floor", Etcd("3.5.16", 1)),
            std::vector<std::string>{"#19179"});
  EXPECT_TRUE(KnownBugs("delete-at-the-floor", Etcd("3.5.30", 1)).empty());
  EXPECT_TRUE(KnownBugs("no-such", Etcd("3.5.16", 1)).empty());
}

TEST(KnownBug, OfATopologyIsNewsElsewhere) {
  const auto known = [](const std::string& topology) {
    return IsKnownBug("answers-out-of-order",
                      {.product = "etcd", .version = "3.7.3", .members = 1, .topology = topology});
  };
  EXPECT_TRUE(known("grpc-proxy"));
  EXPECT_FALSE(known(""));
}

BugCarrier Other(std::string version, int members) {
  return {.product = "embedded", .version = std::move(version), .members = members};
}

const std::string kFloor = "the delete at exactly the compaction revision is lost";
const std::string kFalse =
    "after a snapshot was restored, a watch receives ErrCompacted without cause";
const std::string kStale = "a linearizable read is stale while the leader changes";
const std::string kQuiet = "requested progress is not sent before the next event";

INSTANTIATE_TEST_SUITE_P(
    Releases, KnownBugTextTest,
    testing::Values(
        // No other product has them, except for the embedded store, where they are planted.
        Reported{"false-notice", BugCarrier{.product = "command", .version = "3.5.7"}, ""},
        Reported{"write-lost", BugCarrier{.product = "endpoint"}, ""},
        Reported{"false-notice", BugCarrier{.product = "kine", .version = "0.17.5"}, ""},
        Reported{"no-such", BugCarrier{.product = "kine"}, "no-such"},
        // The embedded store, an unknown product, or an unknown release of etcd: every bug is
        // possible.
        Reported{"false-notice", BugCarrier{}, "etcd #15271: " + kFalse},
        Reported{"false-notice", Other("3.6.16", 1), "etcd #15271: " + kFalse},
        Reported{"stale-read", Other("", 0), "etcd #20418: " + kStale},
        Reported{"false-notice", Etcd("", 0), "etcd #15271: " + kFalse},
        Reported{"false-notice", Etcd("main", 3), "etcd #15271: " + kFalse},
        // The bug needs more members than the target has.
        Reported{"stale-read", Etcd("3.5.16", 1), ""}, Reported{"stale-read", Etcd("", 1), ""},
        Reported{"stale-read", Etcd("3.5.16", 3), "etcd #20418: " + kStale},
        Reported{"stale-read", Etcd("3.5.16", 0), "etcd #20418: " + kStale},
        // Before the bug was introduced, while it was present, after it was fixed.
        Reported{"stale-read", Etcd("3.3.25", 3), ""},
        Reported{"stale-read", Etcd("3.4.19", 3), ""},
        Reported{"stale-read", Etcd("3.4.23", 3), "etcd #20418: " + kStale},
        Reported{"stale-read", Etcd("3.4.42", 3),
                 "looked like etcd #20418, fixed in 3.4.42: this may be new (" + kStale + ")"},
        Reported{"no-progress", Etcd("3.4.24", 1), ""},
        Reported{"no-progress", Etcd("3.4.25", 1), "etcd #17507: " + kQuiet},
        Reported{"no-progress", Etcd("3.4.31", 1),
                 "looked like etcd #17507, fixed in 3.4.31: this may be new (" + kQuiet + ")"},
        // Only one form of the bug needs a cluster.
        Reported{"events-below-start", Etcd("3.5.16", 1), ""},
        Reported{"progress-below-start", Etcd("3.5.16", 1),
                 "etcd #20221: a watch with a future start receives progress from before its "
                 "start"},
        Reported{"false-notice", Etcd("3.6.16", 3),
                 "looked like etcd #15271, fixed in 3.6.0-rc.0: this may be new (" + kFalse + ")"},
        Reported{"false-notice", Etcd("3.8.0-alpha.0", 3),
                 "looked like etcd #15271, fixed in 3.6.0-rc.0: this may be new (" + kFalse + ")"},
        Reported{"false-notice", Etcd("3.3.25", 3), "etcd #15271: " + kFalse},
        // Two bugs with the same signature; the release has one of them.
        Reported{"delete-at-the-floor", Etcd("3.4.23", 1), "etcd #18089: " + kFloor},
        Reported{"delete-at-the-floor", Etcd("3.5.16", 1), "etcd #19179: " + kFloor},
        Reported{
            "delete-at-the-floor", Etcd("3.5.30", 1),
            "looked like etcd #18089, fixed in 3.5.16, and etcd #19179, fixed in 3.5.18: this may "
            "be new (" +
                kFloor + ")"},
        // Open everywhere, and tagged before its fix.
        Reported{"notice-repeated", Etcd("3.7.3", 1),
                 "etcd #22294: ErrCompacted is sent again and again"},
        Reported{"open-range-allowed", Etcd("3.8.0-alpha.0", 1),
                 "GHSA-xg4h-6gfc-h4m8: a user with the right to read one key may watch every key "
                 "from it on"}));

// The releases on which its bugs show, and no longer do, are those of the key.
TEST(AnswerKey, ItsTrackRecordAgreesWithItsRanges) {
  int recorded = 0;
  for (const Bug& bug : AnswerKey::BuiltIn().bugs()) {
    if (!bug.track_record) continue;
    ++recorded;
    const TrackRecord& record = *bug.track_record;
    EXPECT_EQ(record.red.empty(), bug.shown.empty()) << bug.name;
    EXPECT_EQ(record.red.empty(), record.first_red.empty()) << bug.name;
    if (!record.red.empty()) {
      EXPECT_EQ(StateIn(bug.affected, *ParseVersion(record.red)).presence, Presence::kAffected)
          << bug.name;
    }
    if (!record.green.empty()) {
      EXPECT_EQ(StateIn(bug.affected, *ParseVersion(record.green)).presence, Presence::kFixed)
          << bug.name;
    }
  }
  EXPECT_EQ(recorded, 15);
}

}  // namespace
}  // namespace watchproof
