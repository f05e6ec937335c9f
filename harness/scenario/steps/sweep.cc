// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/sweep.h"

#include <algorithm>

#include "harness/base/prng.h"
#include "harness/model/key_range.h"
#include "harness/model/refusals.h"
#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

using explore::Sweep;
using explore::SweepOf;

const StepRegistration<SweepStep> kSweepSteps;

constexpr std::int64_t kMostBytesOfWrite = 3100;

std::int64_t LeaseOf(StepContext& context, const std::string& name) {
  return name.empty() ? 0 : context.leases().at(name);
}

class Sweeper {
 public:
  Sweeper(StepContext& context, const Sweep& sweep)
      : context_(context), kv_(context.session().kv()), sweep_(sweep) {}

  // Whether it had to be refused for what is in it is judged; no other refusal is expected.
  Status Send(const KvRequest& request) {
    const auto* const read = std::get_if<ReadRequest>(&request);
    const bool in_parts = sweep_.of() == SweepOf::kParts && read != nullptr;
    const auto done = in_parts ? kv_.ReadInParts(*read) : kv_.Send(request);
    const bool judged = !done.has_value() && IsAboutContent(done.error().code());
    return judged ? Status() : context_.NoteHead(done);
  }
  Status Look() {
    WP_ASSIGN_OR_RETURN(answer_, kv_.ReadWhole(sweep_.ReadAll()));
    RangeResponseView read;
    WP_RETURN_IF_ERROR(Parse(answer_.view(), read));
    seen_ = {.keys = read.kvs,
             .head = Revision(read.header.revision),
             .floor = context_.judge().compacted_through()};
    context_.NoteHead(seen_.head);
    return {};
  }
  const explore::SweepSight& seen() const { return seen_; }

 private:
  StepContext& context_;
  KvClient& kv_;
  const Sweep& sweep_;
  Bytes answer_;  // that `seen_` looks into
  explore::SweepSight seen_;
};

}  // namespace

Usage SweepStep::Cost() const {
  const std::size_t requests = std::min(count, size);
  const bool reads = of == SweepOf::kReads || of == SweepOf::kParts;
  const std::size_t each = reads ? 1 : of == SweepOf::kWrites ? 3 : 2;
  Usage usage{.keys = 10, .operations = requests * each};
  if (!reads) usage.bytes = static_cast<std::int64_t>(requests) * kMostBytesOfWrite;
  return usage;
}

// A half of it, or a request less.
std::vector<SweepStep> SweepStep::Smaller() const {
  const std::size_t last = std::min(size, from + std::min(count, size));
  const std::size_t all = last > from ? last - from : 0;
  std::vector<SweepStep> smaller;
  const auto part = [&](std::size_t first, std::size_t requests) {
    if (requests == 0 || requests >= all) return;
    smaller.push_back(*this);
    smaller.back().from = first;
    smaller.back().count = requests;
  };
  part(from, all / 2);
  part(from + all / 2, all - all / 2);
  part(from, all - 1);
  part(from + 1, all - 1);
  return smaller;
}

Status SweepStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const Sweep sweep(of,
                    {.prefix = session.Placed(key),
                     .end = EndOfPrefix(session.Placed(key)),
                     .no_end = session.PlacedEnd(kOpenEnd),
                     .lease = LeaseOf(context, lease),
                     .other_lease = LeaseOf(context, other_lease),
                     .ended_lease = LeaseOf(context, ended_lease)},
                    size, Prng(seed));
  Sweeper sweeper(context, sweep);
  WP_RETURN_IF_ERROR(sweeper.Look());
  const std::size_t end = std::min(sweep.size(), from + std::min(count, sweep.size()));
  for (std::size_t i = from; i < end && !session.GivesUp(); ++i) {
    if (const auto before = sweep.Before(i)) WP_RETURN_IF_ERROR(sweeper.Send(*before));
    if (of == SweepOf::kCompares) WP_RETURN_IF_ERROR(sweeper.Look());
    WP_RETURN_IF_ERROR(sweeper.Send(sweep.Request(i, sweeper.seen())));
    const bool changes = of == SweepOf::kWrites || of == SweepOf::kRefusals;
    if (changes) WP_RETURN_IF_ERROR(sweeper.Look());
  }
  return {};
}

}  // namespace watchproof
