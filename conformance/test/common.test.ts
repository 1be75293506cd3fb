import { readFileSync } from "node:fs";
import { attpFixture, tamFixture, toolsxmlFixture } from "../src/common/fixtures.ts";
import { type CommonSkip, runCommon } from "../src/common.ts";

const skips = JSON.parse(readFileSync(new URL("../skips/common.json", import.meta.url), "utf8")) as CommonSkip[];

runCommon(attpFixture, [tamFixture, toolsxmlFixture], skips);
runCommon(tamFixture, [attpFixture, toolsxmlFixture], skips);
runCommon(toolsxmlFixture, [attpFixture, tamFixture], skips);
