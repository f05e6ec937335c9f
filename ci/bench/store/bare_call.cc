// SPDX-License-Identifier: Apache-2.0
#include "ci/bench/store/bare_call.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace watchproof::store {
namespace {

// About what gRPC's own clients grow to on a fast connection.
constexpr std::int32_t kStreamWindow = 8 << 20;
constexpr std::int32_t kConnectionWindow = 16 << 20;
constexpr std::uint32_t kFrameBytes = 1 << 20;
constexpr std::size_t kReceiveBytes = 256 << 10;
constexpr std::chrono::seconds kServerStarts(30);
constexpr std::chrono::milliseconds kBetweenAttempts(5);

struct SplitEndpoint {
  std::string host;
  std::string port;
};

SplitEndpoint Split(const std::string& endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  if (colon == std::string::npos) return {endpoint, ""};
  return {endpoint.substr(0, colon), endpoint.substr(colon + 1)};
}

// -1 when the connection is refused.
int ConnectOnce(const SplitEndpoint& to) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(to.host.c_str(), to.port.c_str(), &hints, &found) != 0) return -1;
  const int made = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = made >= 0 && ::connect(made, found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  if (!connected) {
    if (made >= 0) ::close(made);
    return -1;
  }
  const int on = 1;
  ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return made;
}

nghttp2_nv Header(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

std::size_t MessageJoiner::WholeSize(std::string_view prefixed) {
  std::uint32_t length = 0;
  std::memcpy(&length, prefixed.data() + 1, sizeof length);
  return kPrefix + ntohl(length);
}

// What nghttp2 calls; `user` is the call.
struct BareCall::Callbacks {
  static int Data(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
                  std::size_t size, void* user) {
    auto& call = *static_cast<BareCall*>(user);
    if (stream != call.stream_) return 0;
    call.joiner_.Take({reinterpret_cast<const char*>(data), size},
                      [&](std::string_view message) { call.sink_.OnMessage(message); });
    return 0;
  }
  static int Header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* user) {
    const std::string_view key(reinterpret_cast<const char*>(name), name_size);
    if (key != "grpc-status") return 0;
    static_cast<BareCall*>(user)->status_ok_ =
        std::string_view(reinterpret_cast<const char*>(value), value_size) == "0";
    return 0;
  }
  static int Closed(nghttp2_session*, std::int32_t stream, std::uint32_t, void* user) {
    auto& call = *static_cast<BareCall*>(user);
    if (stream != call.stream_) return 0;
    call.stream_ = 0;
    call.sink_.OnEnd(call.status_ok_);
    return 0;
  }
  static ssize_t Body(nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t room,
                      std::uint32_t* flags, nghttp2_data_source*, void* user) {
    auto& call = *static_cast<BareCall*>(user);
    const std::size_t step = std::min(room, call.outgoing_.size() - call.sent_);
    if (step == 0 && !call.half_closed_) return NGHTTP2_ERR_DEFERRED;
    std::memcpy(to, call.outgoing_.data() + call.sent_, step);
    call.sent_ += step;
    if (call.sent_ == call.outgoing_.size()) {
      call.outgoing_.clear();
      call.sent_ = 0;
      if (call.half_closed_) *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(step);
  }
};

BareCall::BareCall(std::string endpoint, Sink& sink)
    : endpoint_(std::move(endpoint)),
      sink_(sink),
      session_(nullptr, nghttp2_session_del),
      buffer_(kReceiveBytes) {}

BareCall::~BareCall() {
  if (socket_ >= 0) ::close(socket_);
}

bool BareCall::Connect() {
  const SplitEndpoint to = Split(endpoint_);
  const auto give_up = std::chrono::steady_clock::now() + kServerStarts;
  while ((socket_ = ConnectOnce(to)) < 0) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(kBetweenAttempts);
  }
  StartSession();
  return Flush();
}

void BareCall::StartSession() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::Data);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::Header);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::Closed);
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new(&session, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  session_.reset(session);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, kFrameBytes},
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
  };
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

void BareCall::Begin(const std::string& path) {
  outgoing_.clear();
  sent_ = 0;
  half_closed_ = false;
  status_ok_ = false;
  joiner_.Clear();
  const nghttp2_nv headers[] = {
      Header(":method", "POST"), Header(":scheme", "http"),
      Header(":path", path),     Header(":authority", endpoint_),
      Header("te", "trailers"),  Header("content-type", "application/grpc"),
  };
  nghttp2_data_provider body{};
  body.read_callback = Callbacks::Body;
  stream_ =
      nghttp2_submit_request(session_.get(), nullptr, headers, std::size(headers), &body, nullptr);
}

void BareCall::Send(std::string_view message) {
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(message.size()));
  outgoing_.push_back('\0');  // not compressed
  outgoing_.append(reinterpret_cast<const char*>(&length), sizeof length);
  outgoing_.append(message);
  nghttp2_session_resume_data(session_.get(), stream_);
}

void BareCall::CloseHalf() {
  half_closed_ = true;
  nghttp2_session_resume_data(session_.get(), stream_);
}

bool BareCall::Write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t wrote = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

bool BareCall::Flush() {
  frames_.clear();
  const std::uint8_t* data = nullptr;
  ssize_t size = 0;
  while ((size = nghttp2_session_mem_send(session_.get(), &data)) > 0) {
    frames_.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  }
  return size == 0 && Write(frames_);
}

bool BareCall::Receive() {
  const ssize_t size = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
  if (size < 0 && errno == EINTR) return true;
  if (size <= 0) return false;
  return nghttp2_session_mem_recv(session_.get(), buffer_.data(), static_cast<std::size_t>(size)) ==
         size;
}

void BareCall::Abort() { ::shutdown(socket_, SHUT_RDWR); }

}  // namespace watchproof::store
