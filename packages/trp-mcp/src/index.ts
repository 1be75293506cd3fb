export { CallChannel } from "./calls/call-channel.ts";
export { type ImportOptions, importMcpServer } from "./import/import-server.ts";
export { codeMeta, type ResultLimits } from "./import/kept-result.ts";
export { acceptTools, type PinMode } from "./import/pins.ts";
export type * from "./types.ts";
