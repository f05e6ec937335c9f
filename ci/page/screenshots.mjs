// SPDX-License-Identifier: Apache-2.0
// Pictures of report.html as a reader sees it: light and dark, on a desk and on a telephone.
//
//   WP_CHROMIUM=/usr/bin/chromium node screenshots.mjs REPORT.html FOLDER
import { chromium } from 'playwright-core';

const [report, folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.WP_CHROMIUM, args: ['--no-sandbox'] });
for (const colorScheme of ['light', 'dark']) {
  for (const width of [1400, 390]) {
    const context = await browser.newContext({ viewport: { width, height: 1000 }, colorScheme });
    const page = await context.newPage();
    await page.goto(`file://${report}`);
    await page.waitForSelector('html[data-ready]');
    await page.screenshot({ path: `${folder}/${colorScheme}-${width}.png` });
    await context.close();
  }
}
await browser.close();
