import { useCallback, useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { bytesOf, part, wordsOf } from './api';
import { differenceOf } from './difference';
import { hasEnded, type List, type Report, type Run, type LiveEvent } from './facts';
import { useLive } from './live';
import { useLoaded } from './load';
import { Markdown } from './markdown';
import { Badge, Empty, Ids, Lost, Problem } from './parts';
import { When } from './time';
import { shortId, type Tone } from './words';

const nameOf = (report: Pick<Report, 'version' | 'seq'>): string => `${report.version}.${report.seq}`;
const titleOf = (report: Report): string =>
  `v${report.version}${report.seq === 1 ? '' : `, number ${report.seq}`}: ${report.status}${report.current ? ', current' : ''}`;

const toneOf = (report: Report): Tone =>
  report.status === 'final' && report.current ? 'settled' : report.status === 'late' ? 'wrong' : null;

/** Reports never change, so one that was read stays read. */
const useText = (
  runId: string,
  report: Report | undefined,
): { readonly text: string | null; readonly no: string | null } => {
  const [state, setState] = useState<{
    readonly of: string;
    readonly text: string | null;
    readonly no: string | null;
  }>();
  const name = report === undefined ? null : nameOf(report);
  const path = report === undefined ? null : `/v1/runs/${part(runId)}/reports/${report.version}/${report.seq}`;
  useEffect(() => {
    if (path === null || name === null) return;
    let current = true;
    bytesOf(path).then(
      ({ bytes }) => current && setState({ of: name, text: new TextDecoder().decode(bytes), no: null }),
      (error: unknown) => current && setState({ of: name, text: null, no: wordsOf(error) }),
    );
    return () => {
      current = false;
    };
  }, [path, name]);
  return state !== undefined && state.of === name ? state : { text: null, no: null };
};

const sourceWords = (source: Record<string, unknown>): string =>
  Object.entries(source)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

const Source = ({ source }: { readonly source: Record<string, unknown> }) => {
  const key = source['actionKey'];
  const words = sourceWords(source);
  return <li>{typeof key === 'string' ? <Link href={`/ledger/${part(key)}`}>{words}</Link> : <code>{words}</code>}</li>;
};

const Body = ({ report, text }: { readonly report: Report; readonly text: string }) =>
  report.contentType.startsWith('text/markdown') ? <Markdown text={text} /> : <pre tabIndex={0}>{text}</pre>;

const Difference = ({ older, newer }: { readonly older: string; readonly newer: string }) => (
  <div className="difference" data-difference="">
    {differenceOf(older, newer).map((piece, index) =>
      piece.kind === 'gone' ? (
        <del key={index}>{piece.text}</del>
      ) : piece.kind === 'new' ? (
        <ins key={index}>{piece.text}</ins>
      ) : (
        <span key={index}>{piece.text}</span>
      ),
    )}
  </div>
);

const extensions: Readonly<Record<string, string>> = {
  'text/markdown': 'md',
  'text/plain': 'txt',
  'application/json': 'json',
};

export const ReportPage = ({ id }: { readonly id: string }) => {
  const list = useLoaded<List<Report>>(`/v1/runs/${part(id)}/reports?limit=500`);
  const { reload } = list;
  const [over, setOver] = useState(false);
  const onEvent = useCallback(
    ({ kind, item }: LiveEvent) => {
      if (kind === 'report' || kind === 'snapshot') reload();
      if (kind === 'run' && hasEnded(item as Run)) setOver(true);
    },
    [reload],
  );
  const connection = useLive(`/v1/runs/${part(id)}/events`, onEvent, { endsWhen: () => over });
  const [search, setSearch] = useSearchParams();
  const reports = list.value?.items ?? [];
  const wanted = search.get('report');
  const shown =
    reports.find((report) => nameOf(report) === wanted) ?? reports.find((report) => report.current) ?? reports[0];
  const other = reports.find((report) => nameOf(report) === search.get('against') && report !== shown);
  const text = useText(id, shown);
  const otherText = useText(id, other);
  const choose = (report: string, against: string | null): void =>
    setSearch({ report, ...(against === null || against === '' ? {} : { against }) }, { replace: true });

  return (
    <>
      <h1>Report</h1>
      <p className="quiet">
        of <Link href={`/runs/${part(id)}`}>run {shortId(id)}</Link>
      </p>
      {over ? null : <Lost connection={connection} />}
      {list.error === null ? null : <Problem error={list.error} />}
      {list.value !== null && reports.length === 0 ? (
        <Empty command={`npx fairlead watch ${id}`}>
          Reports of this run appear here, each version and each try of it. Follow it with:
        </Empty>
      ) : null}
      {shown === undefined ? null : (
        <>
          <div className="row pickers">
            <label>
              Show{' '}
              <select value={nameOf(shown)} onChange={(event) => choose(event.target.value, search.get('against'))}>
                {reports.map((report) => (
                  <option key={nameOf(report)} value={nameOf(report)}>
                    {titleOf(report)}
                  </option>
                ))}
              </select>
            </label>
            <label>
              What changed since{' '}
              <select
                value={other === undefined ? '' : nameOf(other)}
                onChange={(event) => choose(nameOf(shown), event.target.value)}
              >
                <option value="">nothing to compare</option>
                {reports
                  .filter((report) => report !== shown)
                  .map((report) => (
                    <option key={nameOf(report)} value={nameOf(report)}>
                      {titleOf(report)}
                    </option>
                  ))}
              </select>
            </label>
          </div>
          <p>
            <Badge tone={toneOf(shown)}>{shown.status}</Badge> published <When at={shown.publishedAt} />,{' '}
            {shown.sizeBytes} bytes,{' '}
            <a
              href={`/v1/runs/${part(id)}/reports/${shown.version}/${shown.seq}`}
              download={`${id}-v${shown.version}-${shown.seq}.${extensions[shown.contentType] ?? 'txt'}`}
            >
              download exactly these
            </a>
          </p>
          {shown.unsettledActions.length === 0 ? null : (
            <p>
              <Badge tone="wrong">written while {shown.unsettledActions.length} actions had no known outcome</Badge>
            </p>
          )}
          {text.no === null ? null : <p role="alert">{text.no}</p>}
          <article className="report">
            {text.text === null ? null : other === undefined ? (
              <Body report={shown} text={text.text} />
            ) : otherText.text === null ? null : (
              <Difference older={otherText.text} newer={text.text} />
            )}
          </article>
          {shown.sources.length === 0 ? null : (
            <section aria-labelledby="sources">
              <h2 id="sources">Sources</h2>
              <ul>
                {shown.sources.map((source, index) => (
                  <Source key={index} source={source} />
                ))}
              </ul>
            </section>
          )}
          <Ids of={{ runId: id, sha256: shown.sha256, turn: shown.turn, contentType: shown.contentType }} />
        </>
      )}
    </>
  );
};
