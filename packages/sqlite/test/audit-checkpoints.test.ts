import { generateKeyPairSync } from "node:crypto";
import { leftToCi } from "@toolglot/internal/testing";
import {
  type AuditCheckpoint,
  type CheckpointOptions,
  checkpointSigner,
  checkpointVerifier,
  createCheckpointKeys,
  createRouter,
  defineCapability,
  type Router,
  type RouterOptions,
} from "@toolglot/trp-core";
import { type AuditEntry, chainText, entryText, type RouterStore } from "@toolglot/trp-core/store";
import { afterEach, describe, expect, it } from "vitest";
import { chooseDriver } from "../src/driver.ts";
import { openSqlite } from "../src/index.ts";
import { newFile } from "./files.ts";
import { boss, callOnce, endOf } from "./session.ts";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const day = 24 * 60 * 60 * 1000;

interface Stage {
  router: Router;
  store: RouterStore;
  file: string;
  pass(ms: number): void;
}

async function stage(options: RouterOptions = {}, file: string = newFile()): Promise<Stage> {
  let time = Date.now();
  const write = defineCapability({
    ...{ capId: "cap.x.write.v1", name: "write", description: "Writes.", riskTier: "MEDIUM", ioClass: "WRITE" },
    ...{ effect: "opaque", args: { n: "string" } },
    execute: ({ n }: { n: string }) => {
      if (n === "hang") return new Promise(() => {});
      if (n === "fail") throw new Error("no");
      return 1;
    },
  });
  const store = await openSqlite({ file, now: () => time });
  const times = { pruneEveryMs: 0, recoverEveryMs: 0, ...options.times };
  const router = createRouter({ capabilities: [write], store, ...options, times });
  ends.push(async () => {
    await router.close({ graceMs: 1_000 });
    await store.close();
  });
  const pass = (ms: number): void => {
    time += ms;
  };
  return { router, store, file, pass };
}

const call = async (router: Router, n: string, timeoutMs = 5_000): Promise<string> =>
  endOf(await callOnce(router, "cap.x.write.v1", { n }, { key: `key-${n}`, timeoutMs }));

async function calls(router: Router, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) expect(await call(router, `${n}`)).toBe("SUCCESS");
}

/** As somebody does who can write the file. */
async function tamper(file: string, ...statements: string[]): Promise<void> {
  const connection = (await chooseDriver()).open(file);
  for (const statement of statements) connection.exec(statement);
  connection.close();
}

/** Writes the whole log anew, with hashes that fit, as somebody does who knows how. */
async function rewrite(router: Router, file: string, change: (entry: AuditEntry) => AuditEntry): Promise<void> {
  let last: { index: number; hash: string } | undefined;
  for (const { at, entry, index } of await router.audit.read()) {
    const text = entryText(change(entry));
    const row = chainText(last, at, text);
    const values = `entry = '${text.replaceAll("'", "''")}', prev_hash = '${row.prevHash}', hash = '${row.hash}'`;
    await tamper(file, `UPDATE audit SET ${values} WHERE n = ${index}`);
    last = row;
  }
}

const signed = async (more: CheckpointOptions = {}) => {
  const { privateKey, publicKey } = await createCheckpointKeys();
  const [signer, verifier] = await Promise.all([checkpointSigner(privateKey), checkpointVerifier(publicKey)]);
  return { checkpoints: { signer, everyMs: 3_600_000, ...more }, keys: [verifier] };
};

describe("signed checkpoints", () => {
  async function five() {
    const { checkpoints, keys } = await signed();
    const on = await stage({ checkpoints });
    await calls(on.router, 1, 5);
    const checkpoint = (await on.router.audit.checkpoint()) as AuditCheckpoint;
    return { ...on, keys, checkpoint };
  }

  it("vouch for the log, as far as they go", async () => {
    const { router, keys, checkpoint } = await five();
    expect(checkpoint).toMatchObject({ index: 10, from: 1, key: keys[0]?.key });
    expect(await router.audit.checkpoint()).toBeUndefined();
    await calls(router, 6, 6);
    const report = await router.audit.verify({ keys });
    expect(report).toMatchObject({ ok: true, rows: 12, checkpoints: 1, checkpoint: { index: 10 } });
    expect(report.trust).toContain("Row 10 was signed at");
    expect(await router.audit.verify({ expect: checkpoint })).toMatchObject({ ok: true });
  });

  it("find a log that was made anew with hashes that fit", async () => {
    const { router, file, keys } = await five();
    await rewrite(router, file, (entry) => ({ ...entry, principal: entry.principal, latency_ms: 1 }));
    const problem = "row 10 is not the one that its checkpoint vouches for";
    for (const options of [{}, { keys }]) {
      expect(await router.audit.verify(options)).toMatchObject({ ok: false, brokenAt: 10, problem });
    }
    // With checkpoints that fit as well, but nobody signed, only the key tells.
    const { row } = await router.store.audit.head();
    const forged = JSON.stringify({ ...row, at: Date.now(), from: 1 });
    await tamper(file, `UPDATE checkpoints SET checkpoint = '${forged}'`);
    expect(await router.audit.verify()).toMatchObject({ ok: true });
    const none = {
      ok: false,
      problem: "no checkpoint is signed by these keys: none was made yet, or they were taken out",
    };
    expect(await router.audit.verify({ keys })).toMatchObject(none);
    await tamper(file, "DELETE FROM checkpoints");
    expect(await router.audit.verify({ keys })).toMatchObject(none);
  });

  it("find a tail that was cut, if their own was not cut with it", async () => {
    const { router, file, keys, checkpoint } = await five();
    await tamper(file, "DELETE FROM audit WHERE n > 8", "DELETE FROM operations WHERE key = 'key-5'");
    for (const options of [{}, { keys }]) {
      const problem = "row 10, which a checkpoint vouches for, is not in the log";
      expect(await router.audit.verify(options)).toMatchObject({ ok: false, brokenAt: 9, problem });
    }
    await tamper(file, "UPDATE audit SET hash = hash", "DELETE FROM checkpoints");
    expect(await router.audit.verify({})).toMatchObject({ ok: true });
    expect(await router.audit.verify({ expect: checkpoint })).toMatchObject({ ok: false });
  });

  it("find a beginning that was cut", async () => {
    const { router, file, keys } = await five();
    await tamper(file, "DELETE FROM audit WHERE n < 3", "DELETE FROM operations WHERE key = 'key-1'");
    const problem = "row 1 is missing: row 3 stands in its place";
    for (const options of [{}, { keys }]) {
      expect(await router.audit.verify(options)).toMatchObject({ ok: false, brokenAt: 1, problem });
    }
    // Who writes that the rows were given up can't sign it.
    await tamper(file, "UPDATE checkpoints SET checkpoint = json_set(checkpoint, '$.from', 3), first_row = 3");
    expect(await router.audit.verify()).toMatchObject({ ok: true, from: 3 });
    expect((await router.audit.verify({ keys })).ok).toBe(false);
  });

  it("can't be changed themselves, and not be made with another key", async (context) => {
    leftToCi(context);
    const { router, file, keys } = await five();
    await tamper(file, "UPDATE checkpoints SET checkpoint = json_set(checkpoint, '$.at', 1)");
    const problem = "the checkpoint of row 10 was changed: its signature is not that of its key";
    expect(await router.audit.verify({ keys })).toMatchObject({ ok: false, problem });
    for (const signature of ["AAAA", "", "?", 7]) {
      await tamper(file, `UPDATE checkpoints SET checkpoint = json_set(checkpoint, '$.signature', '${signature}')`);
      expect(await router.audit.verify({ keys })).toMatchObject({ ok: false, problem });
    }
    const other = await signed();
    expect((await router.audit.verify({ keys: other.keys })).ok).toBe(false);
  });

  it("go on with a new key, when both are trusted", async (context) => {
    leftToCi(context);
    const { router, file, keys } = await five();
    const next = await signed();
    const second = await stage({ checkpoints: next.checkpoints }, file);
    expect(await second.router.audit.checkpoint()).toMatchObject({ index: 10, key: next.keys[0]?.key });
    await calls(second.router, 6, 6);
    await second.router.audit.checkpoint();
    const both = [...keys, ...next.keys];
    expect(await router.audit.verify({ keys: both })).toMatchObject({ ok: true, checkpoints: 2 });
  });
});

it("writes checkpoints after so many rows, and when it closes; and tells the host", async () => {
  const kept: AuditCheckpoint[] = [];
  const { checkpoints, keys } = await signed({ everyRows: 4, onCheckpoint: (made) => void kept.push(made) });
  const { router, file } = await stage({ checkpoints });
  await calls(router, 1, 2);
  await expect.poll(() => kept.map(({ index }) => index)).toEqual([4]);
  await calls(router, 3, 3);
  await router.close();
  expect(kept.map(({ index }) => index)).toEqual([4, 6]);
  const { router: reader } = await stage({}, file);
  expect(await reader.audit.checkpoints()).toEqual(kept);
  expect(await reader.audit.checkpoints({ after: 4 })).toEqual(kept.slice(1));
  expect(await reader.audit.verify({ keys, expect: kept[1] as AuditCheckpoint })).toMatchObject({ ok: true });
});

it("serves on when the signer fails, and says so", async () => {
  const faults: unknown[] = [];
  const sign = (): never => {
    throw new Error("the vault is sealed");
  };
  const { router } = await stage({
    checkpoints: { signer: { key: "k", sign }, everyRows: 1 },
    onError: (error, { operation }) => void faults.push([operation, (error as Error).message]),
  });
  await calls(router, 1, 1);
  await expect.poll(() => faults[0]).toEqual(["audit.checkpoint", "the vault is sealed"]);
  await expect(router.audit.checkpoint()).rejects.toThrow("the vault is sealed");
  expect(await router.audit.checkpoints()).toEqual([]);
});

it("tells of a store that fails once", async () => {
  const faults: unknown[] = [];
  const { router, store } = await stage({
    checkpoints: { everyRows: 1 },
    onError: (_, { operation }) => void faults.push(operation),
  });
  Object.assign(store.audit, { head: () => Promise.reject(new Error("the disk is gone")) });
  await calls(router, 1, 1);
  await expect.poll(() => faults).toContain("audit.head");
  expect(faults).not.toContain("audit.checkpoint");
});

it("takes keys of OpenSSL, and nothing else", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const [signer, verifier] = [await checkpointSigner(privateKey), await checkpointVerifier(publicKey)];
  expect(signer.key).toBe(verifier.key);
  const bytes = new TextEncoder().encode("text");
  const signature = await signer.sign(bytes);
  expect(await verifier.verify(bytes, signature)).toBe(true);
  expect(await verifier.verify(bytes.slice(1), signature)).toBe(false);
  const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const wrong = rsa.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  for (const text of ["", "text", publicKey, wrong, undefined, privateKey.slice(0, 60)]) {
    await expect(checkpointSigner(text as string)).rejects.toThrow(TypeError);
  }
  await expect(checkpointVerifier(privateKey)).rejects.toThrow("BEGIN PUBLIC KEY");
});

describe("retention of the audit log", () => {
  const times = { auditTtlMs: 30 * day, keyTtlMs: day };

  it.each([true, false])(
    "drops what is old behind a checkpoint, and the rest verifies (signed: %s)",
    async (isSigned) => {
      const { checkpoints, keys } = await signed();
      const { router, pass } = await stage({ times, ...(isSigned && { checkpoints }) });
      const proof = isSigned ? { keys } : {};
      await calls(router, 1, 3);
      await router.audit.checkpoint();
      pass(20 * day);
      await calls(router, 4, 5);
      await router.audit.checkpoint();
      pass(9 * day);
      await calls(router, 6, 6);
      await router.audit.checkpoint();
      await router.store.prune();
      expect(await router.audit.verify(proof)).toMatchObject({ ok: true, rows: 12 });
      pass(2 * day);
      await calls(router, 7, 7);
      // The next checkpoint gives up what the first one vouched for; only then it is dropped.
      expect(await router.audit.checkpoint()).toMatchObject({ index: 14, from: 6 });
      await router.store.prune();
      const report = await router.audit.verify(proof);
      expect(report).toMatchObject({ ok: true, rows: 9, from: 6, checkpoints: 4 });
      expect(report.trust).toContain("The log begins with row 6: those before were dropped for their age.");
      const [first] = await router.audit.read();
      expect(await router.audit.verify({ ...proof, expect: { index: 6, hash: first?.hash ?? "" } })).toMatchObject({
        ok: true,
      });
      const dropped = { index: 5, hash: first?.prevHash ?? "" };
      expect(await router.audit.verify({ ...proof, expect: dropped })).toMatchObject({
        ok: false,
        problem: "row 5, which was noted, is not in the log, which begins with row 6",
      });
    },
  );

  it("drops nothing that is not exported, however old it is", async () => {
    const faults: unknown[] = [];
    let exported: () => number = () => 3;
    const { router, pass } = await stage({
      times,
      checkpoints: { exportedUpTo: () => exported() },
      onError: (error) => faults.push(error),
    });
    for (let n = 1; n <= 3; n++) {
      await calls(router, n, n);
      await router.audit.checkpoint();
    }
    pass(40 * day);
    const released = async (n: number): Promise<number | undefined> => {
      await calls(router, n, n);
      const checkpoint = await router.audit.checkpoint();
      await router.store.prune();
      const [first] = await router.audit.read({ limit: 1 });
      expect(first?.index).toBe(checkpoint?.from);
      expect(await router.audit.verify()).toMatchObject({ ok: true });
      return checkpoint?.from;
    };
    expect(await released(4)).toBe(2);
    exported = () => {
      throw new Error("no answer");
    };
    expect(await released(5)).toBe(2);
    expect(faults).toEqual([new Error("no answer")]);
    exported = () => Number.NaN;
    expect(await released(6)).toBe(2);
    exported = () => 1_000;
    expect(await released(7)).toBe(6);
  });

  it("keeps everything by default, and no outcome without its rows", async () => {
    const { router, pass } = await stage();
    await calls(router, 1, 2);
    await router.audit.checkpoint();
    pass(10_000 * day);
    await calls(router, 3, 3);
    await router.audit.checkpoint();
    await router.store.prune();
    expect(await router.audit.verify()).toMatchObject({ ok: true, rows: 6 });
    for (const auditTtlMs of [0, day - 1, Number.NaN, "1"]) {
      expect(() => createRouter({ times: { auditTtlMs: auditTtlMs as number } })).toThrow("no less than keyTtlMs");
    }
  });

  it("compares what is in doubt for longer than rows are kept with nothing", async (context) => {
    leftToCi(context);
    const { router, pass } = await stage({ times });
    expect(await call(router, "fail")).toBe("UNKNOWN");
    await router.audit.checkpoint();
    pass(31 * day);
    await calls(router, 1, 1);
    await router.audit.checkpoint();
    await router.store.prune();
    expect(await router.audit.verify()).toMatchObject({ ok: true, from: 2, operations: 2 });
  });

  it("drops by itself, in pieces, also when there is a lot", async (context) => {
    leftToCi(context);
    const on = await stage({ times: { ...times, pruneEveryMs: 20 } });
    const entry = { kind: "decision", tenant: "t", idempotency_key: null } as AuditEntry;
    for (let n = 0; n < 4; n++) await on.router.store.audit.append(Array.from({ length: 600 }, () => entry));
    await on.router.audit.checkpoint();
    on.pass(31 * day);
    await on.router.store.audit.append([entry]);
    await expect.poll(async () => (await on.router.audit.read({ limit: 1 }))[0]?.index, { timeout: 20_000 }).toBe(2400);
    expect(await on.router.audit.verify()).toMatchObject({ ok: true, rows: 2 });
  });
});

describe("operations and rows", () => {
  it("misses an operation that rows say succeeded, as long as it must be there", async () => {
    const { router, file, pass } = await stage();
    await calls(router, 1, 3);
    await tamper(file, "DELETE FROM operations WHERE key = 'key-2'");
    const problem = expect.stringContaining("is not in the store: by its rows it has succeeded");
    expect(await router.audit.verify()).toMatchObject({ ok: false, problem });
    pass(day + 1);
    expect(await router.audit.verify()).toMatchObject({ ok: true });
  });

  it("misses an operation that rows say was begun, and nothing more", async () => {
    const { router, file, pass } = await stage();
    expect(await call(router, "hang", 20)).toBe("UNKNOWN");
    expect(await router.audit.verify()).toMatchObject({ ok: true });
    pass(100 * day);
    expect(await router.audit.verify()).toMatchObject({ ok: true });
    await tamper(file, "DELETE FROM operations");
    const problem = expect.stringContaining("is not in the store: by its rows it is not over");
    expect(await router.audit.verify()).toMatchObject({ ok: false, problem });
  });

  it("finds an outcome that the rows contradict", async () => {
    const { router, file } = await stage();
    await calls(router, 1, 2);
    // Whoever wants an effect to happen again makes its record say that it has failed, or is still to come.
    await tamper(
      file,
      "UPDATE operations SET kept = json_set(kept, '$[1]', 'failed'), state = 'failed' WHERE key = 'key-1'",
    );
    const problem = expect.stringContaining("has not succeeded, and a row says that it has");
    expect(await router.audit.verify()).toMatchObject({ ok: false, problem });
  });

  it("agree after failures, doubts, replays, refusals, settling, and keys that are used again", async () => {
    const times = { keyTtlMs: 10 * day, keyMemoryMs: 0 };
    const { router, pass } = await stage({ times });
    expect(await call(router, "fail")).toBe("UNKNOWN");
    expect(await call(router, "fail")).toBe("UNKNOWN");
    const [record] = await router.operations.inDoubt(boss);
    if (record === undefined) throw new Error("nothing is in doubt");
    await router.operations.resolve(boss, record, { state: "not-applied" });
    expect(await router.audit.verify()).toMatchObject({ ok: true, operations: 0 });
    await calls(router, 1, 2);
    pass(9 * day);
    await calls(router, 1, 2);
    const other = await callOnce(router, "cap.x.write.v1", { n: "other" }, { key: "key-1" });
    expect(endOf(other)).toBe("TRP_4004");
    expect(await router.audit.verify()).toMatchObject({ ok: true, operations: 2 });
    pass(2 * day);
    await router.store.prune();
    expect(await router.audit.verify()).toMatchObject({ ok: true, operations: 0 });
    await calls(router, 1, 1);
    expect(await router.audit.verify()).toMatchObject({ ok: true, operations: 1 });
  });
});
