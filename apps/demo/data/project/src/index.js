export { formatDistance, formatDuration } from "./format.js";
export { gradeOf } from "./grade.js";
export { describeWalk, walkingMinutes } from "./walk.js";
