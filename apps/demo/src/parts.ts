// What the benchmarks run of the demo: its data, and how it reads results.
export { openDemo } from "./open-demo.ts";
export { readAttpResults } from "./planner/formats/attp.ts";
export { readCatalog } from "./planner/formats/router.ts";
