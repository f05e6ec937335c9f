// SPDX-License-Identifier: Apache-2.0
// What the tests of the npm package etcd3 share.
//
//   const etcd = connect({ hosts: `http://${endpoint}` });   // closed when the tests are over
//   const ears = new Ears(await etcd.watch().key('k').create());
//   await ears.hear(2);
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

// Passes connections on to a server until told to cut them all.
class Road {
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

// Collects what a watcher hears and waits for a number of it.
class Ears {
  constructor(watcher) {
    this.heard = [];
    this.watcher = watcher;
    const note = (type) => (kv) => {
      this.heard.push(`${type} ${kv.key}=${kv.value}`);
      watcher.emit('heard');
    };
    watcher.on('put', note('put')).on('delete', note('delete'));
  }
  async hear(count) {
    while (this.heard.length < count) await once(this.watcher, 'heard');
    return this.heard;
  }
}

module.exports = { Ears, Road, connect };
