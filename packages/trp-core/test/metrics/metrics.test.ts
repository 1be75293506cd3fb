import fc from "fast-check";
import { Counter, Registry } from "prom-client";
import { afterEach, describe, expect, it } from "vitest";
import {
  type AnyCapability,
  CapabilityError,
  createRouter,
  defineCapability,
  MemoryStore,
  type PolicyEngine,
  principal,
  type Router,
  type RouterOptions,
} from "../../src/index.ts";
import { bounded } from "../../src/metrics/bounded.ts";
import { type RouterMetrics, routerMetrics } from "../../src/metrics/index.ts";
import { ada, boss, ledger, nackOf, openSession, resultOf } from "../router-rig.ts";
import { readPage, sampleOf } from "./exposition.ts";

const routers: Router[] = [];
afterEach(async () => {
  await Promise.all(routers.splice(0).map((router) => router.close({ graceMs: 0 })));
});

function made(options: RouterOptions = {}): Router {
  const router = createRouter({ allowVolatile: true, capabilities: ledger().capabilities, ...options });
  routers.push(router);
  return router;
}

const read = { cap_id: "cap.test.read.v1", args: { text: "very private words" } };
const mail = { cap_id: "cap.test.mail.v1", args: { text: "x" }, idempotency_key: "order-4711" };

/** Everything that happens to calls, once. */
async function play(router: Router): Promise<void> {
  const session = await openSession(router);
  resultOf(await session.call(read));
  const write = { cap_id: "cap.test.write.v1", args: { text: "a" }, idempotency_key: "k" };
  resultOf(await session.call(write));
  resultOf(await session.call(write));
  nackOf(await session.call({ ...read, args: {} }));
  nackOf(await session.call({ cap_id: "cap.nobody.has.this.v1" }));
  nackOf(await session.call(mail));
  await router.handle("no frame", { principal: ada });
}

describe("what is counted", () => {
  it("is what happened: frames, calls by capability, outcome and code, requests, and how long", async () => {
    const router = made();
    const metrics = routerMetrics(router);
    await play(router);
    const text = await metrics.text();
    const page = readPage(text);
    const values = (name: string) => Object.fromEntries(page.get(name)?.samples ?? []);
    expect(values("trp_calls_total")).toEqual({
      'trp_calls_total{cap_id="cap.test.read.v1",status="success",error_code=""}': 1,
      'trp_calls_total{cap_id="cap.test.write.v1",status="success",error_code=""}': 2,
      'trp_calls_total{cap_id="cap.test.read.v1",status="refused",error_code="TRP_2001"}': 1,
      'trp_calls_total{cap_id="unknown",status="refused",error_code="TRP_1003"}': 1,
      'trp_calls_total{cap_id="cap.test.mail.v1",status="refused",error_code="TRP_4002"}': 1,
    });
    expect(values("trp_calls_replayed_total")).toEqual({ 'trp_calls_replayed_total{cap_id="cap.test.write.v1"}': 1 });
    expect(values("trp_frames_total")).toMatchObject({
      'trp_frames_total{frame_type="HELLO_REQ",answer="HELLO_RES",error_code=""}': 1,
      'trp_frames_total{frame_type="CALL_REQ",answer="RESULT",error_code=""}': 3,
      'trp_frames_total{frame_type="CALL_REQ",answer="NACK",error_code="TRP_4002"}': 1,
      'trp_frames_total{frame_type="unreadable",answer="NACK",error_code="TRP_2000"}': 1,
    });
    expect(sampleOf(text, 'trp_call_duration_seconds_count{cap_id="cap.test.write.v1",status="success"}')).toBe(2);
    expect(sampleOf(text, 'trp_execution_duration_seconds_count{cap_id="cap.test.write.v1"}')).toBe(1);
    expect(sampleOf(text, 'trp_frame_duration_seconds_bucket{le="+Inf",frame_type="CALL_REQ"}')).toBe(6);
    expect(sampleOf(text, 'trp_approvals_requested_total{cap_id="cap.test.mail.v1"}')).toBe(1);
    expect(sampleOf(text, 'trp_approvals_pending{tenant="default"}')).toBe(1);
    expect(sampleOf(text, "trp_operations_in_doubt")).toBe(0);
    expect(sampleOf(text, "trp_ready")).toBe(1);
    expect(sampleOf(text, "trp_catalog_syncs_total")).toBe(1);
    expect(text).not.toMatch(/private|order-4711|"ada"|sess_/);
    for (const [name, { type, help }] of page) {
      expect(name).toMatch(type === "counter" ? /^trp_[a-z_]+_total$/ : /^trp_[a-z_]+(?<!_total)$/);
      expect(help).not.toBe("");
      expect(["counter", "gauge", "histogram"]).toContain(type);
    }
  });

  it("has every event of the draft (14.2)", async () => {
    const policy: PolicyEngine = {
      version: "1",
      evaluate: ({ capability: { capId } }) =>
        capId.includes("write")
          ? { decision: "deny", rule: "no-writes", reason: "No writes today." }
          : { decision: "allow", rule: "rest", reason: "Allowed." },
    };
    let tries = 0;
    const flaky: AnyCapability = defineCapability({
      capId: "cap.test.flaky.v1",
      name: "flaky",
      description: "Fails.",
      riskTier: "LOW",
      ioClass: "READ",
      effect: "pure",
      args: {},
      execute: () => {
        tries++;
        throw new CapabilityError("down", { outcome: "failed", transient: true });
      },
    });
    const router = made({ policy, capabilities: [...ledger().capabilities, flaky] });
    const metrics = routerMetrics(router);
    const session = await openSession(router);
    nackOf(await session.call({ cap_id: "cap.test.write.v1", args: { text: "a" }, idempotency_key: "k" }));
    await session.call({ cap_id: "cap.test.flaky.v1" });
    resultOf(await session.call(read));
    const text = await metrics.text();
    expect(tries).toBe(1);
    const denied = 'trp_policy_denied_total{cap_id="cap.test.write.v1",rule="no-writes",error_code="TRP_4001"}';
    expect(sampleOf(text, denied)).toBe(1);
    expect(sampleOf(text, 'trp_calls_total{cap_id="cap.test.flaky.v1",status="failed",error_code="TRP_3002"}')).toBe(1);
    expect(sampleOf(text, 'trp_retries_suggested_total{error_code="TRP_3002"}')).toBe(1);
    expect(sampleOf(text, 'trp_calls_accepted_total{cap_id="cap.test.flaky.v1"}')).toBe(1);
    expect(sampleOf(text, 'trp_execution_duration_seconds_count{cap_id="cap.test.flaky.v1"}')).toBe(1);
    expect(sampleOf(text, "trp_catalog_syncs_total")).toBe(1);
  });

  it("follows what waits: approvals and doubts that are settled, calls that run", async () => {
    const book = ledger();
    const doubtful = defineCapability({
      capId: "cap.test.doubt.v1",
      name: "doubt",
      description: "Nobody knows.",
      riskTier: "MEDIUM",
      ioClass: "WRITE",
      effect: "opaque",
      args: {},
      execute: () => {
        throw new Error("somewhere");
      },
    });
    const router = made({ capabilities: [...book.capabilities, doubtful], limits: { callsInFlight: 1 } });
    const metrics = routerMetrics(router);
    const session = await openSession(router);
    await session.call(mail);
    await session.call({ cap_id: "cap.test.doubt.v1", idempotency_key: "d" });
    const wait = { cap_id: "cap.test.wait.v1", args: { text: "w" } };
    const waits = [session.call(wait), session.call(wait)];
    await expect.poll(() => router.load()).toEqual({ running: 1, waiting: 1 });
    let text = await metrics.text();
    const shown = (name: string) => sampleOf(text, name);
    expect(["trp_calls_running", "trp_calls_waiting", "trp_operations_in_doubt"].map(shown)).toEqual([1, 1, 1]);
    expect(shown('trp_approvals_pending{tenant="default"}')).toBe(1);
    expect(shown('trp_calls_total{cap_id="cap.test.doubt.v1",status="unknown",error_code="TRP_3004"}')).toBe(1);
    book.open();
    await Promise.all(waits);
    const [request] = await router.approvals.list(boss);
    await router.approvals.deny(boss, request?.id ?? "");
    const [open] = await router.operations.inDoubt(boss);
    if (open === undefined) throw new Error("nothing in doubt");
    await router.operations.resolve(boss, open, { state: "failed", message: "no" });
    text = await metrics.text();
    expect(["trp_calls_running", "trp_calls_waiting", "trp_operations_in_doubt"].map(shown)).toEqual([0, 0, 0]);
    expect(shown('trp_approvals_pending{tenant="default"}')).toBe(0);
    expect(shown('trp_approvals_decided_total{status="denied"}')).toBe(1);
    expect(shown('trp_operations_resolved_total{state="failed"}')).toBe(1);
  });

  it("counts approvals of the tenants that it is told of", async () => {
    const router = made();
    const metrics = routerMetrics(router, { tenants: ["default", "acme"] });
    const who = principal({ id: "eve", tenant: "acme" });
    await (await openSession(router, { who })).call(mail);
    const pages = await Promise.all([metrics.text(), metrics.text(), metrics.text()]);
    for (const text of pages) {
      expect(sampleOf(text, 'trp_approvals_pending{tenant="default"}')).toBe(0);
      expect(sampleOf(text, 'trp_approvals_pending{tenant="acme"}')).toBe(1);
    }
  });
});

describe("a store that fails", () => {
  it("is counted, and leaves out what could not be found out", async () => {
    const store = new MemoryStore();
    const router = made({ store });
    const metrics = routerMetrics(router);
    const session = await openSession(router);
    const fail = (): never => {
      throw new Error("the disk is full");
    };
    Object.assign(store.operations, { list: fail });
    Object.assign(store.approvals, { list: fail });
    Object.assign(store, { ping: () => Promise.reject(new Error("the disk is full")) });
    Object.assign(store.sessions, { admit: () => Promise.reject(new Error("the disk is full")) });
    nackOf(await session.call(read));
    const text = await metrics.text();
    for (const name of ["trp_operations_in_doubt", 'trp_approvals_pending{tenant="default"}']) {
      expect(sampleOf(text, name)).toBeUndefined();
    }
    expect(sampleOf(text, "trp_ready")).toBe(0);
    // Counters are read before gauges are.
    const failures = readPage(await metrics.text()).get("trp_store_failures_total")?.samples;
    for (const operation of ["sessions.admit", "operations.list", "approvals.list", "ping"]) {
      expect(
        failures?.get(`trp_store_failures_total{operation="${operation}",code="trp/store-failed"}`),
      ).toBeGreaterThan(0);
    }
  });
});

describe("labels", () => {
  it("have few values, whatever is called", async () => {
    const router = made();
    const metrics = routerMetrics(router);
    const session = await openSession(router);
    for (let count = 0; count < 40; count++) await session.call({ cap_id: `cap.made.up${count}.v1` });
    const text = await metrics.text();
    expect(sampleOf(text, 'trp_calls_total{cap_id="unknown",status="refused",error_code="TRP_1003"}')).toBe(40);
    expect(text).not.toContain("made.up");
  });

  it("let so many values pass, always the same ones", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 2 })), fc.nat(5), (values, most) => {
        const pass = bounded(most);
        const passed = values.map(pass);
        expect(new Set(passed.filter((value, index) => value === values[index])).size).toBeLessThanOrEqual(most);
        expect(values.map(pass)).toEqual(passed);
        for (const [index, value] of passed.entries()) expect(["other", values[index]]).toContain(value);
      }),
    );
  });
});

describe("registries", () => {
  const read1 = 'trp_calls_total{cap_id="cap.test.read.v1",status="success",error_code=""}';
  const call = async (router: Router) => resultOf(await (await openSession(router)).call(read));

  it("are one for each router, unless they are given; then routers add up, and a store counts once", async () => {
    const store = new MemoryStore();
    const [one, two] = [made({ store }), made({ store })];
    const registry = new Registry();
    const [own, first, second] = [
      routerMetrics(one),
      routerMetrics(one, { registry }),
      routerMetrics(two, { registry }),
    ];
    await (await openSession(one)).call(mail);
    await call(one);
    await call(two);
    expect(sampleOf(await own.text(), read1)).toBe(1);
    expect(sampleOf(await first.text(), read1)).toBe(2);
    expect(await second.text()).toBe(await first.text());
    expect(sampleOf(await first.text(), 'trp_approvals_pending{tenant="default"}')).toBe(1);
  });

  it("count a router once, however often it is there, until the last has closed", async () => {
    const router = made();
    const registry = new Registry();
    const [first, second] = [routerMetrics(router, { registry }), routerMetrics(router, { registry })];
    await call(router);
    expect(sampleOf(await first.text(), read1)).toBe(1);
    first.close();
    first.close();
    await call(router);
    expect(sampleOf(await first.text(), read1)).toBe(2);
    second.close();
    await call(router);
    const text = await second.text();
    expect(sampleOf(text, read1)).toBe(2);
    // Nobody is there to be ready, or to have anything open.
    for (const name of ["trp_ready", "trp_operations_in_doubt", "trp_calls_running"]) {
      expect(sampleOf(text, name)).toBeUndefined();
    }
    const third = routerMetrics(router, { registry });
    await call(router);
    expect(sampleOf(await third.text(), read1)).toBe(3);
  });

  it("go on when the router is closed, and say that it can't serve", async () => {
    const router = made();
    const metrics = routerMetrics(router);
    await call(router);
    await router.close();
    const text = await metrics.text();
    expect([sampleOf(text, read1), sampleOf(text, "trp_ready")]).toEqual([1, 0]);
  });

  it("keep what else is in them, and refuse a name that is taken, leaving nothing", async () => {
    const registry = new Registry();
    new Counter({ name: "mine_total", help: "Mine", registers: [registry] }).inc(7);
    const metrics = routerMetrics(made(), { registry });
    expect(sampleOf(await metrics.text(), "mine_total")).toBe(7);
    const taken = new Registry();
    new Counter({ name: "trp_calls_total", help: "Theirs", registers: [taken] });
    expect(() => routerMetrics(made(), { registry: taken })).toThrow(/trp_calls_total has already been registered/);
    expect(taken.getMetricsAsArray().map(({ name }) => name)).toEqual(["trp_calls_total"]);
    registry.clear();
    const again: RouterMetrics = routerMetrics(made(), { registry });
    expect(readPage(await again.text()).has("trp_calls_total")).toBe(true);
  });
});

it.each([
  [undefined, {}],
  [{}, {}],
  [made(), { register: new Registry() }],
  [made(), { registry: {} }],
  [made(), { mayRead: true }],
  [made(), { tenants: "default" }],
])("throws at once for options that can't be (%#)", (router, options) => {
  expect(() => routerMetrics(router as never, options as never)).toThrow(TypeError);
});
