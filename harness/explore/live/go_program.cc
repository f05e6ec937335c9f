// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/go_program.h"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "harness/script/requests_of_steps.h"

namespace watchproof::explore {
namespace {

constexpr std::string_view kBegin = R"(package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

var head, floor int64 = 1, 1 // the highest revision in an answer, and the last compaction

func show[T interface{ GetHeader() *pb.ResponseHeader; String() string }](answer T, err error) {
	if err == nil {
		head = max(head, answer.GetHeader().GetRevision())
	}
	fmt.Println("answer", answer.String(), err)
}

func keepAlive(ctx context.Context, lease pb.LeaseClient, id int64) {
	stream, err := lease.LeaseKeepAlive(ctx)
	if err == nil {
		err = stream.Send(&pb.LeaseKeepAliveRequest{ID: id})
	}
	if err != nil {
		fmt.Println("answer", err)
		return
	}
	show(stream.Recv())
}

func receive(n int, stream pb.Watch_WatchClient) error {
	message, err := stream.Recv()
	fmt.Println("stream", n, message, err)
	return err
}

func main() {
	conn, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err)
	}
	ctx, kv, lease := context.Background(), pb.NewKVClient(conn), pb.NewLeaseClient(conn)
	values := 0
	value := func(bytes int) []byte {
		values++
		text := fmt.Sprint("v", values)
		return []byte(text + strings.Repeat(".", max(0, bytes-len(text))))
	}
	streams, closes := map[int]pb.Watch_WatchClient{}, map[int]func(){}
	stalled := map[int]bool{@STALLED@} // read only where the program says so, until the end
	read := func(n int) {
		for stream := streams[n]; receive(n, stream) == nil; {
		}
	}
	watch := func(n int, request *pb.WatchRequest) {
		if streams[n] == nil {
			of, cancel := context.WithCancel(ctx)
			if streams[n], err = pb.NewWatchClient(conn).Watch(of); err != nil {
				panic(err)
			}
			if closes[n] = cancel; !stalled[n] {
				go read(n)
			}
		}
		fmt.Println("stream", n, "sends", request, streams[n].Send(request))
	}
	create := func(n int, request *pb.WatchCreateRequest) {
		watch(n, &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: request}})
	}
	progress := &pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{
		ProgressRequest: &pb.WatchProgressRequest{}}}
	_, _, _, _, _, _ = kv, lease, value, create, progress, closes
)";

constexpr std::string_view kEnd = R"(
	// What a client may ask for at any time: progress, every change, the state.
	for n := range stalled {
		if streams[n] != nil {
			go read(n)
		}
	}
	time.Sleep(time.Second)
	for n := range streams {
		watch(n, progress)
	}
	time.Sleep(time.Second)
	for _, key := range []string{"s1/a/1", "s1/a/2", "s1/a0", "s1/b"} {
		show(kv.Put(ctx, &pb.PutRequest{Key: []byte(key), Value: value(0)}))
	}
	show(kv.DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte("s1/a/1"), RangeEnd: []byte("s1/a0")}))
	show(kv.Range(ctx, &pb.RangeRequest{Key: []byte("s1/"), RangeEnd: []byte("s10")}))
	time.Sleep(2 * time.Second)
}
)";

std::string Quoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/';
    quoted += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return '"' + quoted + '"';
}

// A composite literal of Go; fields without a value are left out.
class Literal {
 public:
  explicit Literal(std::string type) : text_("&pb." + std::move(type) + "{") {}
  Literal& Set(std::string_view field, const std::string& expression) {
    if (!std::exchange(first_, false)) text_ += ", ";
    text_ += fmt::format("{}: {}", field, expression);
    return *this;
  }
  Literal& Bytes(std::string_view field, const std::string& text) {
    return text.empty() ? *this : Set(field, fmt::format("[]byte({})", Quoted(text)));
  }
  Literal& Number(std::string_view field, std::int64_t number) {
    return number == 0 ? *this : Set(field, fmt::format("{}", number));
  }
  Literal& Flag(std::string_view field, bool set) { return set ? Set(field, "true") : *this; }
  std::string str() const { return text_ + "}"; }

 private:
  std::string text_;
  bool first_ = true;
};

class Writer {
 public:
  std::string Write(const Script& script) {
    std::set<int> stalled;
    for (const Step& step : script.steps) {
      if (const auto* receive = std::get_if<Receive>(&step)) stalled.insert(receive->stream);
    }
    std::string streams;
    for (const int stream : stalled) {
      streams += fmt::format("{}{}: true", streams.empty() ? "" : ", ", stream);
    }
    text_ = kBegin;
    const std::string_view place = "@STALLED@";
    text_.replace(text_.find(place), place.size(), streams);
    for (std::size_t i = 0; i < script.steps.size(); ++i) {
      text_ += fmt::format("\n\t// {}. {}\n", i + 1, Describe(script.steps[i]));
      std::visit([this](const auto& step) { Do(step); }, script.steps[i]);
    }
    text_ += kEnd;
    return std::move(text_);
  }

 private:
  void Line(const std::string& statement) { text_ += "\t" + statement + "\n"; }
  void Times(std::int64_t times, const std::string& statement) {
    if (times > 1) Line(fmt::format("for i := 0; i < {}; i++ {{", times));
    Line(statement);
    if (times > 1) Line("}");
  }
  void Sleep(std::int64_t ms) { Line(fmt::format("time.Sleep({} * time.Millisecond)", ms)); }

  // The store is fresh: its first revision is 1.
  static std::string At(const Place& place) {
    if (place.from == Place::From::kHead) return fmt::format("head{:+}", place.plus);
    if (place.from == Place::From::kFloor) return fmt::format("floor{:+}", place.plus);
    return fmt::format("{}", place.plus);
  }

  Literal Ranged(const char* type, const std::string& key, const std::string& end) const {
    Literal literal(type);
    literal.Bytes("Key", placement_.Key(key)).Bytes("RangeEnd", placement_.End(end));
    return literal;
  }
  std::string PutOf(const std::string& key, std::int64_t lease, std::int64_t bytes) const {
    return Literal("PutRequest")
        .Bytes("Key", placement_.Key(key))
        .Set("Value", fmt::format("value({})", bytes))
        .Number("Lease", placement_.Lease(lease))
        .str();
  }

  std::string PartOf(const TxnPart& part) const {
    const auto op = [](const std::string& kind, const std::string& request) {
      return fmt::format("{{Request: &pb.RequestOp_Request{0}{{Request{0}: {1}}}}}", kind, request);
    };
    if (part.kind == TxnPart::Kind::kPut) return op("Put", PutOf(part.key, part.lease, 0));
    if (part.kind == TxnPart::Kind::kGet) {
      return op("Range", Ranged("RangeRequest", part.key, part.end).str());
    }
    return op("DeleteRange", Ranged("DeleteRangeRequest", part.key, part.end).str());
  }
  // The nested transactions come last, in both branches.
  std::string PartsOf(const std::vector<TxnPart>& parts, const std::vector<Txn>& nested) const {
    std::string text = "[]*pb.RequestOp{";
    for (const TxnPart& part : parts) text += PartOf(part) + ", ";
    for (const Txn& txn : nested) {
      text +=
          fmt::format("{{Request: &pb.RequestOp_RequestTxn{{RequestTxn: {}}}}}, ", RequestOf(txn));
    }
    return text + "}";
  }
  std::string RequestOf(const Txn& txn) const {
    Literal request("TxnRequest");
    std::string when;
    for (const Condition& condition : txn.when) when += ConditionOf(condition) + ", ";
    if (!when.empty()) request.Set("Compare", "[]*pb.Compare{" + when + "}");
    return request.Set("Success", PartsOf(txn.then, txn.nested))
        .Set("Failure", PartsOf(txn.otherwise, txn.nested))
        .str();
  }
  std::string ConditionOf(const Condition& condition) const {
    static constexpr const char* kTargets[] = {"VERSION", "CREATE", "MOD", "VALUE", "LEASE"};
    static constexpr const char* kFields[] = {"Version", "CreateRevision", "ModRevision", "Value",
                                              "Lease"};
    static constexpr const char* kRelations[] = {"EQUAL", "GREATER", "LESS", "NOT_EQUAL"};
    const auto target = static_cast<std::size_t>(condition.target);
    const bool is_value = condition.target == Condition::Target::kValue;
    const std::string with =
        is_value ? fmt::format("[]byte({})", Quoted(condition.value)) : condition.value;
    return Ranged("Compare", condition.key, condition.end)
        .Set("Target", fmt::format("pb.Compare_{}", kTargets[target]))
        .Set("Result",
             fmt::format("pb.Compare_{}", kRelations[static_cast<std::size_t>(condition.relation)]))
        .Set("TargetUnion", fmt::format("&pb.Compare_{0}{{{0}: {1}}}", kFields[target], with))
        .str();
  }

  void Do(const Create& create) {
    Literal request = Ranged("WatchCreateRequest", create.key, create.end);
    if (create.start != Place()) request.Set("StartRevision", At(create.start));
    request.Number("WatchId", create.id)
        .Flag("PrevKv", create.options.prev_kv)
        .Flag("Fragment", create.options.fragment)
        .Flag("ProgressNotify", create.options.progress_notify);
    std::string filters;
    if (create.options.no_put) filters += "pb.WatchCreateRequest_NOPUT, ";
    if (create.options.no_delete) filters += "pb.WatchCreateRequest_NODELETE, ";
    if (!filters.empty()) {
      request.Set("Filters", "[]pb.WatchCreateRequest_FilterType{" + filters + "}");
    }
    Times(create.times, fmt::format("create({}, {})", create.stream, request.str()));
  }
  void Do(const Cancel& cancel) {
    Line(
        fmt::format("watch({}, &pb.WatchRequest{{RequestUnion: &pb.WatchRequest_CancelRequest{{"
                    "CancelRequest: &pb.WatchCancelRequest{{WatchId: {}}}}}}})",
                    cancel.stream, cancel.id));
  }
  void Do(const AskProgress& ask) { Line(fmt::format("watch({}, progress)", ask.stream)); }
  void Do(const CloseStream& close) {
    Line(fmt::format("if closes[{0}] != nil {{ closes[{0}](); delete(streams, {0}) }}",
                     close.stream));
  }
  void Do(const Resume& resume) {
    Do(CloseStream{resume.stream});
    Line("// Here each of its watches is created again, one past the last event it received.");
  }
  void Do(const Put& put) {
    std::string request = PutOf(put.key, put.lease, put.bytes);
    request.pop_back();
    if (put.prev_kv) request += ", PrevKv: true";
    if (put.ignore_lease) request += ", IgnoreLease: true";
    if (put.ignore_value) {
      request = fmt::format("&pb.PutRequest{{Key: []byte({}), IgnoreValue: true",
                            Quoted(placement_.Key(put.key)));
    }
    const char* const pause = put.paced ? "; time.Sleep(20 * time.Millisecond)" : "";
    Times(put.times, fmt::format("show(kv.Put(ctx, {}}})){}", request, pause));
  }
  void Do(const Delete& erase) {
    Line(fmt::format(
        "show(kv.DeleteRange(ctx, {}))",
        Ranged("DeleteRangeRequest", erase.key, erase.end).Flag("PrevKv", erase.prev_kv).str()));
  }
  void Do(const Txn& txn) { Line(fmt::format("show(kv.Txn(ctx, {}))", RequestOf(txn))); }
  void Do(const Grant& grant) {
    Line(fmt::format("show(lease.LeaseGrant(ctx, &pb.LeaseGrantRequest{{ID: {}, TTL: {}}}))",
                     placement_.Lease(grant.lease), grant.seconds));
  }
  void Do(const Revoke& revoke) {
    Line(fmt::format("show(lease.LeaseRevoke(ctx, &pb.LeaseRevokeRequest{{ID: {}}}))",
                     placement_.Lease(revoke.lease)));
  }
  void Do(const KeepAlive& keep) {
    Line(fmt::format("keepAlive(ctx, lease, {})", placement_.Lease(keep.lease)));
  }
  void Do(const Get& get) {
    Literal request = Ranged("RangeRequest", get.key, get.end);
    if (get.at != Place()) request.Set("Revision", At(get.at));
    request.Number("Limit", get.limit)
        .Flag("KeysOnly", get.keys_only)
        .Flag("CountOnly", get.count_only);
    if (get.descending) request.Set("SortOrder", "pb.RangeRequest_DESCEND");
    if (get.sort_by != 0) {
      request.Set("SortTarget", fmt::format("pb.RangeRequest_SortTarget({})", get.sort_by));
    }
    request.Number("MinModRevision", get.min_mod)
        .Number("MaxModRevision", get.max_mod)
        .Number("MinCreateRevision", get.min_create)
        .Number("MaxCreateRevision", get.max_create);
    Line(fmt::format("show(kv.Range(ctx, {}))", request.str()));
  }
  void Do(const Compact& compact) {
    Line(fmt::format("floor = {}", At(compact.at)));
    Line("show(kv.Compact(ctx, &pb.CompactionRequest{Revision: floor}))");
  }
  void Do(const Receive& receive) {
    if (receive.replies == 0) return;
    Times(receive.replies, fmt::format("receive({0}, streams[{0}])", receive.stream));
  }
  void Do(const Restrict& restrict) {
    Line(fmt::format("// From here on stream {} is of a user with the right to read {} to {} only.",
                     restrict.stream, restrict.key, restrict.end));
  }
  void Do(const Advance&) { Sleep(1); }
  void Do(const Turn& turn) { Sleep(turn.loop == Loop::kCommit ? 15 : 110); }
  void Do(const SyncDisk&) {}
  void Do(const Crash&) {
    Line(R"(fmt.Println("kill the server, start it again with its data, and press return"))");
    Line("fmt.Scanln()");
  }

  const Placement placement_{"s1/", 10};
  std::string text_;
};

}  // namespace

std::string GoProgram(const Script& script) { return Writer().Write(script); }

}  // namespace watchproof::explore
