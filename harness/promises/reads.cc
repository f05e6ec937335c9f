// SPDX-License-Identifier: Apache-2.0
// Reads of everything that the script wrote: the answers are in the recording, and so are the
// refusals, which some of them must be.
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

constexpr std::string_view kPast = "read-of-the-past";
constexpr std::string_view kLocal = "serializable-read";
constexpr std::int64_t kFarAhead = 1
                                   << 20;  // revisions above the head: no other writer comes there

void ReadPast(Driver& driver) {
  const Revision floor = driver.floor();
  const Revision oldest = std::max(floor, driver.oldest());
  const std::string why = driver.WithoutReadsAt(oldest);
  if (!why.empty()) return driver.Leave(kPast, why);
  std::set<Revision> revisions{Revision((oldest.value + driver.head().value) / 2)};
  if (driver.head() > oldest) revisions.insert(driver.head().previous());
  if (floor.value > 0) revisions.insert(floor);
  if (floor.value > 1) revisions.insert(floor.previous());
  if (driver.WithoutFuture().empty()) revisions.insert(driver.head().plus(kFarAhead));
  revisions.erase(Revision(0));
  for (const Revision at : revisions) driver.Read(at, Driver::Reads::kLinearizable);
}

const PromiseRegistration kReadOfPresent{{
    .name = "read-of-every-key",
    .text = "a read of every key",
    .place = 500,
    .ask = [](Driver& driver, NewWatches&) { driver.Read({}, Driver::Reads::kLinearizable); },
}};

const PromiseRegistration kReadOfPast{{
    .name = kPast,
    .text = "a read of the past",
    .place = 510,
    .ask = [](Driver& driver, NewWatches&) { ReadPast(driver); },
}};

const PromiseRegistration kReadOfMember{{
    .name = kLocal,
    .text = "a serializable read of every key",
    .place = 520,
    .ask =
        [](Driver& driver, NewWatches&) {
          const std::string why = driver.WithoutFuture();
          if (!why.empty()) return driver.Leave(kLocal, why);
          driver.Read({}, Driver::Reads::kSerializable);
        },
}};

}  // namespace
}  // namespace watchproof
