// SPDX-License-Identifier: Apache-2.0
// What clients cost the targets: a curve over them for each figure, beside a burden and without it.
import { styleOf, type Amount, type CostCurve, type CostPoint, type Run } from './data';
import { Name } from './name';

const [WIDE, LEFT, TOP, HIGH] = [360, 58, 26, 130];
const LETTER = 6.6; // the width of one, at the size of labels
const MOST_LETTERS = 24; // of a label

// From zero in even steps, two to five of them.
function ticksTo(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most / 2));
  const step = [5, 2, 1].map((one) => one * power).find((one) => most / one >= 2)!;
  const all: number[] = [];
  for (let i = 0; i * step <= most; ++i) all.push(Number((i * step).toPrecision(6)));
  return all;
}

const nameOf = (curve: CostCurve) => `${curve.figure} beside ${curve.beside}`;

function saysOf(run: Run, point: CostPoint): string {
  const words = (amount: Amount) => `${amount.text} (${amount.between})`;
  const broken = point.outcome === undefined ? '' : `; ${styleOf(run, point.outcome).word}`;
  return `${run.targets[point.target]!.label}: ${words(point.with)}, without the burden ${words(point.without)}, ${
    point.times.text} times as bad${broken}`;
}

// Where a target stands on the axis, and with which others it has a line.
interface Place {
  place: number;
  product: string;
}

// The releases of one product stand beside each other, by their versions.
function placesOf(run: Run): Place[] {
  const targets = run.targets.map(({ label }, target) => {
    const parts = /^(.*) (\d+)\.(\d+)\.(\d+)(.*)$/.exec(label);
    return { target, product: parts === null ? label : parts[1]! + parts[5]!,
      version: (parts ?? []).slice(2, 5).map(Number) };
  });
  const products = targets.map(({ product }) => product);
  const newer = (a: number[], b: number[]) => a.map((part, i) => part - b[i]!).find((by) => by !== 0) ?? 0;
  const places: Place[] = [];
  [...targets].sort((a, b) => products.indexOf(a.product) - products.indexOf(b.product) || newer(a.version, b.version))
    .forEach(({ target, product }, place) => { places[target] = { place, product }; });
  return places;
}

interface Axes {
  x: (target: number) => number;
  y: (value: number) => number;
  slot: number; // the width that a target has
}

// The line stops where a target has no values, and between products.
function Side({ points, places, side, axes, aside }: {
  points: CostPoint[]; places: Place[]; side: 'with' | 'without'; axes: Axes; aside: number;
}) {
  const follows = (before: CostPoint | undefined, point: CostPoint) => before !== undefined
    && places[before.target]!.place === places[point.target]!.place - 1
    && places[before.target]!.product === places[point.target]!.product;
  const at = (point: CostPoint) => `${axes.x(point.target) + aside} ${axes.y(point[side].value)}`;
  return <g class={side}>
    <path d={points.map((point, i) =>
      `${follows(points[i - 1], point) ? 'L' : 'M'}${at(point)}`).join('')} />
    {points.map((point) => {
      const [x, amount] = [axes.x(point.target) + aside, point[side]];
      const broken = side === 'with' ? point.outcome : undefined;
      return <g class={broken}><path class="spread" d={`M${x} ${axes.y(amount.low)}V${axes.y(amount.high)}`} />
        <circle cx={x} cy={axes.y(amount.value)} r={broken === undefined ? 3 : 4.5} /></g>;
    })}
  </g>;
}

// Targets below their places: beside each other if there is room, otherwise from below.
function Labels({ run, places, axes, bottom, flat }: {
  run: Run; places: Place[]; axes: Axes; bottom: number; flat: boolean;
}) {
  const each = Math.ceil(11 / axes.slot);
  return <>{run.targets.map(({ label }, i) => {
    if (places[i]!.place % each !== 0) return null;
    const text = label.length > MOST_LETTERS ? `${label.slice(0, MOST_LETTERS - 1)}…` : label;
    const [x, y] = flat ? [axes.x(i), bottom + 14] : [axes.x(i) + 4, bottom + 6];
    return <text x={x} y={y} class="tick" text-anchor={flat ? 'middle' : 'end'}
      transform={flat ? undefined : `rotate(-90 ${x} ${y})`}>{text}</text>;
  })}</>;
}

function Curve({ run, curve }: { run: Run; curve: CostCurve }) {
  const { unit, top } = curve;
  const places = placesOf(run);
  const points = [...curve.points].sort((a, b) => places[a.target]!.place - places[b.target]!.place);
  const slot = (WIDE - LEFT - 4) / run.targets.length;
  const axes: Axes = { slot, x: (target) => LEFT + slot * (places[target]!.place + 0.5),
    y: (value) => TOP + HIGH * (1 - value / top) };
  const letters = Math.min(MOST_LETTERS, Math.max(...run.targets.map(({ label }) => label.length)));
  const flat = letters * LETTER < slot;
  const bottom = TOP + HIGH;
  const high = bottom + (flat ? 20 : letters * LETTER + 10);
  const roomy = slot > 8 * LETTER;
  return (
    <svg viewBox={`0 0 ${WIDE} ${high}`} role="img"
      aria-label={`${nameOf(curve)}, by target: the table below has the numbers`}>
      {points.map((point) => <rect x={axes.x(point.target) - slot / 2} y={TOP} width={slot} height={HIGH}
        class={`column ${point.outcome ?? ''}`} />)}
      {ticksTo(top).map((tick) => <g><path d={`M${LEFT} ${axes.y(tick)}H${WIDE}`}
        class={tick === 0 ? 'axis' : 'faint'} />
        <text x={LEFT - 5} y={axes.y(tick) + 4} text-anchor="end" class="tick">
          {tick === 0 || unit === '' ? tick : `${tick} ${unit}`}</text></g>)}
      <Side points={points} places={places} side="without" axes={axes} aside={-Math.min(5, slot / 5)} />
      <Side points={points} places={places} side="with" axes={axes} aside={Math.min(5, slot / 5)} />
      {points.map((point) => <>
        {point.outcome === undefined ? null : <text x={axes.x(point.target)} y={TOP - 14} text-anchor="middle"
          class={`label ${point.outcome}`}>{styleOf(run, point.outcome).symbol}</text>}
        {roomy ? <text x={axes.x(point.target)} text-anchor="middle" class="label with"
          y={axes.y(Math.max(point.with.high, point.without.high)) - 4}>{point.with.text}</text> : null}
        <rect x={axes.x(point.target) - slot / 2} y={TOP} width={slot} height={HIGH} class="over">
          <title>{saysOf(run, point)}</title></rect>
      </>)}
      <Labels run={run} places={places} axes={axes} bottom={bottom} flat={flat} />
    </svg>
  );
}

const both = (amount: Amount) => <>{amount.text} <span class="soft">{amount.between}</span></>;

function Numbers({ run, curve }: { run: Run; curve: CostCurve }) {
  const broken = curve.points.some((point) => point.outcome !== undefined);
  const places = placesOf(run);
  const targets = run.targets.map((target, i) => ({ target, i }))
    .sort((a, b) => places[a.i]!.place - places[b.i]!.place);
  return (
    <details>
      <summary>Numbers<span class="unseen">: {nameOf(curve)}</span></summary>
      <div class="wide" tabIndex={0} role="region" aria-label={`Numbers: ${nameOf(curve)}`}>
        <table><thead><tr><th scope="col">target</th><th scope="col">with the burden</th>
          <th scope="col">without</th><th scope="col">times as bad</th>
          {broken ? <th scope="col">outcome</th> : null}</tr></thead>
          <tbody>{targets.map(({ target, i }) => {
            const point = curve.points.find((one) => one.target === i);
            const style = point?.outcome === undefined ? undefined : styleOf(run, point.outcome);
            return <tr><th scope="row"><Name text={target.label} /></th>
              {point === undefined ? <><td>no values</td><td /><td /></>
                : <><td>{both(point.with)}</td><td>{both(point.without)}</td><td>{both(point.times)}</td></>}
              {broken ? <td class={point?.outcome}>{style === undefined ? '' : `${style.symbol} ${style.word}`}</td>
                : null}</tr>;
          })}</tbody></table>
      </div>
    </details>
  );
}

const MEASURES = { memory: 'Memory', puts: 'Puts', delay: 'Delay' };

// What an attempt found comes before what only looks so.
const weightOf = (curve: CostCurve) =>
  curve.points.some(({ outcome }) => outcome !== undefined) ? 2 : curve.stands_out === undefined ? 0 : 1;

function Figure({ run, curve }: { run: Run; curve: CostCurve }) {
  return (
    <figure>
      <figcaption><h4>{nameOf(curve)}</h4><span class="soft"><Name text={curve.case} /></span></figcaption>
      <Curve run={run} curve={curve} />
      <p>{curve.stands_out}</p>
      <Numbers run={run} curve={curve} />
    </figure>
  );
}

function Measure({ run, curves }: { run: Run; curves: CostCurve[] }) {
  const first = curves.filter((curve) => weightOf(curve) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  const rest = curves.filter((curve) => weightOf(curve) === 0);
  const figures = (some: CostCurve[]) =>
    <div class="curves">{some.map((curve) => <Figure run={run} curve={curve} />)}</div>;
  return <>
    {first.length === 0 ? null : figures(first)}
    {rest.length === 0 ? null : <details open={first.length === 0}>
      <summary>{rest.length} {rest.length === 1 ? 'figure' : 'figures'} in which no target stands out</summary>{figures(rest)}</details>}
  </>;
}

export function Costs({ run }: { run: Run }) {
  if (run.costs === undefined) return null;
  const costs = run.costs;
  const outcomes = run.outcomes.filter(({ name }) =>
    costs.some((curve) => curve.points.some((point) => point.outcome === name)));
  return (
    <section class="costs" aria-labelledby="costs">
      <h2 id="costs">Costs</h2>
      <p class="soft"><span class="key with">● beside a burden</span> <span class="key without">● without it</span>{' '}
        Medians over attempts; a bar is the interval of the median over all comparisons.
        {outcomes.length === 0 ? null : <> Shaded where an attempt found that it costs too much:{' '}
          {outcomes.map(({ name, symbol, word }) => <span class={`key ${name}`}>{symbol} {word}</span>)}</>}</p>
      {(['memory', 'puts', 'delay'] as const).map((measure) => {
        const curves = costs.filter((curve) => curve.measure === measure);
        if (curves.length === 0) return null;
        return <>
          <h3>{MEASURES[measure]} <span class="soft">{curves[0]!.more_is_better ? 'more' : 'less'} is better</span></h3>
          <Measure run={run} curves={curves} />
        </>;
      })}
    </section>
  );
}
