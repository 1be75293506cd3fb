import { describe, expect, it } from "vitest";
import { askingUpstream } from "./fixtures/asking-upstream.ts";
import { ask, clientAt, gateOf, listening, newestRequest, routed } from "./support.ts";

const everything = { elicitation: { form: {} }, sampling: {}, roots: {} };
const prefix = "desk__test_input_required_result_";
const paris = { role: "assistant", content: { type: "text", text: "Paris" }, model: "m" };
const folders = { roots: [{ uri: "file:///work", name: "work" }] };
const form = (content: object) => ({ action: "accept", content });

async function gate() {
  const { servers, calls } = await routed({ desk: askingUpstream }, { repeat: "free" });
  return gateOf(servers, { face: "tools", calls }).gate;
}
type Gate = Awaited<ReturnType<typeof gate>>;
type More = { capabilities?: object; token?: string };

const send = (to: Gate, method: string, params: Record<string, unknown>, more: More = {}) =>
  ask(to, newestRequest("http://gate.test/mcp", method, params, { capabilities: everything, ...more }));
const call = (to: Gate, name: string, params: Record<string, unknown> = {}, more: More = {}) =>
  send(to, "tools/call", { name: `${prefix}${name}`, arguments: {}, ...params }, more);
/** Goes on with what a round ended in. */
const next = (to: Gate, name: string, { result }: Awaited<ReturnType<typeof call>>, inputResponses: object) =>
  call(to, name, { requestState: result.requestState, inputResponses });
const said = ({ result }: Awaited<ReturnType<typeof call>>): string => result.content[0].text;

describe("questions of a server, between two of 2026-07-28", () => {
  it("pass under the server's names, one kind as the other", async () => {
    const to = await gate();
    for (const [name, key, method, answer, words] of [
      ["elicitation", "user_name", "elicitation/create", form({ name: "Kim" }), "Hello, Kim!"],
      ["sampling", "capital_question", "sampling/createMessage", paris, JSON.stringify(paris)],
      ["list_roots", "client_roots", "roots/list", folders, JSON.stringify(folders)],
    ] as const) {
      const asked = await call(to, name);
      expect(asked.result.inputRequests).toEqual({ [key]: expect.objectContaining({ method }) });
      expect(said(await next(to, name, asked, { [key]: answer }))).toBe(words);
    }
  });

  it("pass together, and those that are not answered are asked again", async () => {
    const to = await gate();
    const asked = await call(to, "multiple_inputs");
    expect(Object.keys(asked.result.inputRequests)).toEqual(["user_name", "greeting", "client_roots"]);
    const again = await next(to, "multiple_inputs", asked, { greeting: paris, other: 1 });
    expect(Object.keys(again.result.inputRequests)).toEqual(["user_name", "client_roots"]);
    const rest = { user_name: form({ name: "Kim" }), client_roots: folders };
    expect(said(await next(to, "multiple_inputs", again, rest))).toBe(
      JSON.stringify([{ name: "Kim" }, paris, folders]),
    );
  });

  it("go on round after round", async () => {
    const to = await gate();
    const first = await call(to, "multi_round");
    const second = await next(to, "multi_round", first, { step1: form({ name: "Kim" }) });
    expect(Object.keys(second.result.inputRequests)).toEqual(["step2"]);
    expect(second.result.requestState).not.toBe(first.result.requestState);
    expect(said(await next(to, "multi_round", second, { step2: form({ color: "red" }) }))).toBe("both");
  });

  it("are asked again of a client that lost them and makes the same call, and of no other principal", async () => {
    const to = await gate();
    const lost = await call(to, "elicitation");
    const again = await call(to, "elicitation");
    expect(again.result.inputRequests).toEqual(lost.result.inputRequests);
    expect(said(await next(to, "elicitation", again, { user_name: form({ name: "Kim" }) }))).toBe("Hello, Kim!");
    const known = { inputResponses: { user_name: form({ name: "Lee" }), other: 1 } };
    expect(said(await call(to, "elicitation", known))).toBe("Hello, Lee!");
    const mine = await call(to, "elicitation");
    const theirs = await call(to, "elicitation", {}, { token: "bob" });
    for (const [asked, token, name] of [
      [theirs, "bob", "Bob"],
      [mine, "anna", "Anna"],
    ] as const) {
      const inputResponses = { user_name: form({ name }) };
      const { requestState } = asked.result;
      expect(said(await call(to, "elicitation", { requestState, inputResponses }, { token }))).toBe(`Hello, ${name}!`);
    }
  });

  it("pass for reads as for calls", async () => {
    const to = await gate();
    const params = { name: `${prefix}prompt` };
    const { result } = await send(to, "prompts/get", params);
    expect(result.inputRequests).toEqual({ user_context: expect.objectContaining({ method: "elicitation/create" }) });
    const { requestState } = result;
    const user_context = form({ context: "a test" });
    const read = await send(to, "prompts/get", { ...params, requestState, inputResponses: { user_context } });
    expect(read.result.messages[0].content.text).toBe(JSON.stringify(user_context));
  });

  it("name the capability that a client lacks, and are declined where a person would be asked", async () => {
    const to = await gate();
    for (const [name, requiredCapabilities, capabilities] of [
      ["sampling", { sampling: {} }, {}],
      ["list_roots", { roots: {} }, { elicitation: {} }],
    ] as const) {
      const { status, error } = await call(to, name, {}, { capabilities });
      expect({ status, error }).toEqual({
        status: 400,
        error: { code: -32021, message: expect.any(String), data: { requiredCapabilities } },
      });
    }
    const { result } = await call(to, "request_state", {}, { capabilities: {} });
    expect(result.content[0].text).toBe("state-ok");
  });
});

it("asks clients of earlier revisions while they wait", async () => {
  const url = await listening(await gate());
  const client = await clientAt(url, "2025-11-25", { capabilities: everything });
  client.setRequestHandler("elicitation/create", () => form({ name: "Kim" }) as never);
  client.setRequestHandler("sampling/createMessage", () => paris as never);
  client.setRequestHandler("roots/list", () => folders);
  const { content } = await client.callTool({ name: `${prefix}multiple_inputs`, arguments: {} });
  expect(JSON.parse((content as { text: string }[])[0]?.text ?? "")).toEqual([{ name: "Kim" }, paris, folders]);
});
