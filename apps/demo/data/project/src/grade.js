import { bandOf } from "./bands.js";

/** What makes a walk hard: its kilometres, and one more for every hundred metres up. */
const grades = [
  { name: "easy", from: 0 },
  { name: "moderate", from: 8 },
  { name: "hard", from: 16 },
  { name: "alpine", from: 24 },
];

/** How hard a walk is. */
export function gradeOf({ km, climb }) {
  const effort = km + climb / 100;
  return bandOf(effort, grades).name;
}
