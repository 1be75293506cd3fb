import assert from "node:assert/strict";
import { test } from "node:test";
import { gradeOf } from "../src/index.js";

test("a short walk is easy", () => {
  assert.equal(gradeOf({ km: 5, climb: 50 }), "easy");
});

test("metres up count", () => {
  assert.equal(gradeOf({ km: 9.5, climb: 400 }), "moderate");
  assert.equal(gradeOf({ km: 14, climb: 1200 }), "alpine");
});

test("a grade begins at its limit", () => {
  assert.equal(gradeOf({ km: 16, climb: 0 }), "hard");
});
