// SPDX-License-Identifier: Apache-2.0
// The certificate and key files of a server, read and checked before any port is opened.
//
//   WP_ASSIGN_OR_RETURN(const auto tls, LoadTls({.cert_file = "s.crt", .key_file = "s.key"}));
//   if (tls) builder.AddListeningPort(address, ServerCredentials(tls), ...);
//
// gRPC only reports that it could not listen; here every error names the file. Threads: values, and
// free functions without state.
#pragma once

#include <optional>
#include <string>

#include "harness/base/status.h"

namespace watchproof::store {

// By the names of etcd's flags; all empty: no TLS.
struct TlsFiles {
  std::string cert_file;
  std::string key_file;
  std::string trusted_ca_file;
  bool client_cert_auth = false;
};

// In PEM form.
struct TlsMaterial {
  std::string certificates;  // the server's own first
  std::string key;
  std::string authorities;
  // As with etcd, naming authorities is enough to require client certificates.
  bool requires_client() const { return !authorities.empty(); }
};

// None when no file is named. Refused, naming flag or file: a certificate without its key and the
// other way around, authorities or --client-cert-auth without what they need, a file that cannot be
// read or does not hold what it should, a key that belongs to another certificate.
Result<std::optional<TlsMaterial>> LoadTls(const TlsFiles& files);

}  // namespace watchproof::store
