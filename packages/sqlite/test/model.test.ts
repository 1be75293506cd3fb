import { rounds } from "@toolglot/internal/testing";
import { it } from "vitest";
import { answersAsMemory } from "../../trp-core/test/store-model.ts";
import { openSqlite } from "../src/index.ts";
import { drivers, newFile } from "./files.ts";

it.each(drivers)(
  "should answer every sequence of commands as a MemoryStore does (%s)",
  (driver) => answersAsMemory((now) => openSqlite({ file: newFile(), now, driver }), rounds(20, 100)),
  120_000,
);
