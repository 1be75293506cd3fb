import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostCheck, hostName, isLoopback } from "../../src/http/hosts.ts";

const check = hostCheck({
  allowedHosts: ["Tools.example:8765"],
  allowedOrigins: ["https://app.example"],
  publicUrl: "https://gate.example/base",
});

describe("the check of Host and Origin", () => {
  it.each([
    ["localhost", true],
    ["LOCALHOST:8765", true],
    ["127.0.0.1:1", true],
    ["127.9.9.9", true],
    ["[::1]:8765", true],
    ["tools.example", true],
    ["gate.example:443", true],
    ["localhost.evil.example", false],
    ["127.0.0.1.evil.example", false],
    ["evil.example", false],
    ["localhost:1:2", false],
    ["user@localhost", false],
    ["localhost/", false],
    ["", false],
    [undefined, false],
  ])("of host %s says %s", (host, isServed) => {
    expect(check.isHost(host)).toBe(isServed);
  });

  it.each([
    [undefined, "evil.example", true],
    ["https://app.example", "localhost", true],
    ["https://gate.example", "localhost", true],
    ["http://localhost:6274", "localhost:8765", true],
    ["http://evil.example", "localhost", false],
    ["https://app.example.evil.example", "localhost", false],
    ["http://localhost.evil.example", "localhost", false],
    ["http://app.example", "localhost", false],
    ["null", "localhost", false],
    ["", "localhost", false],
  ])("of origin %s at %s says %s", (origin, host, mayCall) => {
    expect(check.isOrigin(origin, host)).toBe(mayCall);
  });

  it("takes for its own only pages of the address that was called, or of publicUrl", () => {
    expect(check.isOwn("http://localhost:8765", "localhost:8765")).toBe(true);
    expect(check.isOwn("https://gate.example", "10.0.0.1:8765")).toBe(true);
    expect(check.isOwn("http://localhost:1", "localhost:8765")).toBe(false);
    expect(check.isOwn("https://app.example", "localhost:8765")).toBe(false);
    expect(check.isOwn(undefined, "localhost:8765")).toBe(false);
    expect(check.isOwn("null", "null")).toBe(false);
  });

  it("lets no name pass that nobody listed", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.domain(),
          fc.string(),
          fc.ipV4(),
          fc.ipV6().map((address) => `[${address}]`),
        ),
        (host) => {
          const name = hostName(host);
          const isKnown = name !== undefined && (isLoopback(name) || ["tools.example", "gate.example"].includes(name));
          expect(check.isHost(host)).toBe(isKnown);
        },
      ),
    );
  });
});
