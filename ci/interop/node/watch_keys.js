// SPDX-License-Identifier: Apache-2.0
// The npm package etcd3 as `etcdctl watch -i` is: lines of "watch KEY" or "watch KEY --rev N" on
// standard input, and the value of each put on standard output. All watches share one stream.
//
//   node watch_keys.js HOST:PORT          (node_modules beside it, or NODE_PATH set)
'use strict';

const readline = require('node:readline');
const { Etcd3 } = require('etcd3');

const client = new Etcd3({ hosts: `http://${process.argv[2]}` });
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const [, key, , revision] = line.split(' ');
  const builder = client.watch().key(key);
  const watcher = (revision ? builder.startRevision(revision) : builder).watcher();
  watcher.on('put', (pair) => console.log(pair.value.toString()));
  watcher.on('error', (error) => console.log(`error: ${error.message}`));
});
