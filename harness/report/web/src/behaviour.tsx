// SPDX-License-Identifier: Apache-2.0
// How targets behaved, side by side: delays, spread and backlog over time, recovery and memory.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Chart, FLOOR } from './chart';
import { byVersion, count, matches, readCourses, type Attempt, type Course, type Run } from './data';
import { Table } from './table';

function word(us: number): string {
  const [value, unit] = us < 1000 ? [us, 'µs'] : us < 1e6 ? [us / 1000, 'ms'] : [us / 1e6, 's'];
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${unit}`;
}
const amount = (value: number) => value >= 1e6 ? `${value / 1e6} M` : value >= 1e4 ? `${value / 1e3} k` : `${value}`;
const highest = (values: number[]) => values.reduce((a, b) => Math.max(a, b), 0);
const targetsInOrder = (run: Run) => run.targets.map((target, index) => ({ target, index }))
  .sort((a, b) => byVersion(a.target.label, b.target.label));

// A line per attempt from its median delay to its longest, in a row per target; logarithmic.
function Delays({ run }: { run: Run }) {
  const rows = targetsInOrder(run).map(({ target, index }) => ({ target, of: run.attempts.filter((a) =>
    a.target === index && a.delay_us !== undefined) })).filter((row) => row.of.length > 0);
  const [left, width, high] = [180, 900, 36];
  const decades = [10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
  const x = (us: number) => left + ((Math.log10(Math.max(us, 10)) - 1) / 7) * width;
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Delays by target">
      <svg viewBox={`0 0 ${left + width + 30} ${rows.length * high + 26}`} width={left + width + 30}
        height={rows.length * high + 26} role="img"
        aria-label="Delays of deliveries by target: the table above has the figures">
        {decades.map((us) => <g><path d={`M${x(us)} 0V${rows.length * high}`} class="faint" />
          <text x={x(us)} y={rows.length * high + 16} text-anchor="middle" class="tick">{word(us)}</text></g>)}
        {rows.map(({ target, of }, row) => <g transform={`translate(0 ${row * high})`}>
          <path d={`M0 ${high}H${left + width}`} class="rule" />
          <text x="0" y={high / 2 + 4} class="label">{target.label.slice(0, 28)}</text>
          {of.map((a, i) => {
            const [median, most, longest] = a.delay_us as [number, number, number];
            const y = 4 + ((i * 7) % (high - 8));
            return <g class="delay"><title>{`${run.cases[a.case]!.name}: median ${word(median)}, 99th percentile ${
              word(most)}, longest ${word(longest)}, at most ${a.behind} revisions behind`}</title>
              <path d={`M${x(median)} ${y}H${x(longest)}`} />
              <circle cx={x(median)} cy={y} r="2.5" /><rect x={x(most) - 1} y={y - 3} width="2" height="6" /></g>;
          })}
        </g>)}
      </svg>
      <p class="soft">Each line is an attempt: from the median (dot) over the 99th percentile (tick) to the longest.</p>
    </div>
  );
}

interface Shown {
  label: string;
  course: Course; // without what was before the first event
  times: number[];
  faults: { name: string; from: number; until: number }[]; // that took effect
}

// Time starts with the first event or fault, since targets take different times to start.
function shownOf(run: Run, whole: Course): Shown {
  const attempt = run.attempts[whole.attempt]!;
  const fired = (attempt.receipts ?? []).filter((receipt) => receipt.fired);
  const first = fired.reduce((least, fault) => Math.min(least, Math.floor((fault.armed_at * 1e6) / whole.step_us)),
    Math.max(0, whole.events.findIndex((events, i) => events > 0 || whole.waiting[i]! > 0)));
  const origin = (first * whole.step_us) / 1e6;
  const course = { ...whole };
  for (const list of ['events', 'p50_us', 'p99_us', 'spread_us', 'waiting'] as const) {
    course[list] = whole[list].slice(first);
  }
  return {
    label: run.targets[attempt.target]!.label,
    course,
    times: course.events.map((_, i) => ((i + 1) * course.step_us) / 1e6),
    faults: fired.map((r) => ({ name: r.fault, from: r.armed_at - origin, until: r.healed_at - origin })),
  };
}

// What stands for the others where all would be too many: what has no version, and the newest
// release of each branch.
function standFor(labels: string[]): Set<string> {
  const newest = new Map<string, string>();
  for (const label of [...labels].sort(byVersion)) {
    newest.set(/\d+\.\d+/.exec(label)?.[0] ?? label, label);
  }
  return new Set(newest.values());
}

// The case to begin with: one whose faults left watches far behind.
function mostTelling(run: Run): number {
  const behind = run.cases.map(() => -1);
  for (const attempt of run.attempts) {
    if (run.cases[attempt.case]!.courses === undefined) continue;
    const fired = (attempt.receipts ?? []).some((receipt) => receipt.fired);
    behind[attempt.case] = Math.max(behind[attempt.case]!, (fired ? 1e9 : 0) + (attempt.behind ?? 0));
  }
  return behind.indexOf(highest(behind));
}

function Reading({ shown, at }: { shown: Shown; at: number | undefined }) {
  const { course, faults, label } = shown;
  if (at === undefined) {
    return <p class="reading"><b>{label}</b>{faults.map((fault) =>
      <span class="soft">{fault.name}, {fault.from.toFixed(2)} to {fault.until.toFixed(2)} s</span>)}</p>;
  }
  const i = Math.floor((at * 1e6) / course.step_us);
  const active = faults.filter((fault) => fault.from <= at && at <= fault.until);
  const some = (course.events[i] ?? 0) > 0;
  return <p class="reading"><b>{label}</b><span>at {at.toFixed(2)} s{active.map((fault) => `, ${fault.name}`)}</span>
    <span>{count(course.events[i] ?? 0, 'event')}{some ? `: median ${word(course.p50_us[i]!)}, 99th percentile ${
      word(course.p99_us[i]!)}, spread ${word(course.spread_us[i]!)}` : ''}</span>
    <span>{amount(course.waiting[i] ?? 0)} waiting</span></p>;
}

function Charts({ shown, name }: { shown: Shown[]; name: string }) {
  const [at, setAt] = useState<number>();
  const time = highest(shown.map(({ times }) => times[times.length - 1]!));
  const mostDelay = highest(shown.flatMap(({ course }) => course.p99_us));
  const mostSpread = highest(shown.flatMap(({ course }) => course.spread_us));
  const mostWaiting = highest(shown.flatMap(({ course }) => course.waiting));
  useEffect(() => setAt(undefined), [shown]);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    setAt((now) => step === undefined ? undefined
      : Math.min(time, Math.max(0, (now ?? 0) + (step * time) / (event.shiftKey ? 10 : 50))));
  };
  return (
    <div class="courses" tabIndex={0} role="group" onKeyDown={onKey}
      aria-label={`${name} over time. Arrow keys move through time, with shift faster.`}>
      {shown.map((one) => {
        const { course, times, faults, label } = one;
        const drawn = (values: number[]) => values.map((value, i) =>
          course.events[i] === 0 ? null : Math.max(value, FLOOR));
        const common = { times, at, choose: setAt,
          faults: faults.map((fault) => [fault.from, fault.until] as [number, number]) };
        const peak = course.p99_us.indexOf(highest(course.p99_us));
        return <>
          <Reading shown={one} at={at} />
          <Chart {...common} logarithmic
            title={<>delay: <b class="known">median</b>, <b class="floor">99th percentile</b></>} word={word}
            says={`Delay on ${label}: its 99th percentile was highest, ${word(course.p99_us[peak]!)}, at ${
              times[peak]!.toFixed(2)} s`} most={{ time, value: mostDelay }}
            lines={[{ colour: '--known', values: drawn(course.p50_us) },
              { colour: '--floor', values: drawn(course.p99_us) }]} />
          <Chart {...common} title="spread over watches" logarithmic word={word}
            says={`Spread on ${label}: at most ${word(highest(course.spread_us))}`}
            most={{ time, value: mostSpread }} lines={[{ colour: '--error', values: drawn(course.spread_us) }]} />
          <Chart {...common} title="events that wait" logarithmic={false} word={amount}
            says={`Events that wait on ${label}: at most ${highest(course.waiting)}`}
            most={{ time, value: mostWaiting }} lines={[{ colour: '--fg', values: course.waiting }]} />
        </>;
      })}
    </div>
  );
}

function Courses({ run }: { run: Run }) {
  const [chosen, setChosen] = useState(() => mostTelling(run));
  const [text, setText] = useState('');
  const cases = run.cases.map((one, index) => ({ ...one, index })).filter((one) => one.courses !== undefined);
  const all = useMemo(() => {
    const part = run.cases[chosen]?.courses;
    return part === undefined ? [] : readCourses(part).map((course) => shownOf(run, course))
      .sort((a, b) => byVersion(a.label, b.label));
  }, [chosen]);
  const shown = useMemo(() => {
    const some = standFor(all.map((one) => one.label));
    return all.filter((one) => text === '' ? some.has(one.label) : matches(one.label, text)).slice(0, MOST_CHARTS);
  }, [all, text]);
  if (cases.length === 0) return null;
  return (
    <>
      <h3>Over time: {run.cases[chosen]!.name}</h3>
      <div class="tools">
        <label>Case <select id="course" value={chosen} onChange={(e) => setChosen(Number(e.currentTarget.value))}>
          {cases.map((one) => <option value={one.index}>{one.name}</option>)}</select></label>
        <label>Targets <input type="search" value={text} placeholder="newest of each branch"
          onInput={(e) => setText(e.currentTarget.value)} /></label>
        <span role="status">{shown.length} of {count(all.length, 'target')}; faults are shaded</span>
      </div>
      <Charts shown={shown} name={run.cases[chosen]!.name} />
      {run.courses_left_out === undefined ? null : <p class="soft">{count(run.courses_left_out, 'case')} not shown
        over time because of the size of this page; results.jsonl has them.</p>}
    </>
  );
}
const MOST_CHARTS = 8;

interface Toll {
  text: string;
  says: string;
  share: number; // of the longest bar
}

// Targets by faults.
function TollTable({ run, label, toll }: {
  run: Run; label: string; toll: (of: Attempt[], fault: string) => Toll | undefined;
}) {
  const kinds = [...new Set(run.attempts.flatMap((a) => [...(a.recovery ?? []), ...(a.memory ?? [])])
    .map((one) => kindOf(one.fault)))].sort();
  const byTarget = targetsInOrder(run).map(({ target, index }) =>
    ({ label: target.label, of: run.attempts.filter((a) => a.target === index) }));
  const cells = byTarget.map(({ of }) => kinds.map((kind) => toll(of, kind)));
  const columns = kinds.map((_, i) => i).filter((i) => cells.some((row) => row[i] !== undefined));
  const rows = byTarget.map((row, r) => ({ label: row.label, cells: columns.map((i) => cells[r]![i]) }))
    .filter((row) => row.cells.some((cell) => cell !== undefined));
  if (rows.length === 0) return null;
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={label}>
      <table class="tolls"><thead><tr><th scope="col">target</th>
        {columns.map((i) => <th scope="col">{kinds[i]}</th>)}</tr></thead>
        <tbody>{rows.map((row) => <tr><th scope="row">{row.label}</th>{row.cells.map((cell, i) =>
          <td data-fault={cell === undefined ? undefined : kinds[columns[i]!]}>{cell === undefined ? null :
            <span class="toll" title={cell.says}><span class="bar-of" style={{ width: `${cell.share * 100}%` }} />
              {cell.text}</span>}</td>)}</tr>)}</tbody></table>
    </div>
  );
}
const kindOf = (fault: string) => fault.split('/')[0]!;

function recoveryOf(of: Attempt[], kind: string): Toll | undefined {
  const all = of.flatMap((a) => a.recovery ?? []).filter((one) => kindOf(one.fault) === kind);
  if (all.length === 0) return undefined;
  const medians = all.map((one) => one.us[0]!).sort((a, b) => a - b);
  const [median, longest] = [medians[medians.length >> 1]!, highest(all.map((one) => one.us[1]!))];
  return { text: `${word(median)}, ${word(longest)}`, share: Math.max(0, Math.log10(longest) - 2) / 6,
    says: `of ${count(all.length, 'fault')}: usually ${word(median)}, at most ${word(longest)}` };
}

function memoryOf(of: Attempt[], kind: string): Toll | undefined {
  const all = of.flatMap((a) => a.memory ?? []).filter((one) => kindOf(one.fault) === kind);
  const added = (one: { bytes: number[] }) => one.bytes[1]! - one.bytes[0]!;
  const most = all.reduce((a, b) => (a !== undefined && added(a) >= added(b) ? a : b), all[0]);
  if (most === undefined) return undefined;
  const mebi = (bytes: number) => Math.round(bytes / (1 << 20));
  return { text: `${mebi(most.bytes[0]!)} → ${mebi(most.bytes[1]!)} MiB`,
    share: Math.max(0, Math.log2(Math.max(1, mebi(added(most))))) / 10,
    says: `of ${count(all.length, 'fault')}: the one that added most` };
}

export function Behaviour({ run }: { run: Run }) {
  if (run.lag === undefined) return null;
  return (
    <section aria-labelledby="lag">
      <h2 id="lag">How it behaved</h2>
      <Table label="Delay, spread and backlog by target" head={run.lag.head} rows={run.lag.rows} />
      <p class="soft">{run.lag_explain}</p>
      <Delays run={run} />
      <Courses run={run} />
      <h3>Recovery after faults: usual and longest</h3>
      <TollTable run={run} label="Recovery after faults" toll={recoveryOf} />
      <h3>Memory of the target under faults</h3>
      <TollTable run={run} label="Memory under faults" toll={memoryOf} />
    </section>
  );
}
