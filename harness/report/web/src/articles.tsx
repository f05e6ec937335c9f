// SPDX-License-Identifier: Apache-2.0
// What is wrong, what could not be decided and what was expected: an article per attempt. Its
// findings and pictures are unpacked when it is opened.
import { useEffect, useState } from 'preact/hooks';
import { count, issueLink, partOf, readDetail, seconds, styleOf, type Attempt, type Detail, type Finding,
  type Picture, type Run } from './data';
import { hasArticle } from './matrix';
import { Name } from './name';
import { usePrinting } from './paper';
import { Timeline } from './timeline';

function Copy({ text }: { text: string }) {
  const [done, setDone] = useState(false);
  return <><code>{text}</code> <button type="button" aria-label={`Copy ${text}`}
    onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}>
    {done ? 'copied' : 'copy'}</button></>;
}

// What the picture shows, in words; the rest comes below it.
const BESIDE_THE_PICTURE = new Set(['watch', 'expected', 'observed']);

function Rows({ rows }: { rows: string[][] }) {
  return <>{rows.map(([name, text]) => <><dt>{name}</dt><dd>{text}</dd></>)}</>;
}

const Heading = ({ finding }: { finding: Finding }) =>
  <h4><Name text={finding.guarantee} />{finding.level === 'must' ? '' : ` (${finding.level})`}</h4>;

// "1, 2 (lines 21, 55 of the history)", with the numbers of the picture.
function evidenceOf(finding: Finding, picture: Picture | undefined): string {
  const lines = `lines ${finding.evidence.join(', ')} of the history`;
  if (picture === undefined) return lines;
  const number = (line: number) => picture.evidence.findIndex((cited) => cited.line === line) + 1;
  return `${[...new Set(finding.evidence)].map(number).join(', ')} in the picture: ${lines}`;
}

function Above({ finding, picture }: { finding: Finding; picture: Picture | undefined }) {
  return (
    <div class="finding">
      <Heading finding={finding} />
      <dl>
        <Rows rows={finding.rows.filter(([name]) => BESIDE_THE_PICTURE.has(name!))} />
        {finding.evidence.length === 0 ? null : <><dt>evidence</dt><dd>{evidenceOf(finding, picture)}</dd></>}
      </dl>
    </div>
  );
}

function Below({ finding, picture, alone }: { finding: Finding; picture: Picture | undefined; alone: boolean }) {
  // The picture has the lines of evidence.
  const rows = finding.rows.filter(([name]) => !BESIDE_THE_PICTURE.has(name!) &&
    (name !== 'see' || picture === undefined));
  return (
    <div class="finding">
      {alone ? null : <Heading finding={finding} />}
      <dl>
        <Rows rows={rows} />
        {picture === undefined ? null : <><dt>draw</dt><dd><Copy text={finding.draw} /></dd></>}
      </dl>
    </div>
  );
}

function Findings({ detail, title }: { detail: Detail; title: string }) {
  const { findings, picture } = detail;
  return <>
    {findings.map((finding) => <Above finding={finding} picture={picture} />)}
    {picture === undefined
      ? detail.no_picture === undefined ? null : <p class="soft">No picture: {detail.no_picture}.</p>
      : <Timeline picture={picture} title={[...findings.map(({ guarantee }) => guarantee), title].join(', ')} />}
    {findings.map((finding) => <Below finding={finding} picture={picture} alone={findings.length === 1} />)}
  </>;
}

function Body({ attempt, title }: { attempt: Attempt; title: string }) {
  const detail = attempt.detail === undefined ? undefined : readDetail(attempt.detail);
  const more = (attempt.findings ?? 0) - (detail?.findings.length ?? 0);
  return (
    <div class="body">
      {attempt.detail === undefined && (attempt.findings ?? 0) > 0
        ? <p class="soft">{count(attempt.findings!, 'finding')} in findings.json: too large for this page.</p> : null}
      {detail === undefined ? null : <Findings detail={detail} title={title} />}
      <dl>
        {detail !== undefined && more > 0 ? <><dt>more</dt><dd>{more} in findings.json</dd></> : null}
        {attempt.reason === undefined ? null : <><dt>reason</dt><dd>{attempt.reason}</dd></>}
        {(attempt.upstream ?? []).map((issue) =>
          <><dt>upstream</dt><dd><a href={issueLink(issue)}>etcd #{issue}</a></dd></>)}
        {(attempt.receipts ?? []).map((receipt) =>
          <><dt>fault {receipt.fault}</dt><dd>{receipt.fired ? 'took effect' : 'no effect'}: {receipt.text}</dd></>)}
        {attempt.folder === undefined ? null :
          <><dt>files</dt><dd><a href={`${attempt.folder}/`}>{attempt.folder}</a></dd></>}
        {attempt.repeat === undefined ? null : <><dt>repeat</dt><dd><Copy text={attempt.repeat} /></dd></>}
      </dl>
    </div>
  );
}

// How much of it is shown. On paper nothing can be opened, so what was expected says why at least.
type Shown = 'title' | 'reason' | 'all';

function Article({ run, index, shown, toggle }: {
  run: Run; index: number; shown: Shown; toggle: (open: boolean) => void;
}) {
  const attempt = run.attempts[index]!;
  const style = styleOf(run, attempt.outcome);
  const name = run.cases[attempt.case]!.name;
  const label = run.targets[attempt.target]!.label;
  return (
    <details class={`article ${attempt.outcome}`} id={`a${index}`} open={shown !== 'title'}
      onToggle={(e) => toggle(e.currentTarget.open)}>
      <summary><span class={attempt.outcome}>{style.symbol} {style.word}</span> <b><Name text={name} /></b>{' '}
        <span class="soft">on <Name text={label} />, attempt {attempt.attempt}, {seconds(attempt.seconds ?? 0)}</span></summary>
      {shown === 'all' ? <Body attempt={attempt} title={`${name} on ${label}`} />
        : shown === 'reason' ? <p>{attempt.reason}</p> : null}
    </details>
  );
}

// The index in "#a12".
function named(): number | undefined {
  const match = /^#a(\d+)$/.exec(location.hash);
  return match === null ? undefined : Number(match[1]);
}

export function Articles({ run }: { run: Run }) {
  const [open, setOpen] = useState<Set<number>>(new Set());
  const indices = run.attempts.map((_, i) => i).filter((i) => hasArticle(run.attempts[i]!));
  const group = (attempt: Attempt) => run.cases[attempt.case]!.name;
  const of = (part: string) => indices.filter((i) => partOf(run.attempts[i]!) === part)
    .sort((a, b) => group(run.attempts[a]!).localeCompare(group(run.attempts[b]!)) || a - b);
  const [folded, setFolded] = useState({ known: true, fine: true, undecided: false });
  const printing = usePrinting();

  useEffect(() => {
    const go = () => {
      const index = named();
      const attempt = index === undefined ? undefined : run.attempts[index];
      if (index === undefined || attempt === undefined) return;
      setFolded((now) => ({ ...now, [partOf(attempt)]: false }));
      setOpen((now) => new Set(now).add(index));
      // Once it is there.
      setTimeout(() => {
        const summary = document.querySelector<HTMLElement>(`#a${index} > summary`);
        summary?.focus();
        summary?.scrollIntoView({ block: 'start' });
      });
    };
    go();
    addEventListener('hashchange', go);
    // The same cell again makes no new hash.
    const again = (event: MouseEvent) => {
      const link = (event.target as Element).closest('a.cell');
      if (link !== null && link.getAttribute('href') === location.hash) go();
    };
    document.addEventListener('click', again);
    return () => {
      removeEventListener('hashchange', go);
      document.removeEventListener('click', again);
    };
  }, [run]);

  const shownOf = (part: string, index: number): Shown =>
    open.has(index) || (printing && part === 'wrong') ? 'all' : printing ? 'reason' : 'title';
  const list = (part: string) => of(part).map((index) =>
    <Article key={index} run={run} index={index} shown={shownOf(part, index)} toggle={(now) => {
      if (printing || now === open.has(index)) return;
      const next = new Set(open);
      if (now) next.add(index); else next.delete(index);
      setOpen(next);
    }} />);
  const isOpen = (part: 'known' | 'undecided' | 'fine') => !folded[part] || (printing && part !== 'fine');
  const foldedPart = (part: 'known' | 'undecided' | 'fine', title: string) => of(part).length === 0 ? null :
    <details class="part" open={isOpen(part)} onToggle={(e) => {
      if (!printing) setFolded({ ...folded, [part]: !e.currentTarget.open });
    }}>
      <summary><h2>{title} <span class="soft">{of(part).length}</span></h2></summary>
      {isOpen(part) ? list(part) : null}
    </details>;
  return (
    <>
      <section aria-labelledby="wrong">
        <h2 id="wrong">What is wrong</h2>
        {of('wrong').length === 0 ? <p>Nothing new.</p> : list('wrong')}
      </section>
      {foldedPart('undecided', 'What could not be decided')}
      {foldedPart('known', 'Known failures')}
      {foldedPart('fine', 'Recordings of what is as expected')}
      {run.left_out === 0 ? null : <p class="soft">The details of {count(run.left_out, 'attempt')} are not in this
        page because of its size; watchproof draw and findings.json have them.</p>}
    </>
  );
}
