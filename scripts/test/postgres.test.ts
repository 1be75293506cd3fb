import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { postgresForTests, startPostgres } from "../lib/postgres.mjs";

const { url, skip } = await postgresForTests();
const named = (name: string): string => `${name}${skip ? ` (${skip})` : ""}`;
const library = new URL("../lib/postgres.mjs", import.meta.url).href;

/** Another process that has the library, and prints what the program prints. */
function another(program: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const source = `import { postgresForTests, startPostgres } from ${JSON.stringify(library)};\n${program}`;
  return spawn(process.execPath, ["--input-type=module", "-e", source], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
}
const printed = (child: ChildProcess): Promise<string> => text(child.stdout as NonNullable<ChildProcess["stdout"]>);

/** Whether somebody listens. */
function isUp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("close", () => socket.destroy());
    socket.on("connect", () => socket.destroy());
  });
}

it("should take the server that the environment names", async () => {
  const program = "console.log(JSON.stringify(await postgresForTests()))";
  const given = await printed(another(program, { TOOLGLOT_POSTGRES_URL: "postgres://db.example/tests" }));
  expect(JSON.parse(given)).toEqual({ url: "postgres://db.example/tests" });
});

it.skipIf(skip)(named("should have one server for all processes"), async () => {
  const program = "console.log((await postgresForTests()).url)";
  const urls = await Promise.all([another(program), another(program)].map(printed));
  expect(urls.map((one) => one.trim())).toEqual([url, url]);
});

it.skipIf(skip)(named("should keep what was committed over a crash, at the same address"), async () => {
  const server = await startPostgres({ settings: { work_mem: "8MB" } });
  try {
    expect(await server.sql("show fsync; show max_connections; show work_mem")).toBe("on\n200\n8MB\n");
    await server.sql("create table kept (x int); insert into kept values (1)");
    await server.restart("immediate");
    expect(await server.sql("select x from kept")).toBe("1\n");
    expect(server.log()).toContain("automatic recovery in progress");
    expect(await isUp(server.port)).toBe(true);
    await server.stop();
    expect(await isUp(server.port)).toBe(false);
  } finally {
    await server.remove();
  }
  expect(existsSync(server.folder)).toBe(false);
});

it.skipIf(skip)(named("should have a standby with all that was acknowledged, that can be promoted"), async () => {
  const server = await startPostgres();
  const standby = await server.standby({ synchronous: true });
  try {
    expect(await server.sql("select sync_state from pg_stat_replication")).toBe("sync\n");
    await server.sql("create table kept (x int); insert into kept values (1)");
    await server.stop("immediate");
    await standby.promote();
    expect(await standby.sql("insert into kept values (2); select x from kept")).toBe("1\n2\n");
    expect(new URL(standby.url)).toMatchObject({ password: new URL(server.url).password, port: `${standby.port}` });
  } finally {
    await Promise.all([server, standby].map((one) => one.remove()));
  }
});

it.skipIf(skip)(named("should leave no server and no data behind a process that was killed"), async () => {
  const program = `const { port, folder } = await startPostgres();
    process.stdout.write(JSON.stringify({ port, folder }), () => process.kill(process.pid, "SIGKILL"));`;
  const { port, folder } = JSON.parse(await printed(another(program)));
  while ((await isUp(port)) || existsSync(folder)) await new Promise((done) => setTimeout(done, 50));
});
