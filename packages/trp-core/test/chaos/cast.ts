import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RouterStore } from "../../src/store/index.ts";
import type { Bundled } from "./bundle.ts";
import { end, type Started, start } from "./process.ts";
import type { RouterSettings } from "./router.ts";
import { killing, type Unrest } from "./unrest.ts";

/** Where it happens: what differs between stores. */
export interface Stage {
  /** With the processes `ledger` and `router`. */
  scripts: Pick<Bundled, "path">;
  /** What routers open: a file, a URL. */
  store: string;
  open(store: string): Promise<RouterStore>;
  /** Whatever else breaks, beside routers. */
  unrest?: Unrest[];
}

/** How many routers there are, and what becomes of them. */
export interface CastOptions extends Pick<RouterSettings, "variant" | "lease" | "slow"> {
  routers: number;
  /** How often one is killed or stopped, in milliseconds. */
  every: number;
  /** So many of them, the first ones, are left in peace. Default 0. */
  spared?: number;
}

/** Routers, a ledger of what they did, and those who break things. */
export interface Cast {
  readonly routers: readonly Started[];
  /** The port of any of the routers. */
  any(): number;
  /** How often each operation's effect has happened. */
  effects(): Promise<Record<string, number>>;
  /** All that the ledger saw, in lines. */
  seen(): string[];
  /** Ends the unrest; what was broken how often. */
  calm(): Promise<Record<string, number>>;
  end(): Promise<void>;
}

/** Starts them all. */
export async function gather({ scripts, store, unrest = [] }: Stage, options: CastOptions): Promise<Cast> {
  const { routers: size, every, spared = 0, variant, lease, slow = 0 } = options;
  const folder = mkdtempSync(join(tmpdir(), "toolglot-chaos-"));
  const file = join(folder, "effects.jsonl");
  const ledger = await start(scripts.path("ledger"), file);
  const settings: RouterSettings = { store, ledger: ledger.port, lease, variant, slow };
  // Who could not start, because the store was away, is started again, as a supervisor does it.
  const another = async (left = 10): Promise<Started> => {
    const started = start(scripts.path("router"), JSON.stringify(settings));
    return await (left === 0 ? started : started.catch(() => another(left - 1)));
  };
  const routers: Started[] = [];
  // One after the other the first time: a start under load is tested elsewhere.
  for (let index = 0; index < size; index++) routers.push(await another());
  let over = false;
  const all = [killing(routers, () => another(), { every, lease, spared }), ...unrest].map((one) => one(() => over));
  const calm = async (): Promise<Record<string, number>> => {
    over = true;
    return Object.assign({}, ...(await Promise.all(all)));
  };
  return {
    routers,
    any: () => (routers[Math.floor(Math.random() * routers.length)] as Started).port,
    effects: async () =>
      (await (await fetch(`http://127.0.0.1:${ledger.port}/counts`)).json()) as Record<string, number>,
    seen: () => readFileSync(file, "utf8").split("\n"),
    calm,
    async end() {
      await calm().catch(() => undefined);
      await Promise.all([...routers, ledger].map(end));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
