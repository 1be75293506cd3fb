import { readFileSync } from "node:fs";
import { tam } from "../src/implementations/tam.ts";
import { runVectors, type Skip } from "../src/suite.ts";

const skips = JSON.parse(readFileSync(new URL("../skips/tam.json", import.meta.url), "utf8")) as Skip[];

runVectors(tam, skips);
