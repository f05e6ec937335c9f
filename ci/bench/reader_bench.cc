// SPDX-License-Identifier: Apache-2.0
// Measures the cost of recording: CPU time per event of the recording reader, or of a bare reader
// that only counts the same raw bytes, against a running server.
//
//   reader_bench HOST:PORT bare|record WATCHERS PUTS
//
// Prints one JSON line. The writers are a process of their own, so that the CPU time is the
// reader's. Both readers count events by the same scan of the message. ci/jobs/figures.py
// alternates them.
#include <grpcpp/generic/generic_stub.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "ci/bench/store/bench_writers.h"
#include "fixtures/protos/rpc.pb.h"
#include "harness/base/mutex.h"
#include "harness/client/connection.h"
#include "harness/client/watch_stream.h"
#include "harness/history/wire.h"

namespace watchproof {
namespace {

const std::string kKey = "bench/key";
constexpr std::uint32_t kEventsField = 11;
constexpr std::uint32_t kCreatedField = 3;

struct Count {
  std::uint64_t events = 0;
  std::uint64_t created = 0;
};

void Scan(std::string_view message, Count& count) {
  while (const auto field = FirstField(message)) {
    count.events += field->number == kEventsField ? 1 : 0;
    count.created += field->number == kCreatedField ? 1 : 0;
    message.remove_prefix(field->size);
  }
}

// In the child: waits for the start signal, then puts. Exits without running the parent's handlers.
[[noreturn]] void Write(const std::string& endpoint, int puts, int go) {
  char word = 0;
  if (read(go, &word, 1) != 1) _exit(1);
  const store::PutsDone done =
      store::PutAll({.endpoint = endpoint, .key = kKey, .puts = static_cast<std::uint64_t>(puts)});
  _exit(done.failed == 0 ? 0 : 1);
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class BareReader final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit BareReader(const std::string& endpoint) : stub_(MakeChannel(endpoint)) {}

  void Run(int watchers, std::uint64_t events, const std::function<void()>& all_created) {
    stub_.PrepareBidiStreamingCall(&context_, "/etcdserverpb.Watch/Watch", grpc::StubOptions(),
                                   this);
    for (int i = 0; i < watchers; ++i) {
      etcdserverpb::WatchRequest request;
      request.mutable_create_request()->set_key(kKey);
      const std::string wire = request.SerializeAsString();
      const grpc::Slice slice(wire);
      outgoing_.emplace_back(&slice, 1);
    }
    StartRead(&incoming_);
    StartWrite(&outgoing_[0]);
    StartCall();
    Await(
        [&](const Count& count) { return count.created >= static_cast<std::uint64_t>(watchers); });
    all_created();
    Await([&](const Count& count) { return count.events >= events; });
    context_.TryCancel();
    MutexLock lock(mu_);
    while (!done_) changed_.Wait(mu_);
  }

 private:
  void OnWriteDone(bool ok) override {
    if (ok && ++written_ < outgoing_.size()) StartWrite(&outgoing_[written_]);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    grpc::Slice slice;
    if (!incoming_.TrySingleSlice(&slice).ok()) incoming_.DumpToSingleSlice(&slice);
    {
      MutexLock lock(mu_);
      Scan({reinterpret_cast<const char*>(slice.begin()), slice.size()}, count_);
      if (wanted_(count_)) changed_.NotifyAll();
    }
    StartRead(&incoming_);
  }
  void OnDone(const grpc::Status&) override {
    MutexLock lock(mu_);
    done_ = true;
    changed_.NotifyAll();
  }
  void Await(std::function<bool(const Count&)> fact) {
    MutexLock lock(mu_);
    wanted_ = std::move(fact);
    while (!wanted_(count_) && !done_) changed_.Wait(mu_);
  }

  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer incoming_;
  std::vector<grpc::ByteBuffer> outgoing_;
  std::size_t written_ = 0;
  Mutex mu_;
  CondVar changed_;
  Count count_ GUARDED_BY(mu_);
  std::function<bool(const Count&)> wanted_ GUARDED_BY(mu_) = [](const Count&) { return false; };
  bool done_ GUARDED_BY(mu_) = false;
};

int Record(const std::string& endpoint, int watchers, std::uint64_t events,
           const std::function<void()>& all_created) {
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("reader-bench-{}", getpid());
  auto recorder = Recorder::Open({.file = file});
  if (!recorder.has_value()) return 1;
  auto stream = WatchStream::Open(**recorder, {.endpoint = endpoint});
  if (!stream.has_value()) return 1;
  for (int i = 0; i < watchers; ++i) (*stream)->Create({.key = kKey});
  Count count;
  // Shared tails are the same memory again, so they are counted once.
  Bytes last;
  Count in_last;
  bool started = false;
  while (count.events < events) {
    const auto line = (*recorder)->Next(Within(60s));
    if (!line) return 1;
    if (line->entry.kind == EntryKind::kResponseReceived) {
      Scan(line->entry.payload.view(), count);
      const Bytes& tail = line->entry.tail;
      if (tail.view().data() != last.view().data() || tail.size() != last.size()) {
        last = tail;
        in_last = {};
        Scan(last.view(), in_last);
      }
      count.events += in_last.events;
    }
    if (!started && count.created >= static_cast<std::uint64_t>(watchers)) {
      started = true;
      all_created();
    }
  }
  (*stream)->Close();
  const bool whole = (*recorder)->Close().ok() && !(*recorder)->incomplete();
  std::filesystem::remove(file);
  return whole ? 0 : 1;
}

int Main(const std::string& endpoint, const std::string& mode, int watchers, int puts) {
  int go[2];
  if (pipe(go) != 0) return 1;
  const pid_t writer = fork();  // before gRPC has threads
  if (writer == 0) Write(endpoint, puts, go[0]);
  double before = 0;
  TimePoint began;
  const auto all_created = [&] {
    before = CpuSeconds();
    began = Clock::now();
    [[maybe_unused]] const auto reported = write(go[1], "g", 1);
  };
  const auto events = static_cast<std::uint64_t>(watchers) * static_cast<std::uint64_t>(puts);
  int failed = 0;
  if (mode == "bare") {
    BareReader(endpoint).Run(watchers, events, all_created);
  } else {
    failed = Record(endpoint, watchers, events, all_created);
  }
  const double cpu = CpuSeconds() - before;
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  int written = 1;
  waitpid(writer, &written, 0);
  if (failed != 0 || written != 0) {
    fmt::print(stderr, "reader_bench: {} failed\n", failed != 0 ? "the reader" : "a writer");
    return 1;
  }
  fmt::print(
      "{{\"mode\":\"{}\",\"events\":{},\"cpu_ns_per_event\":{:.1f},\"events_per_second\":{:.0f}}}"
      "\n",
      mode, events, cpu * 1e9 / static_cast<double>(events), static_cast<double>(events) / seconds);
  return 0;
}

}  // namespace
}  // namespace watchproof

int main(int argc, char** argv) {
  const std::string mode = argc == 5 ? argv[2] : "";
  const int watchers = argc == 5 ? std::atoi(argv[3]) : 0;
  const int puts = argc == 5 ? std::atoi(argv[4]) : 0;
  if ((mode != "bare" && mode != "record") || watchers < 1 || puts < 1) {
    fmt::print(stderr, "usage: reader_bench HOST:PORT bare|record WATCHERS PUTS\n");
    return 4;
  }
  return watchproof::Main(argv[1], mode, watchers, puts);
}
