// SPDX-License-Identifier: Apache-2.0
// Makes dist/page.html: the page in one file, with places for title and data.
//
//   node build.mjs [FILE]
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const here = new URL('.', import.meta.url).pathname;
const out = process.argv[2] ?? `${here}dist/page.html`;

const result = await build({
  absWorkingDir: here,
  entryPoints: ['src/main.tsx', 'src/page.css'],
  outdir: 'dist',
  bundle: true,
  minify: true,
  write: false,
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  charset: 'ascii',
});
const text = (end) => result.outputFiles.find((file) => file.path.endsWith(end)).text.trim();
const schema = JSON.stringify(JSON.parse(readFileSync(`${here}page.schema.json`, 'utf8')));

writeFileSync(out, `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>watchproof: <!--title--></title>
<style>${text('.css')}</style></head><body>
<div id="page"><noscript>This page needs JavaScript; summary.md beside it does not.</noscript></div>
<script type="application/schema+json" id="schema">${schema}</script>
<!--data-->
<script>${text('.js')}</script>
</body></html>
`);
