// SPDX-License-Identifier: Apache-2.0
// Any store that a command line can start: on its own address, or on a free port if its command
// line has no {host}, with its own data folder if it has {data}.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "harness/base/shell_words.h"
#include "harness/targets/process_target.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlaceholders[] = {"host", "port", "peer-port", "data"};

// The next "{name}" at or behind `from`: braces around anything but small letters and dashes belong
// to the store.
struct Placeholder {
  std::size_t at = std::string::npos;
  std::string name;
};
Placeholder NextPlaceholder(const std::string& word, std::size_t from) {
  for (std::size_t open = word.find('{', from); open != std::string::npos;
       open = word.find('{', open + 1)) {
    const std::size_t end = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", open + 1);
    if (end != std::string::npos && word[end] == '}' && end > open + 1) {
      return {.at = open, .name = word.substr(open + 1, end - open - 1)};
    }
  }
  return {};
}

bool Uses(const std::vector<std::string>& words, std::string_view name) {
  const std::string placeholder = fmt::format("{{{}}}", name);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.find(placeholder) != std::string::npos;
  });
}

std::string Fill(const std::string& word, const std::map<std::string, std::string>& values) {
  std::string filled;
  std::size_t from = 0;
  for (Placeholder next = NextPlaceholder(word, 0); next.at != std::string::npos;
       next = NextPlaceholder(word, from)) {
    filled += word.substr(from, next.at - from) + values.at(next.name);
    from = next.at + next.name.size() + 2;
  }
  return filled + word.substr(from);
}

Status Parse(std::string_view rest, TargetSpec& spec) {
  if (!rest.starts_with(":")) {
    return Fail(StatusCode::kInvalidArgument, "expected command:TEMPLATE, a command line");
  }
  WP_ASSIGN_OR_RETURN(spec.command, SplitShellWords(rest.substr(1)));
  if (spec.command.empty() || spec.command.front().empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "no program; expected a command line such as command:mystore --listen "
                "{{host}}:{{port}} --data {{data}}");
  }
  for (const std::string& word : spec.command) {
    for (Placeholder next = NextPlaceholder(word, 0); next.at != std::string::npos;
         next = NextPlaceholder(word, next.at + 1)) {
      if (std::find(std::begin(kPlaceholders), std::end(kPlaceholders), next.name) ==
          std::end(kPlaceholders)) {
        return Fail(StatusCode::kInvalidArgument, "{{{}}} is unknown; expected {{{}}}", next.name,
                    fmt::join(kPlaceholders, "}, {"));
      }
    }
  }
  if (Uses(spec.command, "port")) return {};
  return Fail(StatusCode::kInvalidArgument,
              "no {{port}}; expected it where the command line has the port for clients");
}

// As in a shell: a path if it contains a slash, otherwise one of PATH's programs.
Result<fs::path> FindExecutable(const std::string& program) {
  if (program.find('/') != std::string::npos) return fs::path(program);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / program;
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return Fail(StatusCode::kNotFound,
              "{}: no such program in PATH; expected one, or the path of one", program);
}

// Free on every address. If another program takes it before the store does, the store fails.
Result<int> FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return FromErrno(errno).WithContext("looking for a free port");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool found = bind(fd, any, size) == 0 && getsockname(fd, any, &size) == 0;
  const int error = errno;
  close(fd);
  if (!found) return FromErrno(error).WithContext("looking for a free port");
  return ntohs(address.sin_port);
}

class CommandTarget final : public ProcessTarget {
 public:
  explicit CommandTarget(const TargetSpec& spec) : words_(spec.command) {}

  Status Start(const StartOptions& options) override {
    WP_ASSIGN_OR_RETURN(ChildOptions child, CommandLine(options));
    return Serve(options, std::move(child));
  }
  Endpoint endpoint() const override { return served_at_; }
  // Its command line has a data folder. Whether it keeps its data there, the cases find out.
  bool durable() const override { return Uses(words_, "data"); }

 private:
  Endpoint metrics_endpoint() const override { return served_at_; }

  Result<ChildOptions> CommandLine(const StartOptions& options) {
    served_at_ = {options.host, kClientPort};
    int peer_port = kPeerPort;
    if (!Uses(words_, "host")) {
      served_at_.host = "127.0.0.1";
      WP_ASSIGN_OR_RETURN(served_at_.port, FreePort());
      WP_ASSIGN_OR_RETURN(peer_port, FreePort());
    }
    const fs::path data = fs::absolute(DataOf(options) / "store");
    std::error_code error;
    fs::create_directories(data, error);
    if (error) return FromErrorCode(error).WithContext("{}: making the data folder", data.string());
    const std::map<std::string, std::string> values{{"host", served_at_.host},
                                                    {"port", std::to_string(served_at_.port)},
                                                    {"peer-port", std::to_string(peer_port)},
                                                    {"data", data.string()}};
    WP_ASSIGN_OR_RETURN(const fs::path program, FindExecutable(words_.front()));
    ChildOptions child{.executable = program};
    for (std::size_t i = 1; i < words_.size(); ++i) {
      child.arguments.push_back(Fill(words_[i], values));
    }
    return child;
  }

  const std::vector<std::string> words_;
  Endpoint served_at_;
};

const TargetRegistration kCommand{{
    .info = {.name = "command",
             .grammar = "command:TEMPLATE",
             .explain = "Any store that a command line starts, such as command:mystore --listen "
                        "{host}:{port} --data {data}. The template reaches to the end of the "
                        "argument and is split into words like a shell does, with quotes and "
                        "backslashes, but no shell runs. {port} is required; {host} is a loopback "
                        "address for this store alone (without it the store is reached on "
                        "127.0.0.1 and {port} is a free one), {peer-port} a second port, {data} "
                        "an empty folder. With {data} the store must keep what it acknowledged "
                        "when it is killed and started again; without it, cases that need this "
                        "are unsupported."},
    .make = [](const TargetSpec& spec) -> Result<std::unique_ptr<Target>> {
      return std::make_unique<CommandTarget>(spec);
    },
    .parse = Parse,
}};

}  // namespace
}  // namespace watchproof
