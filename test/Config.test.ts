import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Glob } from "bun"
import { ConfigProvider, Duration, Effect, Exit, Layer, Redacted } from "effect"
import * as fc from "fast-check"
import { Config, settings } from "../src/Config.ts"
import { makeKey } from "../src/domain/keys/ApiKey.ts"
import { StartupError } from "../src/system/StartupError.ts"

const read = (environment: Record<string, string>) =>
  Config.pipe(
    Effect.provide(Layer.provide(Config.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))),
  )
const valuesOf = (environment: Record<string, string> = {}) => Effect.runPromise(read(environment))
const refusalOf = (environment: Record<string, string>) => Effect.runPromise(Effect.flip(read(environment)))

const secrets = [
  "BOOTSTRAP_API_KEY",
  "DATABASE_URL",
  "ANTHROPIC_API_KEY",
  "EMBEDDINGS_API_KEY",
  "RERANK_API_KEY",
  "SECRETS_KEY",
]
const key = "k".repeat(32)
const encryptionKey = `hunter2${"A".repeat(36)}=`

describe("settings", () => {
  test("have a default or may be absent", async () => {
    const values = await valuesOf()
    expect(values.server.port).toBe(3000)
    expect(values.database.url).toBeUndefined()
    expect(values.uploads.fileLimit).toBe(25 * 1024 * 1024)
    expect(Duration.toSeconds(values.server.drainTimeout)).toBe(30)
    expect(values.blobs.directory).toBe(resolve("data/files"))
  })

  test("have the defaults that are documented", async () => {
    const written = settings.flatMap(({ variable, default: value }) => (value === undefined ? [] : [[variable, value]]))
    expect(await valuesOf(Object.fromEntries(written))).toEqual(await valuesOf())
  })

  test("count as absent when they are empty", async () => {
    const empty = Object.fromEntries(settings.map(({ variable }) => [variable, ""]))
    expect(await valuesOf(empty)).toEqual(await valuesOf())
  })

  test.each(["PUBLIC_URL", "S3_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"])(
    "that are addresses are refused with a password, which the message does not show: %s",
    async (variable) => {
      const { message } = await refusalOf({ [variable]: "https://operator:sesame@example.com" })
      expect(message).toBe(`${variable} is not valid. Set it to an http(s) URL without a user and a password.`)
    },
  )

  test.each([
    ["PORT", "65536", "a whole number from 0 to 65535"],
    ["RERANK_MODEL", "local:../ettin", "a model, or `local:<name>`"],
    ["RERANK_MODEL", "local:", "a model, or `local:<name>`"],
    ["PORT", "-1", "a whole number"],
    ["PORT", "3000.0", "a whole number"],
    ["PORT", "http", "a whole number"],
    ["PUBLIC_URL", "example.com", "an http(s) URL"],
    ["PUBLIC_URL", "ftp://example.com", "an http(s) URL"],
    ["EMBEDDINGS", "openai", "`local`, `local:<name>`, `openai:<model>` or `voyage:<model>`"],
    ["EMBEDDINGS", "cohere:embed", "`local`"],
    ["EMBEDDINGS", "openai:two words", "`local`"],
    ["EMBEDDINGS", "local:../e5", "`local`"],
    ["EMBEDDINGS", "local:", "`local`"],
    ["EMBEDDINGS_DIMENSIONS", "4097", "a whole number from 1 to 4096"],
    ["BLOBS", "gcs", "`local`"],
    ["CONVERSATION_RETENTION", "0", "`off`, or a whole number from 1 to 36500"],
    ["LOG_FORMAT", "xml", "`pretty` or `json`"],
    ["SIMILARITY_THRESHOLD", "1.1", "a number from 0 to 1"],
    ["SIMILARITY_THRESHOLD", "NaN", "a number from 0 to 1"],
    ["UPLOAD_FILE_LIMIT", "25MB", "a size such as"],
    ["DRAIN_TIMEOUT", "20", "a duration of at least"],
    ["DRAIN_TIMEOUT", "1e3s", "a duration of at least"],
    ["DRAIN_TIMEOUT", "30s\nPORT=1", "a duration of at least"],
    ["RATE_LIMIT", "100", "`off`, or a number and a time such as"],
    ["RATE_LIMIT", "0/10s", "`off`"],
    ["RATE_LIMIT", "10/0s", "`off`"],
    ["RATE_LIMIT", "10/500ms", "`off`"],
    ["RATE_LIMIT", "10/25h", "`off`"],
    ["TRUSTED_PROXIES", "10.0.0.0/33", "`loopback`, `private`, addresses and CIDRs"],
    ["TRUSTED_PROXIES", "proxy.internal", "`loopback`"],
    ["TRUSTED_PROXIES", "10.1", "`loopback`"],
  ])("are refused in one line that names the value and the valid values: %s=%p", async (variable, value, expected) => {
    const { message } = await refusalOf({ [variable]: value })
    expect(message).not.toContain("\n")
    expect(message).toStartWith(`${variable} is ${JSON.stringify(value)}, which is not valid.`)
    expect(message).toContain(`Set it to ${expected}`)
  })

  test.each([
    ["DATABASE_URL", "mysql://user:hunter2@host/db"],
    ["DATABASE_URL", "postgres://user:hunter2@host:notaport/db"],
    ["BOOTSTRAP_API_KEY", "hunter2"],
    ["BOOTSTRAP_API_KEY", `hunter2 ${key}`],
    // It looks like a key of Parley but has a wrong checksum, so every request with it would be refused.
    ["BOOTSTRAP_API_KEY", `prl_hunter2${"k".repeat(42)}`],
    ["SECRETS_KEY", "hunter2"],
    // Keys of 31 and of 33 bytes.
    ["SECRETS_KEY", `hunter2${"A".repeat(35)}==`],
    ["SECRETS_KEY", `hunter2${"A".repeat(37)}`],
    ["SECRETS_KEY", `${encryptionKey},hunter2`],
    ["SECRETS_KEY", `${encryptionKey},`],
  ])("that are secret are refused without their value: %s", async (variable, value) => {
    const { message } = await refusalOf({ [variable]: value })
    expect(message).not.toContain("hunter2")
    expect(message).toStartWith(`${variable} is not valid. Set it to `)
  })

  test("are decoded into the values that the layers take", async () => {
    const own = makeKey(new Uint8Array(128))
    const values = await valuesOf({
      PORT: "0",
      PUBLIC_URL: "https://chat.example.com/",
      DATABASE_URL: "postgresql://user:pass@host:5432/db",
      BOOTSTRAP_API_KEY: own,
      ANTHROPIC_API_KEY: "sk",
      SIMILARITY_THRESHOLD: ".25",
      JSON_BODY_LIMIT: "512KiB",
      INDEX_MEMORY: "1GiB",
      EMBEDDINGS: "voyage:voyage-4:large",
      CHAT_DEADLINE: "2m",
      DRAIN_TIMEOUT: "500ms",
      RATE_LIMIT: "600/1m",
      ADDRESS_RATE_LIMIT: "off",
      SECRETS_KEY: `${encryptionKey}, ${Buffer.alloc(32, 255).toString("base64")}`,
    })
    expect(values).toMatchObject({
      server: { port: 0, publicUrl: "https://chat.example.com" },
      retriever: { threshold: 0.25 },
      requests: { jsonBodyLimit: 512 * 1024 },
      knowledgeIndexes: { bytes: 1024 ** 3 },
      rates: {
        key: { quota: 600, seconds: 60 },
        organization: { quota: 1_000, seconds: 10 },
        address: { quota: Number.POSITIVE_INFINITY },
      },
      embeddings: { model: { provider: "voyage", model: "voyage-4:large" } },
    })
    expect(Duration.toMillis(values.agent.replyDeadline)).toBe(120_000)
    expect(Duration.toMillis(values.server.drainTimeout)).toBe(500)
    expect(values.bootstrap.apiKey && Redacted.value(values.bootstrap.apiKey)).toBe(own)
    const keys =
      values.secrets.keys && Redacted.value(values.secrets.keys).map((one) => Buffer.from(one).toString("base64"))
    expect(keys).toEqual([encryptionKey, `${"/".repeat(42)}8=`])
    expect((await valuesOf({ BOOTSTRAP_API_KEY: key })).bootstrap.apiKey).toBeDefined()
  })

  test("that are secret are redacted when they are printed", async () => {
    const values = await valuesOf({
      DATABASE_URL: "postgres://u:hunter2@host/db",
      BOOTSTRAP_API_KEY: `hunter2${key}`,
      ANTHROPIC_API_KEY: "hunter2",
      EMBEDDINGS_API_KEY: "hunter2",
      RERANK_API_KEY: "hunter2",
      SECRETS_KEY: encryptionKey,
    })
    expect(Bun.inspect(values) + JSON.stringify(values)).not.toContain("hunter2")
    expect(secrets.every((variable) => settings.some((setting) => setting.variable === variable))).toBe(true)
  })

  test("with any text are decoded or refused in one line", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...settings.map(({ variable }) => variable)),
        fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: fc.constantFrom(..."0123456789.smhKMGiB-") })),
        async (variable, value) => {
          const exit = await Effect.runPromiseExit(read({ [variable]: value }))
          if (Exit.isSuccess(exit)) return
          const error = await refusalOf({ [variable]: value })
          expect(error).toBeInstanceOf(StartupError)
          expect(error.message).toStartWith(`${variable} is `)
          expect(error.message).not.toMatch(/[\n\r]/)
        },
      ),
    ))
})

describe("an environment variable", () => {
  const root = join(import.meta.dir, "..", "src")
  const comments = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm
  /** Matches the string and template literals of a source file. */
  const texts = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g
  const written = Array.from(new Glob("**/*.ts").scanSync(root)).flatMap((file) =>
    (readFileSync(join(root, file), "utf8").replace(comments, "").match(texts) ?? []).map((text) => ({
      file,
      words: new Set(text.replaceAll(/\$\{[^}]*\}/g, "").match(/[A-Z][A-Z\d_]+/g)),
    })),
  )

  test.each(settings.map(({ variable }) => variable))("is named in one file of src: %s", (variable) => {
    const files = written.flatMap(({ file, words }) => (words.has(variable) ? [file] : []))
    expect(files).toEqual([expect.stringMatching(/^config\/|^system\/Variables\.ts$/)])
  })

  test("is documented once", () => {
    const variables = settings.map(({ variable }) => variable)
    expect(variables).toEqual(Array.from(new Set(variables)))
  })
})
