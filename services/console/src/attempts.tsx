import type { Action } from './facts';
import { At } from './time';

/** Each try at the remote, and what is known of it. */
export const Attempts = ({ of }: { readonly of: Action }) =>
  of.attempts === undefined || of.attempts.length === 0 ? null : (
    <table>
      <caption>Attempts</caption>
      <thead>
        <tr>
          <th scope="col">try</th>
          <th scope="col">outcome</th>
          <th scope="col">status</th>
          <th scope="col">sent</th>
          <th scope="col">ended</th>
        </tr>
      </thead>
      <tbody>
        {of.attempts.map((attempt) => (
          <tr key={attempt.number}>
            <td>{attempt.number}</td>
            <td>
              {attempt.outcome ?? 'not known yet'}
              {attempt.code === null ? '' : ` (${attempt.code})`}
            </td>
            <td>{attempt.httpStatus ?? '–'}</td>
            <td>{attempt.startedAt === null ? '–' : <At at={attempt.startedAt} />}</td>
            <td>{attempt.endedAt === null ? '–' : <At at={attempt.endedAt} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
