// SPDX-License-Identifier: Apache-2.0
#include "proxies/core/listener.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "harness/base/check.h"
#include "proxies/core/socket.h"

namespace watchproof::proxy {

using boost::system::error_code;

Listener::Listener(Io& io, Options options)
    : io_(io), options_(std::move(options)), acceptor_(io), pause_(io) {
  WP_CHECK(!options_.targets.empty(), "a listener needs a target");
}

Listener::~Listener() {
  WP_CHECK(!acceptor_.is_open(), "close a listener before destroying it");
  WP_CHECK(connections_.empty(), "a connection outlived the io thread");
}

Status Listener::Open() {
  WP_RETURN_IF_ERROR(OpenBound(acceptor_, options_.listen, options_.buffers));
  WP_RETURN_IF_ERROR(Listen(acceptor_));
  error_code error;
  endpoint_ = ToString(acceptor_.local_endpoint(error));
  accepting_ = true;
  boost::asio::co_spawn(io_, AcceptLoop(), [this](std::exception_ptr thrown) {
    WP_CHECK(thrown == nullptr, "coroutines of a proxy do not throw");
    accepting_ = false;
  });
  return {};
}

Status Listener::Turn(Admission admission) {
  if (admission == admission_ || closed_) return {};
  admission_ = admission;
  if (admission == Admission::kOpen) {
    pause_.Notify();
    return Listen(acceptor_);
  }
  error_code error;
  const Tcp::endpoint here = acceptor_.local_endpoint(error);
  acceptor_.close(error);
  return OpenBound(acceptor_, here, options_.buffers);
}

void Listener::Close(CloseNotice close_notice) {
  closed_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  pause_.Notify();
  for (auto& [id, connection] : connections_) {
    close_notice == CloseNotice::kInOrder ? connection->Close() : connection->Reset();
  }
}

Task Listener::AcceptLoop() {
  while (!closed_) {
    if (admission_ == Admission::kRefusing || !acceptor_.is_open()) {
      co_await pause_.WaitUntil(kNever);
      continue;
    }
    Tcp::socket client(io_);
    if (co_await Accept(acceptor_, client, pause_)) Admit(std::move(client));
  }
}

void Listener::Admit(Tcp::socket client) {
  last_id_ = last_id_.next();
  auto owned = std::make_unique<Connection>(
      io_,
      Connection::Options{.id = last_id_,
                          .targets = options_.targets,
                          .buffers = options_.buffers,
                          .on_finished = [this](ConnectionId id) { Forget(id); }},
      std::move(client));
  Connection& connection = *owned;
  connections_.emplace(last_id_, std::move(owned));
  if (options_.prepare) options_.prepare(connection);
  connection.Start();
}

void Listener::Forget(ConnectionId id) {
  const auto it = connections_.find(id);
  WP_CHECK(it != connections_.end(), "a connection finishes once");
  ended_.push_back(it->second->info());
  if (ended_.size() > kRemembered) ended_.pop_front();
  connections_.erase(it);
}

std::vector<ConnectionInfo> Listener::Describe() const {
  std::vector<ConnectionInfo> all(ended_.begin(), ended_.end());
  for (const auto& [id, connection] : connections_) all.push_back(connection->info());
  std::sort(all.begin(), all.end(),
            [](const ConnectionInfo& a, const ConnectionInfo& b) { return a.id < b.id; });
  return all;
}

}  // namespace watchproof::proxy
