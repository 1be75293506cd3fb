import { setTimeout as pause } from "node:timers/promises";
import type { PostgresServer } from "../../../../scripts/lib/postgres-server.mjs";
import type { Bundled } from "../../../trp-core/test/chaos/bundle.ts";
import { type ChaosOptions, type ChaosReport, chaos } from "../../../trp-core/test/chaos/chaos.ts";
import { balancer } from "./balancer.ts";
import { stageOn, withServer } from "./stage.ts";
import { terminating } from "./unrest.ts";

/** Settings of a fail-over. */
export interface FailOverOptions extends ChaosOptions {
  /** When the server dies, after the first call. Milliseconds. */
  afterMs: number;
}

/** Chaos in whose middle the server dies and its synchronous standby takes its place, behind the same address. */
export function failOver(
  scripts: Pick<Bundled, "path">,
  { afterMs, ...options }: FailOverOptions,
): Promise<ChaosReport> {
  return withServer(async (primary) => {
    const standby = await primary.standby({ synchronous: true });
    const address = await balancer(primary.port);
    const url = at(primary.url, address.port);
    const promoting = async (): Promise<Record<string, number>> => {
      await pause(afterMs);
      await take(primary, standby);
      address.to(standby.port);
      return { promoted: 1 };
    };
    try {
      return await chaos(stageOn(scripts, { url, schema: "moved" }, [terminating(url), promoting]), options);
    } finally {
      await address.close();
      await standby.remove();
    }
  });
}

/** The same address at another port. */
export function at(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href;
}

/** The server crashes, and the standby becomes one of its own. */
export async function take(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  await primary.stop("immediate");
  await standby.promote();
}
