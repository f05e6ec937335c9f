// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/go_frame.h"

namespace watchproof::explore {
namespace {

constexpr std::string_view kImports = R"go(package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)go";
constexpr std::string_view kUserImports = R"go(
	"go.etcd.io/etcd/api/v3/authpb"
	"google.golang.org/grpc/metadata"
)go";
constexpr std::string_view kFunctions = R"go(
const soon, patience = time.Second, 5 * time.Second // for what came soon; for what is looked for

// An event, or a message without events, as a line; the revision in the header of its message.
type item struct {
	line   string
	header int64
}

type stream struct {
	pb.Watch_WatchClient
	close   func()
	items   []item
	late    int             // of those that did not come in time
	allowed int             // messages that may still be read; -1: every one
	last    map[int64]int64 // the revision of a watch's last event
	end     error
}

var (
	mu         sync.Mutex // of what the readers of the streams write
	streams    = map[int]*stream{}
	ctx        = context.Background()
	conn       *grpc.ClientConn
	kv         pb.KVClient
	lease      pb.LeaseClient
	lastAnswer string
)

func connect() {
	var err error
	conn, err = grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true), grpc.MaxCallRecvMsgSize(1<<30)))
	must(err)
	kv, lease = pb.NewKVClient(conn), pb.NewLeaseClient(conn)
}

// The server is killed, and comes back with its data.
func restart() {
	fmt.Println("Kill the server (SIGKILL), start it again with its data, and press Enter.")
	fmt.Scanln()
	connect()
}

// Whether a put is answered.
func alive() bool {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := kv.Put(limited, &pb.PutRequest{Key: []byte("alive")})
	return err == nil
}

// Writes until the store is at the revision.
func fill(revision int64) {
	for at := int64(0); at < revision; {
		answer, err := kv.Put(ctx, &pb.PutRequest{Key: []byte("fill")})
		must(err)
		at = answer.GetHeader().GetRevision()
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func quoted(text []byte) string {
	out := ""
	for _, c := range text[:min(len(text), 40)] {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			out += fmt.Sprintf("\\x%02x", c)
		} else {
			out += string(rune(c))
		}
	}
	if len(text) > 40 {
		return fmt.Sprintf("\"%s\"... (%d bytes)", out, len(text))
	}
	return fmt.Sprintf("\"%s\"", out)
}

func textOf(kv *mvccpb.KeyValue) string {
	return fmt.Sprintf("%s = %s (create %d, mod %d, version %d, lease %d)", quoted(kv.GetKey()),
		quoted(kv.GetValue()), kv.GetCreateRevision(), kv.GetModRevision(), kv.GetVersion(),
		kv.GetLease())
}

func textsOf(kvs []*mvccpb.KeyValue) string {
	text := ""
	for _, kv := range kvs {
		text += "; " + textOf(kv)
	}
	return text
}

type withHeader interface{ GetHeader() *pb.ResponseHeader }

func at(answer withHeader) string {
	return fmt.Sprint("revision ", answer.GetHeader().GetRevision())
}

func answerText(answer any) string {
	switch a := answer.(type) {
	case *pb.PutResponse:
		if a.PrevKv != nil {
			return at(a) + "; before: " + textOf(a.PrevKv)
		}
	case *pb.RangeResponse:
		return fmt.Sprintf("%s, count %d, more %t%s", at(a), a.Count, a.More, textsOf(a.Kvs))
	case *pb.DeleteRangeResponse:
		return fmt.Sprintf("%s, deleted %d%s", at(a), a.Deleted, textsOf(a.PrevKvs))
	case *pb.TxnResponse:
		text := fmt.Sprintf("%s, succeeded %t", at(a), a.Succeeded)
		for _, op := range a.Responses {
			switch r := op.Response.(type) {
			case *pb.ResponseOp_ResponseRange:
				text += " [" + answerText(r.ResponseRange) + "]"
			case *pb.ResponseOp_ResponsePut:
				text += " [" + answerText(r.ResponsePut) + "]"
			case *pb.ResponseOp_ResponseDeleteRange:
				text += " [" + answerText(r.ResponseDeleteRange) + "]"
			case *pb.ResponseOp_ResponseTxn:
				text += " [" + answerText(r.ResponseTxn) + "]"
			}
		}
		return text
	case *pb.LeaseGrantResponse:
		return fmt.Sprintf("lease %d, time %d s", a.ID, a.TTL)
	case *pb.LeaseKeepAliveResponse:
		return fmt.Sprintf("lease %d, time %d s", a.ID, a.TTL)
	case *pb.LeaseTimeToLiveResponse:
		keys := ""
		for _, key := range a.Keys {
			keys += " " + quoted(key)
		}
		return fmt.Sprintf("lease %d, left %t, time %d s, keys%s", a.ID, a.TTL > 0, a.GrantedTTL, keys)
	case *pb.LeaseLeasesResponse:
		ids := []int64{}
		for _, one := range a.Leases {
			ids = append(ids, one.ID)
		}
		slices.Sort(ids)
		return fmt.Sprint("leases ", ids)
	}
	return at(answer.(withHeader))
}

func show(answer any, err error) {
	if err != nil {
		lastAnswer = fmt.Sprintf("error %d: %s", status.Code(err), status.Convert(err).Message())
	} else {
		lastAnswer = answerText(answer)
	}
	fmt.Println("answer:", lastAnswer)
}

func keepAlive(request *pb.LeaseKeepAliveRequest) (any, error) {
	stream, err := lease.LeaseKeepAlive(ctx)
	if err != nil {
		return nil, err
	}
	if err = stream.Send(request); err != nil {
		return nil, err
	}
	return stream.Recv()
}

func (s *stream) itemsOf(m *pb.WatchResponse) []item {
	lines, id := []string{}, m.WatchId
	canceled := m.Canceled || m.CompactRevision > 0
	why := fmt.Sprintf("canceled, compact revision %d: %s", m.CompactRevision, m.CancelReason)
	if m.Created && canceled {
		lines = append(lines, "created, but "+why)
	} else if m.Created {
		lines = append(lines, "created")
	} else if canceled {
		lines = append(lines, why)
	}
	if len(m.Events) > 0 && m.Events[0].GetKv().GetModRevision() == s.last[id] {
		lines = append(lines, "another message, of the same revision")
	}
	for _, event := range m.Events {
		line := strings.ToLower(event.Type.String()) + " " + textOf(event.Kv)
		if event.PrevKv != nil {
			line += "; before: " + textOf(event.PrevKv)
		}
		s.last[id] = event.GetKv().GetModRevision()
		lines = append(lines, line)
	}
	if m.Fragment {
		lines = append(lines, "a fragment ends")
		s.last[id] = 0
	}
	if len(lines) == 0 {
		lines = append(lines, fmt.Sprint("progress ", m.GetHeader().GetRevision()))
	}
	items := []item{}
	for _, line := range lines {
		line = fmt.Sprintf("watch %d: %s", id, line)
		items = append(items, item{line, m.GetHeader().GetRevision()})
	}
	return items
}

func (i item) isProgress() bool { return strings.Contains(i.line, ": progress ") }

func (s *stream) read(n int) {
	for {
		holds(time.Hour, func() bool { return s.allowed != 0 })
		message, err := s.Recv()
		mu.Lock()
		if s.end = err; err != nil {
			fmt.Println("stream", n, "ended:", err)
			mu.Unlock()
			return
		}
		if s.allowed > 0 {
			s.allowed--
		}
		for _, one := range s.itemsOf(message) {
			fmt.Println("stream", n, one.line, "header", one.header)
			s.items = append(s.items, one)
		}
		mu.Unlock()
	}
}

func open(n int, ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	client, err := pb.NewWatchClient(conn).Watch(ctx)
	must(err)
	last := map[int64]int64{}
	streams[n] = &stream{Watch_WatchClient: client, close: cancel, allowed: -1, last: last}
	go streams[n].read(n)
}

func send(n int, request *pb.WatchRequest) {
	fmt.Println("stream", n, "sends", request)
	if err := streams[n].Send(request); err != nil {
		fmt.Println("stream", n, err)
	}
}

func create(n int, request *pb.WatchCreateRequest) {
	send(n, &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: request}})
}

func cancel(n int, id int64) {
	send(n, &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CancelRequest{
		CancelRequest: &pb.WatchCancelRequest{WatchId: id}}})
}

func askProgress(n int) {
	send(n, &pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{
		ProgressRequest: &pb.WatchProgressRequest{}}})
}

// Reads so many messages more of the stream, and then none until the next call; -1: every one.
func allow(n int, messages int) {
	mu.Lock()
	defer mu.Unlock()
	s := streams[n]
	if s.allowed = max(s.allowed, 0) + messages; messages < 0 {
		s.allowed = -1
	}
}

func closeStream(n int) { streams[n].close() }

func holds(limit time.Duration, condition func() bool) bool {
	for until := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		mu.Lock()
		held := condition()
		mu.Unlock()
		if held || time.Now().After(until) {
			return held
		}
	}
}

func count(n int, is func(item) bool) int {
	counted := 0
	for _, one := range streams[n].items {
		if is(one) {
			counted++
		}
	}
	return counted
}

func soFar(n int, is func(item) bool) int {
	mu.Lock()
	defer mu.Unlock()
	return count(n, is)
}

// Waits until so much came on the stream, progress left out.
func await(n int, least int) {
	s := streams[n]
	came := func() int { return count(n, func(i item) bool { return !i.isProgress() }) }
	if !holds(soon, func() bool { return came()+s.late >= least || s.end != nil }) {
		s.late = least - came()
		fmt.Println("stream", n, "has not received what it had in the report")
	}
}

// What came for a watch, and for its whole stream.
func ofWatch(id int64) func(item) bool {
	own := fmt.Sprintf("watch %d: ", id)
	return func(i item) bool {
		return strings.HasPrefix(i.line, own) || strings.HasPrefix(i.line, "watch -1: progress ")
	}
}

// Its lines without progress; and those that end it.
func linesOf(id int64) func(item) bool {
	return func(i item) bool { return ofWatch(id)(i) && !i.isProgress() }
}

func endOf(id int64) func(item) bool {
	line := fmt.Sprintf("watch %d: canceled", id)
	return func(i item) bool { return strings.HasPrefix(i.line, line) }
}

func progressFrom(revision int64) func(item) bool {
	return func(i item) bool { return i.isProgress() && i.header >= revision }
}

func isCreation(i item) bool { return strings.Contains(i.line, ": created") }

// The creations and ends of watches, which decide which ids are free.
func isBound(i item) bool { return isCreation(i) || strings.Contains(i.line, ": canceled") }

// That watch of the stream is the one that this creation of it answered, counted from 1. Where the
// server refuses another one, the next has its id, and nothing is shown.
func isOf(n int, creation int, id int64) {
	line := fmt.Sprintf("watch %d: created", id)
	if !holds(soon, func() bool {
		created := []string{}
		for _, one := range streams[n].items {
			if isCreation(one) {
				created = append(created, one.line)
			}
		}
		return len(created) >= creation && created[creation-1] == line
	}) {
		end(false)
	}
}

// Whether these lines came, and between them nothing else but progress. A line may name the
// revision in the header, too.
func came(n int, of func(item) bool, lines ...string) bool {
	return holds(patience, func() bool {
		next := 0
		for _, one := range streams[n].items {
			if next == len(lines) {
				break
			}
			if !of(one) {
				continue
			}
			line := fmt.Sprintf("%s, header %d", one.line, one.header)
			if one.line == lines[next] || line == lines[next] {
				next++
			} else if !one.isProgress() {
				return false
			}
		}
		return next == len(lines)
	})
}

func ended(n int, code int) bool {
	return holds(patience, func() bool {
		return streams[n].end != nil && int(status.Code(streams[n].end)) == code
	})
}

// Whether nothing else of these came than the lines, though the server answers.
func only(n int, of func(item) bool, lines ...string) bool {
	came := func() []string {
		all := []string{}
		for _, one := range streams[n].items {
			if of(one) {
				all = append(all, one.line)
			}
		}
		return all
	}
	more := holds(patience, func() bool { return len(came()) > len(lines) })
	return !more && slices.Equal(came(), lines) && streams[n].end == nil && alive()
}

// Whether no more of these came than so many, likewise.
func noMore(n int, counted int, of func(item) bool) bool {
	more := holds(patience, func() bool { return count(n, of) > counted })
	return !more && streams[n].end == nil && alive()
}

func end(shown bool, what ...any) {
	if !shown {
		fmt.Println("NOT SHOWN")
		os.Exit(0)
	}
	fmt.Println(append([]any{"SHOWN:"}, what...)...)
	os.Exit(1)
}
)go";
constexpr std::string_view kUserFunctions = R"go(
var asReader context.Context // of a user with the right to read what is permitted

func enableUsers() {
	auth := pb.NewAuthClient(conn)
	for _, user := range []string{"reader", "root"} {
		_, err := auth.RoleAdd(ctx, &pb.AuthRoleAddRequest{Name: user})
		must(err)
		_, err = auth.UserAdd(ctx, &pb.AuthUserAddRequest{Name: user, Password: user})
		must(err)
		_, err = auth.UserGrantRole(ctx, &pb.AuthUserGrantRoleRequest{User: user, Role: user})
		must(err)
	}
	_, err := auth.AuthEnable(ctx, &pb.AuthEnableRequest{})
	must(err)
	logIn := func(user string) context.Context {
		answer, err := auth.Authenticate(ctx, &pb.AuthenticateRequest{Name: user, Password: user})
		must(err)
		return metadata.AppendToOutgoingContext(context.Background(), "token", answer.Token)
	}
	ctx, asReader = logIn("root"), logIn("reader")
}

func permit(key string, end string) {
	_, err := pb.NewAuthClient(conn).RoleGrantPermission(ctx, &pb.AuthRoleGrantPermissionRequest{
		Name: "reader", Perm: &authpb.Permission{Key: []byte(key), RangeEnd: []byte(end)}})
	must(err)
}
)go";

}  // namespace

std::string GoFrame(std::string_view body, bool users) {
  std::string text(kImports);
  if (users) text += kUserImports;
  text += ")\n\nfunc main() {\n\tconnect()\n";
  if (users) text += "\tenableUsers()\n";
  text.append(body).append("}\n").append(kFunctions);
  if (users) text += kUserFunctions;
  return text;
}

}  // namespace watchproof::explore
