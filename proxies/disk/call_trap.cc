// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/call_trap.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>

#include "harness/base/check.h"
#include "proxies/disk/caller.h"

namespace watchproof::proxy {
namespace {

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
constexpr std::uint64_t kWakeUpHere = 1;  // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP, since Linux 6.6

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "no filter for this architecture"
#endif

// Stopped whatever their arguments are: calls that name files by their path.
constexpr int kByPath[] = {
#ifdef SYS_open
    SYS_open,     SYS_creat,   SYS_rename,    SYS_unlink,   SYS_mkdir,   SYS_rmdir,  SYS_link,
#endif
    SYS_openat,   SYS_openat2, SYS_renameat2, SYS_unlinkat, SYS_mkdirat, SYS_linkat, SYS_truncate,
#ifdef SYS_renameat
    SYS_renameat,
#endif
};

// Stopped if this argument is a descriptor of ours.
struct ByDescriptor {
  int number;
  int argument;
};
constexpr ByDescriptor kByDescriptor[] = {
    {SYS_write, 0},     {SYS_pwrite64, 0},        {SYS_writev, 0},    {SYS_pwritev, 0},
    {SYS_pwritev2, 0},  {SYS_fsync, 0},           {SYS_fdatasync, 0}, {SYS_sync_file_range, 0},
    {SYS_ftruncate, 0}, {SYS_fallocate, 0},       {SYS_close, 0},     {SYS_dup, 0},
    {SYS_dup3, 0},
#ifdef SYS_dup2
    {SYS_dup2, 0},
#endif
    {SYS_sendfile, 0},  {SYS_copy_file_range, 2}, {SYS_splice, 2},    {SYS_fcntl, 0},
    {SYS_mmap, 4},
};

class Program {
 public:
  explicit Program(int first_own) {
    Load(offsetof(seccomp_data, arch));
    Skip(BPF_JEQ, kArchitecture, 1, 0);
    Return(SECCOMP_RET_ALLOW);
    Load(offsetof(seccomp_data, nr));
    for (const int number : kByPath) {
      Skip(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 1);
      Return(SECCOMP_RET_USER_NOTIF);
    }
    // Writes by a ring are seen by no filter: programs do without where there is none.
    Skip(BPF_JEQ, SYS_io_uring_setup, 0, 1);
    Return(SECCOMP_RET_ERRNO | ENOSYS);
    for (const auto& [number, argument] : kByDescriptor) {
      const auto at = static_cast<std::size_t>(argument);
      std::vector<sock_filter> body = std::exchange(instructions_, {});
      if (number == SYS_fcntl) {  // two commands that duplicate a descriptor
        Load(ArgumentAt(1));
        Skip(BPF_JEQ, F_DUPFD, 2, 0);
        Skip(BPF_JEQ, F_DUPFD_CLOEXEC, 1, 0);
        Return(SECCOMP_RET_ALLOW);
      } else if (number == SYS_mmap) {  // a mapping that writes to the file
        Load(ArgumentAt(2));
        Skip(BPF_JSET, PROT_WRITE, 1, 0);
        Return(SECCOMP_RET_ALLOW);
        Load(ArgumentAt(3));
        Skip(BPF_JSET, MAP_SHARED, 1, 0);
        Return(SECCOMP_RET_ALLOW);
      }
      Load(ArgumentAt(at));
      Skip(BPF_JGE, static_cast<std::uint32_t>(first_own), 0, 1);
      Skip(BPF_JGE, 0x80000000U, 0, 1);  // -1 is no descriptor
      Return(SECCOMP_RET_ALLOW);
      Return(SECCOMP_RET_USER_NOTIF);
      const std::vector<sock_filter> block = std::exchange(instructions_, std::move(body));
      Skip(BPF_JEQ, static_cast<std::uint32_t>(number), 0, static_cast<std::uint8_t>(block.size()));
      instructions_.insert(instructions_.end(), block.begin(), block.end());
    }
    Return(SECCOMP_RET_ALLOW);
  }
  std::vector<sock_filter> Take() { return std::move(instructions_); }

 private:
  static std::uint32_t ArgumentAt(
      std::size_t number) {  // the lower half, on little-endian machines
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * number);
  }
  void Load(std::size_t offset) {
    instructions_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void Skip(int test, std::uint32_t value, std::uint8_t if_so, std::uint8_t if_not) {
    instructions_.push_back(
        BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, if_so, if_not));
  }
  void Return(std::uint32_t action) { instructions_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }

  std::vector<sock_filter> instructions_;
};

rlim_t MostDescriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return std::min<rlim_t>(limit.rlim_max, 1 << 20);
}

int SendDescriptor(int socket, int descriptor) {
  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return sendmsg(socket, &message, 0) == 1 ? 0 : errno;
}

// -1: none came.
int ReceiveDescriptor(int socket) {
  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const header = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

void Close(int& descriptor) {
  if (descriptor >= 0) close(std::exchange(descriptor, -1));
}

// Whether this thread, if it serves, holds the right to receive.
thread_local bool t_receives = false;

}  // namespace

void Answer::Continue() {
  seccomp_notif_resp answer{};
  answer.id = id_;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);  // fails only if the program is gone
}

void Answer::Return(std::int64_t value) {
  seccomp_notif_resp answer{};
  answer.id = id_;
  if (value < 0) {
    answer.error = static_cast<int>(value);
  } else {
    answer.val = value;
  }
  ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

bool Answer::ReturnDescriptor(int ours, int number, bool close_on_exec) {
  seccomp_notif_addfd add{};
  add.id = id_;
  add.flags = SECCOMP_ADDFD_FLAG_SETFD | SECCOMP_ADDFD_FLAG_SEND;
  add.srcfd = static_cast<std::uint32_t>(ours);
  add.newfd = static_cast<std::uint32_t>(number);
  add.newfd_flags = close_on_exec ? O_CLOEXEC : 0;
  return ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &add) >= 0;
}

// At least one of them receives, or handles what it has received, at any time.
struct CallTrap::Threads {
  Mutex receive;  // held by the one that receives
  Mutex mu;
  int waiting GUARDED_BY(mu) = 0;  // and the one that receives
  std::vector<std::thread> all GUARDED_BY(mu);
};

CallTrap::CallTrap(CallHandler& handler)
    : handler_(handler),
      filter_(Program(FirstOwn()).Take()),
      threads_(std::make_unique<Threads>()) {}

CallTrap::~CallTrap() {
  Detach();
  CloseAll();
}

int CallTrap::FirstOwn() { return static_cast<int>(MostDescriptors() / 2); }
int CallTrap::EndOfOwn() { return static_cast<int>(MostDescriptors()); }

void CallTrap::CloseAll() {
  for (int* const one : {&ends_[0], &ends_[1], &listener_, &stop_}) Close(*one);
}

Status CallTrap::Prepare() {
  WP_CHECK(listener_ < 0, "detached before the next program");
  CloseAll();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_) != 0) {
    return FromErrno(errno).WithContext("a pair of sockets for the listener");
  }
  stop_ = eventfd(0, EFD_CLOEXEC);
  return stop_ < 0 ? FromErrno(errno).WithContext("eventfd") : Status();
}

int CallTrap::BeforeExec() const {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const sock_fprog program{.len = static_cast<unsigned short>(filter_.size()),
                           .filter = const_cast<sock_filter*>(filter_.data())};
  const long listener =
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
              SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
  if (listener < 0) return errno;
  return SendDescriptor(ends_[1], static_cast<int>(listener));
}

Status CallTrap::Attach() {
  Close(ends_[1]);
  listener_ = ReceiveDescriptor(ends_[0]);
  Close(ends_[0]);
  if (listener_ < 0) {
    return Fail(StatusCode::kUnavailable, "the program ended before its system calls were stopped");
  }
  const std::uint64_t flags = kWakeUpHere;
  ioctl(listener_, SECCOMP_IOCTL_NOTIF_SET_FLAGS, flags);  // only faster: older kernels refuse it
  MutexLock lock(threads_->mu);
  ++threads_->waiting;
  threads_->all.emplace_back([this] { Serve(); });
  return {};
}

void CallTrap::Detach() {
  if (stop_ >= 0) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(stop_, &one, sizeof one);
  }
  for (;;) {  // a thread may have started another one meanwhile
    std::vector<std::thread> all;
    {
      MutexLock lock(threads_->mu);
      all = std::exchange(threads_->all, {});
    }
    if (all.empty()) break;
    for (std::thread& one : all) one.join();
  }
  Close(listener_);
}

std::optional<TrappedCall> CallTrap::Receive() {
  for (;;) {
    pollfd ready[2] = {{.fd = listener_, .events = POLLIN, .revents = 0},
                       {.fd = stop_, .events = POLLIN, .revents = 0}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) return std::nullopt;
    if (ready[1].revents != 0) return std::nullopt;
    if ((ready[0].revents & POLLIN) == 0) {
      if ((ready[0].revents & (POLLHUP | POLLERR)) != 0) return std::nullopt;
      continue;
    }
    seccomp_notif call{};
    if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
      if (errno == EINTR || errno == ENOENT) continue;  // it was taken back, and comes again
      return std::nullopt;
    }
    TrappedCall trapped{
        .id = call.id, .thread = static_cast<int>(call.pid), .number = call.data.nr};
    std::copy(std::begin(call.data.args), std::end(call.data.args), trapped.arguments.begin());
    return trapped;
  }
}

void CallTrap::LetOthersReceive() {
  if (!std::exchange(t_receives, false)) return;
  threads_->receive.unlock();
  MutexLock lock(threads_->mu);
  if (--threads_->waiting > 0) return;
  ++threads_->waiting;
  threads_->all.emplace_back([this] { Serve(); });
}

void CallTrap::Serve() {
  for (;;) {
    threads_->receive.lock();
    t_receives = true;
    while (t_receives) {
      const std::optional<TrappedCall> call = Receive();
      if (!call) {
        threads_->receive.unlock();
        MutexLock lock(threads_->mu);
        --threads_->waiting;
        return;
      }
      handler_.Handle(*call, Answer(listener_, call->id));
    }
    MutexLock lock(threads_->mu);
    ++threads_->waiting;
  }
}

Status CanTrapCalls() {
  struct Once final : CallHandler {
    void Handle(const TrappedCall& call, Answer answer) override {
      ++calls;
      const std::size_t path = call.number == SYS_openat ? 1 : 0;
      reads = reads || Caller(call.thread).Text(call.arguments[path]) == "/";
      answer.Return(-EDQUOT);
    }
    std::atomic<int> calls = 0;
    std::atomic<bool> reads = false;
  } once;
  CallTrap trap(once);
  WP_RETURN_IF_ERROR(trap.Prepare());
  const pid_t child = fork();
  if (child < 0) return FromErrno(errno).WithContext("fork");
  if (child == 0) {
    const int refused = trap.BeforeExec();
    if (refused != 0) _exit(refused);
    _exit(open("/", O_RDONLY) < 0 && errno == EDQUOT ? 0 : 255);
  }
  const Status attached = trap.Attach();
  int ended = 0;
  while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
  }
  trap.Detach();
  const int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : 255;
  if (attached.ok() && code == 0 && once.reads) return {};
  if (attached.ok() && code == 0 && once.calls > 0) {
    return Fail(StatusCode::kPermissionDenied,
                "the memory of a child cannot be read (process_vm_readv)");
  }
  if (code == EINVAL) {
    return Fail(
        StatusCode::kUnimplemented,
        "this kernel cannot stop a program at its system calls; expected Linux 5.19 or newer");
  }
  if (code == EBUSY) {
    return Fail(StatusCode::kUnimplemented,
                "this program is stopped at its system calls itself, and only one can do that");
  }
  if (code != 0 && code != 255) {
    return FromErrno(code).WithContext("stopping a program at its system calls by seccomp");
  }
  return Fail(StatusCode::kUnimplemented, "stopping a program at its system calls had no effect");
}

}  // namespace watchproof::proxy
