import { migratePostgres, openPostgres } from "@toolglot/postgres";

/** Of a server, when the caller knows one. */
const url = process.env.TOOLGLOT_POSTGRES_URL;

export async function consume(): Promise<string> {
  if (!url) return await consumeWithout();
  const options = { url, schema: `consumer_${process.pid}_${Date.now()}` };
  const { to } = await migratePostgres(options);
  const request = { scope: "shop", key: "order-7", fingerprint: "f", owner: "a", leaseMs: 10_000 };
  const first = await openPostgres(options);
  const started = await first.operations.start(request, {});
  if (started.status !== "claimed") throw new Error("a new key should be free");
  await first.operations.finish(started.claim, { state: "done", outcome: { ticket: 12 } });
  await first.logs.append("orders", ["order-7"], 0);
  await first.close();
  const store = await openPostgres({ ...options, migrate: "check" });
  const lines = await store.logs.read("orders");
  const again = await store.operations.start(request, {});
  await store.close();
  return `${to > 0} | ${again.status} | ${"record" in again && JSON.stringify(again.record.outcome)} | ${lines}`;
}

/** Nothing listens there. */
async function consumeWithout(): Promise<string> {
  const opening = openPostgres({ url: "postgres://app:secret@127.0.0.1:1/app", retryForMs: 50 });
  return await opening.then(
    () => "opened",
    (error: { code?: string; message: string }) => `${error.code} | ${error.message.includes("secret")}`,
  );
}

export const expected = url ? 'true | replay | {"ticket":12} | order-7' : "trp/store-unavailable | false";
