import { describe, expect, it } from "vitest";
import { openSecrets, type SecretStore } from "../src/index.ts";
import { valuesOf } from "../src/values.ts";

/** A store that lasts as long as the test. `reads`: what was read of it. */
function memoryStore(): SecretStore & { reads: string[] } {
  const entries = new Map<string, { name: string; scope: string; at: number; value: string; note?: string }>();
  const reads: string[] = [];
  const key = (name: string, scope: string): string => JSON.stringify([scope, name]);
  return {
    kind: "memory",
    reads,
    list: async () => [...entries.values()].map(({ name, scope, at }) => ({ name, scope, at })),
    get: async (name, scope) => {
      reads.push(name);
      return entries.get(key(name, scope));
    },
    set: async (name, scope, entry) => void entries.set(key(name, scope), { name, scope, at: 1, ...entry }),
    remove: async (name, scope) => entries.delete(key(name, scope)),
  };
}

describe("names and values", () => {
  it.each(["", "1A", "A-B", "A B", "A\n", "é", "a".repeat(65)])("should refuse the name %j", async (name) => {
    const secrets = await openSecrets();
    await expect(secrets.set(name, "long enough")).rejects.toThrow(TypeError);
  });

  it.each(["", "a\0bcdefg", "abc\ud800def", "x".repeat(65_537)])(
    "should refuse a value without quoting it",
    async (value) => {
      const secrets = await openSecrets();
      const error = await secrets.set("A", value).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      if (value !== "") expect((error as Error).message).not.toContain(value.slice(0, 6));
    },
  );

  it("should keep values exactly, and tell apart names by case", async () => {
    const secrets = await openSecrets();
    await secrets.set("_Name0", "a\r\nb\n\n");
    await secrets.set("_NAME0", "x".repeat(65_536));
    expect(await valuesOf(secrets).get("_Name0")).toEqual({ value: "a\r\nb\n\n" });
    expect(await valuesOf(secrets).get("_name0")).toBe(undefined);
  });

  it("should warn of values that can't be masked, or hide ordinary words", async () => {
    const secrets = await openSecrets();
    expect((await secrets.set("A", "short")).warnings).toEqual([expect.stringContaining("can't be masked: too short")]);
    expect((await secrets.set("B", "password")).warnings).toHaveLength(1);
    expect((await secrets.set("C", "20262026")).warnings).toHaveLength(1);
    expect((await secrets.set("D", "Pa55word")).warnings).toEqual([]);
    expect(secrets.mask("a short 20262026 Pa55word")).toBe("a short ‹C› ‹D›");
    expect((await secrets.list()).map(({ name, maskable }) => [name, maskable])).toEqual([
      ["A", false],
      ["B", true],
      ["C", true],
      ["D", true],
    ]);
  });
});

describe("what is known", () => {
  it("should list names and never a value", async () => {
    const secrets = await openSecrets({ store: memoryStore(), scope: "/project" });
    await secrets.set("A", "first-value", { note: "mine" });
    await secrets.set("B", "second-value", { keep: true });
    const listed = await secrets.list();
    expect(listed).toEqual([
      { name: "A", kept: false, note: "mine", at: expect.any(Number), maskable: true },
      { name: "B", kept: true, scope: "/project", at: expect.any(Number), maskable: true },
    ]);
    expect(JSON.stringify(listed)).not.toContain("-value");
  });

  it("should know kept values of this scope, then those of all, and none of another project", async () => {
    const store = memoryStore();
    await store.set("TOKEN", "*", { value: "for-everywhere" });
    await store.set("TOKEN", "/one", { value: "for-project-one" });
    await store.set("OTHER", "/two", { value: "for-project-two" });
    const one = valuesOf(await openSecrets({ store, scope: "/one" }));
    const three = valuesOf(await openSecrets({ store, scope: "/three" }));
    expect([...(await one.known()).keys()]).toEqual(["TOKEN"]);
    expect(store.reads).toEqual([]);
    expect(await one.get("TOKEN")).toEqual({ value: "for-project-one" });
    expect(await three.get("TOKEN")).toEqual({ value: "for-everywhere" });
    expect(await one.get("OTHER")).toBe(undefined);
    await one.get("TOKEN");
    expect(store.reads).toEqual(["TOKEN", "TOKEN"]);
  });

  it("should keep a value in no place but a store", async () => {
    const secrets = await openSecrets();
    await expect(secrets.set("A", "a-value", { keep: true })).rejects.toThrow(TypeError);
    expect(valuesOf(secrets).canKeep).toBe(false);
  });

  it("should mask a kept value from its first use on", async () => {
    const store = memoryStore();
    await store.set("TOKEN", "*", { value: "a-kept-value", note: "n" });
    const secrets = await openSecrets({ store });
    await valuesOf(secrets).get("TOKEN");
    expect(secrets.mask("a-kept-value")).toBe("‹TOKEN›");
    expect(await secrets.list()).toEqual([{ name: "TOKEN", kept: true, scope: "*", note: "n", at: 1, maskable: true }]);
  });

  it("should remove from session and store, and go on masking", async () => {
    const store = memoryStore();
    const secrets = await openSecrets({ store });
    await secrets.set("A", "first-value", { keep: true });
    expect(await secrets.remove("A")).toBe(true);
    expect(await secrets.remove("A")).toBe(false);
    expect(await secrets.list()).toEqual([]);
    expect(await valuesOf(secrets).get("A")).toBe(undefined);
    expect(secrets.mask("first-value")).toBe("‹A›");
  });

  it("should refuse unknown options", async () => {
    await expect(openSecrets({ stores: 1 } as never)).rejects.toThrow(TypeError);
    await expect(openSecrets({ scope: "" })).rejects.toThrow(TypeError);
    const secrets = await openSecrets();
    await expect(secrets.set("A", "a-value", { keeps: true } as never)).rejects.toThrow(TypeError);
  });

  it("should give values to nobody who asks the public object for them", async () => {
    const secrets = await openSecrets();
    await secrets.set("A", "the-value-itself");
    const { inspect } = await import("node:util");
    const seen =
      inspect(secrets, { depth: 20, showHidden: true }) + JSON.stringify(secrets) + Object.keys(secrets).join();
    expect(seen).not.toContain("the-value-itself");
    expect(() => valuesOf({ ...secrets })).toThrow(TypeError);
  });
});

describe("masking by secrets", () => {
  it("should go on masking the last 16 former values of a name", async () => {
    const secrets = await openSecrets();
    for (let turn = 0; turn < 19; turn++) await secrets.set("A", `value-number-${turn}-of-it`);
    const shown = secrets.mask(Array.from({ length: 19 }, (_, turn) => `value-number-${turn}-of-it`).join(" "));
    expect(shown).toBe(`value-number-0-of-it value-number-1-of-it${" ‹A›".repeat(17)}`);
    expect(await valuesOf(secrets).get("A")).toEqual({ value: "value-number-18-of-it" });
  });

  it("should name the value that a call used where two names have one value, else the first", async () => {
    const secrets = await openSecrets();
    await secrets.set("B", "one-and-the-same");
    await secrets.set("A", "one-and-the-same");
    const masker = valuesOf(secrets).masker(new Set(["B"]));
    expect(masker.write("one-and-the-same") + masker.end()).toBe("‹B›");
    expect(secrets.mask("one-and-the-same")).toBe("‹A›");
  });

  it("should mask strings and keys of data in a copy", async () => {
    const secrets = await openSecrets();
    await secrets.set("A", "the-value");
    const data = JSON.parse('{"the-value": ["x the-value", 1, null], "__proto__": {"k": "the-value"}}') as object;
    const masked = secrets.maskData(data);
    expect(JSON.stringify(masked)).toBe('{"‹A›":["x ‹A›",1,null],"__proto__":{"k":"‹A›"}}');
    expect(JSON.stringify(data)).toContain("the-value");
    expect(secrets.maskData(undefined)).toBe(undefined);
  });

  it("should look for a value in streams that began before it was set", async () => {
    const secrets = await openSecrets();
    await secrets.set("A", "the-first-value");
    const masker = secrets.masker();
    const before = masker.write("the-second-value ");
    await secrets.set("B", "the-second-value");
    expect(before + masker.write("the-second-value") + masker.end()).toBe("the-second-value ‹B›");
    const early = (await openSecrets()).masker();
    expect(early.write("abc") + early.pause() + early.end()).toBe("abc");
  });

  it("should forget everything when closed", async () => {
    const secrets = await openSecrets();
    await secrets.set("A", "the-value");
    secrets.close();
    expect(secrets.mask("the-value")).toBe("the-value");
    await expect(secrets.set("A", "the-value")).rejects.toThrow(TypeError);
    await expect(secrets.list()).rejects.toThrow(TypeError);
  });

  it("should say which values stand in a text", async () => {
    const secrets = await openSecrets();
    await secrets.set("A", "the-value");
    expect(valuesOf(secrets).namesIn("HOME=/x/the-value/y")).toEqual(["A"]);
    expect(valuesOf(secrets).namesIn("HOME=/x")).toEqual([]);
  });
});
