// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/control_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace watchproof::proxy {
namespace {

// The release of Toxiproxy that this API follows.
constexpr const char* kToxiproxyVersion = "2.12.0";

unsigned HttpCode(StatusCode code) {
  if (code == StatusCode::kInvalidArgument) return 400;
  if (code == StatusCode::kNotFound) return 404;
  if (code == StatusCode::kUnimplemented) return 405;
  const bool conflict =
      code == StatusCode::kAlreadyExists || code == StatusCode::kFailedPrecondition;
  return conflict ? 409 : 500;
}

Json ErrorJson(const Status& error) {
  return {{"error", error.message()}, {"status", HttpCode(error.code())}};
}

Json ToJson(const ConnectionInfo& connection) {
  return {{"id", connection.id.value},
          {"state", Name(connection.state)},
          {"client", connection.client},
          {"target", connection.target},
          {"bytes_to_client", connection.bytes_to_client},
          {"bytes_to_target", connection.bytes_to_target}};
}

}  // namespace

const std::vector<ControlApi::Route>& ControlApi::Routes() {
  static const std::vector<Route> routes = {
      {"GET", "/proxies", &ControlApi::ListProxies},
      {"POST", "/proxies", &ControlApi::CreateProxy},
      {"GET", "/proxies/*", &ControlApi::ShowProxy},
      {"POST", "/proxies/*", &ControlApi::UpdateProxy},
      {"PATCH", "/proxies/*", &ControlApi::UpdateProxy},
      {"DELETE", "/proxies/*", &ControlApi::DeleteProxy},
      {"GET", "/proxies/*/connections", &ControlApi::ListConnections},
      {"GET", "/proxies/*/toxics", &ControlApi::ListToxics},
      {"POST", "/proxies/*/toxics", &ControlApi::CreateToxic},
      {"GET", "/proxies/*/toxics/*", &ControlApi::ShowToxic},
      {"POST", "/proxies/*/toxics/*", &ControlApi::ChangeToxic},
      {"PATCH", "/proxies/*/toxics/*", &ControlApi::ChangeToxic},
      {"DELETE", "/proxies/*/toxics/*", &ControlApi::DeleteToxic},
      {"POST", "/populate", &ControlApi::Populate},
      {"POST", "/reset", &ControlApi::Reset},
      {"GET", "/version", &ControlApi::ShowVersion},
      {"GET", "/effects", &ControlApi::ListEffects},
      {"POST", "/effects", &ControlApi::ArmEffect},
      {"GET", "/effects/*", &ControlApi::ShowEffect},
      {"DELETE", "/effects/*", &ControlApi::HealEffect},
      {"GET", "/effect-kinds", &ControlApi::ListKinds},
      {"GET", "/disks", &ControlApi::ListDisks},
      {"GET", "/disks/*", &ControlApi::ShowDisk},
      {"GET", "/disks/*/effects", &ControlApi::ListDiskEffects},
      {"POST", "/disks/*/effects", &ControlApi::ArmDiskEffect},
      {"GET", "/disks/*/effects/*", &ControlApi::ShowDiskEffect},
      {"DELETE", "/disks/*/effects/*", &ControlApi::HealDiskEffect},
      {"POST", "/disks/*/power-failure", &ControlApi::FailPower},
  };
  return routes;
}

ApiAnswer ControlApi::Handle(const ApiRequest& request) {
  Result<ApiAnswer> answer = Dispatch(request);
  if (answer.has_value()) return std::move(*answer);
  return Ok(ErrorJson(answer.error()), HttpCode(answer.error().code()));
}

Result<ApiAnswer> ControlApi::Dispatch(const ApiRequest& request) {
  std::vector<std::string_view> methods;
  for (const Route& route : Routes()) {
    const std::optional<Words> words = MatchPath(route.path, request.target);
    if (!words) continue;
    if (route.method == request.method) return (this->*route.handler)(*words, request.body);
    methods.push_back(route.method);
  }
  if (!methods.empty()) {
    return Fail(StatusCode::kUnimplemented, "{} is not possible here; there are: {}",
                request.method, fmt::join(methods, ", "));
  }
  std::vector<std::string_view> paths;
  for (const Route& route : Routes()) {
    if (paths.empty() || paths.back() != route.path) paths.push_back(route.path);
  }
  return Fail(StatusCode::kNotFound, "there is nothing at '{}'; there are: {}", request.target,
              fmt::join(paths, ", "));
}

std::vector<std::string> ControlApi::HostsOf(const ApiRequest& request) const {
  std::set<std::string> hosts;
  if (request.method == "GET") return {};
  const auto add = [&hosts](const std::string& text) {
    if (const auto place = ParsePlace(text)) hosts.insert(place->host);
  };
  const auto add_fields = [&add](const Json& object) {
    if (!object.is_object()) return;
    for (const char* name : {"listen", "upstream"}) {
      std::string text;
      if (ReadField(object, name, text).ok()) add(text);
    }
  };
  const Json body = ParseJson(request.body);
  add_fields(body);
  if (body.is_array()) std::for_each(body.begin(), body.end(), add_fields);
  for (const auto& [name, proxy] : proxies_) {
    if (!proxy.open) add(proxy.listen), add(proxy.upstream);
  }
  return {hosts.begin(), hosts.end()};
}

void ControlApi::Adopt(const ProxyInfo& proxy) {
  const ProxyOptions& options = proxy.options;
  proxies_[options.name] = {
      .name = options.name,
      .listen = proxy.endpoint,
      .asked = proxy.endpoint,
      .upstream = fmt::format("{}:{}", options.target_host, options.target_port),
      .open = proxy.id};
}

Result<ControlApi::Proxy*> ControlApi::Find(const std::string& name) {
  const auto it = proxies_.find(name);
  if (it == proxies_.end()) return Fail(StatusCode::kNotFound, "proxy not found");
  return &it->second;
}

Json ControlApi::Describe(const Proxy& proxy) const {
  Json toxics = Json::array();
  for (const Toxic& toxic : proxy.toxics) toxics.push_back(ToJson(toxic));
  return {{"name", proxy.name},
          {"listen", proxy.listen},
          {"upstream", proxy.upstream},
          {"enabled", proxy.open.has_value()},
          {"toxics", std::move(toxics)}};
}

Status ControlApi::Enable(Proxy& proxy) {
  if (proxy.open) return {};
  WP_ASSIGN_OR_RETURN(const HostPort listen, ParsePlace(proxy.listen));
  WP_ASSIGN_OR_RETURN(const HostPort to, ParsePlace(proxy.upstream));
  const Prng prng = prng_.Fork(fmt::format("proxy/{}/{}", proxy.name, proxy.opened + 1));
  const Result<ProxyId> opened = registry_.Open({.name = proxy.name,
                                                 .listen_host = listen.host,
                                                 .listen_port = listen.port,
                                                 .target_host = to.host,
                                                 .target_port = to.port,
                                                 .seed = prng.seed()});
  if (!opened.has_value()) {
    // A name without an address is the caller's mistake; a taken port is not, and Toxiproxy answers
    // 500 for it.
    if (opened.error().code() == StatusCode::kInvalidArgument) return opened.error();
    return Status(StatusCode::kUnavailable, opened.error().message());
  }
  ++proxy.opened;
  proxy.open = *opened;
  proxy.listen = registry_.endpoint(*opened);
  for (Toxic& toxic : proxy.toxics) WP_RETURN_IF_ERROR(Arm(proxy, toxic));
  return {};
}

void ControlApi::Disable(Proxy& proxy) {
  if (proxy.open) registry_.Close(*std::exchange(proxy.open, std::nullopt));
  for (Toxic& toxic : proxy.toxics) toxic.armed.reset();
}

Status ControlApi::Replace(Proxy& proxy, Proxy wanted, bool enabled) {
  const bool was_open = proxy.open.has_value();
  Disable(proxy);
  for (Toxic& toxic : wanted.toxics) toxic.armed.reset();
  wanted.opened = proxy.opened;
  if (Status failed = enabled ? Enable(wanted) : Status(); !failed.ok()) {
    Disable(wanted);
    const Status back = was_open ? Enable(proxy) : Status();
    if (back.ok()) return failed;
    return std::move(failed).WithContext("the proxy is disabled now, since {}", back.message());
  }
  proxy = std::move(wanted);
  return {};
}

Result<ControlApi::Proxy> ControlApi::Read(const Json& body) {
  Proxy proxy;
  WP_RETURN_IF_ERROR(ReadField(body, "name", proxy.name));
  WP_RETURN_IF_ERROR(ReadField(body, "listen", proxy.listen));
  WP_RETURN_IF_ERROR(ReadField(body, "upstream", proxy.upstream));
  if (proxy.listen.empty()) proxy.listen = "127.0.0.1:0";
  if (proxy.name.empty()) {
    return Fail(StatusCode::kInvalidArgument, "missing required field: name");
  }
  if (proxy.upstream.empty()) {
    return Fail(StatusCode::kInvalidArgument, "missing required field: upstream");
  }
  for (const std::string& text : {proxy.listen, proxy.upstream}) {
    if (const auto place = ParsePlace(text); !place.has_value()) return place.error();
  }
  proxy.asked = proxy.listen;
  return proxy;
}

Result<ApiAnswer> ControlApi::ListProxies(const Words&, const std::string&) {
  Json all = Json::object();
  for (const auto& [name, proxy] : proxies_) all[name] = Describe(proxy);
  return Ok(all);
}

Result<ApiAnswer> ControlApi::CreateProxy(const Words&, const std::string& text) {
  WP_ASSIGN_OR_RETURN(const Json body, ParseBody(text, JsonKind::kObject));
  bool enabled = true;
  WP_RETURN_IF_ERROR(ReadField(body, "enabled", enabled));
  WP_ASSIGN_OR_RETURN(Proxy proxy, Read(body));
  if (proxies_.contains(proxy.name)) {
    return Fail(StatusCode::kAlreadyExists, "proxy already exists");
  }
  if (enabled) WP_RETURN_IF_ERROR(Enable(proxy));
  const Json answer = Describe(proxy);
  proxies_.emplace(proxy.name, std::move(proxy));
  return Ok(answer, 201);
}

Result<ApiAnswer> ControlApi::ShowProxy(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(const Proxy* proxy, Find(words[0]));
  return Ok(Describe(*proxy));
}

Result<ApiAnswer> ControlApi::UpdateProxy(const Words& words, const std::string& text) {
  WP_ASSIGN_OR_RETURN(Proxy * proxy, Find(words[0]));
  WP_ASSIGN_OR_RETURN(Json body, ParseBody(text, JsonKind::kObject));
  bool enabled = proxy->open.has_value();
  WP_RETURN_IF_ERROR(ReadField(body, "enabled", enabled));
  Json whole = {{"name", proxy->name}, {"listen", proxy->listen}, {"upstream", proxy->upstream}};
  for (const char* name : {"listen", "upstream"}) {
    if (body.contains(name) && !body[name].is_null() && body[name] != "") whole[name] = body[name];
  }
  WP_ASSIGN_OR_RETURN(Proxy wanted, Read(whole));
  const bool moved = wanted.listen != proxy->listen && wanted.listen != proxy->asked;
  if (moved || wanted.upstream != proxy->upstream) {
    if (!moved) {
      wanted.listen = proxy->listen;
      wanted.asked = proxy->asked;
    }
    wanted.toxics = proxy->toxics;
    WP_RETURN_IF_ERROR(Replace(*proxy, std::move(wanted), enabled));
  }
  if (!enabled) Disable(*proxy);
  if (enabled) WP_RETURN_IF_ERROR(Enable(*proxy));
  return Ok(Describe(*proxy));
}

Result<ApiAnswer> ControlApi::DeleteProxy(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(Proxy * proxy, Find(words[0]));
  Disable(*proxy);
  proxies_.erase(words[0]);
  return Nothing();
}

Result<ApiAnswer> ControlApi::ListConnections(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(const Proxy* proxy, Find(words[0]));
  Json all = Json::array();
  if (proxy->open) {
    for (const ConnectionInfo& one : registry_.Connections(*proxy->open))
      all.push_back(ToJson(one));
  }
  return Ok(all);
}

Result<const ControlApi::Proxy*> ControlApi::Place(Proxy wanted, bool enabled) {
  const std::string name = wanted.name;
  if (const auto it = proxies_.find(name); it != proxies_.end()) {
    const Proxy& there = it->second;
    const bool same_place = wanted.listen == there.listen || wanted.listen == there.asked;
    if (same_place && wanted.upstream == there.upstream) return &there;
    WP_RETURN_IF_ERROR(Replace(it->second, std::move(wanted), enabled));
    return &there;
  }
  if (enabled) WP_RETURN_IF_ERROR(Enable(wanted));
  return &(proxies_[name] = std::move(wanted));
}

Result<ApiAnswer> ControlApi::Populate(const Words&, const std::string& text) {
  WP_ASSIGN_OR_RETURN(const Json body, ParseBody(text, JsonKind::kArray));
  std::vector<std::pair<Proxy, bool>> wanted;
  for (const Json& one : body) {
    const auto which = [&wanted](Status error) {
      return std::move(error).WithContext("at proxy {}", wanted.size() + 1);
    };
    if (!one.is_object()) {
      return which(Fail(StatusCode::kInvalidArgument, "bad request body: expected a JSON object"));
    }
    bool enabled = true;
    if (Status read = ReadField(one, "enabled", enabled); !read.ok()) return which(read);
    Result<Proxy> proxy = Read(one);
    if (!proxy.has_value()) return which(std::move(proxy).error());
    wanted.emplace_back(std::move(*proxy), enabled);
  }
  Json placed = Json::array();
  for (auto& [proxy, enabled] : wanted) {
    const Result<const Proxy*> done = Place(std::move(proxy), enabled);
    if (!done.has_value()) {
      Json answer = ErrorJson(done.error());
      answer["proxies"] = std::move(placed);
      return Ok(answer, HttpCode(done.error().code()));
    }
    placed.push_back(Describe(**done));
  }
  return Ok({{"proxies", std::move(placed)}}, 201);
}

Result<ApiAnswer> ControlApi::Reset(const Words&, const std::string&) {
  for (auto& [name, proxy] : proxies_) proxy.toxics.clear();
  registry_.HealAll();
  for (const auto& [name, disk] : disks_) disk->disk().HealAll();
  for (auto& [name, proxy] : proxies_) WP_RETURN_IF_ERROR(Enable(proxy));
  return Nothing();
}

Result<ApiAnswer> ControlApi::ShowVersion(const Words&, const std::string&) {
  return Ok({{"version", kToxiproxyVersion}, {"server", "watchproof"}});
}

}  // namespace watchproof::proxy
