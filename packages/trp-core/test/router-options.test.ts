import { expect, it, vi } from "vitest";
import { createRouter, createSafetyRules, defineCapability } from "../src/index.ts";
import { openSession, type Session } from "./router-rig.ts";

const say = (session: Session, text: string): ReturnType<Session["call"]> =>
  session.call({ cap_id: "cap.echo.v1", args: { text } });

const echo = defineCapability({
  capId: "cap.echo.v1",
  name: "echo",
  description: "Says it again.",
  riskTier: "LOW",
  ioClass: "READ",
  effect: "pure",
  args: { text: "string" },
  execute: ({ text }: { text: string }) => {
    if (text === "fail") throw new RangeError("secret of the host");
    return { text };
  },
});

it("checks arguments by the safety rules it is given", async () => {
  const short = createSafetyRules({ maxCharacters: 12 });
  const session = await openSession(createRouter({ capabilities: [echo], safety: short }));
  expect(await say(session, "hello")).toMatchObject({ frame_type: "RESULT" });
  const refused = await say(session, "hello, whole world");
  expect(refused).toMatchObject({ frame_type: "NACK", payload: { error_code: "TRP_2001" } });
});

it("tells the host, and nobody else, what a capability threw", async () => {
  const onError = vi.fn();
  const session = await openSession(createRouter({ capabilities: [echo], onError }));
  const failed = await say(session, "fail");
  expect(onError).toHaveBeenCalledOnce();
  const [error, facts] = onError.mock.calls[0] as [Error, { capId: string }];
  expect(error.message).toBe("secret of the host");
  expect(facts.capId).toBe("cap.echo.v1");
  expect(JSON.stringify(failed)).not.toContain("secret of the host");
});

it.each([
  ["safety", { safety: {} }],
  ["onError", { onError: "log" }],
])("refuses a malformed %s at once", (name, options) => {
  expect(() => createRouter(options as never)).toThrow(new RegExp(`createRouter: ${name}`));
});
