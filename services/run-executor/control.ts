import type { ControlRun } from '../../schemas/generated/records';
import { unreachable } from '../platform/decision';
import { requestCancel } from './cancel';
import { decideFate, type Draft } from './draft';
import { requestPause, resume } from './pause';
import { isTerminal } from './state';
import { repeated } from './updates';

/** A verb of a person on a run. What it meets in each state is one table in the docs, tested cell by cell. */
export const control = (draft: Draft, record: ControlRun): void => {
  const { run } = draft;
  if (repeated(draft, record.messageId) !== undefined) return;
  if (record.control === 'UNKNOWN')
    return decideFate(draft, record, {
      status: 'refused',
      code: 'field_invalid',
      field: 'control',
      detail: 'a verb this version does not know',
    });
  if (isTerminal(run.status) || run.status === 'publishing' || run.status === 'closing')
    return decideFate(draft, record, { status: 'too_late', detail: run.status });
  if (record.control !== 'cancel' && run.status === 'cancelling')
    return decideFate(draft, record, { status: 'control_superseded', detail: 'cancelling' });
  decideFate(draft, record, { status: 'control_requested' });
  switch (record.control) {
    case 'cancel':
      return requestCancel(draft, 'user', record.messageId);
    case 'pause':
      return requestPause(draft, record.messageId);
    case 'resume':
      resume(draft);
      return decideFate(draft, record, { status: 'control_confirmed', detail: run.status });
    default:
      return unreachable(record.control);
  }
};
