import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSession } from "../support/session.ts";

const read = (path: string): string => `<tools><read><file src="${path}"/></read></tools>`;

it("follows no link that was planted where whole outputs are kept", async () => {
  const { local, state, work, ask } = await openSession({ maxChars: 300 });
  const artifacts = state.at("artifacts");
  writeFileSync(state.at("secret"), "planted-secret\n");
  symlinkSync(state.at("secret"), join(artifacts, "file"));
  symlinkSync("../journal", join(artifacts, "folder"));
  symlinkSync("/proc/self/root", join(artifacts, "all"));
  for (const path of ["file", "folder", "folder/x", `all${state.at("secret")}`, "../secret", "../journal"]) {
    const told = await ask(read(`${artifacts}/${path}`));
    expect(told).toMatchObject({ status: "error", type: "OutsideRoots" });
    expect(told.text).not.toContain("planted-secret");
  }
  await expect(local.edit([{ src: join(artifacts, "new"), edits: [{ find: "", replace: "x" }] }])).rejects.toThrow(
    "outside the folders",
  );
  expect(readdirSync(artifacts).sort()).toEqual(["all", "file", "folder"]);
  expect(readdirSync(work.path)).toEqual([]);
});

it("reads nothing through a link put in the place of the folder of whole outputs", async () => {
  const { local, state, work, ask } = await openSession({ maxChars: 300 });
  const artifacts = state.at("artifacts");
  const elsewhere = state.at("elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "secret.txt"), "planted-secret\n");
  renameSync(artifacts, state.at("aside"));
  symlinkSync(elsewhere, artifacts);
  for (const path of [artifacts, join(artifacts, "secret.txt"), elsewhere]) {
    expect(await ask(read(path))).toMatchObject({ status: "error", type: "OutsideRoots" });
  }
  // Not even what is kept there from now on can be read: the place is not the one that was opened.
  const { artifact = "" } = await local.command({ script: "seq 1 3000" });
  expect(artifact === "" || (await ask(read(artifact))).type === "OutsideRoots").toBe(true);
  rmSync(artifacts);
  expect(readdirSync(work.path)).toEqual([]);
});

it("asks about a protected file by every spelling that leads to it, but can't know another hard link", async () => {
  const { work, ask } = await openSession({ files: { ".env": "KEY=planted-secret\n", "x/y": "" } });
  symlinkSync(".env", work.at("link"));
  symlinkSync("link", work.at("link-to-link"));
  symlinkSync("..", work.at("x/up"));
  const spellings = [".env", "./.env", "x/../.env", "x/up/.env", "x/up/x/up/link", "link", "link-to-link"];
  for (const path of [...spellings, work.at(".env"), `/${work.at(".env")}`, `/proc/self/root${work.at(".env")}`]) {
    const { type, text, context } = await ask(read(path));
    expect({ path, type }).toEqual({ path, type: "Denied" });
    expect(text).not.toContain("planted-secret");
    expect(context.asked).toHaveLength(1);
  }
  linkSync(work.at(".env"), work.at("hard"));
  expect(await ask(read("hard"))).toMatchObject({ status: "ok" });
});
