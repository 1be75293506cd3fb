/** TRP (Tool Router Protocol), the agent's side: frames over `node:http`, the package `ws` and standard streams. */
export { type HttpTransportOptions, httpTransport } from "./http-transport.ts";
export { type StdioTransportOptions, stdioTransport } from "./stdio-transport.ts";
export { type WsTransportOptions, wsTransport } from "./ws-transport.ts";
