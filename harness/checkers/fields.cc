// SPDX-License-Identifier: Apache-2.0
// Fields: the metadata in an event (create revision, version, lease) matches the key's history.
#include "harness/checkers/checker.h"
#include "harness/checkers/old_keys.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Fields final : public Checker {
 public:
  void Compared(WatchIndex watch, const Response& response,
                const std::vector<Comparison>& compared) override {
    const ExpectedList& expected = *facts().comparer.expected(watch);
    Exercised(compared.size());
    for (std::size_t i = 0; i < compared.size(); ++i) {
      const EventView& event = response.message.events[i];
      const Change* change = Matched(facts().comparer, expected, compared[i]);
      // An event of another type than the change has other metadata anyway: judged by Reliable.
      if (change == nullptr || event.type != (change->deleted ? 1 : 0)) continue;
      const KeyValueView& kv = event.kv;
      if (facts().options.without_metadata) {
        CheckOrigin(watch, event, *change, response);
        continue;
      }
      if (change->lineage_known && change->lease_known && kv.version == change->version &&
          kv.create_revision == change->create_revision.value && kv.lease == change->lease) {
        continue;
      }
      const Deviations& deviations = facts().options.deviations;
      if (change->deleted && deviations.metadata_of_deletes) continue;
      std::string difference;
      // In a delete all are 0, and so they are in the change of the model.
      if (const auto wrong = FirstWrongField(kv, *change, deviations)) {
        difference =
            fmt::format("its {} is {} instead of {}", wrong->name, wrong->reported, wrong->known);
      }
      const Revision base = facts().timeline().base();
      const bool lineage_reported = !IsUnset(deviations, "create_revision", kv.create_revision) &&
                                    !IsUnset(deviations, "version", kv.version);
      if (difference.empty() && !change->lineage_known && lineage_reported &&
          !old_keys_.Fits(*change, kv, base)) {
        difference = fmt::format(
            "its create revision {}, version {} and revision {} contradict each other or "
            "earlier events of the key",
            kv.create_revision, kv.version, kv.mod_revision);
      }
      if (!difference.empty()) Report(watch, *change, response, std::move(difference));
    }
  }

 private:
  void CheckOrigin(WatchIndex watch, const EventView& event, const Change& change,
                   const Response& response) const {
    if (change.deleted || !change.lineage_known) return;
    const bool made = change.create_revision == change.revision;
    const bool reported = event.kv.create_revision == event.kv.mod_revision;
    if (made == reported) return;
    Report(watch, change, response,
           reported ? "it is reported as the creation of the key, which existed before"
                    : "it is not reported as the creation of the key, but it was");
  }

  void Report(WatchIndex watch, const Change& change, const Response& response,
              std::string difference) const {
    Add(watch, {.expected = fmt::format("the {} with the metadata that follows from the writes "
                                        "up to line {}",
                                        Phrase(change), change.written.value),
                .observed = fmt::format("in line {} {}", response.where.line.value, difference),
                .evidence = {change.written},
                .where = response.where,
                .about = change.revision});
  }

  OldKeys old_keys_;
};

const CheckerRegistration<Fields> kFields{{
    .guarantee = Guarantee("Fields"),
    .place = 90,
    .gravity = Gravity::kFields,
    .clause = "W-8",
    .impact = "A Kubernetes cache compares the metadata of an object: an update looks like a "
              "creation, or a conflict between two writers stays undetected.",
    .explain = "A put event carries the revision at which its key was created, the version (the "
               "number of puts since then), and the lease of the key, if any; a delete event "
               "carries none of these, only its own revision. Caches and locks compare this "
               "metadata, so a wrong field is as bad as a wrong value. The history of a key that "
               "existed before the recording is unknown, but it is fixed: all its events must "
               "agree on it. Source: the message KeyValue of the etcd v3 API.",
}};

}  // namespace
}  // namespace watchproof
