// SPDX-License-Identifier: Apache-2.0
// Parsing, the reverse of plan.cc, and files.
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/base/escape.h"
#include "harness/driver/plan.h"
#include "harness/driver/plan_check.h"

namespace watchproof {
namespace {

using Json = nlohmann::json;

// Thrown while one line is parsed, like the library's exceptions; caught in ParseLine.
struct ParseError {
  std::string why;
};

std::int64_t ToNumber(std::string_view text, std::string_view whole) {
  std::int64_t number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw ParseError{
        fmt::format("'{}' is no revision; expected now, head, head-3, write 5 or a number", whole)};
  }
  return number;
}

RevisionRef ToRevision(const Json& json, const char* name) {
  const auto text = json.at(name).get<std::string>();
  const std::string_view view = text;
  constexpr std::string_view kHead = "head";
  constexpr std::string_view kWrite = "write ";
  if (view == "now") return FromNow();
  if (view == kHead) return AtHead();
  if (view.starts_with(kHead)) return AtHead(ToNumber(view.substr(kHead.size()), view));
  if (view.starts_with(kWrite)) return OfWrite(ToNumber(view.substr(kWrite.size()), view));
  return AtRevision(ToNumber(view, view));
}

// Times that the unit cannot represent are rejected here; implausible ones by CheckPlan.
Duration ToDuration(const Json& json, const char* name) {
  const auto count = json.at(name).get<std::int64_t>();
  constexpr auto kMost = std::chrono::duration_cast<std::chrono::microseconds>(Duration::max());
  if (count > kMost.count() || count < -kMost.count()) {
    throw ParseError{fmt::format("{} us are no time", count)};
  }
  return std::chrono::microseconds(count);
}

// For an int: the library would truncate silently.
int ToInt(const Json& json, const char* name, int missing) {
  const auto number = json.value(name, std::int64_t{missing});
  if (number > std::numeric_limits<int>::max() || number < std::numeric_limits<int>::min()) {
    throw ParseError{fmt::format("{}: {} is too large a number", name, number)};
  }
  return static_cast<int>(number);
}
int ToInt(const Json& json, const char* name) {
  static_cast<void>(json.at(name));
  return ToInt(json, name, 0);
}

PutStep ToPut(const Json& json) {
  const Json& value = json.at("value");
  return {.key = json.at("key"),
          .value = {.seed = value.at("seed"), .bytes = value.at("bytes")},
          .lease = json.value("lease", "")};
}
DeleteStep ToDelete(const Json& json) {
  return {.key = json.at("key"), .range_end = json.value("range_end", "")};
}
TxnStep ToTxn(const Json& json) {
  TxnStep txn;
  for (const Json& write : json.at("writes")) {
    if (write.at("op") == "put") {
      txn.writes.emplace_back(ToPut(write));
    } else {
      txn.writes.emplace_back(ToDelete(write));
    }
  }
  return txn;
}
WatchStep ToWatch(const Json& json) {
  return {.group = json.at("group"),
          .count = json.at("count"),
          .key = json.at("key"),
          .range_end = json.value("range_end", ""),
          .start = ToRevision(json, "start"),
          .first_id = json.value("first_id", std::int64_t{0}),
          .previous_values = json.value("prev_kv", false),
          .progress_notify = json.value("progress_notify", false),
          .fragment = json.value("fragment", false),
          .no_puts = json.value("no_puts", false),
          .no_deletes = json.value("no_deletes", false),
          .stream = json.at("stream"),
          .user = json.value("user", ""),
          .member = ToInt(json, "member", 1),
          .require_leader = json.value("require_leader", false)};
}
ChurnStep ToChurn(const Json& json) {
  return {.group = json.at("group"),
          .count = json.at("count"),
          .key = json.at("key"),
          .range_end = json.at("range_end"),
          .start = ToRevision(json, "start"),
          .first_id = json.at("first_id"),
          .stream = json.at("stream")};
}
AuthStep ToAuth(const Json& json) {
  AuthStep auth;
  for (const Json& reader : json.at("readers")) {
    auth.readers.push_back(
        {.user = reader.at("user"), .key = reader.at("key"), .range_end = reader.at("range_end")});
  }
  return auth;
}
LoadStep ToLoad(const Json& json) {
  return {.load = json.at("load"),
          .clients = json.at("clients"),
          .calls = json.at("calls"),
          .keys = json.at("keys"),
          .key = json.at("key"),
          .seed = json.at("load_seed"),
          .direct = json.at("direct"),
          .puts_only = json.value("puts_only", false),
          .member = ToInt(json, "member", 1)};
}
RefusedTxnStep ToRefusedTxn(const Json& json) {
  return {.write = ToPut(json.at("write")), .key = json.at("key"), .at = ToRevision(json, "at")};
}
MustReportProgressStep ToMustReportProgress(const Json& json) {
  using When = MustReportProgressStep::When;
  return {.when = json.at("asked").get<bool>() ? When::kAsked : When::kUnasked,
          .stream = json.at("stream"),
          .limit = ToDuration(json, "us")};
}

WhenStep ToWhen(const Json& json) {
  using enum WhenStep::Moment;
  const auto word = json.at("moment").get<std::string>();
  for (const WhenStep::Moment moment : {kResponse, kBytes, kRevision, kProgress, kCalls}) {
    if (Name(moment) != word) continue;
    return {.moment = moment,
            .of = json.at("of"),
            .count = json.at("count"),
            .revision = ToRevision(json, "revision"),
            .limit = ToDuration(json, "us")};
  }
  throw ParseError{fmt::format("there is no moment '{}'", Escaped(word))};
}

using Reader = Step (*)(const Json&);
using ReadersByOp = std::map<std::string, Reader, std::less<>>;

// Steps that act.
const ReadersByOp& Actions() {
  static const ReadersByOp readers{
      {"put", [](const Json& j) -> Step { return ToPut(j); }},
      {"delete", [](const Json& j) -> Step { return ToDelete(j); }},
      {"txn", [](const Json& j) -> Step { return ToTxn(j); }},
      {"compact",
       [](const Json& j) -> Step {
         return CompactStep{.at = ToRevision(j, "at"),
                            .at_once = j.value("at_once", false),
                            .refused = j.value("refused", false)};
       }},
      {"churn", [](const Json& j) -> Step { return ToChurn(j); }},
      {"lease",
       [](const Json& j) -> Step {
         return LeaseStep{j.at("lease"), std::chrono::seconds(j.at("ttl").get<std::int64_t>())};
       }},
      {"revoke", [](const Json& j) -> Step { return RevokeStep{j.at("lease")}; }},
      {"watch", [](const Json& j) -> Step { return ToWatch(j); }},
      {"cancel", [](const Json& j) -> Step { return CancelStep{j.at("group")}; }},
      {"resume",
       [](const Json& j) -> Step {
         return ResumeStep{j.at("group"), j.at("as"), ToInt(j, "member", 1)};
       }},
      {"refused txn", [](const Json& j) -> Step { return ToRefusedTxn(j); }},
      {"use member", [](const Json& j) -> Step { return UseMemberStep{ToInt(j, "member")}; }},
      {"auth", [](const Json& j) -> Step { return ToAuth(j); }},
      {"load", [](const Json& j) -> Step { return ToLoad(j); }},
      {"request progress",
       [](const Json& j) -> Step { return RequestProgressStep{j.at("stream")}; }},
      {"inject",
       [](const Json& j) -> Step {
         return InjectStep{j.at("fault"), j.at("parameters"), j.value("optional", false)};
       }},
      {"heal", [](const Json& j) -> Step { return HealStep{j.at("fault")}; }},
  };
  return readers;
}

// Steps that wait.
const ReadersByOp& Waits() {
  static const ReadersByOp readers{
      {"must end",
       [](const Json& j) -> Step {
         return MustEndStep{j.at("stream"), ToDuration(j, "us")};
       }},
      {"must deliver",
       [](const Json& j) -> Step {
         return MustDeliverStep{j.at("group"), ToDuration(j, "us")};
       }},
      {"must report progress", [](const Json& j) -> Step { return ToMustReportProgress(j); }},
      {"await load",
       [](const Json& j) -> Step {
         return AwaitLoadStep{j.at("load"), j.at("lost")};
       }},
      {"await created", [](const Json& j) -> Step { return AwaitCreatedStep{j.at("group")}; }},
      {"await delivered", [](const Json& j) -> Step { return AwaitDeliveredStep{j.at("group")}; }},
      {"await expired", [](const Json& j) -> Step { return AwaitExpiredStep{j.at("lease")}; }},
      {"await progress", [](const Json& j) -> Step { return AwaitProgressStep{j.at("stream")}; }},
      {"await registered",
       [](const Json& j) -> Step { return AwaitRegisteredStep{j.at("watchers")}; }},
      {"await sync passes",
       [](const Json& j) -> Step { return AwaitSyncPassesStep{ToInt(j, "passes")}; }},
      {"await caught up",
       [](const Json& j) -> Step { return AwaitCaughtUpStep{ToInt(j, "member")}; }},
      {"await snapshot",
       [](const Json& j) -> Step { return AwaitSnapshotStep{ToInt(j, "member")}; }},
      {"await effect", [](const Json& j) -> Step { return AwaitEffectStep{j.at("fault")}; }},
      {"when", [](const Json& j) -> Step { return ToWhen(j); }},
      {"hold", [](const Json& j) -> Step { return HoldStep{ToDuration(j, "us")}; }},
      {"await ended", [](const Json& j) -> Step { return AwaitEndedStep{j.at("group")}; }},
  };
  return readers;
}

// Null if there is no such step.
Reader FindReader(const std::string& op) {
  for (const ReadersByOp* readers : {&Actions(), &Waits()}) {
    if (const auto found = readers->find(op); found != readers->end()) return found->second;
  }
  return nullptr;
}

void TakeLine(const Json& line, std::optional<PlanFile>& file) {
  const PlanHeader header{.case_name = line.at("case"),
                          .target = line.at("target"),
                          .seed = line.at("seed"),
                          .attempt = ToInt(line, "attempt")};
  if (line.contains("steps")) {
    if (file) throw ParseError{"a second plan begins; expected one attempt"};
    file.emplace(PlanFile{.header = header, .plan = {}});
    file->plan.converge_limit = ToDuration(line, "converge_us");
    file->plan.cluster = {.members = ToInt(line, "members", 1),
                          .snapshot_count = ToInt(line, "snapshot_count", 0)};
    file->plan.permit_compacted_at_the_floor = line.value("permit_compacted_at_the_floor", false);
    return;
  }
  if (!file) throw ParseError{"a step before the line that begins a plan (with \"steps\")"};
  const auto op = line.at("op").get<std::string>();
  const Reader reader = FindReader(op);
  if (reader == nullptr) throw ParseError{fmt::format("there is no step '{}'", Escaped(op))};
  file->plan.steps.push_back(reader(line));
}

Status ParseLine(std::string_view text, std::optional<PlanFile>& file) {
  const Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "expected one JSON object on the line");
  }
  try {
    TakeLine(line, file);
  } catch (const ParseError& parse_error) {
    return Status(StatusCode::kInvalidArgument, parse_error.why);
  } catch (const nlohmann::json::exception& error) {
    return Status(StatusCode::kInvalidArgument, Escaped(error.what()));
  }
  return {};
}

void TakeRun(const Json& json, RecordedPlan& found) {
  found.bypass_proxy = json.value("bypass_proxy", false);
  found.no_faults = json.value("no_faults", false);
  found.faults = json.value("faults", found.faults);
}

}  // namespace

Result<PlanFile> ParsePlan(std::string_view lines) {
  std::optional<PlanFile> file;
  for (int number = 1; !lines.empty(); ++number) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.empty()) continue;
    if (Status taken = ParseLine(line, file); !taken.ok()) {
      return std::move(taken).WithContext("line {} of the plan", number);
    }
  }
  if (!file) return Fail(StatusCode::kInvalidArgument, "there is no plan in it");
  return *std::move(file);
}

Result<PlanFile> ReadPlan(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return FromErrno(errno).WithContext("cannot read the plan {}", file.string());
  // A folder can be opened; reading it would throw.
  if (std::error_code error; std::filesystem::is_directory(file, error)) {
    return Fail(StatusCode::kInvalidArgument, "{} is a folder; expected a file with a plan",
                file.string());
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Result<PlanFile> plan = ParsePlan(text);
  if (plan.has_value()) {
    if (Status fine = CheckPlan(plan->plan); !fine.ok()) plan = tl::unexpected(std::move(fine));
  }
  if (!plan.has_value()) return std::move(plan).error().WithContext("{}", file.string());
  return plan;
}

Status WritePlan(const std::filesystem::path& file, const Plan& plan, const PlanHeader& header) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const std::string& line : ToJsonLines(plan, header)) out << line << '\n';
  out.close();
  return out ? Status() : FromErrno(errno).WithContext("cannot write the plan {}", file.string());
}

Result<RecordedPlan> FindPlan(const std::filesystem::path& file, const PlanHeader& attempt) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return FromErrno(errno).WithContext("cannot read the plans {}", file.string());
  std::string lines;
  RecordedPlan found;
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) continue;  // a run that was killed may leave half a line
    try {
      if (json.value("kind", "") == "run") {
        TakeRun(json, found);
      } else if (json.value("case", "") == attempt.case_name &&
                 json.value("target", "") == attempt.target &&
                 json.value("attempt", 0) == attempt.attempt) {
        lines += line + '\n';
      }
    } catch (const nlohmann::json::exception& error) {
      return Fail(StatusCode::kInvalidArgument, "{} is no file of plans: {}", file.string(),
                  Escaped(error.what()));
    }
  }
  Result<PlanFile> plan = ParsePlan(lines);
  if (!plan.has_value()) {
    return std::move(plan).error().WithContext("{}, {} on {}", file.string(), attempt.case_name,
                                               attempt.target);
  }
  found.plan = std::move(plan->plan);
  return found;
}

}  // namespace watchproof
