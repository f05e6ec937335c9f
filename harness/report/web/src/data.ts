// SPDX-License-Identifier: Apache-2.0
// The run as the page reads it: unpacked once, details when they are shown.
import { strFromU8, unzlibSync } from 'fflate';
import type { Attempt, Course, Detail, Outcome, Run } from './page_types';

export type { Amount, Attempt, Bug, Case, Cause, CostCurve, CostPoint, Course, Detail, Finding, Item, Lane, Outcome, Picture, Run, Target } from './page_types';

// At once, also while the page is being printed, when nothing can be waited for.
function unpack<T>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no part ${id}`);
  const bytes = Uint8Array.from(atob(element.textContent!.trim()), (c) => c.charCodeAt(0));
  return JSON.parse(strFromU8(unzlibSync(bytes))) as T;
}

export const readRun = () => unpack<Run>('run');
export const readCourses = (index: number) => unpack<Course[]>(`c${index}`);

const details = new Map<number, Detail>();
export function readDetail(index: number): Detail {
  let detail = details.get(index);
  if (detail === undefined) details.set(index, (detail = unpack<Detail>(`d${index}`)));
  return detail;
}

export function styleOf(run: Run, name: string): Outcome {
  return run.outcomes.find((outcome) => outcome.name === name)!;
}
export function weightOf(run: Run, name: string): number {
  return run.outcomes.findIndex((outcome) => outcome.name === name);
}

// What needs attention, what could not be decided, what was expected; the rest has no article.
export type Part = 'wrong' | 'undecided' | 'known' | 'fine';
export function partOf(attempt: Attempt): Part {
  switch (attempt.outcome) {
    case 'fail':
    case 'harness_error':
    case 'target_failed':
    case 'regression':
    case 'fixed_early':
      return 'wrong';
    case 'inconclusive':
      return 'undecided';
    case 'unsupported':
      return 'undecided';
    case 'known':
      return 'known';
    default:
      return 'fine';
  }
}

// "etcd 3.5.9" before "etcd 3.5.12"; what has no version comes first.
export function byVersion(a: string, b: string): number {
  const parts = (label: string) => label.split(/[ .,-]+/);
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); ++i) {
    const [x, y] = [left[i] ?? '', right[i] ?? ''];
    const [m, n] = [Number(x), Number(y)];
    if (x !== '' && y !== '' && !Number.isNaN(m) && !Number.isNaN(n)) {
      if (m !== n) return m - n;
    } else if (x !== y) {
      return x === '' ? -1 : y === '' ? 1 : x < y ? -1 : 1;
    }
  }
  return 0;
}

export function seconds(value: number): string {
  if (value < 0.995) return `${value.toFixed(2)} s`;
  return value < 9.95 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;
}
export const count = (n: number, noun: string) =>
  `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
export const matches = (text: string, wanted: string) => text.toLowerCase().includes(wanted.trim().toLowerCase());
export const issueLink = (issue: number) => `https://github.com/etcd-io/etcd/issues/${issue}`;
