import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeFrame, encodeFrame, FrameDecoder, FrameError } from "../../src/node/python/frames.ts";

/** Cuts bytes at these places. */
function cut(bytes: Buffer, places: number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

it("should give the same frames for every way of cutting the bytes", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 20 }), (values, places) => {
      const bytes = Buffer.concat(values.map((value) => encodeFrame(JSON.stringify({ value }))));
      const decoder = new FrameDecoder(1_000_000);
      const bodies = cut(bytes, places).flatMap((chunk) => [...decoder.push(chunk)]);
      expect(bodies.map((body) => body.toString())).toEqual(values.map((value) => JSON.stringify({ value })));
    }),
  );
});

it("should refuse a frame by its length, before its bytes arrive", () => {
  const decoder = new FrameDecoder(10);
  expect(() => [...decoder.push(Buffer.from([0, 0, 0, 11]))]).toThrow(FrameError);
  expect(() => [...new FrameDecoder(10).push(Buffer.from([0xff, 0xff, 0xff, 0xff]))]).toThrow(/4294967295/);
});

it.each([
  ["no JSON", Buffer.from("{")],
  ["no object", Buffer.from("[1]")],
  ["null", Buffer.from("null")],
  ["nothing", Buffer.alloc(0)],
  ["no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["deep", Buffer.from(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)],
])("should refuse what is %s", (_, bytes) => {
  expect(() => decodeFrame(bytes)).toThrow(FrameError);
});

it("should read any bytes without any other error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        decodeFrame(Buffer.from(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(FrameError);
      }
    }),
  );
});

it("should drop keys named __proto__, however they are written, and keep their like", () => {
  const text = '{"__proto__":{"polluted":1},"a":[{"\\u005f_proto__":2,"constructor":3,"prototype":4}]}';
  const value = decodeFrame(Buffer.from(text));
  expect(Object.keys(value)).toEqual(["a"]);
  expect(value.a).toEqual([{ constructor: 3, prototype: 4 }]);
  expect(Object.hasOwn((value.a as object[])[0] as object, "__proto__")).toBe(false);
});
