import { ToolError } from "@toolglot/core";
import { wordsOf } from "@toolglot/internal/word-index";
import fc from "fast-check";
import { expect, it } from "vitest";
import { registerCapability } from "../src/catalog/register.ts";
import { catalogCapabilities } from "../src/catalog/tools.ts";
import type { AnyCapability, Capability, RegisteredCapability } from "../src/catalog/types.ts";
import type { Principal } from "../src/identity/types.ts";
import { alice, capability, context } from "./rules-rig.ts";

const shelf: Partial<AnyCapability>[] = [
  { capId: "cap.mail.send.v2", name: "send_email", description: "Send an email to a verified recipient. Uses SMTP." },
  { capId: "cap.mail.list.v1", name: "list_inbox", description: "List messages in a mailbox." },
  { capId: "cap.search.web.v1", name: "web_search", description: "Web search over public internet" },
  {
    capId: "cap.query.sql_read.v1",
    name: "runQuery",
    description: "Run one read-only statement.",
    args: { type: "object", properties: { sql: { type: "string", description: "A SELECT on the warehouse." } } },
  },
  { capId: "cap.ticket.create.v1", name: "create_ticket", description: "创建工单并通知负责人。" },
  { capId: "cap.payroll.run.v1", name: "run_payroll", description: "Pays the salaries.", roles: ["finance"] },
];

function setUp(): { search: Run; describe: Run; added: (more: Partial<AnyCapability>) => void } {
  const all: RegisteredCapability[] = shelf.map((given) => capability(given));
  const registry = {
    visible: ({ roles }: Principal) =>
      all.filter(({ definition }) => definition.roles?.some((role) => roles.includes(role)) ?? true),
  };
  const [search, describe] = catalogCapabilities(registry) as [Capability, Capability];
  const running =
    (tool: Capability): Run =>
    async (args, principal = alice) => {
      const value = await tool.execute?.(args, context({ principal }));
      const { summary, data } = tool.shape?.(value) ?? { summary: "", data: value };
      return { summary, data: JSON.parse(JSON.stringify(data)) };
    };
  return { search: running(search), describe: running(describe), added: (more) => void all.push(capability(more)) };
}

type Run = (
  args: Record<string, unknown>,
  principal?: Principal,
) => Promise<{ summary: string; data: Record<string, unknown> & { matches: Record<string, unknown>[] } }>;

const ids = async (run: Run, query: string, principal?: Principal): Promise<unknown[]> =>
  (await run({ query, limit: 8 }, principal)).data.matches.map(({ cap_id }) => cap_id);

it("are capabilities like any other, which need no key", () => {
  for (const tool of catalogCapabilities({ visible: () => [] })) {
    const registered = registerCapability(tool);
    expect(registered.keyRequired).toBe(false);
    expect(registered.definition).toMatchObject({ riskTier: "LOW", ioClass: "READ", effect: "pure" });
  }
});

it("finds by name, by words of the description, by arguments", async () => {
  const { search } = setUp();
  expect((await ids(search, "email"))[0]).toBe("cap.mail.send.v2");
  expect((await ids(search, "look something up on the internet"))[0]).toBe("cap.search.web.v1");
  expect((await ids(search, "warehouse"))[0]).toBe("cap.query.sql_read.v1");
  expect((await ids(search, "cap.mail.list.v1"))[0]).toBe("cap.mail.list.v1");
  expect((await ids(search, "run query"))[0]).toBe("cap.query.sql_read.v1");
  expect((await ids(search, "intrnet"))[0]).toBe("cap.search.web.v1");
  expect((await ids(search, "通知"))[0]).toBe("cap.ticket.create.v1");
  expect(await ids(search, "zzzzzz")).toEqual([]);
  expect((await search({ query: "zzzzzz" })).summary).toBe("nothing found among 5 capabilities");
});

it("gives what a call needs to be thought of", async () => {
  const { search } = setUp();
  const { summary, data } = await search({ query: "email", limit: 1 });
  expect(data.matches).toEqual([
    {
      cap_id: "cap.mail.send.v2",
      name: "send_email",
      desc: "Send an email to a verified recipient.",
      risk_tier: "LOW",
      io_class: "READ",
      arg_template: {},
    },
  ]);
  expect(summary).toBe("found send_email");
});

it("sees what the principal sees, and nothing else (11.3)", async () => {
  const { search, describe } = setUp();
  const finance: Principal = { ...alice, roles: ["finance"] };
  expect(await ids(search, "payroll salaries")).toEqual([]);
  expect((await ids(search, "payroll salaries", finance))[0]).toBe("cap.payroll.run.v1");
  expect((await describe({ cap_id: "cap.payroll.run.v1" }, finance)).data).toMatchObject({ name: "run_payroll" });
  const hidden = await describe({ cap_id: "cap.payroll.run.v1" }).catch((error: Error) => error);
  const unknown = await describe({ cap_id: "cap.nothing.run.v1" }).catch((error: Error) => error);
  expect(ToolError.isInstance(hidden)).toBe(true);
  expect((hidden as Error).message.replace("payroll", "nothing")).toBe((unknown as Error).message);
});

it("finds what was registered later", async () => {
  const { search, added } = setUp();
  expect(await ids(search, "weather")).toEqual([]);
  added({ capId: "cap.weather.now.v1", name: "weather_now", description: "The weather at a place." });
  expect(await ids(search, "weather")).toEqual(["cap.weather.now.v1"]);
});

it("describes by cap_id or name", async () => {
  const { describe } = setUp();
  const { summary, data } = await describe({ cap_id: "cap.query.sql_read.v1" });
  expect(summary).toBe("cap.query.sql_read.v1: Run one read-only statement.");
  expect(data).toEqual({
    cap_id: "cap.query.sql_read.v1",
    name: "runQuery",
    description: "Run one read-only statement.",
    risk_tier: "LOW",
    io_class: "READ",
    effect: "pure",
    idempotency_required: false,
    canonical_schema: expect.objectContaining({ properties: { sql: expect.anything() }, additionalProperties: false }),
    schema_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    examples: [],
  });
  expect((await describe({ cap_id: "send_email" })).data.cap_id).toBe("cap.mail.send.v2");
});

it("suggests what was meant, among what is visible", async () => {
  const { describe, added } = setUp();
  await expect(describe({ cap_id: "cap.mail.send.v1" })).rejects.toThrow(/did you mean cap\.mail\.send\.v2/);
  await expect(describe({ cap_id: "qqqqqqqq" })).rejects.toThrow(/search the catalog first/);
  added({ capId: "cap.other.send.v1", name: "send_email" });
  await expect(describe({ cap_id: "send_email" })).rejects.toThrow(/cap\.mail\.send\.v2 or cap\.other\.send\.v1/);
});

it("never throws for any query", () => {
  const { search } = setUp();
  return fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", minLength: 1, maxLength: 500 }), async (query) => {
      await search({ query });
    }),
    { numRuns: 100 },
  );
});

it("reads words as people write them", () => {
  expect(wordsOf("sendEmail to_user x-ray v2")).toEqual(["send", "email", "to", "user", "x", "ray", "v2"]);
  expect(wordsOf("发送邮件v2")).toEqual(["发送", "送邮", "邮件", "v2"]);
  expect(wordsOf("  ,.;")).toEqual([]);
});
