import type { CatalogLine, RouterCall } from "../formats/router.ts";
import type { Slip } from "./slip.ts";

/** A slip in calls of a router. What it refuses is written again. */
export interface RouterSlip extends Slip {
  write(calls: readonly RouterCall[], catalog: readonly CatalogLine[]): RouterCall[];
}

function changed(calls: readonly RouterCall[], change: (call: RouterCall) => Partial<RouterCall>): RouterCall[] {
  return calls.map((call) => ({ ...call, ...change(call) }));
}

/** In the order in which they take turns. */
export const routerSlips: readonly RouterSlip[] = [
  {
    id: "wrong-number",
    title: "the number of one capability with the name of another",
    write: (calls, catalog) => changed(calls, ({ idx }) => ({ idx: (idx + 1) % Math.max(1, catalog.length) })),
  },
  {
    id: "missing-argument",
    title: "an argument that is needed is left out",
    write: (calls) => changed(calls, ({ args }) => ({ args: Object.fromEntries(Object.entries(args).slice(1)) })),
  },
  {
    id: "text-for-number",
    title: "numbers and texts in each other's place",
    write: (calls) =>
      changed(calls, ({ args }) => ({
        args: Object.fromEntries(
          Object.entries(args).map(([name, value], index) => [
            name,
            typeof value === "number" ? String(value) : index === 0 ? 5 : value,
          ]),
        ),
      })),
  },
  {
    id: "unknown-argument",
    title: "an argument that the capability does not have",
    write: (calls) => changed(calls, ({ args }) => ({ args: { ...args, verbose: true } })),
  },
  {
    id: "wrong-name",
    title: "a capability that does not exist",
    write: (calls) => changed(calls, ({ name }) => ({ name: `${name}s` })),
  },
];
