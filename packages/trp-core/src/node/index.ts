/** TRP (Tool Router Protocol) over HTTP, on `node:http`. */
export { type HttpServer, type ServeHttpOptions, serveHttp } from "./serve-http.ts";
