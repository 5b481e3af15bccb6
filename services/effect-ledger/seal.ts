import type { ProposeEffect } from '../../schemas/generated/records';
import { sealRequest, sha256Hex } from '../platform/canonical';

/** `params` or `body` of one proposal. */
const maxRequestBytes = 64 * 1024;

export type Sealed =
  | { readonly ok: true; readonly bytes: Buffer; readonly sha256: string }
  | { readonly ok: false; readonly code: 'invalid_request' | 'request_too_large'; readonly detail: string };

/** The request's bytes, made once: previewed, hashed, stored and sent as they are (H8). */
export const seal = ({ params, body }: Pick<ProposeEffect, 'params' | 'body'>): Sealed => {
  if ((params === null) === (body === null))
    return { ok: false, code: 'invalid_request', detail: 'exactly one of params and body is needed' };
  let bytes: Buffer;
  try {
    bytes = body === null ? sealRequest({ params: JSON.parse(params ?? '') as unknown }) : sealRequest({ body });
  } catch (error) {
    return {
      ok: false,
      code: 'invalid_request',
      detail: `params: ${error instanceof Error ? error.message : String(error)}`.slice(0, 300),
    };
  }
  if (bytes.length > maxRequestBytes)
    return { ok: false, code: 'request_too_large', detail: `at most ${maxRequestBytes} bytes` };
  return { ok: true, bytes, sha256: sha256Hex(bytes) };
};

/** Invisible and direction-changing characters could make a note look like a heading, or like other words. */
const visible = (text: string): string =>
  JSON.stringify(text).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

export interface PreviewOf {
  readonly actionKey: string;
  readonly connector: string;
  readonly operation: string;
  readonly subject: string;
  readonly method: string;
  readonly url: string;
  readonly requirementsVersion: number;
  readonly note: string | null;
  readonly repeat: boolean;
  readonly compensates: string | null;
}

/** What an approver reads: made from the sealed request and from nothing else. The agent's words are one marked line. */
export const previewOf = (of: PreviewOf, request: Buffer, sha256: string): Buffer => {
  const headings = [
    `Connector: ${of.connector}`,
    `Operation: ${of.operation}`,
    `Subject: ${of.subject}`,
    `Target: ${of.method} ${of.url}`,
    `Action: ${of.actionKey}`,
    `Requirements version: ${of.requirementsVersion}`,
    `Bytes: ${request.length}`,
    `SHA-256: ${sha256}`,
    ...(of.repeat ? ['Repeat: this was done before and is meant to happen again'] : []),
    ...(of.compensates === null ? [] : [`Compensates: ${of.compensates}`]),
    ...(of.note === null ? [] : [`The agent's own words, not checked: ${visible(of.note)}`]),
  ];
  return Buffer.concat([Buffer.from(`${headings.join('\n')}\n\n`, 'utf8'), request]);
};
