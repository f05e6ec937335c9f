// SPDX-License-Identifier: Apache-2.0
// What a visitor does with the site. Started by site_test.py, beside the packages of report.html.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const [bare, full] = [process.env.WP_BARE, process.env.WP_FULL];
const RED = 'CompactionSurfaced.FullQueue@embedded+compaction-notice-lost';
const KINDS = ['index.html', 'contract.html', 'bugs.html', 'findings.html', 'found-quiet-watch-compacted.html',
  'cases.html', 'etcd.html', `embedded.html#${RED}`, 'kubernetes.html', 'manual.html', 'manual-targets.html'];
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.WP_CHROMIUM, args: ['--no-sandbox'] });
});
after(() => browser.close());

// A page without a network; `problems` are script errors and requests that leave the site.
async function open(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
  await context.setOffline(true);
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.message));
  page.on('console', (said) => { if (said.type() === 'error') page.problems.push(said.text()); });
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) page.problems.push(`asked for ${request.url()}`);
  });
  await page.goto(`file://${full}/${path}`);
  return page;
}

async function done(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

for (const [name, folder] of [['without runs', bare], ['with a run', full]]) {
  test(`every link and anchor leads somewhere, ${name}`, () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.html'));
    const texts = new Map(files.map((file) => [file, readFileSync(`${folder}/${file}`, 'utf8')]));
    const unescape = (text) => text.replaceAll('&#39;', "'").replaceAll('&#34;', '"').replaceAll('&amp;', '&');
    const all = (text, pattern) => [...text.matchAll(pattern)].map((found) => unescape(found[1]));
    const anchors = new Map([...texts].map(([file, text]) => [file, all(text, / id="([^"]*)"/g)]));
    for (const [file, ids] of anchors) {
      assert.deepEqual(ids.filter((id, at) => ids.indexOf(id) !== at), [], `twice in ${file}`);
    }
    const wrong = [];
    let checked = 0;
    const check = (file, link) => {
      if (/^(https?|data|mailto):/.test(link)) return;
      const [, path, anchor] = /^([^#?]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(link);
      const target = path || file;
      checked += 1;
      if (!existsSync(`${folder}/${target}`)) wrong.push(`${file}: ${link}`);
      else if (anchor && !anchors.get(target).includes(decodeURIComponent(anchor))) wrong.push(`${file}: ${link}`);
    };
    for (const [file, text] of texts) all(text, / (?:href|src)="([^"]*)"/g).forEach((link) => check(file, link));
    const index = JSON.parse(readFileSync(`${folder}/search-index.js`, 'utf8').replace(/^.*? = |;\s*$/g, ''));
    index.forEach(({ u }) => check('search-index.js', u));
    assert.deepEqual(wrong, []);
    assert.ok(checked > 2000, `${checked} links`);
    console.log(`${files.length} pages, ${checked} links`);
  });
}

test('a page without runs says which command makes them', () => {
  assert.match(readFileSync(`${bare}/kine.html`, 'utf8'), /watchproof run --target kine@\S+ --profile quick/);
});

test('the search leads from a number to its bug, by keyboard', async () => {
  const page = await open('index.html');
  await page.keyboard.press('/');
  await page.keyboard.type('17529');
  await page.waitForFunction(() => document.querySelector('#results a'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/bugs\.html#17529$/);
  const bug = page.locator('.entry.target');
  assert.match(await bug.textContent(), /every release up to 3\.4\.30, 3\.5\.0 to 3\.5\.12/);
  assert.match(await bug.textContent(), /watchproof run --target etcd@\S+ --filter CompactionSurfaced.FullQueue/);
  for (const [words, where] of [['W-13', 'contract.html#W-13'], ['FullQueue', 'FullQueue'],
    ['how to gate my store', 'index.html#gate'], ['3.5.16', 'bugs.html?release=3.5.16']]) {
    await page.fill('#search', words);
    await page.waitForFunction((want) => document.querySelector('#results a')?.href.includes(want), where);
  }
  // The other numbers of a bug lead to it, too.
  await page.goto(`file://${full}/bugs.html?again#17555`);
  assert.match(await page.locator('.entry.target').textContent(), /^\s*#17529 /);
  await page.fill('#search', 'zzzzqqq');
  await page.waitForFunction(() => /Nothing/.test(document.getElementById('results').textContent));
  await done(page);
});

test('a release shows its bugs, and no others', async () => {
  const page = await open('bugs.html');
  await page.selectOption('[data-release]', '3.5.16');
  assert.ok(await page.locator('[id="19179"]').isVisible());
  assert.ok(!await page.locator('[id="17529"]').isVisible());
  await done(page);
});

test('a red cell leads to what was found, its bug and its picture', async () => {
  const page = await open('embedded.html');
  await page.locator('.matrix td.fail a', { hasText: '#17529' }).click();
  const entry = page.locator(`[id="${RED}"]`);
  assert.match(await entry.textContent(), /expected.*ErrCompacted.*observed/s);
  assert.equal(await entry.locator('a', { hasText: '#17529' }).first().getAttribute('href'), 'bugs.html#17529');
  await entry.locator('img').scrollIntoViewIfNeeded();
  await page.waitForFunction(() => [...document.images].some((image) => image.naturalWidth > 600));
  await page.check('[data-red]');
  assert.equal(await page.locator('.matrix tbody tr:visible').count(), 2);
  await done(page);
});

test('colours are switched, and stay so', async () => {
  const page = await open('index.html', { colorScheme: 'light' });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  for (let presses = 0; presses < 2; ++presses) await page.click('#theme');
  const dark = await background();
  assert.notEqual(dark, light);
  await page.reload();
  assert.equal(await background(), dark);
  await done(page);
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing, and nothing is wider than a telephone, ${colorScheme}`, async () => {
    for (const kind of KINDS) {
      const page = await open(kind, { colorScheme });
      await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'));
      const { violations } = await page.evaluate(() => globalThis.axe.run({ preload: false }));
      assert.deepEqual(violations.map(({ id, nodes }) => [kind, id, nodes.slice(0, 3).map((node) => node.html)]), []);
      await page.setViewportSize({ width: 390, height: 800 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${kind}: ${width} px`);
      await done(page);
    }
  });
}

test('pages open within two seconds of the processor', async () => {
  for (const kind of KINDS) {
    const page = await open('manual.html');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(`file://${full}/${kind}`);
    const { metrics } = await devtools.send('Performance.getMetrics');
    const took = metrics.find(({ name }) => name === 'TaskDuration').value;
    assert.ok(took < 2, `${kind}: ${took} s`);
    await done(page);
  }
});
