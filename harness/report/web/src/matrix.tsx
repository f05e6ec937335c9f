// SPDX-License-Identifier: Apache-2.0
// Cases by targets: rows in groups that fold, columns in the order of versions.
import { useMemo, useState } from 'preact/hooks';
import { byVersion, count, issueLink, matches, styleOf, weightOf, type Attempt, type Run } from './data';
import { Name } from './name';

interface Cell {
  outcome: string;
  attempts: number;
  withOutcome: number;
  shown: number; // index of the first attempt that has the outcome
}
interface Row {
  name: string;
  index: number; // of the case
  requirement?: string;
  cells: (Cell | undefined)[];
}
interface Group {
  name: string;
  link?: string;
  rows: Row[];
}

// Words fit beside the symbols only where columns are few.
const MOST_WITH_WORDS = 8;

function cellsOf(run: Run): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  run.attempts.forEach((attempt, index) => {
    const key = `${attempt.case} ${attempt.target}`;
    let cell = cells.get(key);
    if (cell === undefined || weightOf(run, attempt.outcome) > weightOf(run, cell.outcome)) {
      const attempts: number = cell?.attempts ?? 0;
      cells.set(key, (cell = { outcome: attempt.outcome, attempts, withOutcome: 0, shown: index }));
    }
    ++cell.attempts;
    if (attempt.outcome === cell.outcome) ++cell.withOutcome;
  });
  return cells;
}

// A case belongs to the guarantee or area before its dot.
function byGuarantee(rows: Row[]): Group[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = row.name.split('.')[0]!;
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups].map(([name, of]) => ({ name, rows: of }));
}

function byBug(run: Run, rows: Row[]): Group[] {
  const cases = new Map<number, Set<string>>();
  for (const attempt of run.attempts) {
    for (const issue of attempt.upstream ?? []) {
      const of = cases.get(issue) ?? new Set();
      cases.set(issue, of.add(run.cases[attempt.case]!.name));
    }
  }
  const groups: Group[] = [...cases]
    .sort(([a], [b]) => a - b)
    .map(([issue, of]) => ({
      name: `etcd #${issue}`,
      link: issueLink(issue),
      rows: rows.filter((row) => of.has(row.name)),
    }));
  const rest = rows.filter((row) => ![...cases.values()].some((of) => of.has(row.name)));
  return [...groups, { name: 'no known bug', rows: rest }].filter((group) => group.rows.length > 0);
}

export interface Filter {
  text: string;
  outcome: string;
  target: string;
}

export function Matrix({ run }: { run: Run }) {
  const [filter, setFilter] = useState<Filter>({ text: '', outcome: '', target: '' });
  const [bugs, setBugs] = useState(false);
  const [folded, setFolded] = useState<Set<string>>(new Set());
  const cells = useMemo(() => cellsOf(run), [run]);
  const order = useMemo(
    () => run.targets.map((_, i) => i).sort((a, b) => byVersion(run.targets[a]!.label, run.targets[b]!.label)),
    [run],
  );
  const columns = order.filter((i) => matches(run.targets[i]!.label, filter.target));
  const narrow = columns.length > MOST_WITH_WORDS || (columns.length > 2 && window.innerWidth < 600);
  const rows = run.cases
    .map((one, c) => ({
      name: one.name,
      index: c,
      requirement: one.requirement,
      cells: columns.map((t) => cells.get(`${c} ${t}`)),
    }))
    .filter((row) => matches(`${row.name} ${row.requirement ?? ''}`, filter.text))
    .filter((row) => filter.outcome === '' || row.cells.some((cell) => cell?.outcome === filter.outcome));
  const groups = bugs ? byBug(run, rows) : byGuarantee(rows);
  const present = run.outcomes.filter((outcome) => run.attempts.some((a) => a.outcome === outcome.name));
  const fold = (name: string) => {
    const next = new Set(folded);
    if (!next.delete(name)) next.add(name);
    setFolded(next);
  };
  const allFolded = groups.every((group) => folded.has(group.name));
  return (
    <section aria-labelledby="matrix">
      <h2 id="matrix">Matrix</h2>
      <div class="tools" role="search">
        <label>Case <input id="filter" type="search" value={filter.text} placeholder="name or requirement"
          onInput={(e) => setFilter({ ...filter, text: e.currentTarget.value })} /></label>
        <label>Target <input type="search" value={filter.target} placeholder="3.5"
          onInput={(e) => setFilter({ ...filter, target: e.currentTarget.value })} /></label>
        <label>Outcome <select value={filter.outcome}
          onChange={(e) => setFilter({ ...filter, outcome: e.currentTarget.value })}>
          <option value="">all</option>
          {present.map((outcome) => <option value={outcome.name}>{outcome.word}</option>)}
        </select></label>
        <label>Rows by <select value={bugs ? 'bug' : 'guarantee'}
          onChange={(e) => setBugs(e.currentTarget.value === 'bug')}>
          <option value="guarantee">guarantee</option><option value="bug">known bug</option>
        </select></label>
        <button type="button" onClick={() => setFolded(new Set(allFolded ? [] : groups.map((g) => g.name)))}>
          {allFolded ? 'Unfold all' : 'Fold all'}</button>
        <span role="status">{count(rows.length, 'case')} on {count(columns.length, 'target')}</span>
      </div>
      <div class="wide" tabIndex={0} role="region" aria-label="Matrix of cases by targets">
        <table class={narrow ? 'matrix narrow' : 'matrix'} onKeyDown={moveInGrid}>
          <thead><tr><th scope="col">case</th>
            {run.history.length === 0 ? null : <th scope="col" class="past"
              title={`The latest ${count(run.history.length, 'run')} in the same folder, over all targets`}>
              <span>earlier runs</span></th>}
            {columns.map((i) => <th scope="col" title={run.targets[i]!.spec}>
              <span><Name text={run.targets[i]!.label} /></span></th>)}
          </tr></thead>
          {groups.map((group) => <GroupRows run={run} group={group} columns={columns} narrow={narrow}
            folded={folded.has(group.name)} fold={() => fold(group.name)} />)}
        </table>
      </div>
      <p class="soft">{present.map((outcome) => <span class={`key ${outcome.name}`}>
        {outcome.symbol} {outcome.word} </span>)}</p>
      {run.history.length === 0 ? null : <p class="soft past-key">Earlier runs: a bar for each of the latest{' '}
        {count(run.history.length, 'run')} in the same folder, over all targets; a tall bar is a failure.</p>}
    </section>
  );
}

function GroupRows({ run, group, columns, narrow, folded, fold }: {
  run: Run; group: Group; columns: number[]; narrow: boolean; folded: boolean; fold: () => void;
}) {
  const label = (i: number) => run.targets[columns[i]!]!.label;
  return (
    <tbody>
      <tr class="group"><th scope="rowgroup">
        <button type="button" aria-expanded={!folded} onClick={fold}>
          {folded ? '▸' : '▾'} <Name text={group.name} /> <span class="soft">{group.rows.length}</span></button>
        {group.link === undefined ? null : <a href={group.link}>upstream</a>}</th>
        {run.history.length === 0 ? null : <td class="past" />}
        {columns.map((_, i) => {
          const worst = heaviest(run, group.rows.map((row) => row.cells[i]));
          return <td class={worst?.outcome}>{folded && worst !== undefined
            ? <span title={`${group.name} on ${label(i)}: ${styleOf(run, worst.outcome).word}`}>
                {styleOf(run, worst.outcome).symbol}</span> : null}</td>;
        })}
      </tr>
      {folded ? null : group.rows.map((row) => <tr>
        <th scope="row" title={row.requirement}>
          {/* The group says the rest. */}
          {group.name === row.name.split('.')[0] ? <><span class="unseen">{group.name}.</span>
            <Name text={row.name.slice(group.name.length + 1)} /></> : <Name text={row.name} />}</th>
        <Past run={run} index={row.index} />
        {row.cells.map((cell, i) => <td class={cell?.outcome}>{cell === undefined ? null
          : <CellLink run={run} cell={cell} narrow={narrow} name={`${row.name} on ${label(i)}`} />}</td>)}
      </tr>)}
    </tbody>
  );
}

// One bar per earlier run: full height where it failed, so that colour is not all.
function Past({ run, index }: { run: Run; index: number }) {
  if (run.history.length === 0) return null;
  const outcomes = run.history.map((past) => past.outcomes[index] ?? '');
  const number = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  const says = ['pass', 'known', 'fail', 'inconclusive'].filter((outcome) => number(outcome) > 0)
    .map((outcome) => `${number(outcome)} ${styleOf(run, outcome).word}`).join(', ');
  const tall: Record<string, number> = { pass: 4, known: 8, inconclusive: 8, fail: 13 };
  return <td class="past"><svg width={outcomes.length * 5} height="14" role="img"
    aria-label={`in ${outcomes.length} earlier runs: ${says === '' ? 'not executed' : says}`}>
    {outcomes.map((outcome, i) => outcome === '' ? null : <rect class={`bar-${outcome}`} x={i * 5} width="4"
      y={14 - tall[outcome]!} height={tall[outcome]}><title>{`${run.history[i]!.run}: ${outcome}`}</title></rect>)}
  </svg></td>;
}

function CellLink({ run, cell, narrow, name }: { run: Run; cell: Cell; narrow: boolean; name: string }) {
  const style = styleOf(run, cell.outcome);
  const share = cell.attempts > 1 ? ` ${cell.withOutcome}/${cell.attempts}` : '';
  const text = narrow ? style.symbol : `${style.symbol} ${style.word}${share}`;
  const says = `${name}: ${style.word}${share}`;
  const attempt = run.attempts[cell.shown]!;
  if (!hasArticle(attempt)) return <span title={says} aria-label={says} role="img">{text}</span>;
  return <a class="cell" href={`#a${cell.shown}`} title={says} aria-label={says}>{text}</a>;
}

export const hasArticle = (attempt: Attempt) =>
  attempt.detail !== undefined || (attempt.outcome !== 'pass' && attempt.begin !== undefined);

function heaviest(run: Run, cells: (Cell | undefined)[]): Cell | undefined {
  return cells.reduce((worst, cell) => cell !== undefined &&
    (worst === undefined || weightOf(run, cell.outcome) > weightOf(run, worst.outcome)) ? cell : worst,
    undefined as Cell | undefined);
}

// Arrow keys go from linked cell to linked cell.
function moveInGrid(event: KeyboardEvent) {
  const from = (event.target as HTMLElement).closest('td');
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (from === null || step === undefined) return;
  event.preventDefault();
  const rows = [...from.closest('table')!.rows];
  let row = rows.indexOf(from.parentElement as HTMLTableRowElement);
  let column = from.cellIndex;
  for (;;) {
    row += step[0]!;
    column += step[1]!;
    const cell = rows[row]?.cells[column];
    if (cell === undefined) return;
    const link = cell.querySelector<HTMLElement>('a.cell');
    if (link !== null) return link.focus();
  }
}
