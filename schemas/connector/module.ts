/** What a connector's module is asked to do once; what its answer means is said by the configured contract. */
export interface ConnectorRequest {
  readonly actionKey: string;
  readonly operation: string;
  readonly subject: string;
  /** The sealed bytes, of a submission only. */
  readonly body: Buffer | null;
  /** Where it goes as it was sealed and approved; null = as configured now. */
  readonly target: { readonly method: string; readonly url: string } | null;
  readonly traceparent: string | null;
  /** A call that takes longer counts as timed out, and its outcome as unknown. */
  readonly timeoutMs: number;
  /** Asked directly before the first byte is written; false = too late to send (E2). */
  readonly mayWrite: () => boolean;
  /** Aborted when the call's time is up. */
  readonly signal: AbortSignal;
}

/** `status` is looked up in the lists of `outcome` and `receipt`; `body` is JSON text where they name a path in it. */
export interface ConnectorAnswer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A connector as a module, in the place of HTTP and under the same contract. An error called `NotSent` means that nothing
 * went out, any other leaves the outcome unknown.
 */
export interface ConnectorModule {
  readonly submit: (request: ConnectorRequest) => Promise<ConnectorAnswer>;
  readonly receipt?: (request: ConnectorRequest) => Promise<ConnectorAnswer>;
  readonly cancel?: (request: ConnectorRequest) => Promise<ConnectorAnswer>;
}

/** The name of the error by which a module says that nothing of its request has gone out. */
export const notSentName = 'NotSent';
