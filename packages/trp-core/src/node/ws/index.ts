/** TRP (Tool Router Protocol) over WebSockets, on `node:http` and the package `ws`. */
export { type ServeWebSocketsOptions, serveWebSockets, type WebSocketServer } from "./serve-web-sockets.ts";
export { type WebSocketOptions, webSockets } from "./web-sockets.ts";
