import { expect, it } from "vitest";
import { permissionFlag } from "../../src/node/python/pyodide-engine.ts";

it("should switch the permission model on by the flag of each version of Node", () => {
  expect(["20.19.0", "22.23.2", "24.0.0", "26.1.0"].map(permissionFlag)).toEqual([
    ...["--experimental-permission", "--experimental-permission"],
    ...["--permission", "--permission"],
  ]);
});
