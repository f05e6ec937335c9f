// SPDX-License-Identifier: Apache-2.0
// The npm package etcd3, an independent client in JavaScript, against one server: keys,
// transactions, leases, watches.
//
//   node etcd3_test.js HOST:PORT        (node_modules beside it, or NODE_PATH set)
//
// The server must be empty. Exit code 0 when every step did what the client documents.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { once } = require('node:events');
const { EtcdLeaseInvalidError } = require('etcd3');
const { EventLog, Relay, connect } = require('./support.js');

const endpoint = process.argv[2];
const plain = (hosts) => connect({ hosts: `http://${hosts}` });
const etcd = plain(endpoint);

test('puts, reads, lists and deletes', async () => {
  await etcd.put('kv/a').value('1');
  await etcd.put('kv/b').value('2');
  await etcd.put('kv/c').value(Buffer.from([0, 255]));
  assert.equal(await etcd.get('kv/a').string(), '1');
  assert.equal(await etcd.get('kv/none').string(), null);
  assert.deepEqual(await etcd.getAll().prefix('kv/').keys(), ['kv/a', 'kv/b', 'kv/c']);
  assert.deepEqual(await etcd.get('kv/c').buffer(), Buffer.from([0, 255]));
  assert.deepEqual(
    await etcd.getAll().prefix('kv/').sort('Key', 'Descend').limit(2).keys(), ['kv/c', 'kv/b']);
  assert.equal(await etcd.getAll().prefix('kv/').count(), 3);
  const old = await etcd.put('kv/a').value('3').getPrevious();
  assert.equal(old.value.toString(), '1');
  const past = await etcd.get('kv/a').revision(old.mod_revision).string();
  assert.equal(past, '1');
  assert.equal((await etcd.delete().prefix('kv/')).deleted, '3');
});

test('runs transactions', async () => {
  await etcd.put('txn/a').value('x');
  const run = () => etcd.if('txn/a', 'Value', '==', 'x')
    .and('txn/b', 'Create', '==', 0)
    .then(etcd.put('txn/b').value('made'), etcd.get('txn/a'))
    .else(etcd.get('txn/b'))
    .commit();
  const first = await run();
  assert.equal(first.succeeded, true);
  assert.equal(first.responses[1].response_range.kvs[0].value.toString(), 'x');
  const second = await run();
  assert.equal(second.succeeded, false);
  assert.equal(second.responses[0].response_range.kvs[0].value.toString(), 'made');
});

test('lets only one of many software transactions win each round', async () => {
  await etcd.put('stm').value('0');
  const add = () => etcd.stm({ retries: 50 }).transact(async (tx) => {
    await tx.put('stm').value(Number(await tx.get('stm').string()) + 1);
  });
  await Promise.all(Array.from({ length: 8 }, add));
  assert.equal(await etcd.get('stm').string(), '8');
});

test('keeps leases alive, asks for them, and loses keys with them', async () => {
  const lease = etcd.lease(30);
  await lease.put('lease/a').value('1');
  await lease.put('lease/b').value('2');
  const id = await lease.grant();
  await lease.keepaliveOnce();
  const state = await etcd.leaseClient.leaseTimeToLive({ ID: id, keys: true });
  assert.equal(state.grantedTTL, '30');
  assert.ok(Number(state.TTL) > 20, `of 30 s ${state.TTL} are left`);
  assert.deepEqual(state.keys.map(String).sort(), ['lease/a', 'lease/b']);
  assert.deepEqual((await etcd.leaseClient.leaseLeases()).leases.map((one) => one.ID), [id]);
  await lease.revoke();
  assert.deepEqual(await etcd.getAll().prefix('lease/').keys(), []);
  await assert.rejects(etcd.put('lease/a').value('1').lease(id), EtcdLeaseInvalidError);
});

test('is notified when a lease has ended without it', async () => {
  const lease = etcd.lease(2, { autoKeepAlive: true });
  const id = await lease.grant();
  const lost = once(lease, 'lost');
  await etcd.leaseClient.leaseRevoke({ ID: id });
  await lost;
});

test('deletes the keys of a lease that is not kept alive', async () => {
  const watcher = await etcd.watch().key('expires').create();
  const log = new EventLog(watcher);
  const { ID } = await etcd.leaseClient.leaseGrant({ TTL: 2, ID: 0 });
  await etcd.put('expires').value('soon').lease(ID);
  assert.deepEqual(await log.first(2), ['put expires=soon', 'delete expires=']);
  await watcher.cancel();
});

test('watches from a revision on', async () => {
  const { header } = await etcd.put('watch/a').value('1');
  await etcd.put('watch/b').value('2');
  await etcd.delete().key('watch/a');
  const watcher =
    await etcd.watch().prefix('watch/').startRevision(header.revision).create();
  const log = new EventLog(watcher);
  assert.deepEqual(
    await log.first(3), ['put watch/a=1', 'put watch/b=2', 'delete watch/a=']);
  await watcher.cancel();
});

test('resumes a watch after its connection was cut, and misses nothing', async () => {
  const relay = new Relay(endpoint);
  const faulted = plain(await relay.listen());
  const watcher = await faulted.watch().prefix('resume/').create();
  const log = new EventLog(watcher);
  await etcd.put('resume/a').value('1');
  await log.first(1);
  const back = once(watcher, 'connected');
  relay.accepting = false;
  const cut = once(watcher, 'disconnected');
  relay.cut();
  await cut;
  await etcd.put('resume/b').value('2');
  await etcd.delete().key('resume/a');
  relay.accepting = true;
  await back;
  await etcd.put('resume/c').value('3');
  assert.deepEqual(
    await log.first(4),
    ['put resume/a=1', 'put resume/b=2', 'delete resume/a=', 'put resume/c=3']);
  await watcher.cancel();
  faulted.close();
  relay.close();
});

test('ends a watch below the floor with an error', async () => {
  await etcd.put('floor').value('1');
  const { header } = await etcd.put('floor').value('2');
  await etcd.kv.compact({ revision: header.revision });
  // Not create(): the error could come before once() listens for it.
  const [error] = await once(etcd.watch().key('floor').startRevision('1').watcher(), 'error');
  assert.match(error.message, /^Watcher canceled/);
});

test('locks against others', async () => {
  const first = etcd.lock('lock');
  await first.acquire();
  await assert.rejects(plain(endpoint).lock('lock').acquire());
  await first.release();
  await plain(endpoint).lock('lock').do(() => undefined);
});
