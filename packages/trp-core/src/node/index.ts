/** TRP (Tool Router Protocol) over HTTP, on `node:http`, and over stdio. */
export {
  type HttpServer,
  type ServeHttpOptions,
  serveHttp,
  type WebSocketHost,
  type WebSockets,
} from "./serve-http.ts";
export { type ServeStdioOptions, type StdioServer, serveStdio } from "./serve-stdio.ts";
