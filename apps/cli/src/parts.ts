// What the demo's tests and the benchmarks run of the command line; no published entry.

export { agentOptions, offerOf } from "./cli/agent-options.ts";
export { Session, type SessionOptions } from "./cli/session.ts";
export { openExtension } from "./modules/load-module.ts";
export { styleFor } from "./view/style.ts";
export { TerminalView } from "./view/terminal-view.ts";
