// SPDX-License-Identifier: Apache-2.0
#include "harness/process/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <boost/asio.hpp>
#include <boost/process/v2.hpp>
#include <cstring>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>

#include "harness/base/check.h"
#include "harness/base/escape.h"
#include "harness/base/mutex.h"

extern char** environ;

namespace watchproof {
namespace {

namespace asio = boost::asio;
namespace process = boost::process::v2;

constexpr std::size_t kMostDescriptors = 8;

// The permanent thread that forks: the parent-death signal fires when the *thread* that forked
// ends, so that thread must last as long as the process. It also waits for the children to end.
class ForkThread {
 public:
  static ForkThread& Get() {
    static ForkThread* const kForkThread =
        new ForkThread;  // leaked on purpose: outlives every static
    return *kForkThread;
  }
  asio::io_context& context() { return context_; }
  template <typename Fn>
  auto Run(Fn fn) {
    std::promise<decltype(fn())> promise;
    auto future = promise.get_future();
    asio::post(context_, [&] { promise.set_value(fn()); });
    return future.get();
  }

 private:
  ForkThread() {
    std::thread([this] { context_.run(); }).detach();
  }
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_ =
      asio::make_work_guard(context_);
};

// Replaces what Process v2 does between fork and exec. Only async-signal-safe calls; never returns:
// in version 1.81 a failed exec would go on to run the parent's exit handlers in the child.
struct ExecOrLeave {
  int log = -1;     // becomes standard output and error
  int null = -1;    // becomes standard input
  int report = -1;  // errno of a failed exec goes here; closed by a successful one
  pid_t parent = 0;
  const std::vector<InheritedDescriptor>* descriptors = nullptr;
  const proxy::Disk* disk = nullptr;
  char* const* environment = nullptr;

  template <typename Launcher, typename Path>
  process::error_code on_exec_setup(Launcher&, const Path& executable,
                                    const char* const*(&arguments)) const {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);  // it died before the signal was in place
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT}) ::signal(number, SIG_DFL);
    // Parked high first: everything below is closed, and no move can overwrite one still to come.
    constexpr int kParking = 900;
    std::array<int, kMostDescriptors> parked{};
    std::size_t count = 0;
    for (const auto& d : *descriptors) parked[count++] = fcntl(d.ours, F_DUPFD, kParking);
    const int report_at = fcntl(report, F_DUPFD_CLOEXEC, kParking);
    dup2(null, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    if (disk != nullptr) {
      if (const int refused = disk->BeforeExec(); refused != 0) Leave(report_at, refused);
    }
    syscall(SYS_close_range, 3, kParking - 1, 0);
    count = 0;
    for (const auto& d : *descriptors) dup2(parked[count++], d.theirs);
    syscall(SYS_close_range, kParking, ~0U, CLOSE_RANGE_CLOEXEC);
    execve(executable.c_str(), const_cast<char* const*>(arguments), environment);
    Leave(report_at, errno);
  }
  [[noreturn]] static void Leave(int report, int error) {
    [[maybe_unused]] const auto written = write(report, &error, sizeof error);
    _exit(127);
  }
};

struct Descriptor {
  int fd = -1;
  Descriptor() = default;
  explicit Descriptor(int number) : fd(number) {}
  Descriptor(Descriptor&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { Close(); }
  void Close() {
    if (fd >= 0) close(std::exchange(fd, -1));
  }
};

std::vector<std::string> MergeEnvironment(
    const std::map<std::string, std::optional<std::string>>& changes) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!changes.contains(std::string(text.substr(0, text.find('='))))) merged.emplace_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (value) merged.push_back(name + "=" + *value);
  }
  return merged;
}

Status CheckRunnable(const std::filesystem::path& executable) {
  std::error_code error;
  const auto found = std::filesystem::status(executable, error);
  if (!std::filesystem::exists(found)) {
    return Fail(StatusCode::kNotFound, "{}: no such file; expected the path of a program",
                executable.string());
  }
  if (std::filesystem::is_directory(found)) {
    return Fail(StatusCode::kInvalidArgument, "{}: is a folder; expected the path of a program",
                executable.string());
  }
  if (access(executable.c_str(), X_OK) != 0) {
    return Fail(StatusCode::kPermissionDenied, "{}: is not executable for this user",
                executable.string());
  }
  return {};
}

// The first line that runtimes print when a program crashes, or a log's last word before it exits;
// a long trace follows, or what is closed on the way.
constexpr std::string_view kCrashes[] = {
    "panic: ",          "fatal error: ",   "[signal SIG",
    "terminate called", "runtime error: ", "ERROR: AddressSanitizer",
    "Assertion `",      "panicked at ",    "\"level\":\"fatal\""};

// The start of the first such line, if there is one.
std::optional<std::size_t> BeginOfCrash(std::string_view text) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view crash : kCrashes) first = std::min(first, text.find(crash));
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t line = text.rfind('\n', first);
  return line == std::string_view::npos ? 0 : line + 1;
}

std::string FirstLines(std::string_view text, std::size_t lines) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < lines && end != std::string_view::npos; ++i) {
    end = text.find('\n', end + (i > 0 ? 1 : 0));
  }
  return std::string(text.substr(0, end));
}

// "common.(*InBucket).RootPage" of a line of a trace of Go; empty: it names no function.
std::string_view FunctionOf(std::string_view line) {
  const std::size_t arguments = line.rfind('(');
  if (line.empty() || line.front() == '\t' || arguments == std::string_view::npos) return {};
  const std::size_t slash = line.substr(0, arguments).rfind('/');
  const std::size_t from = slash == std::string_view::npos ? 0 : slash + 1;
  return line.substr(from, arguments - from);
}

// The calls of a trace, the innermost first.
std::string CallsOf(const std::string& trace) {
  constexpr std::size_t kMostCalls = 24;
  std::size_t calls = 0;
  std::istringstream lines{trace};
  std::string text;
  for (std::string line; std::getline(lines, line) && calls < kMostCalls;) {
    if (line.empty() || line.starts_with("created by ")) break;
    const std::string_view call = FunctionOf(line);
    const bool of_runtime = call.empty() || call == "panic" || call.starts_with("runtime.");
    if (of_runtime) continue;
    ++calls;
    text += fmt::format("{}{}", text.empty() ? "in " : " < ", call);
  }
  return text;
}

// The calls that led to the end of a program of Go: two crashes with one first line need not have
// one cause. Empty where there is no such trace.
std::string CallsToTheEnd(std::string_view crash) {
  const std::size_t running = crash.find("[running]:\n");
  if (running == std::string_view::npos) return {};
  return CallsOf(std::string(crash.substr(crash.find('\n', running) + 1)));
}

// Takes the traces out of lines that are JSON. The calls of the last of them; it has no arguments
// to cut off, so each line gets some.
std::string TakeLoggedCalls(std::string& words) {
  constexpr std::string_view kField = ",\"stacktrace\":\"";
  std::string trace;
  for (std::size_t from = 0; (from = words.find(kField, from)) != std::string::npos;) {
    const std::size_t begin = from + kField.size();
    const std::size_t end = std::min(words.find('"', begin), words.size());
    trace = words.substr(begin, end - begin);
    words.erase(from, std::min(end + 1, words.size()) - from);
  }
  boost::replace_all(trace, "\\n", "()\n");
  boost::replace_all(trace, "\\t", "\t");
  return CallsOf(trace);
}

}  // namespace

std::string ExitState::ToString() const {
  if (signal == 0) return fmt::format("exited with {}", code);
  return fmt::format("was killed by signal {} ({})", signal, strsignal(signal));
}

class ChildProcess::Impl {
 public:
  explicit Impl(std::filesystem::path log) : log_(std::move(log)) {}

  // On the fork thread. Ownership: the pending wait and the ChildProcess both keep `self`,
  // since either may end first.
  static Status Start(const std::shared_ptr<Impl>& self, const ChildOptions& options) {
    Descriptor log(open(options.log.empty() ? "/dev/null" : options.log.c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (log.fd < 0)
      return FromErrno(errno).WithContext("{}: opening the log", options.log.string());
    const Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return FromErrno(errno).WithContext("pipe");
    const Descriptor read_end(ends[0]);
    Descriptor write_end(ends[1]);
    const std::vector<std::string> variables = MergeEnvironment(options.environment);
    std::vector<char*> environment;
    for (const std::string& text : variables)
      environment.push_back(const_cast<char*>(text.c_str()));
    environment.push_back(nullptr);

    if (options.disk != nullptr) WP_RETURN_IF_ERROR(options.disk->Prepare());
    process::error_code error;
    process::default_process_launcher launcher;
    auto child = launcher(ForkThread::Get().context().get_executor(), error,
                          process::filesystem::path(options.executable.string()), options.arguments,
                          ExecOrLeave{.log = log.fd,
                                      .null = null.fd,
                                      .report = write_end.fd,
                                      .parent = getpid(),
                                      .descriptors = &options.descriptors,
                                      .disk = options.disk,
                                      .environment = environment.data()});
    if (error) return FromErrorCode(error).WithContext("{}: fork", options.executable.string());
    write_end.Close();
    int exec_error = 0;
    if (read(read_end.fd, &exec_error, sizeof exec_error) == sizeof exec_error) {
      process::error_code ignored;
      child.wait(ignored);  // reaps; it has left already
      return FromErrno(exec_error)
          .WithContext("{}: cannot be executed", options.executable.string());
    }
    // Also here, besides the child itself: the group must exist when Start returns.
    setpgid(child.id(), child.id());
    self->pid_ = child.id();
    Status attached;
    if (options.disk != nullptr) attached = options.disk->Attach(child.id());
    auto held = std::make_shared<process::process>(std::move(child));  // by its own wait
    held->async_wait(
        [self, held](const process::error_code&, int) { self->Ended(held->native_exit_code()); });
    return attached;
  }

  void Ended(int native) {
    MutexLock lock(mu_);
    ExitState state{.at = Clock::now()};
    if (WIFSIGNALED(native)) {
      state.signal = WTERMSIG(native);
    } else {
      state.code = WEXITSTATUS(native);
    }
    state_ = state;
    // Also ends the processes that it started.
    kill(-pid_, SIGKILL);
    ended_.NotifyAll();
  }

  int pid() const { return pid_; }
  std::optional<ExitState> state() const {
    MutexLock lock(mu_);
    return state_;
  }
  std::optional<ExitState> WaitFor(Deadline deadline) const {
    MutexLock lock(mu_);
    while (!state_ && !deadline.expired()) ended_.WaitUntil(mu_, deadline.at());
    return state_;
  }
  void Signal(int number) {
    MutexLock lock(mu_);
    if (!state_) kill(-pid_, number);
  }
  const std::filesystem::path& log() const { return log_; }

 private:
  // Constant after Start.
  const std::filesystem::path log_;
  int pid_ = -1;
  // Guarded.
  mutable Mutex mu_;
  mutable CondVar ended_;
  std::optional<ExitState> state_ GUARDED_BY(mu_);
};

ChildProcess::ChildProcess(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

ChildProcess::~ChildProcess() { Stop(Duration::zero()); }

Result<std::unique_ptr<ChildProcess>> ChildProcess::Launch(const ChildOptions& options) {
  WP_RETURN_IF_ERROR(CheckRunnable(options.executable));
  WP_CHECK(options.descriptors.size() <= kMostDescriptors, "at most 8 descriptors are inherited");
  for (const auto& d : options.descriptors) {
    WP_CHECK(d.theirs >= 0 && d.theirs < 900 && d.ours >= 0,
             "descriptors are inherited as 0 to 899");
  }
  auto impl = std::make_shared<Impl>(options.log);
  WP_RETURN_IF_ERROR(ForkThread::Get().Run([&] { return Impl::Start(impl, options); }));
  return std::unique_ptr<ChildProcess>(new ChildProcess(std::move(impl)));
}

int ChildProcess::pid() const { return impl_->pid(); }
std::optional<ExitState> ChildProcess::exit_state() const { return impl_->state(); }

Result<ExitState> ChildProcess::Wait(Deadline deadline) const {
  if (auto state = impl_->WaitFor(deadline)) return *state;
  return Fail(StatusCode::kDeadlineExceeded, "process {} did not end within {} ms", pid(),
              deadline.budget().count());
}

void ChildProcess::Signal(int signal) { impl_->Signal(signal); }

ExitState ChildProcess::Stop(Duration grace) {
  if (grace > Duration::zero()) {
    Signal(SIGTERM);
    Signal(SIGCONT);  // a paused child cannot obey
    if (auto state = impl_->WaitFor(Within(grace))) return *state;
  }
  Signal(SIGKILL);
  auto state = impl_->WaitFor(Within(30s));
  WP_CHECK(state.has_value(), "a child survived SIGKILL for 30 s");
  return *state;
}

std::string ChildProcess::LastWords(std::size_t lines) const {
  if (impl_->log().empty()) return {};
  std::ifstream file(impl_->log(), std::ios::binary | std::ios::ate);
  if (!file) return {};
  constexpr std::streamoff kTail = 65536;
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kTail));
  std::string tail = WithoutTerminalCodes(std::string((std::istreambuf_iterator<char>(file)), {}));
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  if (const auto crash = BeginOfCrash(tail)) {
    std::string words = FirstLines(tail.substr(*crash), lines);
    const std::string logged = TakeLoggedCalls(words);
    const std::string traced = CallsToTheEnd(std::string_view(tail).substr(*crash));
    const std::string& calls = traced.empty() ? logged : traced;
    return calls.empty() ? words : words.substr(0, words.find("\n\n")) + "\n" + calls;
  }
  std::size_t from = tail.size();
  for (std::size_t i = 0; i < lines && from != std::string::npos && from > 0; ++i) {
    from = tail.rfind('\n', from - 1);
  }
  return from == std::string::npos || from == 0 ? tail : tail.substr(from + 1);
}

std::filesystem::path FindInPath(const std::string& program) {
  return process::environment::find_executable(program).string();
}

std::filesystem::path OwnExecutable() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace watchproof
