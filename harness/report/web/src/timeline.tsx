// SPDX-License-Identifier: Apache-2.0
// The picture of an attempt: lanes over time or revisions, to zoom, pan and read.
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Item, Lane, Picture } from './data';
import { PAPER_WIDTH, usePrinting } from './paper';

type Axis = 'pace' | 'time' | 'revision';
interface View {
  from: number; // places on the axis, from 0 to 1
  until: number;
}
interface Chosen {
  lane: number;
  item: number;
}

const CHART = 110;
const ROW = 13;
const ROWS = 3;
const LETTER = 5.9;
// What a disk did: as long as it lasted.
const BARS = new Set(['sync', 'held', 'refused', 'forgotten', 'unfinished', 'lost']);
const DEVIATIONS = new Set(['missing', 'repeated', 'late', 'foreign']);

const WORDS: Record<Item['kind'], string> = {
  fault: 'fault', member: 'target', opened: 'opened', closed: 'closed', write: 'write', delete: 'delete',
  other_write: 'write of another key', lost_write: 'write without an answer', compact: 'compaction', call: 'call',
  asked: 'watch asked for', created: 'watch created', events: 'events', progress_asked: 'progress asked for',
  progress: 'progress',
  err_compacted: 'ErrCompacted', cancelled: 'watch ended', missing: 'missing', repeated: 'repeated',
  late: 'late', foreign: 'foreign', driver: 'the run itself',
  listed: 'list', holds: 'holds', failed: 'error', tombstone: 'deletion of unknown last state',
  sync: 'sync', held: 'call held', refused: 'call refused', forgotten: 'sync that kept nothing',
  unfinished: 'call not carried out', lost: 'taken back', killed: 'killed at a call', started: 'started again',
};

function revisions(item: Item): string {
  if (item.first === undefined) return '';
  return item.last === undefined ? `${item.first}` : `${item.first}–${item.last}`;
}

const ms = (at: number) => `${(at / 1000).toFixed(at < 100_000 ? 2 : 1)} ms`;

export function describe(item: Item): string {
  const when = item.until === undefined ? `at ${ms(item.at)}` : `${ms(item.at)} to ${ms(item.until)}`;
  const line = item.line === undefined ? '' : `line ${item.line}, `;
  const what = item.text ?? `${WORDS[item.kind]} ${revisions(item)}`;
  const wrong = DEVIATIONS.has(item.kind) && item.kind !== 'missing' ? `${item.kind}: ` : '';
  return `${line}${when}: ${wrong}${what}`;
}

// Between known points on a line.
function interpolate(points: number[][], at: number): number {
  let low = 0;
  let high = points.length - 1;
  if (high < 0 || at <= points[0]![0]!) return points[0]?.[1] ?? 0;
  if (at >= points[high]![0]!) return points[high]![1]!;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle]![0]! <= at) low = middle; else high = middle;
  }
  const [a, b] = [points[low]!, points[high]!];
  return a[1]! + ((at - a[0]!) / (b[0]! - a[0]!)) * (b[1]! - a[1]!);
}
function stepAt(steps: number[][], at: number): number {
  let revision = steps[0]?.[1] ?? 0;
  for (const step of steps) {
    if (step[0]! > at) break;
    revision = step[1]!;
  }
  return revision;
}

// Where items stand on the axis: from, until, between 0 and 1.
class Scale {
  private readonly lowest: number;
  private readonly highest: number;
  constructor(readonly picture: Picture, readonly axis: Axis) {
    const all = picture.lanes.flatMap((lane) => lane.items.flatMap((i) => [i.first, i.last]))
      .concat(picture.head.map((step) => step[1]))
      .filter((revision): revision is number => revision !== undefined);
    this.lowest = all.reduce((a, b) => Math.min(a, b), all[0] ?? 0) - 1;
    this.highest = all.reduce((a, b) => Math.max(a, b), 1) + 1;
  }
  at(time: number): number {
    const { picture } = this;
    if (this.axis === 'pace') return interpolate(picture.pace, time);
    if (this.axis === 'time') return (time - picture.from) / Math.max(1, picture.until - picture.from);
    return this.revision(stepAt(picture.head, time));
  }
  revision(revision: number): number {
    return (revision - this.lowest) / (this.highest - this.lowest);
  }
  of(item: Item): [number, number] {
    if (this.axis === 'revision' && item.first !== undefined) {
      return [this.revision(item.first), this.revision(item.last ?? item.first)];
    }
    return [this.at(item.at), this.at(item.until ?? item.at)];
  }
  // Ticks for so many pixels.
  ticks(view: View, width: number): [number, string][] {
    const ticks: [number, string][] = [];
    const wanted = Math.max(2, Math.floor(width / 90));
    for (let i = 0; i <= wanted; ++i) {
      const place = view.from + ((view.until - view.from) * i) / wanted;
      if (this.axis === 'revision') {
        const revision = Math.round(this.lowest + place * (this.highest - this.lowest));
        ticks.push([this.revision(revision), `${revision}`]);
      } else {
        const turned = this.picture.pace.map(([at, where]) => [where!, at!]);
        const at = this.axis === 'pace' ? interpolate(turned, place)
          : this.picture.from + place * (this.picture.until - this.picture.from);
        ticks.push([place, (at / 1000).toFixed(at < 1e6 ? 1 : 0)]);
      }
    }
    return ticks;
  }
}

// All that is evidence, with some room; without evidence everything.
function firstView(picture: Picture, scale: Scale): View {
  const places = picture.evidence.map((cited) => scale.at(cited.at));
  picture.lanes.forEach((lane) => lane.items.forEach((item) => {
    if (isCited(item) || item.kind === 'missing') places.push(...scale.of(item));
  }));
  if (places.length === 0) return { from: 0, until: 1 };
  const from = Math.min(...places);
  const until = Math.max(...places);
  const room = Math.max(0.08, (until - from) * 0.15);
  return { from: Math.max(-0.01, from - room), until: Math.min(1.02, until + room) };
}

export function Timeline({ picture, title }: { picture: Picture; title: string }) {
  const id = useId();
  const [axis, setAxis] = useState<Axis>('pace');
  const scale = useMemo(() => new Scale(picture, axis), [picture, axis]);
  const [view, setView] = useState<View>(() => firstView(picture, scale));
  const wrongs = useMemo(() => wrongMoments(picture), [picture]);
  const [wrong, setWrong] = useState(0); // index into wrongs
  const [chosen, setChosen] = useState<Chosen | undefined>(wrongs[0]);
  const [screen, setScreen] = useState(900);
  const width = usePrinting() ? PAPER_WIDTH - 30 : screen;
  const frame = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; view: View } | undefined>(undefined);

  // Before anything is painted, so that a narrow screen never sees a wide picture.
  useLayoutEffect(() => {
    const fit = () => setScreen(Math.max(300, frame.current!.clientWidth));
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => setView(firstView(picture, scale)), [scale]);

  const left = width < 600 ? 96 : 180;
  const plot = width - left - 8;
  const x = (place: number) => left + ((place - view.from) / (view.until - view.from)) * plot;

  const zoom = (factor: number, around = (view.from + view.until) / 2) => {
    const span = Math.min(1.1, Math.max(0.0005, (view.until - view.from) * factor));
    const share = (around - view.from) / (view.until - view.from);
    setView({ from: around - share * span, until: around + (1 - share) * span });
  };
  const pan = (share: number) => {
    const span = view.until - view.from;
    setView({ from: view.from + share * span, until: view.until + share * span });
  };
  const choose = (next: Chosen | undefined) => {
    setChosen(next);
    if (next === undefined) return;
    const [at] = scale.of(itemAt(picture, next));
    const span = view.until - view.from;
    if (at < view.from || at > view.until) setView({ from: at - span / 2, until: at + span / 2 });
  };
  const goToWrong = (next: number) => {
    setView(firstView(picture, scale));
    setWrong(next);
    setChosen(wrongs[next]);
    frame.current!.querySelector<SVGElement>('svg')!.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const actions: Record<string, () => void> = {
      ArrowRight: () => (event.shiftKey ? pan(0.2) : choose(neighbour(picture, scale, chosen, 1))),
      ArrowLeft: () => (event.shiftKey ? pan(-0.2) : choose(neighbour(picture, scale, chosen, -1))),
      '+': () => zoom(0.6), '=': () => zoom(0.6), '-': () => zoom(1.6),
      '0': () => setView({ from: -0.01, until: 1.01 }), w: () => goToWrong(0),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    if (!event.ctrlKey && !event.metaKey) return pan(event.deltaX / plot);
    const at = view.from + ((event.offsetX - left) / plot) * (view.until - view.from);
    zoom(event.deltaY > 0 ? 1.2 : 0.83, at);
  };

  const lanes = layOut(picture, scale, view, x, left, plot);
  const chart = axis === 'revision' ? 0 : CHART;
  const bottom = lanes.reduce((y, lane) => y + lane.height, chart + 30);
  return (
    <figure class="timeline">
      <div class="tools">
        <button type="button" class="wrong-button" onClick={() => goToWrong(0)} disabled={wrongs.length === 0}>
          First wrong moment</button>
        {wrongs.length < 2 ? null : <button type="button" class="wrong-button"
          onClick={() => goToWrong((wrong + 1) % wrongs.length)}>Next wrong moment</button>}
        <label>Axis <select value={axis} onChange={(e) => setAxis(e.currentTarget.value as Axis)}>
          <option value="pace">time, pauses shortened</option>
          <option value="time">time</option>
          <option value="revision">revision</option>
        </select></label>
        <button type="button" aria-label="Zoom in" onClick={() => zoom(0.6)}>+</button>
        <button type="button" aria-label="Zoom out" onClick={() => zoom(1.6)}>−</button>
        <button type="button" onClick={() => setView({ from: -0.01, until: 1.01 })}>All</button>
        <span class="soft hint">drag to pan; keys: ← → message, shift pans, + − 0 zoom, w wrong</span>
      </div>
      <div ref={frame}>
        <svg width={width} height={bottom + 4} tabindex={0} role="application" aria-roledescription="timeline"
          aria-label={`Timeline of ${title}. Arrow keys go from message to message, w to the first wrong one.`}
          onKeyDown={onKey} onWheel={onWheel}
          onPointerDown={(e) => { drag.current = { x: e.clientX, view }; e.currentTarget.setPointerCapture(e.pointerId); }}
          onPointerUp={() => { drag.current = undefined; }}
          onPointerMove={(e) => {
            if (drag.current === undefined) return;
            const by = ((drag.current.x - e.clientX) / plot) * (drag.current.view.until - drag.current.view.from);
            setView({ from: drag.current.view.from + by, until: drag.current.view.until + by });
          }}>
          <defs>
            <pattern id={`${id}-hatch`} width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="8" height="8" class="shade" /><rect width="2" height="8" class="stripe" /></pattern>
            <pattern id={`${id}-lost`} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <path d="M0 0V5" class="taken" /></pattern>
            <clipPath id={`${id}-lanes`}><rect x={left} y="-10" width={plot + 8} height="200" /></clipPath>
            <clipPath id={`${id}-plot`}><rect x={left} y="0" width={plot + 8} height={bottom} /></clipPath>
          </defs>
          <g clip-path={`url(#${id}-plot)`}>
            {axis === 'revision' ? null : <Faults id={id} picture={picture} scale={scale} x={x} height={bottom} />}
            <WrongLines id={id} picture={picture} scale={scale} x={x} height={bottom} />
          </g>
          {axis === 'revision' ? null : <text x="0" y="14" class="name">revision</text>}
          {axis === 'revision' ? null : <Chart id={id} picture={picture} scale={scale} x={x} />}
          <g transform={`translate(0 ${chart + 4})`}>
            <path d={`M${left} 0H${width}`} class="axis" />
            {scale.ticks(view, plot).map(([place, text]) => <g transform={`translate(${x(place)} 0)`}>
              <path d="M0 0v4" class="axis" /><text y="15" text-anchor="middle" class="tick">{text}</text></g>)}
            <text x="0" y="15" class="tick">{axis === 'revision' ? 'revision' : 'ms'}</text>
          </g>
          {lanes.map((lane, index) => <LaneView id={id} lane={lane} index={index} left={left} width={width}
            narrow={width < 600} chosen={chosen} choose={choose} />)}
        </svg>
      </div>
      <p class="message" role="status" aria-live="polite">
        {chosen === undefined ? 'No message chosen.' : describe(itemAt(picture, chosen))}</p>
      {picture.evidence.length === 0 ? null : <ol class="evidence">{picture.evidence.map((cited) => <li class={cited.wrong ? 'wrong' : undefined}>
        <span class="soft">{ms(cited.at)}, line {cited.line}:</span> {cited.text}</li>)}</ol>}
    </figure>
  );
}

const itemAt = (picture: Picture, chosen: Chosen) => picture.lanes[chosen.lane]!.items[chosen.item]!;

function find(picture: Picture, fits: (item: Item) => boolean): Chosen | undefined {
  for (const [lane, { items }] of picture.lanes.entries()) {
    const item = items.findIndex(fits);
    if (item >= 0) return { lane, item };
  }
  return undefined;
}

// The last line of evidence of each finding; where no item shows one, the first deviation.
function wrongMoments(picture: Picture): Chosen[] {
  const shown = picture.evidence.flatMap((cited, i) => cited.wrong !== true ? [] :
    [find(picture, (item) => item.cited === i + 1 || item.cited_until === i + 1)]);
  const places = shown.filter((place) => place !== undefined);
  if (places.length > 0) return places;
  const other = find(picture, (item) => DEVIATIONS.has(item.kind)) ?? find(picture, isCited);
  return other === undefined ? [] : [other];
}
const isCited = (item: Item) => item.cited !== undefined || item.cited_until !== undefined;

// The next item on the axis, over all lanes.
function neighbour(picture: Picture, scale: Scale, from: Chosen | undefined, step: number): Chosen | undefined {
  const all = picture.lanes.flatMap((lane, l) => lane.items.map((item, i) =>
    ({ lane: l, item: i, place: scale.of(item)[0] })));
  all.sort((a, b) => a.place - b.place || a.lane - b.lane);
  const at = all.findIndex((one) => one.lane === from?.lane && one.item === from.item);
  return all[Math.min(all.length - 1, Math.max(0, at + step))] ?? from;
}

interface Placed {
  item: Item;
  index: number;
  begin: number;
  end: number;
  label?: { x: number; row: number; text: string };
}
interface LaidOut {
  lane: Lane;
  items: Placed[];
  y: number;
  height: number;
}

function layOut(picture: Picture, scale: Scale, view: View, x: (place: number) => number, left: number,
  plot: number): LaidOut[] {
  let y = (scale.axis === 'revision' ? 0 : CHART) + 30;
  return picture.lanes.map((lane) => {
    const items: Placed[] = [];
    lane.items.forEach((item, index) => {
      const [from, until] = scale.of(item);
      if (until < view.from || from > view.until) return;
      items.push({ item, index, begin: x(from), end: x(until) });
    });
    const rows = placeLabels(items, left, left + plot);
    const height = Math.max(20 + ROW * Math.max(1, rows), lane.name.includes('\n') ? 40 : 30) + 6;
    const laid = { lane, items, y, height };
    y += height;
    return laid;
  });
}

// Where a label of that width begins: that of a kill, or of a loss, which ends with one, beside the line.
function labelAt({ item, begin, end }: Placed, wide: number, right: number): number {
  if (item.kind === 'killed') return begin + 1 + wide > right ? begin - 1 - wide : begin + 1;
  if (item.kind === 'lost') return end - 1 - wide;
  return (begin + (BARS.has(item.kind) ? end : begin) - wide) / 2;
}

// What matters gets its place first. The number of rows used.
function placeLabels(items: Placed[], left: number, right: number): number {
  const taken: [number, number][][] = Array.from({ length: ROWS }, () => []);
  let rows = 0;
  const place = (placed: Placed, most: number) => {
    const text = placed.item.label;
    if (text === undefined) return;
    const wide = text.length * LETTER + 6;
    const begin = Math.min(Math.max(labelAt(placed, wide, right), left), Math.max(left, right - wide));
    for (let row = 0; row < most; ++row) {
      if (taken[row]!.some(([a, b]) => begin < b && a < begin + wide)) continue;
      taken[row]!.push([begin, begin + wide]);
      placed.label = { x: begin + wide / 2, row, text };
      rows = Math.max(rows, row + 1);
      return;
    }
  };
  items.filter((p) => p.item.routine !== true).forEach((p) => place(p, ROWS));
  items.filter((p) => p.item.routine === true).forEach((p) => place(p, 1));
  return rows;
}

function LaneView({ id, lane, index, left, width, narrow, chosen, choose }: {
  id: string; lane: LaidOut; index: number; left: number; width: number; narrow: boolean;
  chosen: Chosen | undefined; choose: (chosen: Chosen) => void;
}) {
  const [name, ...more] = lane.lane.name.split('\n');
  const fit = (text: string) => {
    const most = narrow ? 15 : 29;
    return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
  };
  return (
    <g transform={`translate(0 ${lane.y})`} class={`lane ${lane.lane.kind}`}>
      <title>{lane.lane.name}</title>
      <path d={`M0 0H${width}`} class="rule" />
      <text x="0" y="16" class="name">{fit(name!)}</text>
      <text x="0" y="30" class="tick">{fit(more.join(' '))}</text>
      <g clip-path={`url(#${id}-lanes)`}>
        <path d={`M${left} 12H${width}`} class="faint" />
        {behindFirst(lane.items).map((placed) => <ItemView id={id} placed={placed} height={lane.height}
          chosen={chosen?.lane === index && chosen.item === placed.index}
          choose={() => choose({ lane: index, item: placed.index })} />)}
      </g>
    </g>
  );
}

// What else was done meanwhile is drawn in the middle of what was lost.
const behindFirst = (items: Placed[]) =>
  [...items.filter(({ item }) => item.kind === 'lost'), ...items.filter(({ item }) => item.kind !== 'lost')];

function ItemView({ id, placed, height, chosen, choose }: {
  id: string; placed: Placed; height: number; chosen: boolean; choose: () => void;
}) {
  const { item, begin, end, label } = placed;
  return (
    <g class={`item ${item.kind}${chosen ? ' chosen' : ''}`} onPointerEnter={choose} onClick={choose}>
      <title>{describe(item)}</title>
      {BARS.has(item.kind) ? <Bar id={id} kind={item.kind} x={begin} width={end - begin} /> : null}
      {item.kind === 'killed' ? <path d={`M${begin} 0V${height}`} class="stroke" /> : null}
      {end - begin > 3 && !BARS.has(item.kind) ? <rect x={begin} y="9" width={end - begin} height="6" rx="3" class="span" /> : null}
      {chosen ? <circle cx={begin} cy="12" r="10" class="halo" /> : null}
      <Shape kind={item.kind} x={begin} />
      {item.cited === undefined ? null : <Badge number={item.cited} x={begin} />}
      {item.cited_until === undefined ? null : <Badge number={item.cited_until}
        x={item.cited === undefined ? end : Math.max(end, begin + 17)} />}
      {label === undefined ? null :
        <text x={label.x} y={27 + ROW * label.row} text-anchor="middle" class="label">{label.text}</text>}
    </g>
  );
}

function Badge({ number, x }: { number: number; x: number }) {
  return <g class="badge"><circle cx={x} cy="1" r="8" /><text x={x} y="4.5" text-anchor="middle">{number}</text></g>;
}

function Bar({ id, kind, x, width }: { id: string; kind: Item['kind']; x: number; width: number }) {
  const place = { x, y: 8, width: Math.max(2, width), height: 8 };
  if (kind === 'lost') return <rect {...place} y="5" height="14" class="outline" style={{ fill: `url(#${id}-lost)` }} />;
  return <rect {...place} class={kind === 'unfinished' ? 'outline open' : 'block'} />;
}

function Shape({ kind, x }: { kind: Item['kind']; x: number }) {
  switch (kind) {
    case 'fault': case 'killed': case 'sync': case 'held': case 'refused': case 'forgotten': case 'unfinished':
    case 'lost': return null;
    case 'events': return <circle cx={x} cy="12" r="4" class="solid" />;
    case 'asked': case 'created': case 'lost_write': case 'progress_asked': case 'holds':
      return <circle cx={x} cy="12" r="4.5" class="ring" />;
    case 'missing': return <circle cx={x} cy="12" r="6" class="ring gap" />;
    case 'compact': case 'err_compacted': case 'tombstone': return <path d={`M${x} 6l6 6l-6 6l-6 -6z`} class="solid" />;
    case 'write': case 'delete': case 'other_write': return <path d={`M${x} 6v12`} class="stroke" />;
    case 'member': case 'cancelled': case 'failed': case 'repeated': case 'late': case 'foreign':
      return <path d={`M${x - 5} 7l10 10m0 -10l-10 10`} class="stroke" />;
    default: return <rect x={x - 3.5} y="8.5" width="7" height="7" class="solid" />;
  }
}

interface Part {
  id: string;
  picture: Picture;
  scale: Scale;
  x: (place: number) => number;
  height?: number;
}

function Faults({ id, picture, scale, x, height }: Part) {
  return <>{picture.lanes.filter((lane) => lane.kind === 'fault').flatMap((lane) => lane.items).map((item) => {
    const [from, until] = scale.of(item);
    return <rect x={x(from)} y="0" width={Math.max(2, x(until) - x(from))} height={height} fill={`url(#${id}-hatch)`} />;
  })}</>;
}

function WrongLines({ picture, scale, x, height }: Part) {
  return <>{picture.evidence.filter((cited) => cited.wrong).map((cited) =>
    <path d={`M${x(scale.at(cited.at))} 0V${height}`} class="wrong-line" />)}</>;
}

// How far the store, the compaction floor and the first watch have come.
function Chart({ id, picture, scale, x }: Part) {
  const watch = picture.lanes.find((lane) => lane.position !== undefined);
  const lines: [string, string, number[][]][] = [
    ['head', 'the store', picture.head],
    ['floor', 'compaction floor', picture.floor],
    ['position', 'the watch waits for', watch?.position ?? []],
  ];
  const all = lines.flatMap(([, , steps]) => steps.map((step) => step[1]!));
  if (all.length === 0) return null;
  const lowest = all.reduce((a, b) => Math.min(a, b));
  const span = Math.max(1, all.reduce((a, b) => Math.max(a, b)) - lowest);
  const y = (revision: number) => CHART - 4 - ((revision - lowest) / span) * (CHART - 24);
  const edge = Math.max(x(1.05), x(scale.at(picture.until)));
  return <>{lines.filter(([, , steps]) => steps.length > 0).map(([name, text, steps], line) => {
    const path = steps.map(([at, revision], i) => i === 0 ? `M${x(scale.at(at!))} ${y(revision!)}`
      : `H${x(scale.at(at!))}V${y(revision!)}`).join('');
    return <g class={`chart ${name}`}><path d={`${path}H${edge}`} clip-path={`url(#${id}-plot)`} />
      <text x="0" y={30 + 14 * line} class="label">{text}</text></g>;
  })}</>;
}
