/** TRP (Tool Router Protocol), the agent's side: frames over `node:http`. */
export { type HttpTransportOptions, httpTransport } from "./http-transport.ts";
