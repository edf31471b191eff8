import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "bun:test"
import { Duration, Schema } from "effect"
import manifest from "../package.json" with { type: "json" }
import { settings } from "../src/Config.ts"
import { entries } from "../src/http/web/docs/Markdown.ts"
import { files as uploads } from "../src/quickstart/Story.ts"
import { defaults } from "./lib/Defaults.ts"
import { blocksOf, root } from "./lib/docs/Markdown.ts"

/*
 * Checks of the Dockerfile, the compose file and the Kubernetes manifest that need none of these programs. `.ci/image.sh`
 * builds the image, and examines the compose file and containers of the image.
 */

const read = (path: string) => readFileSync(join(root, path), "utf8")
const dockerfile = read("Dockerfile")
const drainSeconds = Duration.toSeconds(defaults.server.drainTimeout)
const isSetting = (name: string): boolean => settings.some((one) => one.variable === name)

/** The user of the image, `1000` of `1000:1000`. */
const user = Number(/^USER (\d+):\d+$/m.exec(dockerfile)?.[1])

describe("the Dockerfile", () => {
  /** What the last stage copies of the checkout. */
  const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)).flatMap(([, list = ""]) =>
    list.split(" "),
  )
  const allowed = read(".dockerignore").match(/(?<=^!).+$/gm) ?? []

  test("has a base with the version of Bun that the tests run on", () => {
    expect(dockerfile).toContain(`ARG BASE=docker.io/oven/bun:${manifest.devDependencies["bun-types"]}-slim`)
  })

  test("copies files that exist and that .dockerignore lets in, which lets in no other", () => {
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(new Set(copied)).toEqual(new Set(allowed))
  })

  test("copies the migrations, every page that the server offers and every file that the quickstart uploads", () => {
    const needed = ["sql/SHA256SUMS", ...entries.map(({ file }) => file), ...uploads]
    expect(needed.filter((path) => copied.every((one) => path !== one && !path.startsWith(`${one}/`)))).toEqual([])
  })

  test("names settings of the server, and a user by number", () => {
    const names = Array.from(dockerfile.matchAll(/^ENV (.*)$/gm)).flatMap(([, list = ""]) =>
      Array.from(list.matchAll(/(\w+)=/g), ([, name = ""]) => name),
    )
    expect(names).toEqual(["HOST", "PORT", "DATA_DIR"])
    expect(names.filter((name) => !isSetting(name))).toEqual([])
    expect(user).toBeGreaterThan(0)
  })
})

const Compose = Schema.Struct({
  services: Schema.Record(
    Schema.String,
    Schema.Struct({
      environment: Schema.optional(Schema.Record(Schema.String, Schema.String)),
      volumes: Schema.optional(Schema.Array(Schema.String)),
      stop_grace_period: Schema.optional(Schema.String),
      depends_on: Schema.optional(Schema.Record(Schema.String, Schema.Unknown)),
    }),
  ),
  volumes: Schema.Record(Schema.String, Schema.Unknown),
})
const compose = (path: string) => Schema.decodeUnknownSync(Compose)(Bun.YAML.parse(read(path)))

describe("compose.yaml", () => {
  const { services, volumes } = compose("compose.yaml")

  test("gives Parley settings that there are", () => {
    expect(Object.keys(services["parley"]?.environment ?? {}).filter((name) => !isSetting(name))).toEqual([])
  })

  test("declares every volume that it uses, and every service that another one waits for", () => {
    const used = Object.values(services).flatMap((service) => service.volumes ?? [])
    expect(new Set(used.map((volume) => volume.split(":")[0]))).toEqual(new Set(Object.keys(volumes)))
    const awaited = Object.values(services).flatMap((service) => Object.keys(service.depends_on ?? {}))
    expect(awaited.filter((name) => services[name] === undefined)).toEqual([])
  })

  test("has no secret of its own", () => {
    const values = Object.values(services).flatMap((service) => Object.entries(service.environment ?? {}))
    const secrets = values.filter(([name]) => /PASSWORD|SECRET|DATABASE_URL/.test(name))
    expect(secrets.length).toBeGreaterThan(0)
    // What only a profile needs may be missing.
    for (const [, value] of secrets) expect(value).toMatch(/\$\{[A-Z_0-9]+:(?:\?is missing in \.env|-)\}/)
  })
})

test("compose.yaml waits longer for the end of a server than the server for its requests", () => {
  const grace = Number(/^(\d+)s$/.exec(compose("compose.yaml").services["parley"]?.stop_grace_period ?? "")?.[1])
  expect(grace).toBeGreaterThan(drainSeconds)
})

describe("the Kubernetes manifest of docs/deployment.md", () => {
  const block = blocksOf("docs/deployment.md").find(({ language }) => language === "yaml")
  const objects = Schema.decodeUnknownSync(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))(
    Bun.YAML.parse(block?.text ?? ""),
  )
  const Pods = Schema.Struct({
    spec: Schema.Struct({
      template: Schema.Struct({
        spec: Schema.Struct({
          terminationGracePeriodSeconds: Schema.Number,
          securityContext: Schema.Struct({ runAsUser: Schema.Number }),
          containers: Schema.Tuple([
            Schema.Struct({
              env: Schema.Array(Schema.Struct({ name: Schema.String })),
              lifecycle: Schema.Struct({
                preStop: Schema.Struct({ sleep: Schema.Struct({ seconds: Schema.Number }) }),
              }),
              volumeMounts: Schema.Array(Schema.Struct({ name: Schema.String })),
            }),
          ]),
          volumes: Schema.Array(Schema.Struct({ name: Schema.String })),
        }),
      }),
    }),
  })
  const ofKind = (kind: string) => objects.find((one) => one["kind"] === kind)
  const pod = () => Schema.decodeUnknownSync(Pods)(ofKind("Deployment")).spec.template.spec

  test("is a secret, the servers, their address, and how many of them must stay", () => {
    expect(objects.map((one) => one["kind"])).toEqual(["Secret", "Deployment", "Service", "PodDisruptionBudget"])
  })

  test("gives settings that there are, as the image's user", () => {
    const secret = Schema.decodeUnknownSync(Schema.Struct({ stringData: Schema.Record(Schema.String, Schema.String) }))
    const names = [
      ...pod().containers[0].env.map(({ name }) => name),
      ...Object.keys(secret(ofKind("Secret")).stringData),
    ]
    expect(names.filter((name) => !isSetting(name))).toEqual([])
    expect(pod().securityContext.runAsUser).toBe(user)
  })

  test("leaves a server the time to drain after the pause, and mounts the volumes that it has", () => {
    const { containers, terminationGracePeriodSeconds, volumes } = pod()
    const { lifecycle, volumeMounts } = containers[0]
    expect(terminationGracePeriodSeconds).toBeGreaterThan(lifecycle.preStop.sleep.seconds + drainSeconds)
    expect(volumeMounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name))
  })
})
