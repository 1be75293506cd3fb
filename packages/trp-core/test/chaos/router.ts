import { Agent, request as httpRequest } from "node:http";
import {
  type AnyCapability,
  createRouter,
  defineCapability,
  type Effect,
  type ExecuteContext,
  principal,
} from "../../src/index.ts";
import { serveHttp } from "../../src/node/index.ts";
import type { RouterStore } from "../../src/store/index.ts";
import { watched } from "./at-rest.ts";
import { type Failing, failAt, failing, type Point, slowed, type Way } from "./fail-at.ts";
import { type Variant, weaken } from "./naive.ts";
import { endWithParent } from "./process.ts";

/** What a router process is told: the argument of `node router.mjs`. */
export interface RouterSettings {
  /** What it opens: a file, a URL. */
  store: string;
  ledger: number;
  lease: number;
  variant: Variant;
  /** Where to fail, and how: once. */
  point?: Point;
  way?: Way;
  /** Takes up to so long before it starts a call, and while it runs. Milliseconds. */
  slow?: number;
}

endWithParent();
const settings = JSON.parse(process.argv[2] as string) as RouterSettings;
const agent = new Agent({ keepAlive: true });
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

function post(path: string, body: unknown, signal: AbortSignal): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(
      { host: "127.0.0.1", port: settings.ledger, path, method: "POST", agent, signal },
      async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve(JSON.parse(text));
      },
    );
    sending.on("error", reject);
    sending.end(JSON.stringify(body));
  });
}

function effect(name: "keyed" | "probe" | "opaque", fail: Failing): AnyCapability {
  const mode = name === "opaque" ? "plain" : name;
  return defineCapability({
    capId: `cap.chaos.${name}.v1`,
    name: `chaos_${name}`,
    description: `An effect that is ${name}.`,
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    // `orphans`: what lost its router is run again, whatever it does.
    effect: settings.variant === "orphans" ? "idempotent" : (name satisfies Effect),
    args: { op: "string" },
    execute: async ({ op }: { op: string }, context: ExecuteContext) => {
      context.progress("one");
      // Some are kept while it still runs.
      if (settings.slow) await pause(Math.random() * settings.slow);
      context.progress("two");
      const sent = { op, mode, key: context.operationKey, fence: context.fence, router: process.pid };
      const { receipt, refused } = await post("/apply", sent, context.signal);
      if (refused) throw new Error("this attempt was taken over");
      await fail.at("after-effect");
      context.progress("three");
      return { receipt };
    },
    ...(name === "probe" &&
      settings.variant !== "orphans" && {
        probe: async ({ op }: { op: string }, { operationKey, fence, signal }: ExecuteContext) => {
          const { receipt } = await post("/probe", { op, key: operationKey, fence }, signal);
          return receipt === undefined
            ? ({ state: "not-applied" } as const)
            : ({ state: "done", value: { receipt } } as const);
        },
      }),
  });
}

/** The process of one router of several on one store, which `open` opens. Prints its port. */
export async function runRouter(open: (store: string, variant: Variant) => Promise<RouterStore>): Promise<void> {
  const { store: shared, atRest } = watched(await open(settings.store, settings.variant));
  const fail = failing(settings.point, settings.way, atRest);
  const opened = weaken(shared, settings.variant);
  const store = failAt(settings.slow ? slowed(opened, settings.slow) : opened, fail);
  const router = createRouter({
    store,
    capabilities: [effect("keyed", fail), effect("probe", fail), effect("opaque", fail)],
    times: { leaseMs: settings.lease },
    outbox: true,
    checkpoints: { everyRows: 50 },
  });
  const who = principal({ id: "chaos" });
  const { port } = await serveHttp(router, { port: 0, host: "127.0.0.1", authenticate: () => who });
  console.log(JSON.stringify({ port }));
}
