/**
 * Images and manifests, where no container runs: they are linted, what they say of each other and of the server is
 * compared, and the steps of the Dockerfiles are carried out in folders.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWorkflowClient } from "@oxbow/sdk";
import { startPostgres } from "@oxbow/sdk/testing";
import { validate } from "dockerfile-utils";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { createDatabase } from "../helpers/database.ts";
import { carryOut, readCopy, readInstructions, type StageResult } from "../helpers/dockerfile.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { programEnvironment } from "../helpers/program-environment.ts";
import { only } from "../helpers/queues.ts";
import { startTestServer } from "../helpers/server.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const at = (path: string): string => join(ROOT, path);
const SERVER = at("docker/server.Dockerfile");
const POSTGRES = at("docker/postgres.Dockerfile");
const folder = mkdtempSync(join(tmpdir(), "oxbow-images-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function readYaml<Manifest>(path: string): Manifest[] {
  return parseAllDocuments(readFileSync(at(path), "utf8")).map((document) => {
    expect(document.errors).toEqual([]);
    expect(document.warnings).toEqual([]);
    return document.toJS() as Manifest;
  });
}

const readPackage = (path: string): { version: string; workspaces: string[] } =>
  JSON.parse(readFileSync(at(path), "utf8")) as { version: string; workspaces: string[] };

interface Compose {
  readonly services: Readonly<
    Record<"postgres" | "server" | "worker" | "automations", ComposeService>
  >;
  readonly volumes: object;
}

interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly disable?: boolean };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** The parts of each kind that are looked at. */
interface Manifests {
  readonly Deployment: {
    readonly spec: {
      readonly replicas: number;
      readonly selector: { readonly matchLabels: Labels };
      readonly template: {
        readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
        readonly spec: Readonly<Record<"containers" | "initContainers", readonly Container[]>>;
      };
    };
  };
  readonly Service: {
    readonly spec: {
      readonly selector: Labels;
      readonly ports: readonly { readonly targetPort: string }[];
    };
  };
  readonly PodDisruptionBudget: {
    readonly spec: {
      readonly minAvailable: number;
      readonly selector: { readonly matchLabels: Labels };
    };
  };
  readonly PodMonitor: {
    readonly spec: {
      readonly selector: { readonly matchLabels: Labels };
      readonly podMetricsEndpoints: readonly {
        readonly authorization: {
          readonly credentials: { readonly name: string; readonly key: string };
        };
      }[];
    };
  };
  readonly Secret: {
    readonly metadata: { readonly name: string };
    readonly stringData: Readonly<Record<string, string>>;
  };
}

interface Policy {
  readonly spec: {
    readonly podSelector: { readonly matchLabels: Labels };
    readonly ingress: readonly { readonly ports: readonly { readonly port: string }[] }[];
  };
}

interface Container {
  readonly image: string;
  readonly env: readonly {
    readonly name: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly ports?: readonly object[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext: object;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

const settingOf = (path: string, name: string): string =>
  readInstructions(path).findLast((one) => one.name === name)?.text ?? "";

describe.each([SERVER, POSTGRES])("%s", (path) => {
  it("is free of what a linter finds", () => {
    expect(validate(readFileSync(path, "utf8"))).toEqual([]);
  });

  it("copies existing files, and pins the versions that it starts from", () => {
    const instructions = readInstructions(path);
    const copies = instructions
      .filter(({ name }) => name === "COPY")
      .map((one) => readCopy(one.text));
    const sources = copies.flatMap((copy) => (copy.from === undefined ? copy.sources : []));
    expect(sources.filter((source) => !existsSync(at(source)))).toEqual([]);
    const bases = instructions.filter(({ name }) => name === "FROM").map(({ text }) => text);
    expect(bases.filter((base) => !/^\w+$|^\w+ AS |:\$\{\w+\}-/.test(base))).toEqual([]);
    const { workspaces } = readPackage("package.json");
    expect(sources.filter((source) => source.endsWith("package.json"))).toEqual([
      "package.json",
      ...workspaces.map((name) => `${name}/package.json`),
    ]);
  });
});

describe("the manifests", () => {
  const config = readFileSync(at("server/src/config.ts"), "utf8");
  const port = Number(settingOf(SERVER, "EXPOSE"));
  const unread = (names: readonly string[]): string[] =>
    names.filter((name) => !config.includes(`"${name}"`));

  it("of compose name the images' files, and variables that are read", () => {
    const { services, volumes } = only(readYaml<Compose>("docker/compose.yaml"));
    const { postgres, server, worker, automations } = services;
    const all = [postgres, server, worker, automations];
    expect(
      [postgres, server].map(({ build }) =>
        existsSync(join(ROOT, "docker", build?.context ?? "", build?.dockerfile ?? "none")),
      ),
    ).toEqual([true, true]);
    expect([worker.image, automations.image]).toEqual([server.image, server.image]);
    // Secrets have no defaults.
    const given = all.flatMap((each) => Object.values(each.environment));
    expect(given.filter((value) => value.includes(":-"))).toEqual([]);
    expect(unread(all.slice(1).flatMap((one) => Object.keys(one.environment)))).toEqual([]);
    expect(server.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    const mounted = all
      .flatMap((one) => one.volumes ?? [])
      .map((mount) => mount.split(":")[0] ?? "");
    expect(
      mounted.filter((from) => !(from in volumes || existsSync(join(ROOT, "docker", from)))),
    ).toEqual([]);
    // The image's health check expects a server.
    expect(worker.healthcheck).toEqual({ disable: true });
    expect(automations.healthcheck).toEqual({ disable: true });
    // Neither has the rights of the superuser, whose password is for people.
    const logins = readFileSync(at("docker/create-logins.sql"), "utf8");
    for (const [one, variable] of [
      [server, "DATABASE_URL"],
      [worker, "QUEUE_URL"],
      [automations, "QUEUE_URL"],
    ] as const) {
      const [, user = "", password = ""] =
        /^postgres:\/\/(\w+):\$\{(\w+)/.exec(one.environment[variable] ?? "") ?? [];
      expect(logins).toContain(`create role ${user} login`);
      expect(logins).toContain(password);
      expect(Object.keys(postgres.environment)).toContain(password);
    }
  });

  it.each([
    // Where the official images keep their data, and what they declare as volumes.
    [15, "/var/lib/postgresql/data", ["/var/lib/postgresql/data"]],
    [16, "/var/lib/postgresql/data", ["/var/lib/postgresql/data"]],
    [17, "/var/lib/postgresql/data", ["/var/lib/postgresql/data"]],
    [18, "/var/lib/postgresql/18/docker", ["/var/lib/postgresql"]],
  ])("of compose keep the data of PostgreSQL %i in the volume", (major, official, declared) => {
    const { services } = only(readYaml<Compose>("docker/compose.yaml"));
    const mounts = (services.postgres.volumes ?? []).map((mount) => mount.split(":")[1] ?? "");
    const environments = readInstructions(POSTGRES).filter(({ name }) => name === "ENV");
    const data =
      environments
        .map(({ text }) => /^PGDATA=(\S+)$/.exec(text)?.[1])
        .find((found) => found !== undefined)
        ?.replace("${PG_MAJOR}", String(major)) ?? official;
    const holding = [...mounts, ...declared]
      .filter((folderOf) => `${data}/`.startsWith(`${folderOf}/`))
      .toSorted((a, b) => b.length - a.length);
    expect(mounts).toContain(holding[0]);
  });

  it("of Kubernetes agree about labels, ports and secrets, and name variables that are read", () => {
    const folderOf = "deploy/kubernetes";
    const all = readdirSync(at(folderOf)).flatMap((name) =>
      readYaml<{ kind: string; metadata: { name: string } }>(`${folderOf}/${name}`),
    );
    const one = <Kind extends keyof Manifests>(kind: Kind): Manifests[Kind] =>
      only(all.filter((manifest) => manifest.kind === kind)) as unknown as Manifests[Kind];
    const deployment = (name: string): Manifests["Deployment"] =>
      only(
        all.filter((manifest) => manifest.kind === "Deployment" && manifest.metadata.name === name),
      ) as unknown as Manifests["Deployment"];
    const { replicas, selector, template } = deployment("oxbow-server").spec;
    const { labels } = template.metadata;
    const budget = one("PodDisruptionBudget").spec;
    expect(selector.matchLabels).toEqual(labels);
    expect(one("Service").spec.selector).toEqual(labels);
    expect(budget.selector.matchLabels).toEqual(labels);
    expect(budget.minAvailable).toBeLessThan(replicas);
    const policies = all.filter(({ kind }) => kind === "NetworkPolicy") as unknown as Policy[];
    expect(
      policies.map(({ spec }) => [
        spec.podSelector.matchLabels,
        spec.ingress.map(({ ports }) => ports),
      ]),
    ).toEqual([
      [labels, [[{ port: "http" }]]],
      [deployment("oxbow-worker").spec.template.metadata.labels, []],
      [deployment("oxbow-automations").spec.template.metadata.labels, []],
    ]);

    const server = only(template.spec.containers);
    const migrate = only(template.spec.initContainers);
    const { version } = readPackage("server/package.json");
    expect(server.image).toBe(`oxbow-server:${version}`);
    expect(migrate.image).toBe(server.image);
    expect(server.ports).toEqual([{ name: "http", containerPort: port }]);
    expect(one("Service").spec.ports).toMatchObject([{ targetPort: "http" }]);
    for (const { securityContext } of [server, migrate]) {
      expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false });
    }
    expect(
      [server.startupProbe, server.livenessProbe, server.readinessProbe].map(
        (probe) => probe?.httpGet,
      ),
    ).toEqual(["/healthz", "/healthz", "/readyz"].map((path) => ({ path, port: "http" })));

    // Prometheus finds the pods by their annotations, and has its own token.
    expect(template.metadata.annotations).toEqual({
      "prometheus.io/scrape": "true",
      "prometheus.io/port": String(port),
      "prometheus.io/path": "/metrics",
    });
    const monitor = one("PodMonitor").spec;
    expect(monitor.selector.matchLabels).toEqual(labels);
    const endpoint = only(monitor.podMetricsEndpoints);
    expect(endpoint).toMatchObject({ port: "http", path: "/metrics" });
    const { stringData } = one("Secret");
    expect(stringData["OXBOW_TOKENS"]).toContain(`${stringData["METRICS_TOKEN"]}:read`);

    const databases = all.filter(({ kind }) => kind === "Cluster");
    expect(databases.map(({ metadata }) => metadata.name)).toEqual([
      "oxbow-a",
      "oxbow-b",
      "oxbow-db",
    ]);
    const specs = databases.map((database) => (database as unknown as { spec: unknown }).spec);
    expect(specs).toEqual(specs.map(() => specs[2]));

    const workers = ["oxbow-worker", "oxbow-automations"].map((name) => {
      const { spec } = deployment(name);
      expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
      expect(spec.selector.matchLabels).not.toEqual(labels);
      return only(spec.template.spec.containers);
    });
    expect(workers.map(({ securityContext }) => securityContext)).toEqual(
      workers.map(() => server.securityContext),
    );
    expect(workers[1]).toMatchObject({ image: server.image, args: ["worker"] });

    const variables = [server, migrate, ...workers].flatMap(({ env }) => env);
    expect(unread(variables.map(({ name }) => name))).toEqual([]);
    const secret = one("Secret");
    const keys = [
      endpoint.authorization.credentials,
      ...variables.flatMap(({ valueFrom }) =>
        valueFrom === undefined ? [] : [valueFrom.secretKeyRef],
      ),
    ];
    expect(new Set(keys.map(({ name }) => name))).toEqual(new Set([secret.metadata.name]));
    expect(new Set(keys.map(({ key }) => key))).toEqual(new Set(Object.keys(secret.stringData)));
  });
});

/** The dependencies of the project are here already: the full installation is replaced by links to them. */
function linkInsteadOfInstall(command: string, workdir: string): boolean {
  if (!/^npm ci (?!.*--omit)/.test(command)) return false;
  const modules = join(workdir, "node_modules");
  mkdirSync(join(modules, "@oxbow"), { recursive: true });
  for (const name of readdirSync(at("node_modules"))) {
    if (name !== "@oxbow") symlinkSync(at(join("node_modules", name)), join(modules, name));
  }
  for (const name of ["sdk", "fleet", "declared", "editor", "react", "ai", "server", "test"]) {
    symlinkSync(join("../..", name), join(modules, "@oxbow", name));
    const nested = at(join(name, "node_modules"));
    if (existsSync(nested)) symlinkSync(nested, join(workdir, name, "node_modules"));
  }
  return true;
}

/**
 * Copies what was compiled when the tests began, with the times of the files. The compiler of the image then compiles
 * only packages whose sources or settings differ.
 */
function lendCompiled(command: string, workdir: string): void {
  const [, packages = ""] = /\btsc -b ([\w ]+)/.exec(command) ?? [];
  for (const name of packages.split(" ").filter((one) => one !== "")) {
    const compiled = join(name, "dist");
    cpSync(at(compiled), join(workdir, compiled), { recursive: true, preserveTimestamps: true });
  }
}

const build = (dockerfile: string, name: string): Promise<Map<string, StageResult>> =>
  carryOut(dockerfile, {
    context: ROOT,
    folder: join(folder, name),
    env: { ...programEnvironment(), npm_config_prefer_offline: "true" },
    instead: (command, workdir) => {
      lendCompiled(command, workdir);
      return linkInsteadOfInstall(command, workdir);
    },
  });

/** It installs packages from the registry, which may take minutes. */
const INSTALLATION_MS = 900_000;

const isOffline = (error: unknown): boolean =>
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(String(error));

describe("the steps of the image of the server", () => {
  it(
    "make a server that is healthy, migrates, and ends with 0 at SIGTERM",
    async ({ skip }) => {
      const stages = await build(SERVER, "server").catch((error: unknown) => {
        if (!isOffline(error)) throw error;
        return skip("no registry");
      });
      const image = stages.get("");
      if (image === undefined) throw new Error("The Dockerfile has no last stage.");
      const { workdir, settings } = image;
      expect(settings.get("USER")).toBe("node");
      expect(readdirSync(join(workdir, "node_modules"))).not.toContain("typescript");
      const files = readdirSync(workdir, { recursive: true }).map(String);
      expect(
        files.filter((one) => /^(sdk|server)\/.*(\.test\.|tsbuildinfo|simulation)/.test(one)),
      ).toEqual([]);

      const database = await createDatabase({ empty: true });
      const [node, entry = ""] = JSON.parse(settings.get("ENTRYPOINT") ?? "[]") as string[];
      expect(node).toBe("node");
      const env = {
        ...image.env,
        DATABASE_URL: database.url,
        QUEUE_URL: "",
        HOST: "",
        OXBOW_TOKENS: `${"t".repeat(32)}:read`,
      };
      const start = (args: readonly string[], more: Record<string, string> = {}): WorkerProcess =>
        startWorkerProcess(new URL(`file://${join(workdir, entry)}`), {
          cwd: workdir,
          args,
          env: { ...env, ...more },
        });
      const migrate = start(["migrate"]);
      expect(await migrate.end()).toEqual({ code: 0, signal: null });

      const server = start(JSON.parse(settings.get("CMD") ?? "[]") as string[], { PORT: "0" });
      const line = await server.line(/^Oxbow serves /);
      const PORT = /:(\d+)$/.exec(line)?.[1] ?? "";
      const ready = await eventually(
        async () => (await fetch(`http://127.0.0.1:${PORT}/readyz`)).status,
        200,
      );
      expect(ready).toBe(200);
      expect(await (await fetch(`http://127.0.0.1:${PORT}/`)).text()).toContain("<title>Oxbow");

      const check = /CMD (\[.*\])$/.exec(settings.get("HEALTHCHECK") ?? "")?.[1] ?? "[]";
      const [command = "", ...args] = JSON.parse(check) as string[];
      const checked = async (port: string): Promise<number | null> => {
        const child = spawn(command, args, {
          env: { ...process.env, NODE_OPTIONS: "", PORT: port },
        });
        await once(child, "close");
        return child.exitCode;
      };
      expect(await checked(PORT)).toBe(0);
      expect(await server.stop()).toEqual({ code: 0, signal: null });
      expect(await checked(PORT)).toBe(1);
    },
    INSTALLATION_MS,
  );

  it("make workers too, of files and without code, by the commands of compose", async ({
    skip,
  }) => {
    const image = join(folder, "server/last/app");
    skip(!existsSync(image), "no registry");
    const { services } = only(readYaml<Compose>("docker/compose.yaml"));
    const database = await createDatabase();
    copyFileSync(at("docker/worker.mjs"), join(image, "worker.mjs"));
    const entry = new URL(`file://${join(image, "server/dist/cli/index.js")}`);
    for (const [{ command = [] }, serving] of [
      [services.worker, /^Serving hello\.$/],
      [services.automations, /^Serving definitions of pool default\.$/],
    ] as const) {
      const worker = startWorkerProcess(entry, {
        cwd: image,
        args: command,
        env: { QUEUE_URL: database.url, DATABASE_URL: "" },
      });
      await worker.line(serving);
      expect(await worker.stop()).toEqual({ code: 0, signal: null });
    }

    // The image has no tsx, and a Node that reads TypeScript itself; that of this machine may not.
    const typed = readFileSync(at("docker/worker.mjs"), "utf8").replace(
      "input)",
      "input: { name: string })",
    );
    writeFileSync(join(image, "worker.ts"), typed);
    const worker = startWorkerProcess(entry, {
      cwd: image,
      args: ["worker", "worker.ts"],
      env: { QUEUE_URL: database.url, DATABASE_URL: "" },
    });
    const { typescript = false } = process.features as { readonly typescript?: unknown };
    const [line, code] =
      typescript === false
        ? [/^oxbow: .*Node \S+ can't load TypeScript: use Node 22\.18 or later/, 1]
        : [/^Serving hello\.$/, 0];
    await worker.line(line);
    const end = code === 0 ? worker.stop() : worker.end();
    expect(await end).toEqual({ code, signal: null });
  });
});

it("the steps of the image of Postgres make a Postgres whose new database has the extension and its tables", async ({
  skip,
}) => {
  const image = (await build(POSTGRES, "postgres")).get("");
  if (image === undefined) throw new Error("The Dockerfile has no last stage.");
  const major = /ARG PG_MAJOR=(\d+)/.exec(readFileSync(POSTGRES, "utf8"))?.[1];
  const cluster = await startPostgres({
    durable: false,
    extensionDir: join(image.root, `usr/share/postgresql/${major}`),
  });
  atFileEnd(() => cluster.stop({ mode: "immediate" }));
  const url = await cluster.createDatabase("app");
  const client = new pg.Client(url);
  await client.connect();
  const folderOf = join(image.root, "docker-entrypoint-initdb.d");
  const passwords = { OXBOW_SERVER_PASSWORD: "o'server", OXBOW_APP_PASSWORD: "app" };
  for (const name of readdirSync(folderOf).toSorted((a, b) => a.localeCompare(b))) {
    // As the entrypoint of the image does it.
    const psql = spawn(
      "psql",
      ["-v", "ON_ERROR_STOP=1", "--no-psqlrc", "--quiet", "-f", join(folderOf, name), url],
      { stdio: "inherit", env: { ...process.env, ...passwords } },
    );
    const [code] = (await once(psql, "close").catch(() => skip("no psql"))) as [number];
    expect([name, code]).toEqual([name, 0]);
  }
  const { rows } = await client.query("select queue.create_queue('jobs'), queue.version()");
  expect(rows).toHaveLength(1);
  const { rows: extensions } = await client.query(
    "select from pg_extension where extname = 'oxbow'",
  );
  expect(extensions).toHaveLength(1);

  // Neither the connecting roles, nor the owner of the functions, is a superuser.
  const { rows: powerful } = await client.query(
    `select r.rolname from pg_roles as r
       where r.rolname like 'oxbow%' and (r.rolsuper or r.rolcreaterole or r.rolcreatedb)
       union all
       select p.proname from pg_proc as p
       where p.pronamespace = 'queue'::regnamespace and p.proowner <> 'oxbow_owner'::regrole`,
  );
  expect(powerful).toEqual([]);
  await client.end();
  const loggedIn = (user: string): string => {
    const own = new URL(url);
    own.username = user;
    return own.href;
  };
  const server = await startTestServer({ url: loggedIn("oxbow_server") });
  expect((await server.get("/v1/queues")).body).toMatchObject({ queues: [{ name: "jobs" }] });
  expect((await server.get("/readyz")).status).toBe(200);
  const app = createWorkflowClient({ url: loggedIn("oxbow_app") });
  await app.queues.send("jobs", 1);
  expect(await app.queues.receive("jobs")).toMatchObject([{ body: 1 }]);
  await expect(app.queues.purge("jobs")).rejects.toMatchObject({ code: "42501" });
  await app.close();
  await server.running.stop();
});
