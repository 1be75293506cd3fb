import { expect, it } from "vitest";
import { frameIdIn } from "../../src/transport/read-message.ts";

const idOf = (text: string): string | null => frameIdIn(new TextEncoder().encode(text));

it("finds the id of a frame in its bytes, and no other member of that name", () => {
  expect(idOf('{"frame_id":"f1"}')).toBe("f1");
  expect(idOf(' { "a" : [ {"frame_id":"inner"}, "frame_id" ], "frame_id" : "f1" , "b": 1}')).toBe("f1");
  expect(idOf('{"text":"\\"frame_id\\":\\"x\\"","frame_id":"f1"')).toBe("f1");
  expect(idOf('{"a":"frame_id","b":"x","frame_id":"f1","payload":{"te')).toBe("f1");
  for (const none of [
    "",
    "[]",
    '{"frame_id":1}',
    '{"frame_id":"f1',
    '{"frame_id":"a\\u0062"}',
    '{"payload":{"frame_id":"x"}}',
    '[{"x":1},"frame_id","f1"]',
    '{"frame_id":""}',
    '{"frame_id","f1"}',
  ]) {
    expect(idOf(none)).toBeNull();
  }
});
