import {
  notSentName,
  type ConnectorAnswer,
  type ConnectorModule,
  type ConnectorRequest,
} from '../../schemas/connector/module';

export type { ConnectorAnswer, ConnectorModule, ConnectorRequest };

/** Thrown while nothing of a request has gone out: it is tried again later. Any other error leaves the outcome unknown. */
export class NotSent extends Error {
  override readonly name = notSentName;
}

/**
 * A connector as a module: export it by default from the file that `connectors.<name>.module` names. Where `receipt` is
 * left out, an unknown outcome can only be settled by hand or, where dedup is declared, by sending again.
 */
export const defineConnector = (module: ConnectorModule): ConnectorModule => module;
