import { type AskValue, openSecrets, type ValueAnswer, type ValueRequest } from "@toolglot/secrets";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { openSession } from "../support/session.ts";

const value = "hunter2-hunter2";

/** A session in which a person answers. */
async function asked(answer: (request: ValueRequest) => ValueAnswer | undefined | Promise<ValueAnswer | undefined>) {
  const requests: ValueRequest[] = [];
  const ask: AskValue = async (request) => {
    requests.push(request);
    return await answer(request);
  };
  const secrets = await openSecrets({ ask });
  return { requests, secrets, ...(await openSession({ secrets })) };
}

const getValue = (key: string, rest = ""): string => `<get_value key="${key}" reason="To publish."${rest}/>`;

describe("get_value", () => {
  it("gives a name that works from the next turn on, and never the value", async () => {
    const { tell, requests } = await asked(() => ({ value, note: "for the registry" }));
    const first = await tell(`<tools>${getValue("NPM_TOKEN", ' note="the robot\'s"')}</tools>`);
    expect(requests).toEqual([{ key: "NPM_TOKEN", reason: "To publish.", note: "the robot's", canKeep: false }]);
    expect(first.raw[0]).toMatchObject({ status: "ok", data: { key: "NPM_TOKEN", kept: false, known: false } });
    expect(first.results[0]?.text).toContain("Use $KARYI{NPM_TOKEN} from the next turn on.");
    const second = await tell(
      `<tools><command>echo "$KARYI{NPM_TOKEN}" | wc -c; echo "$KARYI{NPM_TOKEN}"</command></tools>`,
    );
    expect(second.results[0]?.text).toContain(`${value.length + 1}\n‹NPM_TOKEN›`);
    expect(JSON.stringify([first.raw, first.context.events, second.raw, second.context.events])).not.toContain(value);
  });

  it("stops a block that uses at once what it asks for, before anybody is asked", async () => {
    const { tell, requests, work } = await asked(() => ({ value }));
    const { raw } = await tell(
      `<tools><command>echo > ran</command>${getValue("T")}<command>echo "$KARYI{T}"</command></tools>`,
    );
    expect(raw.map(({ error }) => error?.type)).toEqual(["ValuePending", "ValuePending", "ValuePending"]);
    expect(requests).toEqual([]);
    expect(await work.has("ran")).toBe(false);
  });

  it("is denied when the user cancels, and not asked again in that run", async () => {
    const { tell, requests } = await asked(() => undefined);
    for (let turn = 0; turn < 2; turn++) {
      const { raw } = await tell(`<tools>${getValue("T")}</tools>`);
      expect(raw[0]).toMatchObject({ status: "denied", error: { type: "ValueCancelled" } });
    }
    expect(requests).toHaveLength(1);
  });

  it("tells nothing of what the prompt threw", async () => {
    const { tell } = await asked(() => Promise.reject(new Error(`no terminal ${value}`)));
    const { raw, text } = await tell(`<tools>${getValue("T")}</tools>`);
    expect(raw[0]).toMatchObject({ status: "denied", error: { type: "ValueCancelled" } });
    expect(text).not.toContain("no terminal");
  });

  it("asks one at a time, in the order of the calls, and once for one key", async () => {
    const order: string[] = [];
    const { tell, requests } = await asked(async ({ key }) => {
      order.push(`ask ${key}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(`got ${key}`);
      return { value: `${value}-${key}` };
    });
    const { raw } = await tell(`<tools>${getValue("A")}${getValue("B")}${getValue("A")}</tools>`);
    expect(raw.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(order).toEqual(["ask A", "got A", "ask B", "got B"]);
    expect(requests.map(({ key }) => key)).toEqual(["A", "B"]);
  });

  it("lets the user take the value that is known", async () => {
    const { tell, secrets, requests } = await asked(() => ({ use: "known" }));
    await secrets.set("T", value);
    const { raw } = await tell(`<tools>${getValue("T")}</tools>`);
    expect(requests[0]).toMatchObject({ known: "session" });
    expect(raw[0]).toMatchObject({ status: "ok", data: { known: true } });
  });

  it("drops an answer that comes after the abort", async () => {
    const stop = new AbortController();
    let answer: (given: ValueAnswer) => void = () => {};
    const { tell, secrets } = await asked(
      () =>
        new Promise<ValueAnswer>((resolve) => {
          answer = resolve;
          setTimeout(() => stop.abort(), 10);
        }),
    );
    const { raw } = await tell(`<tools>${getValue("T")}</tools>`, { signal: stop.signal });
    expect(raw[0]?.status).toBe("interrupted");
    answer({ value });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await secrets.list()).toEqual([]);
  });

  it("shows a model's words as one line of characters that can be seen", async () => {
    const { local, requests } = await asked(() => ({ value }));
    await local.getValue({ key: "T", reason: `a\nb\u202e\u200b\u001b[31m ${"x".repeat(400)}` });
    expect(requests[0]?.reason).toMatch(/^a b\[31m x{200,}…$/);
    expect([...(requests[0]?.reason ?? "")]).toHaveLength(300);
  });

  it("is listed, and works through a Toolkit, only where somebody can be asked", async () => {
    const { local } = await asked(() => ({ value }));
    const toolkit = new Toolkit();
    for (const tool of local.tools()) toolkit.registerToolFunction(tool);
    let last: unknown;
    for await (const response of toolkit.callToolFunction({
      id: "1",
      name: "get_value",
      input: { key: "T", reason: "r" },
    }))
      last = response;
    expect(last).toMatchObject({ status: "ok", data: { key: "T", kept: false, known: false } });
    const deaf = await openSession({ secrets: await openSecrets() });
    expect(deaf.local.tools().map(({ name }) => name)).not.toContain("get_value");
    await expect(deaf.local.getValue({ key: "T", reason: "r" })).rejects.toThrow("Nobody can be asked");
  });
});

describe("a block with values", () => {
  it("is stopped by a foreign tool that is given one, unless the host lets it pass unfilled", async () => {
    const secrets = await openSecrets();
    await secrets.set("T", value);
    const given: unknown[] = [];
    const toolkit = new Toolkit();
    toolkit.registerToolFunction(({ text }: { text: string }) => void given.push(text), {
      name: "note",
      description: "Notes.",
      args: { text: "string" },
    });
    const options = { secrets, others: toolkitExecutor(toolkit), mcp: (_: string, tool: string) => tool };
    const call = `<tools><command>echo > ran</command><mcp server="s" tool="note">{"text": "$KARYI{T}"}</mcp></tools>`;
    const { tell, work } = await openSession(options);
    const { raw, text } = await tell(call);
    expect(
      raw.map(({ error }) => error?.type),
      text,
    ).toEqual(["ValueNotAllowed", "ValueNotAllowed"]);
    expect(await work.has("ran")).toBe(false);
    const open = await openSession({ ...options, foreignValues: true });
    expect((await open.tell(call)).raw.map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(given).toEqual(["$KARYI{T}"]);
  });

  it("names the value that was meant", async () => {
    const secrets = await openSecrets();
    await secrets.set("GITHUB_TOKEN", value);
    const { tell } = await openSession({ secrets });
    const { text } = await tell(`<tools><command>echo "$KARYI{GITHUB_TOKN}"</command></tools>`);
    expect(text).toContain("Known is $KARYI{GITHUB_TOKEN}");
  });

  it("asks before a value is written into a file, and says so", async () => {
    const secrets = await openSecrets();
    await secrets.set("T", value);
    const { tell, work } = await openSession({ secrets, files: { "a.txt": "a\n" } });
    const { context, raw } = await tell(
      `<tools><edit><file src="a.txt"><find>a</find><replace>$KARYI{T}</replace></file></edit></tools>`,
    );
    expect(context.asked[0]?.reason).toBe("Changing a.txt (writes the value of T into it). Allow it?");
    expect(raw[0]?.error?.type).toBe("Denied");
    expect(await work.read("a.txt")).toBe("a\n");
  });

  it("says how a masked text is found", async () => {
    const secrets = await openSecrets();
    await secrets.set("T", value);
    const { tell } = await openSession({ secrets, files: { "a.txt": `key=${value}\n` } });
    const { text } = await tell(
      `<tools><edit><file src="a.txt"><find>key=‹T›</find><replace>key=</replace></file></edit></tools>`,
    );
    expect(text).toContain("‹T› stands for a hidden value: write $KARYI{T} there.");
  });

  it("types a value, but none that would press a key", async () => {
    const secrets = await openSecrets();
    await secrets.set("T", value);
    await secrets.set("LINES", "one two\nthree four");
    const { tell, work } = await openSession({ secrets });
    await tell(`<tools><command timeout="1000">read -r x; printf '%s' "$x" > typed</command></tools>`);
    const refused = await tell("<tools><input>$KARYI{LINES}</input></tools>");
    expect(refused.raw[0]?.error?.type).toBe("ValuePlace");
    await tell("<tools><input>$KARYI{T}\\n</input></tools>");
    expect(await work.read("typed")).toBe(value);
  });

  it("notes once what other processes see", async () => {
    const secrets = await openSecrets();
    await secrets.set("T", value);
    const { local } = await openSession({ secrets });
    const script = 'grep "$KARYI{T}" /dev/null';
    expect((await local.command({ script })).notes.join()).toContain("process list");
    expect((await local.command({ script })).notes.join()).not.toContain("process list");
  });
});
