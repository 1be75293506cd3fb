import { expect, it } from "vitest";
import { type Walk, walks } from "../src/walks/calls.ts";
import { filesEntered } from "../src/walks/walk.ts";

/** How many source files one warm call may enter, with room for a few that are split. Who shortens a walk lowers its number. */
const maxFiles: Record<keyof typeof walks, number> = {
  "native by the agent": 58,
  "TAM plan": 89,
  "ATTP Python": 111,
  "ToolsXML edit": 100,
  "keyed write over HTTP on SQLite": 83,
};

/** What an agent without options has no use for. */
const features = /^agent\/(?:context|hooks|otel|output|recording|session)\//;

it.each(Object.entries(walks))("should enter few files: %s", async (name, open: () => Promise<Walk>) => {
  const walk = await open();
  try {
    let files = await filesEntered(() => walk.call());
    // A call that takes long on a busy machine enters more: what renews leases, and what waits.
    for (let tries = 1; tries < 4 && files.length > maxFiles[name as keyof typeof walks]; tries++) {
      const again = await filesEntered(() => walk.call());
      if (again.length < files.length) files = again;
    }
    const ofAgent = files.filter((file) => file.startsWith("agent/"));
    console.log(`${name}: ${files.length} files, ${ofAgent.length} of the agent`);
    if (process.env.WALK_FILES) console.log(files.join("\n"));
    expect(files).not.toEqual([]);
    expect(files.length).toBeLessThanOrEqual(maxFiles[name as keyof typeof walks]);
    expect(ofAgent.length).toBeLessThanOrEqual(24);
    expect(ofAgent.filter((file) => features.test(file))).toEqual([]);
  } finally {
    await walk.close?.();
  }
});

it("should count a file of which a function runs, and none whose names are only read", async () => {
  const { textMessage } = await import("@toolglot/core");
  const files = await filesEntered(async () => textMessage("user", "Hi"));
  expect(files).toEqual(["core/message.ts"]);
});
