import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { bytesOf, part, wordsOf } from './api';
import type { Interaction } from './facts';
import { Act } from './parts';

interface Shown {
  readonly text: string;
  readonly sha256: string;
  readonly bodyBytes: number;
}

/** Headings, a blank line, then the body verbatim: what goes out is what follows the blank line. */
const bodyLength = (bytes: Uint8Array): number => {
  for (let at = 0; at + 1 < bytes.length; at += 1)
    if (bytes[at] === 10 && bytes[at + 1] === 10) return bytes.length - at - 2;
  return bytes.length;
};

const load = async (ref: string): Promise<Shown> => {
  const { bytes, headers } = await bytesOf(`/v1/interactions/${part(ref)}/preview`);
  const sha256 = (headers.get('etag') ?? '').replaceAll('"', '');
  return { text: new TextDecoder().decode(bytes), sha256, bodyBytes: bodyLength(bytes) };
};

/** The exact stored bytes. Approving is possible only once they are on the screen, and names their hash. */
export const Preview = ({
  item,
  decide,
}: {
  readonly item: Interaction;
  readonly decide: (answer: Readonly<Record<string, unknown>>) => Promise<void>;
}) => {
  const [open, setOpen] = useState(false);
  const [shown, setShown] = useState<Shown | null>(null);
  const [no, setNo] = useState<string | null>(null);
  const { interactionRef, requestRevision } = item;
  useEffect(() => {
    if (!open) return;
    let current = true;
    setShown(null);
    load(interactionRef).then(
      (preview) => current && setShown(preview),
      (error: unknown) => current && setNo(wordsOf(error)),
    );
    return () => {
      current = false;
    };
  }, [open, interactionRef, requestRevision]);

  const connector = item.question?.split(':')[0] ?? 'the connector';
  if (!open)
    return (
      <p className="row">
        <button type="button" className="primary" data-key="a" onClick={() => setOpen(true)}>
          Show exactly what would be sent
        </button>
        <Act act={() => decide({ decision: 'deny' })} shortcut="d">
          Deny: send nothing
        </Act>
      </p>
    );
  return (
    <section aria-label="Exactly what would be sent">
      {no === null ? null : (
        <p role="alert" className="no">
          {no}
        </p>
      )}
      {shown === null ? (
        no === null && <p className="quiet">Reading the stored bytes …</p>
      ) : (
        <>
          <pre className="preview" tabIndex={0} data-preview="">
            {shown.text}
          </pre>
          <p className="quiet hash">
            sha256 <code>{shown.sha256}</code>
          </p>
          <p className="row">
            <Act
              className="primary"
              shortcut="a"
              act={() => decide({ decision: 'approve', previewSha256: shown.sha256 })}
            >
              Approve sending these {shown.bodyBytes} bytes to {connector}
            </Act>
            <Act act={() => decide({ decision: 'deny' })} shortcut="d">
              Deny: send nothing
            </Act>
            {item.actionKey === null ? null : <Link href={`/ledger/${part(item.actionKey)}`}>The action</Link>}
          </p>
        </>
      )}
    </section>
  );
};
