import type { Server } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import { answer, serve, tools } from "./fixtures/conformance-upstream.ts";
import { clientAt, gateOf, listening, newest, until, upstream } from "./support.ts";

const eras = [newest, "2025-11-25"];

/** A server with resources of its own, and what it was asked. */
async function library(name: string, uris: string[], templates: string[] = []) {
  const read: string[] = [];
  const subscribed: string[] = [];
  let server: Server | undefined;
  const imported = await upstream(name, [], undefined, {
    serve: (made) => {
      server = made;
      made.registerCapabilities({ resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} });
      made.setRequestHandler("resources/list", () => ({
        resources: uris.map((uri) => ({ uri, name: `${name} ${uri}` })),
      }));
      made.setRequestHandler("resources/templates/list", () => ({
        resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate, name })),
      }));
      made.setRequestHandler("resources/read", ({ params: { uri } }) => {
        read.push(uri);
        return { contents: [{ uri, text: name }] };
      });
      made.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
        subscribed.push(`+${uri}`);
        return {};
      });
      made.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
        subscribed.push(`-${uri}`);
        return {};
      });
      made.setRequestHandler("prompts/list", () => ({ prompts: [{ name: "greet", arguments: [{ name: "who" }] }] }));
      made.setRequestHandler("prompts/get", ({ params: { arguments: args } }) => ({
        messages: [{ role: "user", content: { type: "text", text: `${name} greets ${args?.who}` } }],
      }));
      made.setRequestHandler("completion/complete", ({ params: { ref, argument } }) => ({
        completion: { values: [`${name} ${ref.type} ${argument.value}`] },
      }));
    },
  });
  return { imported, read, subscribed, server: server as Server };
}

it.each(eras)("reads resources from the first server that has them, in %s", async (revision) => {
  const first = await library("first", ["a://1", "a://2"], ["b://{id}"]);
  const second = await library("second", ["a://2", "a://3"], ["b://{id}", "c://{id}/x"]);
  const notices: string[] = [];
  const { gate } = gateOf([first.imported, second.imported], { onNotice: (notice) => notices.push(notice) });
  const client = await clientAt(await listening(gate), revision);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri, name }) => [uri, name])).toEqual([
    ["a://1", "first a://1"],
    ["a://2", "first a://2"],
    ["a://3", "second a://3"],
  ]);
  expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    "b://{id}",
    "c://{id}/x",
  ]);
  for (const uri of ["a://2", "a://3", "b://9", "c://9/x"]) {
    expect((await client.readResource({ uri })).contents).toHaveLength(1);
  }
  expect(first.read).toEqual(["a://2", "b://9"]);
  expect(second.read).toEqual(["a://3", "c://9/x"]);
  await expect(client.readResource({ uri: "d://1" })).rejects.toMatchObject({
    code: -32602,
    message: /not found/,
    data: { uri: "d://1" },
  });
  expect(notices).toEqual([
    expect.stringMatching(/^a:\/\/2 is listed by first and by second/),
    expect.stringMatching(/^b:\/\/\{id\} is listed/),
  ]);
});

it.each(eras)("gives prompts and completions under prefixed names, in %s", async (revision) => {
  const libraries = [await library("first", [], ["b://{id}"]), await library("second", [])];
  const { gate } = gateOf(libraries.map(({ imported }) => imported));
  const client = await clientAt(await listening(gate), revision);
  const { prompts } = await client.listPrompts();
  expect(prompts).toEqual([
    { name: "first__greet", arguments: [{ name: "who" }] },
    { name: "second__greet", arguments: [{ name: "who" }] },
  ]);
  const { messages } = await client.getPrompt({ name: "second__greet", arguments: { who: "you" } });
  expect(messages[0]?.content).toEqual({ type: "text", text: "second greets you" });
  await expect(client.getPrompt({ name: "greet" })).rejects.toMatchObject({ code: -32602 });
  const argument = { name: "who", value: "y" };
  const complete = async (ref: Parameters<typeof client.complete>[0]["ref"]) =>
    (await client.complete({ ref, argument })).completion.values;
  expect(await complete({ type: "ref/prompt", name: "second__greet" })).toEqual(["second ref/prompt y"]);
  expect(await complete({ type: "ref/resource", uri: "b://{id}" })).toEqual(["first ref/resource y"]);
  await expect(complete({ type: "ref/prompt", name: "greet" })).rejects.toMatchObject({ code: -32602 });
});

it("hides resources and prompts that a caller's policy could not allow", async () => {
  const { imported, read } = await library("first", ["a://1"], ["b://{id}"]);
  const { gate } = gateOf([imported], { visible: (_caller, { tool }) => !/resource_read|prompt_get/.test(tool) });
  const client = await clientAt(await listening(gate), newest);
  expect((await client.listResources()).resources).toEqual([]);
  expect((await client.listPrompts()).prompts).toEqual([]);
  await expect(client.readResource({ uri: "a://1" })).rejects.toMatchObject({ code: -32602 });
  expect(read).toEqual([]);
});

it("lists what others have when a server can't answer", async () => {
  const [good, bad] = [await library("good", ["a://1"]), await library("bad", ["b://1"])];
  const { gate, errors } = gateOf([bad.imported, good.imported]);
  const client = await clientAt(await listening(gate), newest);
  bad.server.setRequestHandler("resources/list", () => {
    throw new Error("out of order");
  });
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["a://1"]);
  expect(errors.map(({ message }) => message)).toContain("The server bad can't list what it has.");
});

it.each(eras)("subscribes once at the server for all clients of %s, and ends it with the last", async (revision) => {
  const { imported, subscribed, server } = await library("first", ["a://1", "a://2"]);
  const { gate } = gateOf([imported]);
  const at = await listening(gate);
  const heard: string[] = [];
  const open = async (who: string) => {
    const client = await clientAt(at, revision, { token: who });
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void heard.push(`${who} ${params.uri}`),
    );
    if (revision !== newest) {
      await client.subscribeResource({ uri: "a://1" });
      return { end: () => client.unsubscribeResource({ uri: "a://1" }) };
    }
    const listen = await client.listen({ resourceSubscriptions: ["a://1"] });
    return { end: () => listen.close() };
  };
  const [anna, berta] = [await open("anna"), await open("berta")];
  expect(subscribed).toEqual(["+a://1"]);
  await until(async () => {
    await server.sendResourceUpdated({ uri: "a://1" });
    for (const uri of ["a://2", "a://10"]) await server.sendResourceUpdated({ uri });
    await new Promise((resolve) => setTimeout(resolve, 10));
    return new Set(heard).size === 2;
  });
  expect(new Set(heard)).toEqual(new Set(["anna a://1", "berta a://1"]));
  await anna.end();
  await berta.end();
  await until(() => subscribed.length === 2);
  expect(subscribed).toEqual(["+a://1", "-a://1"]);
});

it("tells of what lies under an address, and of a server that takes no subscriptions", async () => {
  const { imported, server } = await library("first", ["a://1"]);
  const { gate } = gateOf([imported]);
  const at = await listening(gate);
  const client = await clientAt(at, "2025-11-25");
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  await client.subscribeResource({ uri: "a://1" });
  await until(async () => {
    await server.sendResourceUpdated({ uri: "a://1/part" });
    await new Promise((resolve) => setTimeout(resolve, 10));
    return heard.includes("a://1/part");
  });
  server.setRequestHandler("resources/subscribe", () => {
    throw new Error("not here");
  });
  const others = await Promise.allSettled(["a://2", "a://2"].map((uri) => client.subscribeResource({ uri })));
  expect(others.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

it("passes logs to clients of one principal, from the level that they want", async () => {
  const { imported, server } = await library("first", []);
  const { gate } = gateOf([imported]);
  const at = await listening(gate);
  const heard: unknown[] = [];
  const open = async (token: string) => {
    const client = await clientAt(at, "2025-11-25", { token });
    client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(`${token} ${params.data}`));
    return client;
  };
  const anna = await open("anna");
  await anna.setLoggingLevel("warning");
  const log = (level: "info" | "error", data: string) =>
    server.notification({ method: "notifications/message", params: { level, data } });
  await until(async () => {
    await log("info", "quiet");
    await log("error", "loud");
    await new Promise((resolve) => setTimeout(resolve, 10));
    return heard.length > 0;
  });
  expect(new Set(heard)).toEqual(new Set(["anna loud"]));
  const berta = await open("berta");
  await berta.listPrompts();
  await log("error", "whose?");
  await anna.listPrompts();
  expect(heard).not.toContain("anna whose?");
  expect(heard).not.toContain("berta whose?");
});

it("passes the logs of a call to the session whose call it is", async () => {
  const { gate } = gateOf([await upstream("suite", tools, answer, { serve })], { face: "tools" });
  const at = await listening(gate);
  const heard: string[] = [];
  const [busy, idle] = await Promise.all(
    ["busy", "idle"].map(async (name) => {
      const client = await clientAt(at, "2025-11-25");
      client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(`${name} ${params.data}`));
      return client;
    }),
  );
  await busy?.callTool({ name: "suite__test_tool_with_logging" });
  await idle?.ping();
  expect(heard).toEqual(
    ["Tool execution started", "Tool processing data", "Tool execution completed"].map((said) => `busy ${said}`),
  );
});

it("gives a kept result to its principal alone", async () => {
  const store = await storeUnderTest();
  const bytes = new TextEncoder().encode(`{"whole":true}`);
  const owner = { tenant: "default", principal: "anna" };
  const artifact = {
    id: "art_1",
    ...owner,
    mediaType: "application/json",
    sha256: "0".repeat(64),
    bytes,
    ttlMs: 60_000,
  };
  await store.artifacts.put(artifact);
  const { gate } = gateOf([], { artifacts: store.artifacts });
  const at = await listening(gate);
  const uri = "toolglot://artifact/art_1";
  for (const revision of eras) {
    const [anna, berta] = [await clientAt(at, revision), await clientAt(at, revision, { token: "berta" })];
    expect((await anna.readResource({ uri })).contents).toEqual([
      { uri, mimeType: "application/json", text: `{"whole":true}` },
    ]);
    await expect(berta.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    await expect(anna.readResource({ uri: `${uri}0` })).rejects.toMatchObject({ code: -32602 });
  }
});
