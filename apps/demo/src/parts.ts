// What the benchmarks run of the demo: its data, and each protocol's offer over them.
export { agentOptions, offerOf, openSession, type Session } from "./cli/session.ts";
export { openStore } from "./data/store.ts";
export { readAttpResults } from "./planner/formats/attp.ts";
export { readCatalog } from "./planner/formats/router.ts";
