// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/tls_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

namespace watchproof::store {
namespace {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* owned) const {
    Free(owned);
  }
};
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free>>;

struct File {
  const char* flag;
  const std::string& path;
};

Result<std::string> Read(const File& file) {
  errno = 0;
  std::ifstream stream(file.path, std::ios::binary);
  // Not through iterators: what is open but cannot be read, such as a folder, makes those throw.
  std::ostringstream read;
  read << stream.rdbuf();
  const std::string text = read.str();
  if (stream.is_open() && !text.empty()) return text;
  const Status why =
      errno != 0 ? FromErrno(errno) : Status(StatusCode::kInvalidArgument, "the file is empty");
  return why.WithContext("{} {}", file.flag, file.path);
}

Memory Over(const std::string& text) {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// OpenSSL would otherwise ask on the terminal.
int NoPassword(char*, int, int, void*) { return 0; }

Result<Certificate> FirstCertificate(const std::string& pem, const File& file) {
  Certificate certificate(PEM_read_bio_X509(Over(pem).get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  if (certificate) return certificate;
  return Fail(StatusCode::kInvalidArgument, "{} {} holds no certificate in PEM form", file.flag,
              file.path);
}

Result<Key> ReadKey(const std::string& pem, const File& file) {
  Key key(PEM_read_bio_PrivateKey(Over(pem).get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  if (key) return key;
  return Fail(StatusCode::kInvalidArgument,
              "{} {} holds no private key in PEM form that is open to read", file.flag, file.path);
}

Status CheckFlags(const TlsFiles& files) {
  if (files.cert_file.empty() != files.key_file.empty()) {
    return Status(StatusCode::kInvalidArgument, "--cert-file and --key-file go together");
  }
  if (files.client_cert_auth && files.trusted_ca_file.empty()) {
    return Status(StatusCode::kInvalidArgument, "--client-cert-auth needs --trusted-ca-file");
  }
  if (files.cert_file.empty() && !files.trusted_ca_file.empty()) {
    return Status(StatusCode::kInvalidArgument,
                  "--trusted-ca-file needs --cert-file and --key-file");
  }
  return {};
}

}  // namespace

Result<std::optional<TlsMaterial>> LoadTls(const TlsFiles& files) {
  WP_RETURN_IF_ERROR(CheckFlags(files));
  if (files.cert_file.empty()) return std::optional<TlsMaterial>();
  const File cert_file{"--cert-file", files.cert_file};
  const File key_file{"--key-file", files.key_file};
  TlsMaterial material;
  WP_ASSIGN_OR_RETURN(material.certificates, Read(cert_file));
  WP_ASSIGN_OR_RETURN(material.key, Read(key_file));
  WP_ASSIGN_OR_RETURN(const Certificate certificate,
                      FirstCertificate(material.certificates, cert_file));
  WP_ASSIGN_OR_RETURN(const Key key, ReadKey(material.key, key_file));
  const bool match = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!match) {
    return Fail(StatusCode::kInvalidArgument, "the key in {} is not that of the certificate in {}",
                files.key_file, files.cert_file);
  }
  if (!files.trusted_ca_file.empty()) {
    const File ca_file{"--trusted-ca-file", files.trusted_ca_file};
    WP_ASSIGN_OR_RETURN(material.authorities, Read(ca_file));
    WP_ASSIGN_OR_RETURN([[maybe_unused]] const Certificate authority,
                        FirstCertificate(material.authorities, ca_file));
  }
  return std::optional<TlsMaterial>(std::move(material));
}

}  // namespace watchproof::store
