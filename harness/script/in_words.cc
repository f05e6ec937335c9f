// SPDX-License-Identifier: Apache-2.0
#include "harness/script/in_words.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace watchproof::explore {
namespace {

// The zero byte, and as an end no end.
bool IsStar(const std::string& key) { return key == "*"; }
std::string KeyText(const std::string& key) { return IsStar(key) ? "\\0" : key; }

std::string RangeText(const std::string& key, const std::string& end) {
  if (end.empty()) return KeyText(key);
  if (IsStar(key) && IsStar(end)) return "every key";
  if (IsStar(end)) return fmt::format("every key from {} on", key);
  if (IsStar(key)) return fmt::format("every key below {}", end);
  return fmt::format("the keys from {} to {}", key, end);
}

std::string PlaceText(const Place& place) {
  if (place.from == Place::From::kNumber) return fmt::format("revision {}", place.plus);
  const std::string_view named =
      place.from == Place::From::kHead ? "the latest revision" : "the floor";
  if (place.plus == 0) return std::string(named);
  return fmt::format("{} {} {}", named, place.plus < 0 ? '-' : '+', std::abs(place.plus));
}

// " from the floor", and nothing where it is now.
std::string PlaceText(std::string_view preposition, const Place& place) {
  return place == Place() ? std::string() : fmt::format(" {} {}", preposition, PlaceText(place));
}

std::string TimesText(std::int64_t times) {
  return times == 1 ? std::string() : fmt::format(" ({} times)", times);
}

std::string Count(std::int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

// ", a, b" of what there is.
std::string Listed(const std::vector<std::pair<bool, std::string>>& parts) {
  std::string text;
  for (const auto& [there, part] : parts) text += there ? ", " + part : "";
  return text;
}

std::string LeaseText(std::int64_t lease) {
  return lease == 0 ? std::string() : fmt::format(" with lease {}", lease);
}

std::string BoundsText(std::string_view what, const Place& least, const Place& most) {
  if (most == Place()) return fmt::format("{} at least {}", what, ToText(least));
  if (least == Place()) return fmt::format("{} at most {}", what, ToText(most));
  return fmt::format("{} from {} to {}", what, ToText(least), ToText(most));
}

std::string ReadText(const Get& get) {
  constexpr const char* kSorted[] = {"key", "version", "create revision", "mod revision", "value"};
  constexpr const char* kOrders[] = {"", ", ascending", ", descending"};
  const auto bounded = [](const Place& least, const Place& most) {
    return least != Place() || most != Place();
  };
  return PlaceText("at", get.at) +
         Listed({{get.limit > 0, fmt::format("at most {}", get.limit)},
                 {get.count_only, "their number only"},
                 {get.keys_only, "without values"},
                 {get.sort_by != 0 || get.order != Order::kNone,
                  fmt::format("by {}{}", kSorted[get.sort_by],
                              kOrders[static_cast<std::size_t>(get.order)])},
                 {bounded(get.min_mod, get.max_mod),
                  BoundsText("mod revision", get.min_mod, get.max_mod)},
                 {bounded(get.min_create, get.max_create),
                  BoundsText("create revision", get.min_create, get.max_create)},
                 {get.serializable, "serializable"}});
}

constexpr const char* kAsksBefore = "asking for what it was";

std::string Text(const TxnPart& part) {
  const std::string range = RangeText(part.key, part.end);
  if (part.kind == TxnPart::Kind::kDelete) {
    return "delete " + range + Listed({{part.previous, kAsksBefore}});
  }
  if (part.kind == TxnPart::Kind::kGet) return "get " + range + ReadText(part.read);
  return fmt::format("put {}{}{}", KeyText(part.key), LeaseText(part.lease),
                     Listed({{part.keeps_value, "with the value it has"},
                             {part.keeps_lease, "with the lease it has"},
                             {part.previous, kAsksBefore}}));
}

std::string Text(const Txn& txn);

// What one branch does: its own parts, and then the transactions in it.
std::string BranchText(const std::vector<TxnPart>& parts, const std::vector<Txn>& nested) {
  std::vector<std::string> texts;
  for (const TxnPart& part : parts) texts.push_back(Text(part));
  for (const Txn& one : nested) texts.push_back("(" + Text(one) + ")");
  return texts.empty() ? "nothing" : fmt::format("{}", fmt::join(texts, "; "));
}

std::string Text(const Txn& txn) {
  if (txn.when.empty()) return "txn: " + BranchText(txn.then, txn.nested);
  std::vector<std::string> conditions;
  for (const Condition& condition : txn.when) conditions.push_back(ToText(condition));
  std::string text = fmt::format("txn: if {}: {}", fmt::join(conditions, " and "),
                                 BranchText(txn.then, txn.nested));
  if (txn.otherwise.empty() && txn.nested.empty()) return text;
  return text + ", else: " + BranchText(txn.otherwise, txn.nested);
}

std::string Text(const Create& create) {
  std::string text = fmt::format("watch {} on stream {}{}", RangeText(create.key, create.end),
                                 create.stream, PlaceText("from", create.start));
  if (create.id != 0) text += fmt::format(", as watch {}", create.id);
  for (const WatchOption& option : kWatchOptions) {
    if (!(create.options.*option.flag)) continue;
    text += option.phrase.empty() ? fmt::format(", {}", option.name) : std::string(option.phrase);
  }
  return text + TimesText(create.times);
}

std::string Text(const Cancel& cancel) {
  return fmt::format("cancel watch {} of stream {}", cancel.id, cancel.stream);
}

std::string Text(const AskProgress& ask) {
  return fmt::format("ask for progress on stream {}{}", ask.stream, TimesText(ask.times));
}

std::string Text(const CloseStream& close) { return fmt::format("close stream {}", close.stream); }

std::string Text(const Resume& resume) {
  return fmt::format("open stream {} again and resume its watches", resume.stream);
}

std::string Text(const Put& put) {
  return fmt::format("put {}{}{}{}", KeyText(put.key), LeaseText(put.lease),
                     Listed({{put.bytes > 0, fmt::format("{} bytes", put.bytes)},
                             {put.prev_kv, "asking for the previous value"},
                             {put.ignore_value, "with the value it has"},
                             {put.ignore_lease, "with the lease it has"},
                             {put.paced, "each when every watch has received the one before"}}),
                     TimesText(put.times));
}

std::string Text(const Delete& one) {
  return fmt::format("delete {}{}", RangeText(one.key, one.end),
                     Listed({{one.prev_kv, "asking for the previous values"}}));
}

std::string Text(const Grant& grant) {
  return fmt::format("grant lease {} for {} s", grant.lease, grant.seconds);
}

std::string Text(const Revoke& revoke) { return fmt::format("revoke lease {}", revoke.lease); }

std::string Text(const KeepAlive& keep) {
  return fmt::format("renew lease {}{}", keep.lease,
                     Listed({{keep.again, "on the stream that is kept for it"}}));
}

std::string Text(const Get& get) {
  return "get " + RangeText(get.key, get.end) + ReadText(get) +
         Listed({{get.in_parts, "in parts"}});
}

std::string Text(const Compact& compact) {
  return "compact at " + PlaceText(compact.at) +
         Listed({{compact.physical, "answered once it is erased"}});
}

std::string Text(const Receive& receive) {
  if (receive.replies >= kEveryReply) {
    return fmt::format("read all that comes on stream {}", receive.stream);
  }
  return fmt::format("read {} of stream {}, and no more", Count(receive.replies, "message"),
                     receive.stream);
}

std::string Text(const Restrict& restrict) {
  return fmt::format("open stream {} again, of a user with the right to read {} alone",
                     restrict.stream, RangeText(restrict.key, restrict.end));
}

std::string Text(const Advance& advance) { return fmt::format("let {} ms pass", advance.ms); }

std::string Text(const Turn& turn) {
  constexpr const char* kTurns[] = {"give new changes to the watches that are up to date",
                                    "give watches that are behind one batch of history",
                                    "give watches that were full what waits for them",
                                    "send periodic progress",
                                    "end the leases that are overdue",
                                    "remove one batch of what was compacted",
                                    "write down what is left of each lease"};
  return fmt::format("let the store {}", kTurns[static_cast<std::size_t>(turn.loop)]);
}

std::string Text(const SyncDisk& sync) {
  return fmt::format("sync the oldest {} to the disk", Count(sync.writes, "write"));
}

std::string Text(const Crash& crash) {
  if (crash.kept == 0) return "kill the store and start it again";
  return fmt::format("kill the store and start it again, with the oldest {} that waited for a sync",
                     Count(crash.kept, "write"));
}

std::string Text(const Defragment&) { return "defragment the database"; }

std::string Text(const Hash& hash) {
  return "ask for a hash of the history" + PlaceText("up to", hash.at);
}

std::string Text(const CrashPoint& point) {
  constexpr const char* kLost[] = {"", ", with the power", ", with the power, losing parts",
                                   ", with the power, its last write torn"};
  return fmt::format("kill the server at call {} to its disk{}, and start it again", point.nth,
                     kLost[static_cast<std::size_t>(point.how)]);
}

std::string Text(const AtMember& at) { return fmt::format("go on at member {}", at.member); }

std::string Text(const Disturb& disturb) {
  constexpr const char* kHow[] = {"cut member {} off from the others", "pause member {}",
                                  "make member {} the leader"};
  return fmt::format(fmt::runtime(kHow[static_cast<std::size_t>(disturb.how)]), disturb.member);
}

std::string Text(const Calm&) { return "let every member go on, connected"; }

}  // namespace

std::string InWords(const Step& step) {
  return std::visit([](const auto& one) { return Text(one); }, step);
}

}  // namespace watchproof::explore
