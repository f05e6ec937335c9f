// SPDX-License-Identifier: Apache-2.0
#include "harness/import/client_report.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "harness/base/parse.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// An object of a report. A missing or null field has the value that Go would give it. A field of
// another type is the document's problem; the first problem is reported.
class Fields {
 public:
  Fields(const Json& object, std::string path, Status& problem)
      : object_(object), path_(std::move(path)), problem_(problem) {
    if (!object.is_object()) Complain(path_, "an object", object);
  }

  bool Has(const char* name) const { return Find(name) != nullptr; }
  std::string Text(const char* name) const {
    return Get<std::string>(name, "a text", &Json::is_string);
  }
  std::int64_t Number(const char* name) const {
    return Get<std::int64_t>(name, "a whole number", &Json::is_number_integer);
  }
  bool Flag(const char* name) const { return Get<bool>(name, "true or false", &Json::is_boolean); }
  Fields Inner(const char* name) const {
    static const Json kNothing = Json::object();
    const Json* field = Find(name);
    return {field == nullptr ? kNothing : *field, Path(name), problem_};
  }
  template <typename Visit>
  void Each(const char* name, Visit visit) const {
    const Json* field = Find(name);
    if (field == nullptr) return;
    if (!field->is_array()) return Complain(Path(name), "a list", *field);
    for (std::size_t i = 0; i < field->size(); ++i) {
      visit(Fields((*field)[i], fmt::format("{}[{}]", Path(name), i), problem_));
    }
  }
  // Requires of the report: no other field, as it would change what is asked for.
  void AllowOnly(std::initializer_list<std::string_view> names) const {
    if (!object_.is_object()) return;
    for (const auto& [name, value] : object_.items()) {
      if (std::ranges::find(names, name) != names.end()) continue;
      Refuse(
          fmt::format("{}: this field is not known; the report may be of another version of "
                      "etcd's robustness tests",
                      Path(name)));
    }
  }
  void Refuse(std::string text) const {
    if (problem_.ok()) problem_ = Status(StatusCode::kInvalidArgument, std::move(text));
  }
  std::string Path(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }

 private:
  template <typename T>
  T Get(const char* name, std::string_view expected, bool (Json::*is)() const noexcept) const {
    const Json* field = Find(name);
    if (field == nullptr) return {};
    if ((field->*is)()) return field->get<T>();
    Complain(Path(name), expected, *field);
    return {};
  }
  const Json* Find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto field = object_.find(name);
    return field == object_.end() || field->is_null() ? nullptr : &*field;
  }
  void Complain(const std::string& path, std::string_view expected, const Json& found) const {
    Refuse(fmt::format("{}{}expected {}, found {}", path, path.empty() ? "" : ": ", expected,
                       found.is_object() || found.is_array() ? found.type_name() : found.dump()));
  }

  const Json& object_;
  std::string path_;
  Status& problem_;
};

// The report may contain one value in two forms: whole in the put, and in the answer as the hash
// that Go's hash/fnv calls 32a.
constexpr std::size_t kShortestHashed = 20;

std::string StandIn(std::uint32_t hash) { return fmt::format("value with hash {:08x}", hash); }

std::uint32_t Fnv32a(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

std::string ValueOf(const Fields& value) {
  std::string text = value.Text("Value");
  if (text.size() >= kShortestHashed) return StandIn(Fnv32a(text));
  const std::int64_t hash = value.Number("Hash");
  return hash == 0 ? text : StandIn(static_cast<std::uint32_t>(hash));
}

ReportedKey KeyOf(const Fields& kv) {
  return {.key = kv.Text("Key"),
          .value = ValueOf(kv.Inner("Value")),
          .mod_revision = kv.Number("ModRevision")};
}

ReportedOperation RangeOf(const Fields& range) {
  range.AllowOnly({"Start", "End", "Limit", "KeysOnly", "Revision"});
  return {.key = range.Text("Start"),
          .range_end = range.Text("End"),
          .limit = range.Number("Limit"),
          .keys_only = range.Flag("KeysOnly")};
}

ReportedOperation OperationOf(const Fields& operation) {
  operation.AllowOnly({"Type", "Range", "Put", "Delete"});
  const std::string type = operation.Text("Type");
  if (type == "range-operation") return RangeOf(operation.Inner("Range"));
  if (type == "put-operation") {
    const Fields put = operation.Inner("Put");
    put.AllowOnly({"Key", "Value", "LeaseID"});
    return {.kind = ReportedOperation::Kind::kPut,
            .key = put.Text("Key"),
            .value = ValueOf(put.Inner("Value")),
            .lease = put.Number("LeaseID")};
  }
  const Fields erase = operation.Inner("Delete");
  erase.AllowOnly({"Key"});
  if (type != "delete-operation") {
    operation.Refuse(
        fmt::format("{}: '{}' is none of range-operation, put-operation, delete-operation",
                    operation.Path("Type"), type));
  }
  return {.kind = ReportedOperation::Kind::kDelete, .key = erase.Text("Key")};
}

void TakeTxn(const Fields& txn, ReportedCall& call) {
  txn.AllowOnly({"Conditions", "OperationsOnSuccess", "OperationsOnFailure"});
  txn.Each("Conditions", [&](const Fields& condition) {
    condition.AllowOnly({"Key", "ExpectedRevision", "ExpectedVersion"});
    call.conditions.push_back({.key = condition.Text("Key"),
                               .mod_revision = condition.Number("ExpectedRevision"),
                               .version = condition.Number("ExpectedVersion")});
  });
  txn.Each("OperationsOnSuccess",
           [&](const Fields& each) { call.on_success.push_back(OperationOf(each)); });
  txn.Each("OperationsOnFailure",
           [&](const Fields& each) { call.on_failure.push_back(OperationOf(each)); });
}

void TakeInput(const Fields& input, ReportedCall& call) {
  using Kind = ReportedCall::Kind;
  const std::string type = input.Text("Type");
  if (type == "range") {
    call.kind = Kind::kRange;
    call.range = RangeOf(input.Inner("Range"));
    call.at = input.Inner("Range").Number("Revision");
  } else if (type == "txn") {
    call.kind = Kind::kTxn;
    TakeTxn(input.Inner("Txn"), call);
  } else if (type == "leaseRevoke") {
    call.kind = Kind::kLeaseRevoke;
    call.lease = input.Inner("LeaseRevoke").Number("LeaseID");
  } else if (type == "compact") {
    call.kind = Kind::kCompact;
    call.at = input.Inner("Compact").Number("Revision");
  } else if (type != "leaseGrant" && type != "defragment") {
    input.Refuse(
        fmt::format("{}: '{}' is none of range, txn, leaseGrant, leaseRevoke, defragment, compact",
                    input.Path("Type"), type));
  }
}

ReportedResult ResultOf(const Fields& result) {
  ReportedResult taken{.count = result.Number("Count"), .deleted = result.Number("Deleted")};
  result.Each("KVs", [&](const Fields& kv) { taken.kvs.push_back(KeyOf(kv)); });
  return taken;
}

// The report may add that a write without an answer was found in the server's log; the client did
// not observe that.
void TakeOutput(const Fields& output, ReportedCall& call) {
  call.error = output.Text("Error") + output.Text("ClientError");
  call.revision = output.Number("Revision");
  const bool lost =
      !output.Text("Error").empty() || output.Flag("Persisted") || output.Flag("PartialResponse");
  if (lost) return;
  call.outcome = output.Text("ClientError").empty() ? ReportedCall::Outcome::kAnswered
                                                    : ReportedCall::Outcome::kRefused;
  if (call.outcome == ReportedCall::Outcome::kRefused) return;
  const char* answer = call.kind == ReportedCall::Kind::kRange ? "Range" : "Txn";
  const bool shows =
      call.kind == ReportedCall::Kind::kRange || call.kind == ReportedCall::Kind::kTxn;
  if (shows && !output.Has(answer)) {
    output.Refuse(fmt::format("{}: missing, and no Error either", output.Path(answer)));
  }
  const Fields txn = output.Inner("Txn");
  call.failed_compare = txn.Flag("Failure");
  txn.Each("Results", [&](const Fields& each) { call.results.push_back(ResultOf(each)); });
  if (call.kind == ReportedCall::Kind::kRange) {
    call.results.push_back(ResultOf(output.Inner("Range")));
  }
  if (call.kind == ReportedCall::Kind::kTxn && call.results.size() != call.ran().size()) {
    output.Refuse(fmt::format("{}: {} results of {} operations", output.Path("Txn.Results"),
                              call.results.size(), call.ran().size()));
  }
}

ReportedCall CallOf(const Fields& document) {
  ReportedCall call{.began = Duration(document.Number("Call")),
                    .ended = Duration(document.Number("Return"))};
  TakeInput(document.Inner("Input"), call);
  TakeOutput(document.Inner("Output"), call);
  if (call.ended < call.began) document.Refuse("Return: the call ends before it begins");
  return call;
}

ReportedEvent EventOf(const Fields& event) {
  ReportedEvent taken{.deletes = event.Text("Type") == "delete-operation",
                      .creates = event.Flag("IsCreate"),
                      .kv = {.key = event.Text("Key"),
                             .value = ValueOf(event.Inner("Value")),
                             .mod_revision = event.Number("Revision")}};
  if (!taken.deletes && event.Text("Type") != "put-operation") {
    event.Refuse(fmt::format("{}: '{}' is neither put-operation nor delete-operation",
                             event.Path("Type"), event.Text("Type")));
  }
  if (event.Has("PrevValue")) {
    taken.previous = KeyOf(event.Inner("PrevValue"));
    taken.previous->key = taken.kv.key;
  }
  return taken;
}

ReportedWatch WatchOf(const Fields& document) {
  const Fields request = document.Inner("Request");
  request.AllowOnly({"Key", "Revision", "WithPrefix", "WithProgressNotify", "WithPrevKV"});
  ReportedWatch watch{.key = request.Text("Key"),
                      .start = request.Number("Revision"),
                      .prefix = request.Flag("WithPrefix"),
                      .progress_notify = request.Flag("WithProgressNotify"),
                      .previous = request.Flag("WithPrevKV")};
  document.Each("Responses", [&](const Fields& response) {
    ReportedResponse taken{.at = Duration(response.Number("Time")),
                           .revision = response.Number("Revision"),
                           .progress = response.Flag("IsProgressNotify"),
                           .error = response.Text("Error")};
    response.Each("Events", [&](const Fields& event) { taken.events.push_back(EventOf(event)); });
    watch.responses.push_back(std::move(taken));
  });
  return watch;
}

// Requires of the file: one document after another. A client without any leaves no file.
template <typename Take>
Status EachDocument(const fs::path& path, std::string_view what, Take take) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  std::ifstream file(path);
  for (int number = 1; file >> std::ws && !file.eof(); ++number) {
    Json document;
    try {
      file >> document;
    } catch (const Json::exception& error) {
      return Fail(StatusCode::kInvalidArgument, "{}, {} {}: this is not JSON ({})", path.string(),
                  what, number, error.what());
    }
    Status problem;
    take(Fields(document, "", problem));
    if (!problem.ok()) {
      return std::move(problem).WithContext("{}, {} {}", path.string(), what, number);
    }
  }
  if (file.bad() || !file.eof()) {
    return Fail(StatusCode::kUnavailable, "{}: cannot be read", path.string());
  }
  return {};
}

std::optional<int> ClientOf(const fs::path& folder) {
  constexpr std::string_view kPrefix = "client-";
  const std::string name = folder.filename().string();
  if (!name.starts_with(kPrefix)) return std::nullopt;
  return ParseNumber<int>(std::string_view(name).substr(kPrefix.size()));
}

}  // namespace

Result<std::vector<ClientReport>> ReadClientReports(const fs::path& folder) {
  std::vector<ClientReport> reports;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const auto client = ClientOf(at->path());
    std::error_code ignored;
    if (!client || !at->is_directory(ignored)) continue;
    ClientReport& report = reports.emplace_back();
    report.client = *client;
    WP_RETURN_IF_ERROR(
        EachDocument(at->path() / "operations.json", "operation",
                     [&](const Fields& each) { report.calls.push_back(CallOf(each)); }));
    WP_RETURN_IF_ERROR(EachDocument(at->path() / "watch.json", "watch", [&](const Fields& each) {
      report.watches.push_back(WatchOf(each));
    }));
  }
  if (error) return Fail(StatusCode::kNotFound, "{}: {}", folder.string(), error.message());
  if (reports.empty()) {
    return Fail(StatusCode::kNotFound,
                "{}: no client reports of etcd's robustness tests in it; expected folders "
                "client-1, client-2, ...",
                folder.string());
  }
  std::ranges::sort(reports, {}, &ClientReport::client);
  return reports;
}

}  // namespace watchproof
