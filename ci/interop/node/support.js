// SPDX-License-Identifier: Apache-2.0
// What the tests of the npm package etcd3 share.
//
//   const etcd = connect({ hosts: `http://${endpoint}` });   // closed when the tests are over
//   const log = new EventLog(await etcd.watch().key('k').create());
//   await log.first(2);
'use strict';

const net = require('node:net');
const { after } = require('node:test');
const { once } = require('node:events');
const { Etcd3 } = require('etcd3');

const clients = [];
after(() => clients.forEach((client) => client.close()));

function connect(options) {
  const client = new Etcd3({ dialTimeout: 20000, ...options });
  clients.push(client);
  return client;
}

// Relays connections to a server until cut() closes them all.
class Relay {
  constructor(endpoint) {
    this.endpoint = endpoint;
    this.open = new Set();
    this.accepting = true;
    this.server = net.createServer((socket) => this.pass(socket));
  }
  async listen() {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `127.0.0.1:${this.server.address().port}`;
  }
  pass(client) {
    const [host, port] = this.endpoint.split(':');
    if (!this.accepting) return client.destroy();
    const server = net.connect(Number(port), host);
    for (const [from, to] of [[client, server], [server, client]]) {
      this.open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => { this.open.delete(from); to.destroy(); });
      from.pipe(to);
    }
  }
  cut() {
    this.open.forEach((socket) => socket.destroy());
  }
  close() {
    this.accepting = false;
    this.cut();
    this.server.close();
  }
}

// Collects the events of a watcher and waits for a number of them.
class EventLog {
  constructor(watcher) {
    this.received = [];
    this.watcher = watcher;
    const note = (type) => (kv) => {
      this.received.push(`${type} ${kv.key}=${kv.value}`);
      watcher.emit('received');
    };
    watcher.on('put', note('put')).on('delete', note('delete'));
  }
  async first(count) {
    while (this.received.length < count) await once(this.watcher, 'received');
    return this.received;
  }
}

module.exports = { EventLog, Relay, connect };
