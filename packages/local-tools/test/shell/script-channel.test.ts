import { closeSync, constants, openSync } from "node:fs";
import { expect, it } from "vitest";
import { ScriptChannel } from "../../src/shell/script-channel.ts";

it("tells that a text is delivered before anything else can be heard of its reader", async () => {
  const channel = await ScriptChannel.create(false);
  const reader = openSync(channel.path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const heard: boolean[] = [];
    channel.deliver("echo\n", (delivered) => heard.push(delivered));
    expect(heard).toEqual([true]);
  } finally {
    closeSync(reader);
    channel.remove();
  }
});
