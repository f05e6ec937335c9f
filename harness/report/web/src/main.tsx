// SPDX-License-Identifier: Apache-2.0
import { render } from 'preact';
import { Articles } from './articles';
import { Behaviour } from './behaviour';
import { Costs } from './costs';
import { byVersion, readRun, type Run } from './data';
import { Matrix } from './matrix';
import { Name } from './name';
import { Summary } from './summary';
import { Facts, Mutation, Notes, Trust } from './trust';

// What was tested, in the order of versions; the run names all.
function targetsOf(run: Run) {
  const most = 4;
  const labels = run.targets.map((target) => target.label).sort(byVersion);
  const more = labels.length - most;
  return <>{labels.slice(0, most).map((label, i) => <>{i === 0 ? '' : ', '}<Name text={label} /></>)}
    {more > 0 ? <> and <a href="#facts">{more} more</a></> : null}</>;
}

function Page({ run }: { run: Run }) {
  return (
    <>
      <header>
        <p class="about"><b>watchproof</b> {run.run.versions['watchproof']}
          {' · '}{targetsOf(run)}{' · '}{run.run.started.replace('T', ' ').replace('Z', ' UTC')}</p>
        <h1>{run.sentence}</h1>
        <nav aria-label="Parts of the page">
          {(run.causes ?? []).length > 0 ? <><a href="#causes">Causes</a>{' '}</> : null}
          {run.bugs !== undefined ? <><a href="#bugs">Known bugs</a>{' '}</> : null}
          <a href="#matrix">Matrix</a> <a href="#wrong">What is wrong</a>{' '}
          {run.costs === undefined ? null : <><a href="#costs">Costs</a>{' '}</>}
          <a href="#lag">How it behaved</a> <a href="#trust">Can I trust it</a> <a href="#facts">The run</a></nav>
      </header>
      <main>
        <Summary run={run} />
        <Mutation run={run} />
        <Matrix run={run} />
        <Articles run={run} />
        <Notes run={run} />
        <Costs run={run} />
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
