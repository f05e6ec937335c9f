// SPDX-License-Identifier: Apache-2.0
// Whether the run can be trusted: what was asked, which faults took effect, what was not decided,
// when each attempt ran, and the options of the run.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { byVersion, count, seconds, styleOf, type Attempt, type Run } from './data';
import { Table } from './table';

// Its content is made when it is opened: some have thousands of rows.
function Folded({ title, children }: { title: string; children: () => ComponentChildren }) {
  const [open, setOpen] = useState(false);
  return <details class="part" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
    <summary>{title}</summary>{open ? children() : null}</details>;
}

function Asked({ run }: { run: Run }) {
  const sum = (of: Attempt[], value: (attempt: Attempt) => number | undefined) =>
    of.reduce((total, attempt) => total + (value(attempt) ?? 0), 0).toLocaleString('en');
  const rows = run.targets.map((target, t) => ({ target, of: run.attempts.filter((a) => a.target === t) }))
    .sort((a, b) => byVersion(a.target.label, b.target.label))
    .map(({ target, of }) => {
      const number = (outcome: string) => of.filter((a) => a.outcome === outcome).length;
      const receipts = of.flatMap((a) => a.receipts ?? []);
      return [target.label, of.filter((a) => a.begin !== undefined).length, number('inconclusive'),
        number('unsupported'), number('not_run') + number('not_fetched'),
        sum(of, (a) => a.promises?.[0]), sum(of, (a) => a.promises?.[1]),
        sum(of, (a) => a.events?.[0]), sum(of, (a) => a.events?.[1]), sum(of, (a) => a.calls),
        `${receipts.filter((r) => r.fired).length} of ${receipts.length}`,
        seconds(of.reduce((total, a) => total + (a.seconds ?? 0), 0))];
    });
  return <Table label="What was asked of each target" rows={rows} head={['target', 'attempts', 'inconclusive',
    'unsupported', 'not run', 'promises asked', 'answered', 'events expected', 'delivered', 'calls judged',
    'faults with effect', 'time']} />;
}

function Receipts({ run }: { run: Run }) {
  const rows = run.attempts.flatMap((attempt) => (attempt.receipts ?? []).map((receipt) => [
    run.cases[attempt.case]!.name, run.targets[attempt.target]!.label, receipt.fault,
    receipt.fired ? 'yes' : receipt.required ? 'no' : 'no, not required', receipt.text]));
  if (rows.length === 0) return <p>No fault was planned.</p>;
  return <Folded title={`Receipts of ${count(rows.length, 'fault')}`}>{() =>
    <Table label="Receipts" head={['case', 'target', 'fault', 'took effect', 'receipt']} rows={rows} />}</Folded>;
}

function Reasons({ run }: { run: Run }) {
  const reasons = run.attempts.filter((a) => ['inconclusive', 'unsupported', 'declared'].includes(a.outcome))
    .map((a) => [run.cases[a.case]!.name, run.targets[a.target]!.label, styleOf(run, a.outcome).word,
      a.reason ?? (a.missing ?? []).join(', ')]);
  const undecided = run.attempts.flatMap((a) => (a.undecided ?? []).map((text) =>
    [run.cases[a.case]!.name, run.targets[a.target]!.label, text]));
  return <>
    {reasons.length === 0 ? <p>Every attempt was decided, and nothing was unsupported.</p> :
      <Folded title={`Not decided, or not supported: ${count(reasons.length, 'attempt')}`}>{() =>
        <Table label="Not decided or not supported" head={['case', 'target', 'outcome', 'reason']} rows={reasons} />}
      </Folded>}
    {undecided.length === 0 ? null :
      <Folded title={`Calls that could not be judged: ${undecided.length}`}>{() =>
        <Table label="Undecided calls" head={['case', 'target', 'why']} rows={undecided} />}</Folded>}
  </>;
}

function Notes({ run }: { run: Run }) {
  const rows = run.attempts.flatMap((a) => (a.notes ?? []).map((note) =>
    [run.cases[a.case]!.name, run.targets[a.target]!.label, note.watch, note.usual, note.observed]));
  if (rows.length === 0) return null;
  return <section aria-labelledby="notes"><h2 id="notes">Notes</h2>
    <p>No failures: etcd's documents promise nothing of it.</p>
    <Table label="Notes" head={['case', 'target', 'watch', 'usual', 'observed']} rows={rows} /></section>;
}

// One bar per attempt, fault periods hatched over it.
function Course({ run }: { run: Run }) {
  const most = 400;
  const ran = run.attempts.filter((a) => a.begin !== undefined);
  const shown = ran.slice(0, most);
  const total = Math.max(run.run.seconds, ...ran.map((a) => a.begin! + (a.seconds ?? 0)), 0.001);
  const [left, width] = [380, 760];
  const x = (at: number) => left + (at / total) * width;
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="When each attempt ran">
      <svg width={left + width + 20} height={shown.length * 18 + 24} role="img"
        aria-label="When each attempt ran, and which faults were active">
        <defs><pattern id="bar-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="2" height="6" fill="currentColor" /></pattern></defs>
        {shown.map((a, i) => {
          const name = run.cases[a.case]!.name;
          const label = run.targets[a.target]!.label;
          return <g transform={`translate(0 ${i * 18})`} class={a.outcome}>
            <text y="12" class="label">{`${name} · ${label}`.slice(0, 64)}</text>
            <rect x={x(a.begin!)} y="2" width={Math.max(1, x(a.seconds ?? 0) - left)} height="13" class="bar">
              <title>{`${name}: ${styleOf(run, a.outcome).word}, ${seconds(a.seconds ?? 0)}`}</title></rect>
            {(a.receipts ?? []).map((r) => <rect x={x(a.begin! + r.armed_at)} y="2" height="13"
              width={Math.max(1, x(r.healed_at) - x(r.armed_at))} fill="url(#bar-hatch)">
              <title>{`${r.fault}: ${r.text}`}</title></rect>)}
          </g>;
        })}
        <text x={left} y={shown.length * 18 + 18} class="label">0 s</text>
        <text x={left + width - 30} y={shown.length * 18 + 18} class="label">{seconds(total)}</text>
      </svg>
      {ran.length > most ? <p class="soft">The first {most} of {count(ran.length, 'attempt')}.</p> : null}
    </div>
  );
}

export function Trust({ run }: { run: Run }) {
  const hardest = run.run.missing;
  return (
    <section aria-labelledby="trust">
      <h2 id="trust">Can I trust it</h2>
      {hardest.map((text) => <p>{text}</p>)}
      {run.run.profile === undefined ? null : <p>{run.run.profile}.</p>}
      {run.run.stale.map((text) => <p>Out of date: {text}.</p>)}
      <Asked run={run} />
      <Receipts run={run} />
      <Reasons run={run} />
      <Folded title="What ran when, for how long">{() => <Course run={run} />}</Folded>
    </section>
  );
}

const caught = (by: Record<string, string[]>) => Object.entries(by).map(([guarantee, cases]) =>
  <div>{guarantee}: {cases.length === 0 ? 'no case' : cases.join(', ')}</div>);

export function Mutation({ run }: { run: Run }) {
  const { mutation } = run;
  if (mutation === undefined) return null;
  return (
    <section aria-labelledby="mutation">
      <h2 id="mutation">Planted defects</h2>
      <Table label="Planted defects" head={['defect', 'upstream', 'verdict', 'must be caught by', 'also found']}
        rows={[...mutation.defects.map((row) => [row.defect, row.upstream,
          <span class={row.verdict === 'caught' ? 'pass' : 'fail'}>{row.verdict}</span>,
          caught(row.must_be_caught_by), caught(row.also_found)]),
        ['clean store', '', Object.keys(mutation.clean).length === 0 ? 'no finding' : caught(mutation.clean), '', '']]} />
    </section>
  );
}

export function Facts({ run }: { run: Run }) {
  const { run: facts } = run;
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">The run</h2>
      <dl>
        <dt>run</dt><dd>{facts.id}</dd>
        <dt>started</dt><dd>{facts.started}</dd>
        <dt>took</dt><dd>{seconds(facts.seconds)}</dd>
        <dt>seed</dt><dd>{facts.seed}</dd>
        {facts.interrupted === undefined ? null : <><dt>ended</dt><dd>{facts.interrupted}</dd></>}
        {run.targets.map((target) => <><dt>target</dt><dd>{target.label} ({target.spec})</dd></>)}
        {Object.entries(facts.versions).map(([name, version]) => <><dt>{name}</dt><dd>{version}</dd></>)}
        {facts.joined === undefined ? <><dt>data</dt><dd>{['results.jsonl', 'run.json', 'plan.jsonl', 'trace.json'].map((file) =>
          <><a href={file}>{file}</a> </>)}</dd></>
          : facts.joined.map((folder) => <><dt>joined</dt><dd>{folder}</dd></>)}
      </dl>
    </section>
  );
}

export { Notes };
