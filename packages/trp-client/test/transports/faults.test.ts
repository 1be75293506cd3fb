import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { RequestFrame } from "@toolglot/trp-core/frames";
import { afterEach, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { createClient, type Transport, webSocketTransport } from "../../src/index.ts";
import { stdioTransport, wsTransport } from "../../src/node/index.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

function kept(transport: Transport): Transport {
  cleanUp.push(() => transport.close());
  return transport;
}

let count = 0;
function query(more: object = {}): RequestFrame {
  const payload = { call_id: "c", after_event_id: 0, ...more };
  return { frame_type: "RESULT_QUERY_REQ", frame_id: `f${++count}`, payload } as unknown as RequestFrame;
}

const sending = (onPartial?: (frame: unknown) => void) => ({ signal: new AbortController().signal, onPartial });

/** A program that answers each line as told. `line` is the frame. */
function program(answer: string, options: object = {}): Transport {
  const source = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const frame = JSON.parse(line);
    const say = (type, payload) => console.log(JSON.stringify({ frame_type: type, frame_id: "res_" + frame.frame_id, payload }));
    ${answer}
  });`;
  return kept(stdioTransport({ command: process.execPath, args: ["-e", source], graceMs: 300, ...options }));
}

it("says clearly that a program writes what is no frame, and starts it again", async () => {
  const transport = program(
    'if (frame.payload.call_id === "c") console.log("Listening…"); else say("RESULT_QUERY_RES", {})',
  );
  await expect(transport.send(query(), sending())).rejects.toMatchObject({
    code: "trp-client/bad-answer",
    message: 'The router wrote something to its standard output that is no TRP frame: "Listening…"',
    data: { permanent: true, outcome: "unknown" },
  });
  expect(await transport.send(query({ call_id: "d" }), sending())).toMatchObject({ frame_type: "RESULT_QUERY_RES" });
});

it("says that a program can't be started, or how it ended", async () => {
  const nobody = kept(stdioTransport({ command: "/nonexistent/router" }));
  await expect(nobody.send(query(), sending())).rejects.toMatchObject({
    code: "trp-client/unreachable",
    data: { permanent: true, outcome: "not-sent" },
  });
  const crashing = program("process.exit(3)");
  await expect(crashing.send(query(), sending())).rejects.toMatchObject({
    code: "trp-client/no-answer",
    message: "The router gave no answer: the router's process ended (exit code 3).",
  });
});

it("gives a program's standard error to a function, and its environment to the program", async () => {
  const heard: string[] = [];
  const transport = program('process.stderr.write("dear me\\n"); say("RESULT_QUERY_RES", { env: process.env.TRP_X })', {
    stderr: (text: string) => heard.push(text),
    env: { TRP_X: "y" },
  });
  expect(await transport.send(query(), sending())).toMatchObject({ payload: { env: "y" } });
  await transport.close();
  expect(heard.join("")).toBe("dear me\n");
  await expect(transport.send(query(), sending())).rejects.toMatchObject({ code: "trp-client/unreachable" });
});

it("ends a program that doesn't end when its input does", async () => {
  const transport = program('setInterval(() => {}, 1000); say("RESULT_QUERY_RES", { pid: process.pid })', {
    graceMs: 20,
  });
  const { payload } = (await transport.send(query(), sending())) as { payload: { pid: number } };
  await transport.close();
  expect(() => process.kill(payload.pid, 0)).toThrow("ESRCH");
});

/** A WebSocket server that does as the test says. */
async function serve(act: (frame: { frame_id: string }, say: (frame: object) => void, socket: WebSocket) => void) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => "trp.v0.1" });
  cleanUp.push(() => {
    for (const socket of server.clients) socket.terminate();
    return new Promise((resolve) => server.close(resolve));
  });
  await once(server, "listening");
  server.on("connection", (socket) => {
    socket.on("message", (data) => {
      act(JSON.parse(String(data)), (frame) => socket.send(JSON.stringify(frame)), socket);
    });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    transports: [kept(wsTransport({ url })), kept(webSocketTransport({ url, WebSocket }))],
  };
}

it("tells an answer from what comes before it", async () => {
  const { transports } = await serve(({ frame_id: id }, say) => {
    const ack = (status: string) => say({ frame_type: "ACK", payload: { ack_of_frame_id: id, status } });
    const part = (n: number) => say({ frame_type: "PARTIAL_RESULT", frame_id: `res_${id}`, payload: { n } });
    // Somebody else's, and one that is given up.
    say({ frame_type: "RESULT", frame_id: "res_other", payload: {} });
    if (asked === "announced") {
      ack("ACCEPTED");
      part(1);
      part(2);
      say({ frame_type: "RESULT_QUERY_RES", frame_id: `res_${id}`, payload: {} });
    } else if (asked === "at once") part(3);
    else ack("IN_PROGRESS");
  });
  let asked = "announced";
  for (const transport of transports) {
    const early: unknown[] = [];
    const ask = async (how: string) => {
      asked = how;
      return await transport.send(
        query(),
        sending((frame) => early.push(frame)),
      );
    };
    expect(await ask("announced")).toMatchObject({ frame_type: "RESULT_QUERY_RES" });
    expect(early.map((frame) => (frame as { payload: { n?: number } }).payload.n)).toEqual([undefined, 1, 2]);
    expect(await ask("at once")).toMatchObject({ frame_type: "PARTIAL_RESULT", payload: { n: 3 } });
    expect(await ask("known")).toMatchObject({ frame_type: "ACK" });
    expect(early).toHaveLength(3);
  }
});

it("takes a connection that is closed for its largest frame as the refusal of that one", async () => {
  const { transports } = await serve((frame, _say, socket) => {
    if (JSON.stringify(frame).length > 500) socket.close(1009);
  });
  for (const transport of transports) {
    const small = transport.send(query(), sending()).catch((error: unknown) => error);
    const large = transport.send(query({ x: "x".repeat(500) }), sending()).catch((error: unknown) => error);
    expect(await large).toMatchObject({
      code: "trp-client/bad-answer",
      data: { permanent: true, outcome: "not-sent" },
    });
    expect(await small).toMatchObject({ code: "trp-client/no-answer", data: { outcome: "unknown" } });
  }
});

it("refuses messages that are no frames, and opens a connection anew", async () => {
  const answers: (string | Buffer)[] = ["[]", Buffer.from("{}"), "no"];
  const { transports } = await serve(({ frame_id: id }, say, socket) => {
    const answer = answers.shift();
    if (answer === undefined) say({ frame_type: "RESULT_QUERY_RES", frame_id: `res_${id}`, payload: {} });
    else socket.send(answer);
  });
  const [transport] = transports;
  for (let n = 0; n < 3; n++) {
    await expect(transport?.send(query(), sending())).rejects.toMatchObject({ code: "trp-client/bad-answer" });
  }
  expect(await transport?.send(query(), sending())).toMatchObject({ frame_type: "RESULT_QUERY_RES" });
});

it("says that nothing was sent when there is nobody", async () => {
  const { url } = await serve(() => {});
  const port = Number(new URL(url).port);
  for (const step of cleanUp.splice(0).reverse()) await step();
  for (const make of [
    () => wsTransport({ url: `ws://127.0.0.1:${port}` }),
    () => webSocketTransport({ url: `ws://127.0.0.1:${port}`, WebSocket }),
  ]) {
    const trp = createClient({ transport: make(), agentId: "t", retry: { baseMs: 1, connectMs: 5 } });
    cleanUp.push(() => trp.close());
    await expect(trp.hello()).rejects.toMatchObject({ code: "trp-client/unreachable", data: { outcome: "not-sent" } });
  }
});

it("refuses options that can't be", () => {
  expect(() => wsTransport({ url: "ftp://x" })).toThrow("ws:");
  expect(() => wsTransport({ url: "ws://x", token: "a b" })).toThrow("token");
  expect(() => wsTransport({ url: "ws://x", tokens: "a" } as never)).toThrow('"token"');
  expect(() => webSocketTransport({ url: "ws://x", WebSocket: "no" as never })).toThrow("wsTransport");
  expect(() => stdioTransport({ command: "" })).toThrow("command");
});
