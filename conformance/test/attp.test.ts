import { readFileSync } from "node:fs";
import { attp } from "../src/implementations/attp.ts";
import { runVectors, type Skip } from "../src/suite.ts";

const skips = JSON.parse(readFileSync(new URL("../skips/attp.json", import.meta.url), "utf8")) as Skip[];

runVectors(attp, skips);
