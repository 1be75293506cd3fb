import type { JsonObject } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { ajvValidator } from "@toolglot/schema/ajv";
import * as v from "valibot";
import { expect, it } from "vitest";
import { acceptsFast } from "../../src/frames/fast-accept.ts";
import { frameJsonSchemas, parseFrame, requestSchemas } from "../../src/frames/index.ts";
import { readCall } from "../../src/frames/read-json.ts";
import { hostileFrames } from "./hostile.ts";
import { changed, limits, type RequestType, requestTypes, samples } from "./samples.ts";

/** Good frames of a type, with every optional field there and away. */
function* goodFrames(type: RequestType): Generator<JsonObject> {
  yield samples[type];
  for (const key of Object.keys(samples[type].payload)) {
    const without = changed(type, ["payload", key], undefined);
    if (v.is(requestSchemas[type], without)) yield without;
  }
  for (const [key, value] of Object.entries({ auth_context: { role: "ops" }, sdk_version: "1", compression: null })) {
    yield changed(type, [key], value);
  }
}

/** What a frame looks like after a wire. Undefined for what can't be sent over one. */
function overTheWire(frame: unknown): JsonObject | undefined {
  try {
    const sent: unknown = JSON.parse(JSON.stringify(frame));
    return typeof sent === "object" && sent !== null && !Array.isArray(sent) ? (sent as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

// What a frame may be refused for although its shape is right.
const beyondShape = /nested deeper|runs calls "SYNC" only|is not spoken here|at most 64 calls/;

const frames = rounds(12_000, 30_000);

it("takes what the schemas take, and refuses what they refuse", () => {
  const hostile = hostileFrames(20_260_101);
  const seen = { taken: 0, refused: 0 };
  for (let round = 0; round < frames; round++) {
    const type = hostile.pick(requestTypes);
    const frame = overTheWire(hostile.spoiled(samples[type]));
    if (frame?.frame_type !== type) continue;
    const parsed = parseFrame(frame, limits);
    const payloadIsList = Array.isArray(frame.payload);
    const good = !payloadIsList && v.is(requestSchemas[type], frame);
    if ("frame" in parsed) {
      seen.taken++;
      if (!good) throw new Error(`taken, though its schema refuses it: ${JSON.stringify(frame)}`);
    } else if (good && !beyondShape.test(parsed.fault.message)) {
      throw new Error(`refused, though its schema takes it: ${parsed.fault.message} ${JSON.stringify(frame)}`);
    } else {
      seen.refused++;
    }
  }
  // Both must have been tried.
  expect(seen.taken).toBeGreaterThan(frames / 6);
  expect(seen.refused).toBeGreaterThan(frames / 6);
});

it("takes by hand no frame that the schema refuses, and all calls and batches that it takes", () => {
  const hostile = hostileFrames(7);
  const types = ["CALL_REQ", "CALL_BATCH_REQ"] as const;
  for (const type of types) {
    for (const frame of goodFrames(type)) expect(acceptsFast(type, frame, frame.payload as JsonObject)).toBe(true);
  }
  for (let round = 0; round < frames; round++) {
    const type = hostile.pick(types);
    const frame = overTheWire(hostile.spoiled(samples[type]));
    if (frame?.frame_type !== type || frame.trp_version !== "0.1") continue;
    const { payload } = frame;
    if (typeof payload !== "object" || payload === null || Array.isArray(payload)) continue;
    if (acceptsFast(type, frame, payload) !== v.is(requestSchemas[type], frame)) {
      throw new Error(`by hand ${acceptsFast(type, frame, payload)}: ${JSON.stringify(frame)}`);
    }
  }
});

it("reads a call in one go as it reads any other frame", () => {
  const hostile = hostileFrames(11);
  const may = { depth: limits.depth, bytes: 4 * 1024 * 1024 };
  const seen = { read: 0, left: 0 };
  const compare = (frame: JsonObject): void => {
    const read = readCall(frame, may);
    if (read === undefined) {
      seen.left++;
      return;
    }
    seen.read++;
    // One member more, which says nothing: such a frame is not read in one go.
    const parsed = parseFrame({ ...frame, compression: undefined }, limits);
    expect(parsed).toEqual({ frame: read });
    expect("frame" in parsed && JSON.stringify(parsed.frame.payload)).toBe(JSON.stringify(read.payload));
    expect(read.payload.args).not.toBe((frame.payload as JsonObject).args);
  };
  for (const frame of goodFrames("CALL_REQ")) compare(frame);
  for (let round = 0; round < frames / 8; round++) {
    const frame = overTheWire(hostile.spoiled(samples.CALL_REQ));
    if (frame !== undefined) compare(frame);
  }
  expect(seen.read).toBeGreaterThan(frames / 80);
  expect(seen.left).toBeGreaterThan(frames / 80);
});

it("leaves to the other way what is too large, nested too deep, or not its own", () => {
  const good = samples.CALL_REQ as JsonObject & { payload: JsonObject };
  const deep = changed("CALL_REQ", ["payload", "args"], { a: { b: {} } });
  const may = { depth: 64, bytes: 4 * 1024 * 1024 };
  expect(readCall(good, may)).toBeDefined();
  expect(readCall(good, { ...may, bytes: 100_000 })).toBeUndefined();
  expect(readCall(deep, { ...may, depth: 4 })).toBeUndefined();
  expect(readCall(deep, { ...may, depth: 5 })).toBeDefined();
  expect(readCall(Object.create(good) as object, may)).toBeUndefined();
  expect(readCall({ ...good, payload: Object.create(good.payload) as object }, may)).toBeUndefined();
  expect(readCall({ ...good, payload: { ...good.payload, args: new Date() } }, may)).toBeUndefined();
});

it("publishes JSON Schemas that say the same", () => {
  const schemas = frameJsonSchemas();
  const hostile = hostileFrames(99);
  for (const type of requestTypes) {
    const validator = ajvValidator()(schemas[type]);
    for (const frame of goodFrames(type)) expect(validator.accepts(frame), JSON.stringify(frame)).toBe(true);
    for (let round = 0; round < 1_500; round++) {
      const frame = overTheWire(hostile.spoiled(samples[type]));
      if (frame === undefined) continue;
      const parsed = parseFrame(frame, limits);
      // What nests deeper than 64 is not for validators. JSON Schema counts characters where we count code units.
      if ("fault" in parsed && (beyondShape.test(parsed.fault.message) || JSON.stringify(frame).includes("😀")))
        continue;
      if (validator.accepts(frame) !== "frame" in parsed) {
        const said = "fault" in parsed ? parsed.fault.message : "taken";
        throw new Error(`${said}, but the JSON Schema says otherwise: ${JSON.stringify(frame)}`);
      }
    }
  }
});

it("names every schema after its frame type, with a title and its version", () => {
  for (const [type, schema] of Object.entries(frameJsonSchemas())) {
    expect(schema).toMatchObject({
      title: type,
      type: "object",
      additionalProperties: false,
      properties: { frame_type: { const: type }, trp_version: { const: "0.1" } },
    });
  }
});
