import { readFileSync } from "node:fs";
import { toolsxml } from "../src/implementations/toolsxml.ts";
import { runVectors, type Skip } from "../src/suite.ts";

const skips = JSON.parse(readFileSync(new URL("../skips/toolsxml.json", import.meta.url), "utf8")) as Skip[];

runVectors(toolsxml, skips);
