import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Resource, toolkitExecutor } from "../../src/index.ts";
import { famResolver, fileResolver } from "../../src/node/index.ts";
import { block, exampleKit, runText, statuses, taskOf } from "./tam.ts";

describe("TAM 3.1: steps run one after another", () => {
  it("3.1: one block holds a serial flow of several steps, each with command_N", async () => {
    const { run, log } = exampleKit();
    const { results, reply } = await run(
      block(
        "command_1:»»»File.Append«««",
        "file_path_1:»»»a«««",
        "content_1:»»»x«««",
        "command_2:»»»File.Read«««",
        "file_path_2:»»»a«««",
      ),
    );
    expect(log).toEqual(["append a: x in -", "read a"]);
    expect(statuses(results)).toEqual(["ok", "ok"]);
    expect(reply).toContain("status_1:»»»ok«««");
    expect(reply).toContain("result_2:»»»text of a«««");
  });

  it("3.1: a parameter belongs to the command with its number", async () => {
    const { run, log } = exampleKit();
    await run(
      block("file_path_2:»»»two«««", "command_1:»»»File.Read«««", "command_2:»»»File.Read«««", "file_path_1:»»»one«««"),
    );
    expect(log).toEqual(["read one", "read two"]);
  });

  it("3.1: steps run from the smallest number to the largest, wherever they stand, gaps or not", async () => {
    const { run, log } = exampleKit();
    const { results } = await run(
      block(
        "command_10:»»»File.Read«««",
        "file_path_10:»»»ten«««",
        "command_2:»»»File.Read«««",
        "file_path_2:»»»two«««",
      ),
    );
    expect(log).toEqual(["read two", "read ten"]);
    expect(results.map(({ metadata }) => metadata?.step)).toEqual([2, 10]);
  });

  it("3.1: a step ends before the next one begins", async () => {
    const { run, kit, log } = exampleKit();
    kit.registerToolFunction(
      async () => {
        log.push("slow begins");
        await new Promise((resolve) => setTimeout(resolve, 5));
        log.push("slow ends");
      },
      { name: "Slow", description: "d", annotations: { readOnlyHint: true } },
    );
    await run(block("command_1:»»»Slow«««", "command_2:»»»File.Read«««", "file_path_2:»»»a«««"));
    expect(log).toEqual(["slow begins", "slow ends", "read a"]);
  });
});

describe("TAM 3.2: synchronous and asynchronous tools", () => {
  it("3.2: whether a tool is asynchronous stands in its definition, not in the call", async () => {
    const { run, kit, executor } = exampleKit();
    expect(kit.definitions().map(({ name, annotations }) => [name, annotations?.async ?? false])).toContainEqual([
      "ImageTool.Generate",
      true,
    ]);
    // A call has no word for it: `async` is an unknown parameter.
    const { results } = await run(block("command:»»»File.Read«««", "file_path:»»»a«««", "async:»»»true«««"));
    expect(results[0]?.error?.message).toContain("async");
    await executor.tasks.close();
  });

  it("3.2: a synchronous tool is waited for, and its result returned", async () => {
    const { run } = exampleKit();
    const { results, reply } = await run(block("command:»»»File.Read«««", "file_path:»»»a«««"));
    expect(results[0]).toMatchObject({ status: "ok", data: "text of a" });
    expect(reply).toContain("result_1:»»»text of a«««");
  });

  it("3.2: an asynchronous tool is started, and a handle returned at once", async () => {
    const { run, log, executor } = exampleKit();
    const { results, reply } = await run(block("command:»»»ImageTool.Generate«««", "prompt:»»»owl«««"));
    expect(results[0]?.status).toBe("pending");
    const taskId = taskOf(results[0]);
    expect(reply).toContain("status_1:»»»pending«««");
    expect(reply).toContain(`task_id_1:»»»${taskId}«««`);
    expect(executor.tasks.get(taskId)?.status).toBe("running");
    await executor.tasks.idle();
    expect(log).toEqual(["paint owl"]);
  });

  it("3.2: the task runs in the background, and its end is told on the event bus", async () => {
    const { run, told, executor } = exampleKit();
    const { results } = await run(
      block("request_id:»»»r1«««", "command_3:»»»ImageTool.Generate«««", "prompt_3:»»»owl«««"),
    );
    expect(told.map(({ type }) => type)).not.toContain("task-completed");
    await executor.tasks.idle();
    expect(told.map(({ type }) => type)).toEqual(["task-started", "task-progress", "task-completed"]);
    const taskId = taskOf(results[0]);
    for (const event of told) {
      expect(event).toMatchObject({ taskId, callId: results[0]?.callId, name: "ImageTool.Generate", step: 3 });
    }
    expect(told[1]).toMatchObject({ data: "half" });
    expect(told[2]).toMatchObject({ result: { status: "ok", data: { uri: "none" } } });
  });

  it("3.2: failure and cancellation of a task are told as well, each once", async () => {
    const { run, kit, told, executor } = exampleKit();
    kit.registerToolFunction(() => new Promise(() => {}), {
      name: "Forever",
      description: "d",
      annotations: { async: true },
    });
    const { results } = await run(
      block("command_1:»»»ImageTool.Generate«««", "prompt_1:»»»nothing«««", "command_2:»»»Forever«««"),
    );
    expect(statuses(results)).toEqual(["pending", "pending"]);
    expect(executor.tasks.cancel(taskOf(results[1]))).toBe(true);
    await executor.tasks.idle();
    const ends = told.filter(({ type }) => type === "task-failed" || type === "task-completed");
    expect(
      ends.map((event) => `${event.type} ${event.name} ${"result" in event && event.result.status}`).sort(),
    ).toEqual(["task-failed Forever interrupted", "task-failed ImageTool.Generate error"]);
  });

  it("3.2: a model need not care: the step of a started task counts as done, and the next one runs", async () => {
    const { run, log, executor } = exampleKit();
    const { results } = await run(
      block(
        "command_1:»»»ImageTool.Generate«««",
        "prompt_1:»»»nothing«««",
        "retry_1:»»»3«««",
        "command_2:»»»File.Read«««",
        "file_path_2:»»»a«««",
      ),
    );
    expect(statuses(results)).toEqual(["pending", "ok"]);
    await executor.tasks.idle();
    expect(log.filter((line) => line.startsWith("paint"))).toHaveLength(1);
  });

  it("3.2: a task outlives the run that started it", async () => {
    const { run, kit, executor } = exampleKit();
    let resolve = (): void => {};
    const released = new Promise<void>((release) => {
      resolve = release;
    });
    kit.registerToolFunction(() => released.then(() => "late"), {
      name: "Late",
      description: "d",
      annotations: { async: true },
    });
    const controller = new AbortController();
    const { results } = await run(block("command:»»»Late«««"), { signal: controller.signal });
    controller.abort();
    resolve();
    expect(await executor.tasks.result(taskOf(results[0]))).toMatchObject({ status: "ok", data: "late" });
  });
});

describe("TAM 3.3: references", () => {
  let folder = "";
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "toolkit-tam-"));
    await mkdir(join(folder, "data/images"), { recursive: true });
    await writeFile(join(folder, "data/images/input.png"), png);
    await writeFile(join(folder, "data/note.txt"), "a note");
    await writeFile(join(folder, "secret.txt"), "secret");
    await symlink(join(folder, "secret.txt"), join(folder, "data/link.txt"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  function kitWithFiles() {
    const resources = {
      fam: famResolver({ "project-data": join(folder, "data") }),
      file: fileResolver([join(folder, "data")]),
    };
    const made = exampleKit({ resources });
    const seen: Resource[] = [];
    made.kit.registerToolFunction(
      ({ image }: { image: Resource }) => {
        seen.push(image);
        return image.mediaType;
      },
      {
        name: "Look",
        description: "d",
        jsonSchema: { type: "object", properties: { image: {} }, required: ["image"], additionalProperties: false },
      },
    );
    return { ...made, seen };
  }

  it("3.3: uri_[parameter]_[step] gives a parameter by reference; fam:// is resolved by the executor", async () => {
    const { run, seen } = kitWithFiles();
    const uri = "fam://project-data/images/input.png";
    const { results } = await run(block("command_1:»»»Look«««", `uri_image_1:»»»${uri}«««`));
    expect(results[0]).toMatchObject({ status: "ok", data: "image/png" });
    expect(seen[0]).toMatchObject({ uri, mediaType: "image/png" });
    expect(await seen[0]?.bytes()).toEqual(png);
  });

  it("execution: the tool gets text where its schema says string", async () => {
    const { run, log } = kitWithFiles();
    await run(block("command:»»»File.Read«««", "uri_file_path:»»»fam://project-data/note.txt«««"));
    expect(log).toEqual(["read a note"]);
  });

  it("execution: file: is read below the declared roots, and data: everywhere", async () => {
    const { run, log } = kitWithFiles();
    const { results } = await run(
      block(
        "command_1:»»»File.Read«««",
        `uri_file_path_1:»»»${pathToFileURL(join(folder, "data/note.txt")).href}«««`,
        "command_2:»»»File.Read«««",
        "uri_file_path_2:»»»data:text/plain;base64,aMOp«««",
      ),
    );
    expect(statuses(results)).toEqual(["ok", "ok"]);
    expect(log).toEqual(["read a note", "read hé"]);
  });

  it.each([
    ["an unknown scheme", "ftp://host/file", "UnknownUriScheme", /ftp/],
    ["no URI at all", "images/input.png", "UnknownUriScheme", /is no URI/],
    ["a path out of its root", "fam://project-data/../secret.txt", "ResourceUnavailable", /outside/],
    ["the same, percent-encoded", "fam://project-data/%2e%2e%2fsecret.txt", "ResourceUnavailable", /outside/],
    ["a link out of its root", "fam://project-data/link.txt", "ResourceUnavailable", /outside/],
    ["another root", "fam://other/note.txt", "ResourceUnavailable", /project-data/],
    ["a file that is not there", "fam://project-data/none.txt", "ResourceUnavailable", /no such file/],
    ["a file: outside", "file:///etc/passwd", "ResourceUnavailable", /outside/],
  ])("execution: %s is an error on that step", async (_what, uri, type, message) => {
    const { run, log } = kitWithFiles();
    const { results } = await run(
      block(
        "command_1:»»»File.Read«««",
        `uri_file_path_1:»»»${uri}«««`,
        "on_error_1:»»»continue«««",
        "command_2:»»»File.Read«««",
        "file_path_2:»»»plain«««",
      ),
    );
    expect(statuses(results)).toEqual([`error ${type}`, "ok"]);
    expect(results[0]?.error?.message).toMatch(message);
    expect(results[0]?.error?.message).not.toContain(folder);
    expect(log).toEqual(["read plain"]);
  });

  it.each([true, false])("execution: both x and uri_x is an error on that step (bound: %s)", async (bound) => {
    const { run, log } = kitWithFiles();
    const text = block("command:»»»File.Read«««", "file_path:»»»a«««", "uri_file_path:»»»data:,b«««");
    const { results } = await run(text, { bound });
    expect(statuses(results)).toEqual(["error InvalidInput"]);
    expect(results[0]?.error?.message).toContain("uri_file_path");
    expect(log).toEqual([]);
  });

  it("execution: a reference for a parameter that the tool lacks is an error, and one under a preset's name is dropped", async () => {
    const { executor, kit } = kitWithFiles();
    const got: unknown[] = [];
    kit.registerToolFunction((input: unknown) => void got.push(input), {
      name: "Closed",
      description: "d",
      args: { a: "string", token: "string" },
      presets: { token: "host's" },
    });
    const text = (name: string): string => block("command:»»»Closed«««", "a:»»»1«««", `uri_${name}:»»»data:,evil«««`);
    for (const bound of [true, false]) {
      const unknown = await runText(executor, kit, text("b"), { bound });
      expect(statuses(unknown.results)).toEqual([expect.stringMatching(/^error (InvalidInput|UnknownParameter)/)]);
    }
    const preset = await runText(executor, kit, text("token"), { bound: false });
    expect(preset.results[0]?.metadata?.warnings).toEqual([expect.stringContaining("token")]);
    expect(got).toEqual([{ a: "1", token: "host's" }]);
  });

  it("execution: who approves a call sees what it refers to", async () => {
    const { run, kit } = kitWithFiles();
    kit.registerToolFunction(() => "sent", {
      name: "Send",
      description: "d",
      jsonSchema: { type: "object", properties: { file: {} } },
      annotations: { requiresApproval: true },
    });
    const { asked, events } = await run(block("command:»»»Send«««", "uri_file:»»»fam://project-data/note.txt«««"));
    const shown = { file: { uri: "fam://project-data/note.txt", mediaType: "text/plain" } };
    expect(asked[0]?.input).toEqual(shown);
    expect(events[0]).toMatchObject({ type: "tool-call-start", input: shown });
  });
});

describe("TAM 4: fields", () => {
  it("4: command is required: a block without one does not run", async () => {
    const { run, log } = exampleKit();
    const { results } = await run(block("file_path:»»»a«««"));
    expect([results, log]).toEqual([[], []]);
  });

  it("4: on_error is stop by default: a failure ends the flow, and the steps after it say why they did not run", async () => {
    const { run, log } = exampleKit();
    const text = block(
      "command_1:»»»Flaky«««",
      "times_1:»»»9«««",
      "command_2:»»»File.Read«««",
      "file_path_2:»»»a«««",
      "command_3:»»»File.Read«««",
      "file_path_3:»»»b«««",
    );
    const { results, reply } = await run(text);
    expect(statuses(results)).toEqual(["error ToolError", "error NotRun", "error NotRun"]);
    expect(log).toEqual(["try 1"]);
    expect(reply).toContain("error_3:»»»NotRun: Step 3 did not run, because step 1 failed.«««");
  });

  it("4: on_error: continue ignores the failure and goes on", async () => {
    const { run, log } = exampleKit();
    const { results } = await run(
      block(
        "command_1:»»»Flaky«««",
        "times_1:»»»9«««",
        "on_error_1:»»»continue«««",
        "command_2:»»»File.Read«««",
        "file_path_2:»»»a«««",
      ),
    );
    expect(statuses(results)).toEqual(["error ToolError", "ok"]);
    expect(log).toEqual(["try 1", "read a"]);
  });

  it("4: retry_N tries a failed step again so often, and on_error decides after the last", async () => {
    const { run, log } = exampleKit();
    const text = (times: number): string =>
      block(
        "command_1:»»»Flaky«««",
        `times_1:»»»${times}«««`,
        "retry_1:»»»2«««",
        "on_error_1:»»»continue«««",
        "command_2:»»»File.Read«««",
        "file_path_2:»»»a«««",
      );
    const first = await run(text(2));
    expect(first.results[0]).toMatchObject({ status: "ok", data: "done after 3", metadata: { attempts: 3 } });
    expect(log).toEqual(["try 1", "try 2", "try 3", "read a"]);
    const second = await run(text(99));
    expect(second.results[0]).toMatchObject({ error: { message: "failure 6" }, metadata: { attempts: 3 } });
    expect(second.results[1]?.status).toBe("ok");
    expect(first.events.filter(({ type }) => type === "tool-call-end")).toHaveLength(2);
  });

  it("4: a retry that is no number from 0 to 10 is an error on that step", async () => {
    const { run, log } = exampleKit();
    const { results } = await run(block("command:»»»File.Read«««", "file_path:»»»a«««", "retry:»»»often«««"));
    expect(results[0]?.status).toBe("error");
    expect(log).toEqual([]);
  });

  it("4: type_hint says how a value is read before the tool runs: json, base64, number, boolean, text", async () => {
    const { run } = exampleKit();
    const payload = async (hint: string, value: string): Promise<unknown> => {
      const text = block("command:»»»Report.Build«««", `type_hint_payload:»»»${hint}«««`, `payload:»»»${value}«««`);
      const { results } = await run(text);
      return results[0]?.status === "ok" ? (results[0].data as { payload: unknown }).payload : results[0]?.error?.type;
    };
    expect(await payload("json", '{"a": [1]}')).toEqual({ a: [1] });
    expect(await payload("number", "12")).toBe(12);
    expect(await payload("boolean", "true")).toBe(true);
    expect(await payload("text", "12")).toBe("12");
    expect(await payload("json", "{")).toBe("InvalidInput");
    expect(await payload("base64", "%")).toBe("InvalidInput");
  });

  it("4: a base64 value reaches the tool as bytes", async () => {
    const { run, kit } = exampleKit();
    const got: unknown[] = [];
    kit.registerToolFunction(({ data }: { data: unknown }) => void got.push(data), {
      name: "Take",
      description: "d",
      jsonSchema: { type: "object", properties: { data: { type: "string" } }, additionalProperties: false },
    });
    const { results } = await run(block("command:»»»Take«««", "type_hint_data:»»»base64«««", "data:»»»AQI=«««"));
    expect(statuses(results)).toEqual(["ok"]);
    expect(got).toEqual([Uint8Array.of(1, 2)]);
  });

  it("4: without a hint a value is text, which the schema converts", async () => {
    const { run } = exampleKit();
    const { results } = await run(block("command:»»»Flaky«««", "times:»»»0«««"));
    expect(results[0]).toMatchObject({ status: "ok", data: "done after 1" });
  });

  it.each([true, false])(
    "4: common_ parameters hold for all steps, and a step's own win (bound: %s)",
    async (bound) => {
      const { run, log } = exampleKit();
      await run(
        block(
          "common_output_dir:»»»shared«««",
          "command_1:»»»File.Append«««",
          "file_path_1:»»»a«««",
          "content_1:»»»x«««",
          "command_2:»»»File.Append«««",
          "file_path_2:»»»a«««",
          "content_2:»»»y«««",
          "output_dir_2:»»»own«««",
          "command_3:»»»File.Read«««",
          "file_path_3:»»»a«««",
        ),
        { bound },
      );
      expect(log).toEqual(["append a: x in shared", "append a: y in own", "read a"]);
    },
  );

  it("4: comment is ignored", async () => {
    const { run, log } = exampleKit();
    const { results } = await run(
      block("comment:»»»for people«««", "# 我的计划", "command:»»»File.Read«««", "file_path:»»»a«««"),
    );
    expect([statuses(results), log]).toEqual([["ok"], ["read a"]]);
  });

  it("execution: an unknown tool is an error on that step that lists the nearest names", async () => {
    const { run, log } = exampleKit();
    const { results } = await run(
      block(
        "command_1:»»»File.Raed«««",
        "file_path_1:»»»a«««",
        "on_error_1:»»»continue«««",
        "command_2:»»»File.Read«««",
        "file_path_2:»»»b«««",
      ),
    );
    expect(statuses(results)).toEqual(["error UnknownTool", "ok"]);
    expect(results[0]?.error?.message).toContain("File.Read");
    expect(log).toEqual(["read b"]);
  });

  it.each([true, false])(
    "execution: missing, unknown and wrong parameters name the tool and what is near (bound: %s)",
    async (bound) => {
      const { run, log } = exampleKit();
      const { results } = await run(
        block(
          "command_1:»»»File.Read«««",
          "file_pth_1:»»»a«««",
          "on_error_1:»»»continue«««",
          "command_2:»»»Flaky«««",
          "times_2:»»»many«««",
        ),
        { bound },
      );
      expect(results[0]?.error?.message).toMatch(/File\.Read/);
      expect(results[0]?.error?.message).toMatch(/file_path/);
      expect(results[1]?.error?.message).toMatch(/Flaky/);
      expect(results[1]?.error?.message).toMatch(/times/);
      expect(log).toEqual([]);
    },
  );
});

describe("TAM 4: request_id", () => {
  const request = (content: string, id = "req-abc-123"): string =>
    block(`request_id:»»»${id}«««`, "command:»»»File.Append«««", "file_path:»»»log«««", `content:»»»${content}«««`);

  it("4: it identifies the whole block: in every event, every result, and in what goes back", async () => {
    const { run, executor, told } = exampleKit();
    const { results, events, reply } = await run(
      block(
        "request_id:»»»req-abc-123«««",
        "command_1:»»»ImageTool.Generate«««",
        "prompt_1:»»»owl«««",
        "command_2:»»»Nope«««",
        "command_3:»»»File.Read«««",
        "file_path_3:»»»a«««",
      ),
    );
    await executor.tasks.idle();
    expect(statuses(results)).toEqual(["pending", "error UnknownTool", "error NotRun"]);
    const requestId = "req-abc-123";
    expect(events).toHaveLength(6);
    for (const event of [...events, ...told]) expect(event).toMatchObject({ requestId });
    for (const { metadata } of results) expect(metadata).toMatchObject({ requestId });
    expect(told.find(({ type }) => type === "task-completed")).toMatchObject({ result: { metadata: { requestId } } });
    expect(reply).toContain("request_id:»»»req-abc-123«««");
  });

  it("4: the same id with the same content runs once, and returns the recorded results, told as events too", async () => {
    const { run, log } = exampleKit();
    const first = await run(request("x"));
    const again = await run(`Once more.\n\n${request("x")}`);
    expect(log).toEqual(["append log: x in -"]);
    expect(again.results[0]).toMatchObject({ status: "ok", metadata: { replayed: true, requestId: "req-abc-123" } });
    expect(again.results[0]?.callId).not.toBe(first.results[0]?.callId);
    expect(again.events.map(({ type }) => type)).toEqual(["tool-call-start", "tool-call-end"]);
    expect(again.reply).toBe(first.reply);
  });

  it("execution: with other content it is an error", async () => {
    const { run, log } = exampleKit();
    await run(request("x"));
    const { results } = await run(request("y"));
    expect(statuses(results)).toEqual(["error RequestIdConflict"]);
    expect(log).toHaveLength(1);
  });

  it("execution: many at one time run once", async () => {
    const { run, log } = exampleKit();
    const all = await Promise.all(Array.from({ length: 10 }, () => run(request("x"))));
    expect(log).toHaveLength(1);
    expect(new Set(all.map(({ reply }) => reply)).size).toBe(1);
  });

  it("execution: another id runs again, and so does a block without one", async () => {
    const { run, log } = exampleKit();
    for (const id of ["r1", "r2"]) await run(request("x", id));
    const plain = block("command:»»»File.Append«««", "file_path:»»»log«««", "content:»»»x«««");
    for (let time = 0; time < 2; time++) await run(plain);
    expect(log).toHaveLength(4);
  });

  it("execution: a block of which nothing ran can be sent again, corrected, under its id", async () => {
    const { run, log } = exampleKit();
    const wrong = await run(block("request_id:»»»r«««", "command:»»»File.Raed«««", "file_path:»»»a«««"));
    expect(statuses(wrong.results)).toEqual(["error UnknownTool"]);
    const right = await run(block("request_id:»»»r«««", "command:»»»File.Read«««", "file_path:»»»a«««"));
    expect([statuses(right.results), log]).toEqual([["ok"], ["read a"]]);
  });

  it("execution: a started task is not started again", async () => {
    const { run, log, executor } = exampleKit();
    const text = block("request_id:»»»r«««", "command:»»»ImageTool.Generate«««", "prompt:»»»owl«««");
    const [first, again] = [await run(text), await run(text)];
    await executor.tasks.idle();
    expect(taskOf(again.results[0])).toBe(taskOf(first.results[0]));
    expect(log).toEqual(["paint owl"]);
  });
});

describe("TAM execution: approval and cancellation", () => {
  it("execution: a destructive step asks first; a denied one obeys on_error and is not tried again", async () => {
    const { run, log } = exampleKit();
    const text = block(
      "command_1:»»»File.Delete«««",
      "file_path_1:»»»a«««",
      "retry_1:»»»5«««",
      "command_2:»»»File.Read«««",
      "file_path_2:»»»b«««",
    );
    const { results, asked } = await run(text, { approve: () => ({ approved: false }) });
    expect(statuses(results)).toEqual(["denied Denied", "error NotRun"]);
    expect(asked).toHaveLength(1);
    expect(log).toEqual([]);
  });

  it("execution: cancelling interrupts the running step, runs none after it, and gives every step its result", async () => {
    const { run, kit, log } = exampleKit();
    const controller = new AbortController();
    kit.registerToolFunction(
      () => {
        controller.abort();
        return new Promise(() => {});
      },
      { name: "Stuck", description: "d" },
    );
    const { results, events } = await run(
      block(
        "request_id:»»»r«««",
        "command_1:»»»Stuck«««",
        "on_error_1:»»»continue«««",
        "retry_1:»»»9«««",
        "command_2:»»»File.Read«««",
        "uri_file_path_2:»»»data:,a«««",
        "command_3:»»»ImageTool.Generate«««",
        "prompt_3:»»»owl«««",
      ),
      { signal: controller.signal },
    );
    expect(statuses(results)).toEqual(["interrupted Interrupted", "interrupted Interrupted", "error NotRun"]);
    expect(log).toEqual([]);
    expect(events.filter(({ type }) => type === "tool-call-end")).toHaveLength(3);
  });

  it("execution: a run that was cancelled before it began runs nothing, and frees its id", async () => {
    const { run, log } = exampleKit();
    const text = block("request_id:»»»r«««", "command:»»»File.Read«««", "file_path:»»»a«««");
    const early = await run(text, { signal: AbortSignal.abort() });
    expect(statuses(early.results)).toEqual(["interrupted Interrupted"]);
    expect(log).toEqual([]);
    expect(statuses((await run(text)).results)).toEqual(["ok"]);
  });
});

describe("TAM 5 and 6", () => {
  it("5.2: the workflow of the specification runs: a cover in the background, a log line, a report", async () => {
    const { run, log, executor } = exampleKit();
    const { results, reply } = await run(
      block(
        "request_id:»»»req-20250805-report«««",
        "common_output_dir:»»»fam://project-x/reports/today«««",
        "comment:»»»生成每日报告的完整流程«««",
        "",
        "# 步骤 1: 异步生成封面图，如果失败则跳过",
        "command_1:»»»ImageTool.Generate«««",
        "on_error_1:»»»continue«««",
        "prompt_1:»»»一只戴着宇航头盔的猫头鹰，赛博朋克风格«««",
        "output_uri_1:»»»@{common_output_dir}/cover.png«««",
        "",
        "# 步骤 2: 同步写日志",
        "command_2:»»»File.Append«««",
        "file_path_2:»»»@{common_output_dir}/run.log«««",
        "content_2:»»»-- Report generation started at @{timestamp} --«««",
        "",
        "# 步骤 3: 构建最终报告",
        "command_3:»»»Report.Build«««",
        "type_hint_payload_3:»»»json«««",
        "payload_3:»»»",
        '{ "title": "每日运营报告", "coverImageUri": "@{common_output_dir}/cover.png" }',
        "«««",
      ),
    );
    expect(statuses(results)).toEqual(["pending", "ok", "ok"]);
    expect(results[2]?.data).toEqual({
      output_dir: "fam://project-x/reports/today",
      payload: { title: "每日运营报告", coverImageUri: "@{common_output_dir}/cover.png" },
    });
    // A platform's variables pass through as text.
    expect(log).toContainEqual(
      expect.stringContaining("append @{common_output_dir}/run.log: -- Report generation started at @{timestamp} --"),
    );
    expect(reply).toContain("request_id:»»»req-20250805-report«««");
    await executor.tasks.idle();
    expect(executor.tasks.get(taskOf(results[0]))).toMatchObject({
      status: "ok",
      result: { data: { uri: "@{common_output_dir}/cover.png" } },
    });
  });

  it("5.3: a plan with slips of the pen runs like a clean one", async () => {
    const { run, log } = exampleKit();
    const text = [
      "<|[request_tool]|>",
      "  # 我的计划",
      "  Command_1: >>>File.Append<<<",
      "  File-Path 1:»»» /logs/today.log «««",
      "  CONTENT1:»»»start…",
      "  another line«««",
      "<|[END_TOOL]|>",
    ].join("\n");
    const { results } = await run(text);
    expect(statuses(results)).toEqual(["ok"]);
    expect(log).toEqual(["append /logs/today.log: start…\nanother line in -"]);
  });

  it("6: the executor is what validates, guards and retries: a text alone runs nothing", async () => {
    const { kit, log } = exampleKit();
    const other = toolkitExecutor(kit);
    expect(log).toEqual([]);
    await expect(
      other.execute({ kind: "decline", message: "no", span: { start: 0, end: 0 } }, {} as never),
    ).rejects.toThrow(TypeError);
  });
});
