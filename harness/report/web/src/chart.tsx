// SPDX-License-Identifier: Apache-2.0
// Amounts over time, with the periods of faults shaded.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { PAPER_WIDTH, usePrinting } from './paper';

export interface Line {
  colour: string; // a variable of the style sheet
  values: (number | null)[];
}
export interface ChartProps {
  title: ComponentChildren;
  says: string; // all of it in words, for those who do not see it
  times: number[];
  lines: Line[];
  faults: [number, number][];
  most: { time: number; value: number };
  logarithmic: boolean;
  word: (value: number) => string;
  at: number | undefined; // the chosen time
  choose: (at: number | undefined) => void;
}

export const FLOOR = 10; // of logarithmic axes

function decades(low: number, high: number): number[] {
  const all: number[] = [];
  for (let one = low; one <= high * 1.01; one *= 10) all.push(one);
  return all;
}

const dark = () => matchMedia('(prefers-color-scheme: dark)');

// Colours are read when it is drawn, so it is drawn again when they change.
function useDark(): boolean {
  const [now, setNow] = useState(dark().matches);
  useEffect(() => {
    const query = dark();
    const change = () => setNow(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return now;
}

export function Chart(props: ChartProps) {
  const { title, says, times, lines, faults, most, logarithmic, word, at, choose } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const printing = usePrinting();
  const isDark = useDark();
  useLayoutEffect(() => {
    const box = frame.current!;
    const style = getComputedStyle(document.documentElement);
    // Paper is light.
    const colour = (name: string) => printing ? PAPER[name]! : style.getPropertyValue(name);
    const size = () => ({ width: printing ? PAPER_WIDTH / 3 - 12 : Math.max(120, box.clientWidth), height: 140 });
    const axis = { stroke: colour('--soft'), grid: { stroke: colour('--faint'), width: 1 }, font: '11px system-ui',
      ticks: { stroke: colour('--line'), width: 1, size: 4 } };
    const made = new uPlot({
      ...size(),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      scales: {
        x: { time: false, range: [0, most.time] },
        y: logarithmic ? { distr: 3, range: () => [FLOOR, Math.max(100, 10 ** Math.ceil(Math.log10(most.value)))] }
          : { range: [0, Math.max(1, most.value * 1.05)] },
      },
      axes: [
        { ...axis, size: 24, gap: 2, values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
        { ...axis, size: 52, gap: 2, ...(logarithmic ? { splits: (_, __, low, high) => decades(low, high) } : {}), values: (_, ticks) => ticks.map((tick) => tick === null ? null : word(tick)) },
      ],
      series: [{}, ...lines.map((line) => ({ stroke: colour(line.colour), width: 1.5, spanGaps: false,
        points: { show: true, size: 3, fill: colour(line.colour) } }))],
      hooks: {
        drawClear: [(u) => faults.forEach(([from, until]) => {
          const [left, right] = [u.valToPos(from, 'x', true), u.valToPos(until, 'x', true)];
          u.ctx.fillStyle = colour('--warn-bg');
          u.ctx.fillRect(left, u.bbox.top, Math.max(2, right - left), u.bbox.height);
          u.ctx.fillStyle = colour('--stripe');
          u.ctx.fillRect(left, u.bbox.top, Math.max(2, right - left), 3);
        })],
        setCursor: [(u) => {
          const { left } = u.cursor;
          choose(left === undefined || left < 0 ? undefined : u.posToVal(left, 'x'));
        }],
      },
    }, [times, ...lines.map((line) => line.values)] as uPlot.AlignedData, box);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize(size()));
    observer.observe(box);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [times, most.time, most.value, isDark, printing]);
  useEffect(() => {
    const left = at === undefined ? -10 : plot.current!.valToPos(at, 'x');
    plot.current!.setCursor({ left, top: 0 }, false);
  }, [at]);
  return <figure class="chart-box"><figcaption class="soft">{title}</figcaption>
    <div ref={frame} role="img" aria-label={says} /></figure>;
}

const PAPER: Record<string, string> = {
  '--soft': '#57606a', '--faint': '#eaeef2', '--line': '#d0d7de', '--warn-bg': '#fff8c5', '--stripe': '#d4a72c',
  '--known': '#0969da', '--floor': '#bc4c00', '--error': '#8250df', '--fg': '#1b1f24',
};
