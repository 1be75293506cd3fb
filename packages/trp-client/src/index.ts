/** TRP (Tool Router Protocol): the agent's side. Keeps sequence, catalog and retries, over HTTP, WebSockets, stdio or in process. */
export { createClient } from "./client.ts";
export { type ClientErrorCode, clientError } from "./errors.ts";
export { type FetchTransportOptions, fetchTransport } from "./fetch-transport.ts";
export { inProcessTransport } from "./in-process.ts";
export { type CatalogLinesOptions, catalogLines } from "./model/lines.ts";
export {
  type ProgramExecutorOptions,
  type ProgramToolsOptions,
  programExecutor,
  programTools,
} from "./model/program-tools.ts";
export { type RouterExecutorOptions, routerExecutor } from "./model/router-executor.ts";
export { type RouterToolOptions, routerTool } from "./model/router-tool.ts";
export type { RouterApprovals, WaitingCall } from "./model/row-call.ts";
export type { Token } from "./router-url.ts";
export type { ClientTracing, SendOptions, TraceContext, Transport } from "./transport-types.ts";
export type {
  BatchOptions,
  BatchResult,
  CallError,
  CallRequest,
  CallResult,
  CapabilityInfo,
  Catalog,
  ClientCallOptions,
  ClientEvent,
  ClientOptions,
  QueryResult,
  RetryOptions,
  SessionInfo,
  TrpClient,
} from "./types.ts";
export { type WebSocketTransportOptions, webSocketTransport } from "./web-socket-transport.ts";
