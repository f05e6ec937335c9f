// SPDX-License-Identifier: Apache-2.0
// What a reader does with report.html. Started by page_test.py, beside the packages.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import Ajv from 'ajv';
import { chromium } from 'playwright-core';
import { extractText, getDocumentProxy } from 'unpdf';

const small = process.env.WP_SMALL;
const large = process.env.WP_LARGE;
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.WP_CHROMIUM, args: ['--no-sandbox'] });
});
after(() => browser.close());

// A page without a network; `problems` are script errors and requests.
async function open(file, options = {}, timeDomain = undefined) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
  await context.setOffline(true);
  const page = await context.newPage();
  page.problems = [];
  if (timeDomain !== undefined) {
    page.performance = await context.newCDPSession(page);
    await page.performance.send('Performance.enable', { timeDomain });
  }
  page.on('pageerror', (error) => page.problems.push(error.message));
  page.on('console', (said) => { if (said.type() === 'error') page.problems.push(said.text()); });
  page.on('request', (request) => {
    if (!/^(file|blob|data):/.test(request.url())) page.problems.push(`asked for ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  await page.waitForSelector('html[data-ready]');
  return page;
}

const unpack = (base64) => JSON.parse(inflateSync(Buffer.from(base64, 'base64')).toString());

test('the data are as the published schema says, and the page carries it', () => {
  const text = readFileSync(small, 'utf8');
  const part = (id) => new RegExp(`<script[^>]* id="${id}">([^<]*)<`).exec(text)[1];
  const schema = JSON.parse(part('schema'));
  assert.deepEqual(schema, JSON.parse(readFileSync('page.schema.json', 'utf8')));
  const validate = new Ajv({ strict: false }).compile(schema);
  const page = { run: unpack(part('run')), detail: unpack(part('d0')), courses: unpack(part('c0')) };
  assert.ok(validate(page), JSON.stringify(validate.errors));
  assert.equal(page.courses.length, 3, 'one for each target');
  assert.ok(page.courses.every((course) => course.events.length === course.waiting.length));
  assert.ok(page.run.attempts.some((attempt) => attempt.recovery !== undefined));
  assert.ok(page.detail.picture.lanes.length > 2);
});

test('a filter narrows the matrix, and a fold hides a group', async () => {
  const page = await open(small);
  const rows = page.locator('.matrix tbody tr:not(.group)');
  const all = await rows.count();
  await page.fill('#filter', 'deleteatfloor');
  assert.equal(await rows.count(), 1);
  assert.match(await page.locator('.tools [role=status]').first().textContent(), /^1 case on 3 targets/);
  await page.fill('#filter', '');
  await page.click('.matrix .group button >> nth=0');
  assert.ok(await rows.count() < all);
  await page.getByLabel('Outcome').selectOption('fail');
  assert.ok(await page.locator('.matrix td.fail').count() >= 1);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('by keyboard from the matrix to the first wrong moment', async () => {
  const page = await open(small);
  await page.fill('#filter', 'deleteatfloor');
  await page.locator('.matrix td.fail a').focus();
  await page.keyboard.press('Enter');
  const timeline = page.locator('.article[open] .timeline svg').first();
  await timeline.waitFor();
  for (let presses = 0; presses < 40; ++presses) {
    if (await page.evaluate(() => document.activeElement?.textContent) === 'First wrong moment') break;
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  assert.ok(await timeline.evaluate((svg) => svg === document.activeElement));
  const message = page.locator('.article[open] .message').first();
  const cited = page.locator('.article[open] .evidence').first().locator('li.wrong').first();
  const line = /line \d+/.exec(await cited.textContent())[0];
  assert.ok((await message.textContent()).startsWith(line));
  // It stands in the part of the picture that is shown.
  const [halo, frame] = [await timeline.locator('.halo').boundingBox(), await timeline.boundingBox()];
  assert.ok(halo.x >= frame.x && halo.x + halo.width <= frame.x + frame.width + 10);
  const before = await message.textContent();
  await page.keyboard.press('ArrowLeft');
  assert.notEqual(await message.textContent(), before);
  await page.keyboard.press('+');
  await page.keyboard.press('w');
  assert.equal(await message.textContent(), before);
  assert.ok(await timeline.locator('.item.missing').count() >= 1);
  // Findings share the picture: each has its wrong moment.
  await page.getByRole('button', { name: 'Next wrong moment' }).first().click();
  assert.notEqual(await message.textContent(), before);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('what was tested is at the top, and causes come before cases', async () => {
  const page = await open(small);
  assert.match(await page.locator('.about').textContent(), /^watchproof [\d.]+ · embedded, .* UTC$/);
  const cause = page.locator('.summary li').first();
  assert.match(await cause.textContent(), /FAIL.*case/);
  await cause.locator('a').click();
  await page.locator('.article.fail[open]').waitFor();
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('the other axis shows revisions', async () => {
  const page = await open(small);
  await page.locator('.article.fail > summary').first().click();
  await page.getByLabel('Axis').first().selectOption('revision');
  assert.equal(await page.locator('.timeline').first().locator('svg .chart').count(), 0);
  assert.ok(await page.locator('.timeline').first().locator('svg .item').count() > 3);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('how targets behaved is drawn beside each other, and read by keyboard', async () => {
  const page = await open(small);
  await page.locator('#course').selectOption({ label: 'CompactionSurfaced.FullQueue' });
  assert.equal(await page.locator('.courses canvas').count(), 9, 'three for each target');
  const reading = page.locator('.reading').first();
  assert.match(await reading.textContent(), /stall, [\d.]+ to [\d.]+ s/);
  await page.locator('.courses').focus();
  for (let presses = 0; presses < 3; ++presses) await page.keyboard.press('ArrowRight');
  const before = await reading.textContent();
  assert.match(before, /at [\d.]+ s.*\d+ events?.*waiting/);
  await page.keyboard.press('Shift+ArrowRight');
  assert.notEqual(await reading.textContent(), before);
  await page.keyboard.press('Escape');
  assert.match(await reading.textContent(), /stall, /);
  await page.getByRole('searchbox', { name: 'Targets' }).fill('lost');
  await page.waitForFunction(() => document.querySelectorAll('.courses canvas').length < 9);
  // Faults are shaded: some of the picture has their colour, once it is drawn again.
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(() => {
    const canvas = document.querySelector('.courses canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const shade = [0x2e, 0x24, 0x08];
    for (let i = 0; i < data.length; i += 4) {
      if (shade.every((part, c) => Math.abs(data[i + c] - part) < 3)) return true;
    }
    return false;
  });
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('what clients cost is drawn over the targets, and read by keyboard', async () => {
  const run = unpack(/<script[^>]* id="run">([^<]*)</.exec(readFileSync(large, 'utf8'))[1]);
  const schema = JSON.parse(readFileSync('page.schema.json', 'utf8'));
  const validate = new Ajv({ strict: false }).compile({ definitions: schema.definitions, $ref: '#/definitions/Run' });
  assert.ok(validate(run), JSON.stringify(validate.errors));
  const page = await open(large, { viewport: { width: 390, height: 800 } });
  const charts = page.locator('.curves figure');
  assert.equal(await charts.count(), 4);
  assert.match(await charts.first().textContent(), /etcd 3\.5\.0: 5\.0 times as bad as before beside a watch/);
  // The target without values leaves a gap.
  const line = await charts.first().locator('svg .with > path').getAttribute('d');
  assert.equal(line.split('M').length - 1, 2);
  assert.equal(line.split('L').length - 1, 27);
  await charts.first().locator('summary').focus();
  await page.keyboard.press('Enter');
  const rows = charts.first().locator('tbody tr');
  assert.equal(await rows.count(), 30);
  // Releases are in the order of their versions, and were given the other way round.
  assert.match(await rows.nth(0).textContent(), /^etcd 3\.5\.055\.0 MB/);
  assert.match(await rows.nth(29).textContent(), /^etcd 3\.5\.2913\.2 MB.*12\.0 to 14\.4 MB.*11\.0 MB.*10\.0 to 12\.0 MB.*1\.20/);
  assert.match(await rows.nth(28).textContent(), /^etcd 3\.5\.28no values/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
  const other = await open(small);
  assert.equal(await other.locator('#costs').count(), 0, 'nothing was measured');
  assert.deepEqual([...page.problems, ...other.problems], []);
  await other.context().close();
  await page.context().close();
});

// Words of each page of the print, without the spaces that lines end with.
async function print(page) {
  const pdf = await page.pdf({ format: 'A4' });
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)));
  return text.map((one) => one.replace(/\s+/g, ' '));
}

test('on paper are the matrix and what was found, in words', async () => {
  const page = await open(small, { colorScheme: 'dark' });
  const pages = await print(page);
  assert.match(pages[0], /Matrix case embedded/);
  const all = pages.join(' ');
  const finding = unpack(/<script[^>]* id="d0">([^<]*)</.exec(readFileSync(small, 'utf8'))[1]).findings[0];
  const observed = finding.rows.find(([name]) => name === 'observed')[1];
  assert.ok(all.includes(observed), observed);
  assert.ok(all.includes('compaction floor'), 'the picture');
  assert.ok(!all.includes('Fold all'), 'nothing to press');
  // Back on the screen it is as before.
  await page.waitForFunction(() => document.querySelectorAll('.article[open]').length === 0);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('30 targets fit on paper, and each page of the matrix has its head', async () => {
  const page = await open(large, { viewport: { width: 718, height: 1000 } });
  await page.locator('.article').evaluateAll((all) => all.forEach((one) => one.remove()));
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 718);
  assert.equal(await page.locator('.matrix th').first().evaluate((head) => getComputedStyle(head).position), 'static');
  await page.context().close();
});

test('at 390 px nothing but the matrix scrolls sideways, and its first column stays', async () => {
  const page = await open(large, { viewport: { width: 390, height: 800 } });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
  const head = page.locator('.matrix tbody th[scope=row]').first();
  const before = (await head.boundingBox()).x;
  await page.locator('.wide').first().evaluate((box) => { box.scrollLeft = 300; });
  assert.ok(Math.abs((await head.boundingBox()).x - before) < 2);
  await page.locator('.article.fail > summary').first().click();
  await page.locator('.timeline svg').first().waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing serious, ${colorScheme}`, async () => {
    const page = await open(small, { colorScheme });
    await page.locator('.article.fail > summary').first().click();
    await page.locator('.timeline svg').first().waitFor();
    await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'));
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html)]), []);
    await page.context().close();
  });
  test(`axe finds nothing at what clients cost, ${colorScheme}`, async () => {
    const page = await open(large, { colorScheme });
    await page.locator('.curves summary').first().click();
    await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'));
    const { violations } = await page.evaluate(() => globalThis.axe.run('.costs'));
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html)]), []);
    await page.context().close();
  });
}

test('30 targets and 150 cases open in two seconds, from less than 10 MB', async () => {
  assert.ok(statSync(large).size < 10e6, `${statSync(large).size} bytes`);
  // The processor's time, which does not depend on what else the machine does.
  const page = await open(large, {}, 'threadTicks');
  const { metrics } = await page.performance.send('Performance.getMetrics');
  const took = metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  assert.ok(took < 2000, `${took} ms`);
  assert.equal(await page.locator('.matrix tbody tr:not(.group)').count(), 150);
  // In the order of versions, not of letters.
  const labels = await page.locator('.matrix thead th span').allTextContents();
  assert.deepEqual(labels, labels.map((_, number) => `etcd 3.5.${number}`));
  const table = await page.locator('.matrix').boundingBox();
  assert.ok(table.width <= 1400, `${table.width} px`);
  console.log(`${(statSync(large).size / 1e6).toFixed(1)} MB, ready after ${Math.round(took)} ms`);
  await page.context().close();
});
