// SPDX-License-Identifier: Apache-2.0
// The npm package etcd3 against one server: users, roles, permissions, and missing ones.
//
//   node auth_test.js HOST:PORT          (node_modules beside it, or NODE_PATH set)
//
// The server must be empty; it ends up with authentication switched on.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const errors = require('etcd3');
const { EventLog, connect } = require('./support.js');

const hosts = `http://${process.argv[2]}`;
const login = (username, password) => connect({ hosts, auth: { username, password } });
const anonymous = connect({ hosts });
const root = login('root', 'secret');

test('switches authentication on only when there is a root', async () => {
  await assert.rejects(anonymous.auth.authEnable(), /root user does not exist/);
  await anonymous.user('root').create('secret');
  await assert.rejects(anonymous.auth.authEnable(), /root user does not have root role/);
  await anonymous.role('root').create();
  await anonymous.user('root').addRole('root');
  await assert.rejects(anonymous.user('root').create('again'), errors.EtcdUserExistsError);
  await anonymous.put('public').value('before');
  await anonymous.auth.authEnable();
  await assert.rejects(anonymous.get('public').string(), /user name is empty/);
  assert.equal(await root.get('public').string(), 'before');
});

test('refuses wrong passwords and unknown users', async () => {
  await assert.rejects(login('root', 'wrong').get('public').string(),
    errors.EtcdAuthenticationFailedError);
  await assert.rejects(login('absent', 'secret').get('public').string(),
    errors.EtcdAuthenticationFailedError);
});

test('gives a user the rights of its roles and no others', async () => {
  const role = await root.role('writer').create();
  await assert.rejects(root.role('writer').create(), errors.EtcdRoleExistsError);
  await role.grant({ permission: 'Readwrite', range: root.range({ prefix: 'mine/' }) });
  await role.grant({ permission: 'Read', key: 'shown' });
  assert.equal((await role.permissions()).length, 2);
  const user = await root.user('ann').create('pass');
  await user.addRole(role);
  assert.deepEqual((await user.roles()).map((one) => one.name), ['writer']);
  const ann = login('ann', 'pass');
  await ann.put('mine/a').value('1');
  assert.equal(await ann.get('mine/a').string(), '1');
  await root.put('shown').value('2');
  assert.equal(await ann.get('shown').string(), '2');
  const denied = errors.EtcdPermissionDeniedError;
  await assert.rejects(ann.put('shown').value('3'), denied);
  await assert.rejects(ann.get('public').string(), denied);
  await assert.rejects(ann.getAll().prefix('m').keys(), denied);
  await assert.rejects(ann.delete().all(), denied);
  await assert.rejects(ann.user('bob').create('pass'), denied);
  await assert.rejects(
    ann.if('public', 'Create', '>', 0).then(ann.get('mine/a')).commit(), denied);
});

test('lets a user watch what it may read', async () => {
  const ann = login('ann', 'pass');
  const watcher = await ann.watch().prefix('mine/').create();
  const log = new EventLog(watcher);
  await root.put('mine/b').value('seen');
  assert.deepEqual(await log.first(1), ['put mine/b=seen']);
  await watcher.cancel();
});

test('takes rights away', async () => {
  const ann = login('ann', 'pass');
  assert.equal(await ann.get('mine/a').string(), '1');
  await root.user('ann').removeRole('writer');
  await assert.rejects(ann.get('mine/a').string(), errors.EtcdPermissionDeniedError);
  await root.user('ann').setPassword('new');
  assert.equal(await login('ann', 'new').get('mine/a').string().catch((e) => e.name),
    new errors.EtcdPermissionDeniedError().name);
  await assert.rejects(login('ann', 'pass').get('mine/a').string(),
    errors.EtcdAuthenticationFailedError);
  await root.user('ann').delete();
  await root.role('writer').delete();
  await assert.rejects(root.role('writer').delete(), errors.EtcdRoleNotFoundError);
});
