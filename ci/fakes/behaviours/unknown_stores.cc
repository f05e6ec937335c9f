// SPDX-License-Identifier: Apache-2.0
// Servers of which nothing is known: they refuse calls, answer with anything, leave out fields, or
// lag behind their own answers. The command line says which call, status or field.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

using etcdserverpb::RangeRequest;
using etcdserverpb::RangeResponse;

constexpr std::string_view kPackage = "/etcdserverpb.";
constexpr std::string_view kRange = "/etcdserverpb.KV/Range";

class OfOneCall : public Behaviour {
 public:
  void Configure(const Parameters& parameters) override { parameters_ = parameters; }

 protected:
  // Every call is meant, unless one is named.
  bool IsMeant(std::string_view method) const {
    return method.starts_with(kPackage) &&
           (parameters_.call.empty() || method.substr(kPackage.size()) == parameters_.call);
  }
  Parameters parameters_{};
};

class Refuses final : public OfOneCall {
  CallPlan Plan(const std::string& method) override {
    if (!IsMeant(method)) return {.method = method};
    return {.method = method,
            .fate = CallFate::kRefuse,
            .refusal = {parameters_.code, "not of this store"},
            .tampered = "refused"};
  }
};

const BehaviourRegistration kRefuses(
    {.name = "refuses",
     .explain = "Refuses --call (every call, if none is named) with the status --code.",
     .guarantees = {},
     .parametrised = true},
    [] { return std::make_unique<Refuses>(); });

class Garbles final : public OfOneCall {
  std::string Changed(const std::string& method, std::string& response) override {
    if (!IsMeant(method)) return {};
    response = "\xff\xff\xff";
    return "answered with bytes that are no message";
  }
};

const BehaviourRegistration kGarbles({.name = "garbles",
                                      .explain = "Answers --call with bytes that are no message.",
                                      .guarantees = {},
                                      .parametrised = true},
                                     [] { return std::make_unique<Garbles>(); });

struct Field {
  std::string_view name;
  void (*leave_out)(RangeResponse& read);
};

template <auto kClear>
void InEachKey(RangeResponse& read) {
  for (auto& kv : *read.mutable_kvs()) (kv.*kClear)();
}
using Header = etcdserverpb::ResponseHeader;
template <auto kClear>
void InHeader(RangeResponse& read) {
  (read.mutable_header()->*kClear)();
}

constexpr Field kFields[] = {
    {"header", [](RangeResponse& read) { read.clear_header(); }},
    {"header.cluster_id", InHeader<&Header::clear_cluster_id>},
    {"header.member_id", InHeader<&Header::clear_member_id>},
    {"header.revision", InHeader<&Header::clear_revision>},
    {"header.raft_term", InHeader<&Header::clear_raft_term>},
    {"kvs", [](RangeResponse& read) { read.clear_kvs(); }},
    {"more", [](RangeResponse& read) { read.clear_more(); }},
    {"count", [](RangeResponse& read) { read.clear_count(); }},
    {"key", InEachKey<&mvccpb::KeyValue::clear_key>},
    {"create_revision", InEachKey<&mvccpb::KeyValue::clear_create_revision>},
    {"mod_revision", InEachKey<&mvccpb::KeyValue::clear_mod_revision>},
    {"version", InEachKey<&mvccpb::KeyValue::clear_version>},
    {"value", InEachKey<&mvccpb::KeyValue::clear_value>},
    {"lease", InEachKey<&mvccpb::KeyValue::clear_lease>},
};

// Without the name of a field, each read leaves out the next one.
class LeavesOut final : public OfOneCall {
  std::string Changed(const std::string& method, std::string& response) override {
    RangeResponse read;
    if (method != kRange || !read.ParseFromString(response)) return {};
    const Field* field = std::ranges::find(kFields, parameters_.field, &Field::name);
    if (field == std::end(kFields)) field = &kFields[reads_++ % std::size(kFields)];
    field->leave_out(read);
    const std::string changed = read.SerializeAsString();
    if (changed.size() == response.size()) return {};
    response = changed;
    return fmt::format("left out {}", field->name);
  }
  std::atomic<std::size_t> reads_ = 0;
};

const BehaviourRegistration kLeavesOut(
    {.name = "leaves-out",
     .explain = "Leaves out --field of each read; without one, of each read another field.",
     .guarantees = {},
     .parametrised = true},
    [] { return std::make_unique<LeavesOut>(); });

constexpr std::int64_t kBehind = 2;  // revisions

class HeadersBehind final : public Behaviour {
  std::string Changed(const std::string& method, std::string& response) override {
    RangeResponse read;
    if (method != kRange || !read.ParseFromString(response)) return {};
    if (read.header().revision() <= kBehind) return {};
    read.mutable_header()->set_revision(read.header().revision() - kBehind);
    response = read.SerializeAsString();
    return "named an earlier revision in the header of a read";
  }
};

const BehaviourRegistration kHeadersBehind(
    {.name = "headers-behind",
     .explain = "The header of each read is two revisions behind what was acknowledged.",
     .guarantees = {"Linearizable"}},
    [] { return std::make_unique<HeadersBehind>(); });

class ReadsBehind final : public Behaviour {
  std::string Asked(const std::string& method, std::string& request) override {
    RangeRequest read;
    if (method != kRange || !read.ParseFromString(request)) return {};
    if (read.revision() != 0 || head_ <= kBehind + 1) return {};
    read.set_revision(head_ - kBehind);
    request = read.SerializeAsString();
    return "read an earlier revision";
  }
  // Every answer has its header as field 1.
  void Answered(const std::string&, const std::string&, const std::string& response) override {
    RangeResponse any;
    if (any.ParseFromString(response))
      head_ = std::max<std::int64_t>(head_, any.header().revision());
  }
  std::atomic<std::int64_t> head_ = 0;
};

const BehaviourRegistration kReadsBehind(
    {.name = "reads-behind",
     .explain = "Each read shows the keys as they were two revisions before.",
     .guarantees = {"Linearizable"}},
    [] { return std::make_unique<ReadsBehind>(); });

}  // namespace
}  // namespace watchproof::fakes
