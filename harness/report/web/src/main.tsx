// SPDX-License-Identifier: Apache-2.0
import { render } from 'preact';
import { Articles } from './articles';
import { Behaviour } from './behaviour';
import { readRun, type Run } from './data';
import { Matrix } from './matrix';
import { Facts, Mutation, Notes, Trust } from './trust';

function Page({ run }: { run: Run }) {
  return (
    <>
      <header>
        <h1>{run.sentence}</h1>
        <nav aria-label="Parts of the page"><a href="#matrix">Matrix</a> <a href="#wrong">What is wrong</a>{' '}
          <a href="#lag">How it behaved</a> <a href="#trust">Can I trust it</a> <a href="#facts">The run</a></nav>
      </header>
      <main>
        <Mutation run={run} />
        <Matrix run={run} />
        <Articles run={run} />
        <Notes run={run} />
        <Behaviour run={run} />
        <Trust run={run} />
        <Facts run={run} />
      </main>
    </>
  );
}

const page = document.getElementById('page')!;
try {
  const run = readRun();
  page.textContent = '';
  render(<Page run={run} />, page);
  // The part that the address names was not there when the page was opened.
  if (/^#[a-z]+$/.test(location.hash)) document.querySelector(location.hash)?.scrollIntoView();
  document.documentElement.dataset['ready'] = '1';
} catch (error) {
  page.textContent = `The data of this page could not be read: ${String(error)}. The same is in summary.md.`;
}
