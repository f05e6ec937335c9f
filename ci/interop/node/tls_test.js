// SPDX-License-Identifier: Apache-2.0
// The npm package etcd3 against one server that requires client certificates.
//
//   node tls_test.js HOST:PORT AUTHORITY CERTIFICATE KEY      (files in PEM form)
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { test } = require('node:test');
const { EventLog, connect } = require('./support.js');

const [endpoint, ...files] = process.argv.slice(2);
const [rootCertificate, certChain, privateKey] = files.map((file) => fs.readFileSync(file));
const hosts = `https://${endpoint}`;

test('serves a client with a certificate', async () => {
  const etcd = connect({ hosts, credentials: { rootCertificate, certChain, privateKey } });
  const watcher = await etcd.watch().key('tls').create();
  const log = new EventLog(watcher);
  await etcd.put('tls').value('1');
  assert.equal(await etcd.get('tls').string(), '1');
  assert.deepEqual(await log.first(1), ['put tls=1']);
  await watcher.cancel();
});

test('serves no client without one, and none in the clear', async () => {
  for (const options of [
    { hosts, credentials: { rootCertificate } },
    { hosts: `http://${endpoint}` },
  ]) {
    await assert.rejects(connect(options).get('tls').string());
  }
});
