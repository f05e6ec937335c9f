// SPDX-License-Identifier: Apache-2.0
// What a run showed, before its cases: what is wrong by cause, and known failures by bug.
import { count, styleOf, type Bug, type Cause, type Run } from './data';
import { hasArticle } from './matrix';
import { Name } from './name';

// So many are shown at once, and so many names of one.
const MOST = 10;
const NAMES = 3;

function Names({ of }: { of: string[] }) {
  return <span title={of.join(', ')}>{of.slice(0, NAMES).map((name, i) =>
    <>{i === 0 ? '' : ', '}<Name text={name} /></>)}{of.length > NAMES ? ` and ${of.length - NAMES} more` : ''}</span>;
}

function CauseLine({ run, cause }: { run: Run; cause: Cause }) {
  const style = styleOf(run, cause.outcome);
  const repeated = cause.attempts > cause.cases.length ? `${count(cause.attempts, 'attempt')}, ` : '';
  return (
    <li>
      <span class={cause.outcome}>{style.symbol} {style.word}</span>{' '}
      {hasArticle(run.attempts[cause.first]!) ? <a class="cell" href={`#a${cause.first}`}>{cause.text}</a> : cause.text}
      <div class="soft">{repeated}{count(cause.cases.length, 'case')}: <Names of={cause.cases} />
        {run.targets.length > 1 ? <>; on <Names of={cause.targets} /></> : null}</div>
    </li>
  );
}

function BugLine({ run, bug }: { run: Run; bug: Bug }) {
  const name = bug.name === '' ? 'accepted' : bug.name;
  return (
    <li>
      <b>{bug.url === undefined ? name : <a href={bug.url}>{name}</a>}</b>
      {bug.cost === undefined ? '' : ` (${bug.cost})`}: {bug.impact}
      <div class="soft">{bug.fixed === undefined ? '' : `fixed in ${bug.fixed}; `}shown by{' '}
        {count(bug.cases.length, 'case')}: <Names of={bug.cases} />
        {run.targets.length > 1 ? <>; on <Names of={bug.targets} /></> : null}</div>
    </li>
  );
}

function Lines({ all }: { all: preact.JSX.Element[] }) {
  return <>
    <ul class="summary">{all.slice(0, MOST)}</ul>
    {all.length <= MOST ? null : <details class="part"><summary>{all.length - MOST} more</summary>
      <ul class="summary">{all.slice(MOST)}</ul></details>}
  </>;
}

export function Summary({ run }: { run: Run }) {
  const { causes = [], bugs = [] } = run;
  return <>
    {causes.length === 0 ? null : <section aria-labelledby="causes"><h2 id="causes">Causes{' '}
      <span class="soft">{causes.length}</span></h2>
      <Lines all={causes.map((cause) => <CauseLine run={run} cause={cause} />)} /></section>}
    {bugs.length === 0 ? null : <section aria-labelledby="bugs"><h2 id="bugs">Known bugs{' '}
      <span class="soft">{run.bugs_text}</span></h2>
      <Lines all={bugs.map((bug) => <BugLine run={run} bug={bug} />)} /></section>}
  </>;
}
