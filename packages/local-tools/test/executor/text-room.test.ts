import { expect, it } from "vitest";
import { TextRoom } from "../../src/executor/call-run.ts";

it("should give each call an even share, and what short results leave to those after them", () => {
  const room = new TextRoom(12_000, 3);
  expect(room.share).toBe(4000);
  room.used(100);
  expect(room.share).toBe(5950);
  room.used(5950);
  expect(room.share).toBe(5950);
});

it("should give a little however many calls there are", () => {
  const room = new TextRoom(12_000, 100);
  room.used(20_000);
  expect(room.share).toBe(500);
});
