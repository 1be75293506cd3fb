import assert from "node:assert/strict";
import { test } from "node:test";
import { describeWalk, walkingMinutes } from "../src/index.js";

test("five kilometres an hour on the level", () => {
  assert.equal(walkingMinutes({ km: 10, climb: 0 }), 120);
});

test("a walk in one line", () => {
  assert.equal(describeWalk({ km: 9.5, climb: 400 }), "9.5 km, 400 m up: 2 h 34 min, moderate");
});
