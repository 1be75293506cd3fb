import { openSecrets, type ValueRequest } from "@toolglot/secrets";
import { expect, it } from "vitest";
import { openSession } from "../support/session.ts";

const token = 'npm_Qw3r\'ty "4711"';

/** A session whose user gives the token for everything that is asked. */
async function opened(files: Record<string, string> = {}) {
  const requests: ValueRequest[] = [];
  const secrets = await openSecrets({
    ask: async (request) => {
      requests.push(request);
      return { value: token };
    },
  });
  return { requests, secrets, ...(await openSession({ secrets, files })) };
}

const example =
  '<get_value key="NPM_TOKEN" reason="需要认证才能将 package 发布到 npm registry。" note="用于发布 karyi-agent 包的令牌"/>';

it("4 <get_value>: example: the user is asked for it, with the reason and the note", async () => {
  const { ask, requests } = await opened();
  const result = await ask(`<tools>${example}</tools>`);
  expect(requests).toEqual([
    {
      key: "NPM_TOKEN",
      reason: "需要认证才能将 package 发布到 npm registry。",
      note: "用于发布 karyi-agent 包的令牌",
      canKeep: false,
    },
  ]);
  expect(result).toMatchObject({ tool: "get_value", index: 0, status: "ok" });
  expect(result.text).not.toContain(token);
});

it("4 <get_value>: from the next turn on $KARYI{key} stands for it", async () => {
  const { ask, work } = await opened();
  await ask(`<tools>${example}</tools>`);
  await ask(`<tools><command>printf %s "$KARYI{NPM_TOKEN}" > given</command></tools>`);
  expect(await work.read("given")).toBe(token);
});

it("4 <get_value>: in the turn that asks for it, it does not stand for anything yet", async () => {
  const { tell, requests } = await opened();
  const { results } = await tell(`<tools>${example}<command>echo "$KARYI{NPM_TOKEN}"</command></tools>`);
  expect(results.map(({ status }) => status)).toEqual(["error", "error"]);
  expect(requests).toEqual([]);
});

it.each([
  ["a command", '<command>printf %s "$KARYI{T}" > out</command>'],
  ["an edit's text", '<edit><file src="out"><find>old</find><replace>$KARYI{T}</replace></file></edit>'],
  ["a path", `<read><file src="named $KARYI{T}"/></read><command>cat named* > out</command>`],
])("variables: in %s $KARYI{NAME} may stand for a value", async (_, call) => {
  const { tell, secrets, work } = await opened({ out: "old", [`named ${token}`]: token });
  await secrets.set("T", token);
  const { text } = await tell(`<tools>${call}</tools>`, { answer: () => ({ approved: true }) });
  expect(await work.read("out"), text).toBe(token);
});

it("variables: the value is in nothing that comes back", async () => {
  const { tell, secrets } = await opened({ "a.txt": `key = ${token}\n` });
  await secrets.set("T", token);
  const { text, raw, context } = await tell(
    `<tools><command>echo "$KARYI{T}"</command><read><file src="a.txt"/><search pattern="key"/></read></tools>`,
  );
  expect(text).toContain("‹T›");
  expect(text).toContain("key = ‹T›");
  expect(JSON.stringify([text, raw, context.events])).not.toContain("npm_Qw3r");
});
