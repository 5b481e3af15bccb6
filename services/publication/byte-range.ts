import type { FastifyReply, FastifyRequest } from 'fastify';

type Range = { readonly from: number; readonly to: number } | 'whole' | 'beyond';

/** RFC 9110 14.2: one range; what is not understood, or asks for several, is answered with the whole. */
export const rangeOf = (header: string | undefined, size: number): Range => {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const count = Number(last);
    return count === 0 || size === 0 ? 'beyond' : { from: Math.max(0, size - count), to: size - 1 };
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return 'whole';
  return from >= size ? 'beyond' : { from, to };
};

/** The bytes asked for. They never change, so a range of an earlier answer fits whenever the hash is the same. */
export const sendRange = (request: FastifyRequest, reply: FastifyReply, bytes: Buffer, etag: string): FastifyReply => {
  const onlyIf = request.headers['if-range'];
  const header = onlyIf === undefined || onlyIf === etag ? request.headers.range : undefined;
  const range = rangeOf(header, bytes.length);
  void reply.header('accept-ranges', 'bytes');
  if (range === 'whole') return reply.send(bytes);
  if (range === 'beyond')
    return reply
      .status(416)
      .header('content-range', `bytes */${bytes.length}`)
      .type('application/problem+json')
      .send({
        type: 'about:blank',
        title: 'the range lies beyond the end',
        status: 416,
        code: 'field_invalid',
        detail: `the report has ${bytes.length} bytes`,
        field: 'range',
      });
  return reply
    .status(206)
    .header('content-range', `bytes ${range.from}-${range.to}/${bytes.length}`)
    .send(bytes.subarray(range.from, range.to + 1));
};
