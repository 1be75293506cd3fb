import { expect, it } from "vitest";
import { world } from "./support.ts";

it("opens a session, reads the catalog and calls", async () => {
  const { client, effects } = world();
  const trp = client();
  const session = await trp.hello();
  expect(session.features).toContain("SEQ_WINDOW");
  const { rows } = await trp.syncCatalog();
  expect(rows.map(({ name }) => name).slice(0, 4)).toEqual(["echo", "add_note", "send_mail", "slow"]);
  const result = await trp.call({ idx: 0, capId: "cap.echo.v1", args: { text: "hi" } });
  expect(result).toMatchObject({ status: "success", dispatched: true, attempts: 1, result: { data: { said: "hi" } } });
  expect(result.key).toBeUndefined();
  const note = await trp.callByCap("cap.note.add.v1", { text: "a" });
  expect(note).toMatchObject({ status: "success", result: { data: { count: 1 } } });
  expect(note.key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const again = await trp.callByCap("cap.note.add.v1", { text: "a" }, { key: note.key as string });
  expect(again).toMatchObject({ status: "success", replayedFrom: note.callId, result: { data: { count: 1 } } });
  expect(effects).toEqual(["a"]);
  await trp.close();
});
