// SPDX-License-Identifier: Apache-2.0
// The npm package toxiproxy-node-client, a client of Toxiproxy, against one control port.
//
//   node toxiproxy_test.js HOST:PORT        (node_modules beside it, or NODE_PATH set)
//
// There must be no proxies yet. Exit code 0 when every step did what the client documents.
'use strict';

const assert = require('node:assert/strict');
const net = require('node:net');
const { after, before, test } = require('node:test');
const { once } = require('node:events');
const { Toxiproxy } = require('toxiproxy-node-client');

const toxiproxy = new Toxiproxy(`http://${process.argv[2]}`);
const open = new Set();
const echo = net.createServer((socket) => {
  open.add(socket);
  socket.on('error', () => socket.destroy());
  socket.pipe(socket);
});

before(async () => {
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
});
after(() => {
  echo.close();
  open.forEach((socket) => socket.destroy());
});

async function make(name) {
  const upstream = `127.0.0.1:${echo.address().port}`;
  return toxiproxy.createProxy({ name, listen: '127.0.0.1:0', upstream });
}

async function connect(proxy) {
  const [host, port] = proxy.listen.split(':');
  const socket = net.connect(Number(port), host);
  open.add(socket);
  await once(socket, 'connect');
  return socket;
}

// Sends `text` and reads as many bytes; returns them and how long that took.
async function say(socket, text) {
  const from = performance.now();
  let received = '';
  socket.write(text);
  while (received.length < text.length) received += (await once(socket, 'data'))[0];
  return { received, took: performance.now() - from };
}

// Everything until the end of the stream.
async function readAll(socket) {
  let received = '';
  for await (const bytes of socket) received += bytes;
  return received;
}

test('opens, lists, shows and removes proxies', async () => {
  const proxy = await make('one');
  assert.equal((await say(await connect(proxy), 'hello')).received, 'hello');
  assert.deepEqual(Object.keys(await toxiproxy.getAll()), ['one']);
  const shown = await toxiproxy.get('one');
  assert.deepEqual(shown.toJson(), proxy.toJson());
  assert.equal(shown.enabled, true);
  await proxy.remove();
  await assert.rejects(connect(proxy), { code: 'ECONNREFUSED' });
  await assert.rejects(toxiproxy.get('one'), /404/);
});

test('takes a proxy down and up again', async () => {
  const proxy = await make('switched');
  const down = await proxy.update({ ...proxy.toJson(), enabled: false });
  assert.equal(down.enabled, false);
  await assert.rejects(connect(proxy), { code: 'ECONNREFUSED' });
  const up = await proxy.update({ ...proxy.toJson(), enabled: true });
  assert.equal(up.listen, proxy.listen);
  assert.equal((await say(await connect(up), 'again')).received, 'again');
  await proxy.remove();
});

test('latency takes effect, is changed and removed', async () => {
  const proxy = await make('slow');
  const socket = await connect(proxy);
  const toxic = await proxy.addToxic({
    name: 'wait', type: 'latency', stream: 'upstream', toxicity: 1,
    attributes: { latency: 100, jitter: 0 },
  });
  assert.deepEqual(toxic.toJson(), {
    name: 'wait', type: 'latency', stream: 'upstream', toxicity: 1,
    attributes: { latency: 100, jitter: 0 },
  });
  assert.ok((await say(socket, 'slow')).took >= 100);
  assert.deepEqual((await proxy.getToxic('wait')).toJson(), toxic.toJson());
  const changed = await toxic.update({ attributes: { latency: 200, jitter: 0 }, toxicity: 1 });
  assert.equal(changed.attributes.latency, 200);
  assert.ok((await say(socket, 'slower')).took >= 200);
  await toxic.remove();
  assert.equal((await say(socket, 'fast')).received, 'fast');
  await assert.rejects(proxy.getToxic('wait'), /404/);
  await proxy.remove();
});

test('limit_data ends a connection behind its last byte', async () => {
  const proxy = await make('limited');
  await proxy.addToxic({ type: 'limit_data', attributes: { bytes: 5 } });
  const socket = await connect(proxy);
  socket.write('0123456789');
  assert.equal(await readAll(socket), '01234');
  await proxy.remove();
});

test('reset_peer resets connections', async () => {
  const proxy = await make('reset');
  const socket = await connect(proxy);
  const gone = assert.rejects(readAll(socket), { code: 'ECONNRESET' });
  await proxy.addToxic({ type: 'reset_peer', attributes: { timeout: 0 } });
  await gone;
  await proxy.remove();
});

test('timeout swallows everything and then closes', async () => {
  const proxy = await make('timeout');
  const socket = await connect(proxy);
  await proxy.addToxic({ type: 'timeout', attributes: { timeout: 100 } });
  socket.write('lost');
  assert.equal(await readAll(socket), '');
  await proxy.remove();
});

test('bandwidth, slicer and slow_close lose nothing', async () => {
  const proxy = await make('narrow');
  await proxy.addToxic({ type: 'bandwidth', attributes: { rate: 100 } });
  await proxy.addToxic(
    { type: 'slicer', attributes: { average_size: 16, size_variation: 8, delay: 10 } });
  await proxy.addToxic({ type: 'slow_close', attributes: { delay: 100 } });
  const text = 'x'.repeat(20000);
  const socket = await connect(proxy);
  const { received, took } = await say(socket, text);
  assert.equal(received, text);
  assert.ok(took >= 150, `${took} ms for 20 kB at 100 kB/s`);
  const from = performance.now();
  socket.end();
  await readAll(socket);
  assert.ok(performance.now() - from >= 100);
  await proxy.remove();
});

test('populates and resets', async () => {
  const upstream = `127.0.0.1:${echo.address().port}`;
  const wanted = ['a', 'b'].map((name) => ({ name, listen: '127.0.0.1:0', upstream }));
  const made = await toxiproxy.populate(wanted);
  assert.deepEqual(Object.keys(made), ['a', 'b']);
  await made.a.addToxic({ type: 'timeout', attributes: { timeout: 0 } });
  await made.b.update({ ...made.b.toJson(), enabled: false });
  await toxiproxy.reset();
  await assert.rejects(made.a.getToxic('timeout_downstream'), /404/);
  for (const proxy of [made.a, made.b]) {
    assert.equal((await say(await connect(proxy), 'back')).received, 'back');
    await proxy.remove();
  }
});

test('is refused what makes no sense, with the codes of Toxiproxy', async () => {
  const proxy = await make('one');
  await assert.rejects(make('one'), /409/);
  await assert.rejects(toxiproxy.createProxy({ name: 'x' }), /400/);
  await assert.rejects(proxy.addToxic({ type: 'lag', attributes: {} }), /400/);
  await assert.rejects(proxy.addToxic({ type: 'latency', stream: 'up', attributes: {} }), /400/);
  await proxy.remove();
  await assert.rejects(proxy.remove(), /404/);
});

test('reports the version of the API', async () => {
  assert.match(JSON.parse(await toxiproxy.getVersion()).version, /^2\.\d+\.\d+$/);
});
