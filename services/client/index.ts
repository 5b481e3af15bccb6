// The package's face; inside this repository the files are imported one by one.
export {
  createClient,
  FairleadError,
  type Action,
  type Answer,
  type ClientOptions,
  type FairleadClient,
  type Interaction,
  type Message,
  type Receipt,
  type Report,
  type Run,
  type Watched,
} from './client';
export type { Happened } from './follow';
export {
  defineAgent,
  serveAgent,
  type DefinedAgent,
  type ServedAgent,
  type TurnAnswer,
  type TurnContext,
  type TurnInput,
  type TurnOutput,
} from './define-agent';
export {
  defineConnector,
  NotSent,
  type ConnectorAnswer,
  type ConnectorModule,
  type ConnectorRequest,
} from './define-connector';
/** Every route with its parameters and answers, and the records of the topics, for programs that speak to them directly. */
export type { paths as HttpRoutes } from './generated/http';
export type * as records from '../../schemas/generated/records';
