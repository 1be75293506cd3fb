import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDistance, formatDuration } from "../src/index.js";

test("minutes alone, below an hour", () => {
  assert.equal(formatDuration(50), "50 min");
});

test("hours with two digits of minutes", () => {
  assert.equal(formatDuration(65), "1 h 05 min");
});

test("no minutes where there are none", () => {
  assert.equal(formatDuration(720), "12 h");
});

test("sixty minutes are an hour, also after rounding", () => {
  assert.equal(formatDuration(119.7), "2 h");
});

test("metres below a kilometre", () => {
  assert.equal(formatDistance(0.8), "800 m");
  assert.equal(formatDistance(9.5), "9.5 km");
});
