// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/command_target.h"

#include <algorithm>
#include <boost/asio.hpp>
#include <map>
#include <regex>

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlaceholders[] = {"host", "port", "peer-port", "data"};

// All "{name}" of a word: braces around anything but small letters and dashes belong to the store.
std::sregex_iterator PlaceholdersOf(const std::string& word) {
  static const std::regex kForm("\\{([a-z-]+)\\}");
  return {word.begin(), word.end(), kForm};
}

bool Uses(const std::vector<std::string>& words, std::string_view name) {
  const std::string placeholder = fmt::format("{{{}}}", name);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.find(placeholder) != std::string::npos;
  });
}

std::string Fill(const std::string& word, const std::map<std::string, std::string>& values) {
  std::string filled;
  auto from = word.begin();
  for (auto next = PlaceholdersOf(word); next != std::sregex_iterator(); ++next) {
    const std::smatch& found = *next;
    filled.append(from, found[0].first).append(values.at(found[1]));
    from = found[0].second;
  }
  return filled.append(from, word.end());
}

// As in a shell: a path if it contains a slash, otherwise one of PATH's programs.
Result<fs::path> FindExecutable(const std::string& program) {
  if (program.find('/') != std::string::npos) return fs::path(program);
  const fs::path found = FindInPath(program);
  if (!found.empty()) return found;
  return Fail(StatusCode::kNotFound,
              "{}: no such program in PATH; expected one, or the path of one", program);
}

// Free on every address. If another program takes it before the store does, the store fails.
Result<int> FreePort() {
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor any(io);
  boost::system::error_code error;
  any.open(boost::asio::ip::tcp::v4(), error);
  if (!error) any.bind({boost::asio::ip::tcp::v4(), 0}, error);
  const int port = error ? 0 : any.local_endpoint(error).port();
  if (error) return FromErrorCode(error).WithContext("looking for a free port");
  return port;
}

}  // namespace

Status CheckTemplate(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    for (auto next = PlaceholdersOf(word); next != std::sregex_iterator(); ++next) {
      const std::string name = next->str(1);
      if (std::ranges::count(kPlaceholders, name) > 0) continue;
      return Fail(StatusCode::kInvalidArgument, "{{{}}} is unknown; expected {{{}}}", name,
                  fmt::join(kPlaceholders, "}, {"));
    }
  }
  if (Uses(words, "port")) return {};
  return Fail(StatusCode::kInvalidArgument,
              "no {{port}}; expected it where the command line has the port for clients");
}

bool CommandTarget::durable() const { return Uses(words_, "data"); }

Status CommandTarget::Start(const StartOptions& options) {
  WP_ASSIGN_OR_RETURN(ChildOptions child, CommandLine(options));
  return Serve(options, std::move(child));
}

Result<ChildOptions> CommandTarget::CommandLine(const StartOptions& options) {
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

}  // namespace watchproof
