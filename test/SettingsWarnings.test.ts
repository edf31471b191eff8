import { describe, expect, test } from "bun:test"
import { ConfigProvider, Effect, Layer } from "effect"
import { Config, settings } from "../src/Config.ts"
import { review } from "../src/SettingsWarnings.ts"

const reviewed = async (environment: Record<string, string>): Promise<ReadonlyArray<string>> => {
  const provider = ConfigProvider.layer(ConfigProvider.fromUnknown(environment))
  return review(environment, await Effect.runPromise(Effect.provide(Config, Layer.provide(Config.layer, provider))))
}

/** Variables that systems, shells, containers and other programs set. */
const ordinary = `HOME HOSTNAME HOSTTYPE LANG LOGNAME LS_COLORS MAIL OLDPWD PATH PWD SHELL SHLVL TERM TMPDIR USER XDG_DATA_DIRS
  XDG_RUNTIME_DIR SSH_AUTH_SOCK EDITOR PAGER NODE_ENV NODE_OPTIONS BUN_INSTALL BUN_CONFIG_MAX_HTTP_REQUESTS npm_config_user_agent
  npm_lifecycle_event INIT_CWD CI GITHUB_TOKEN AWS_REGION AWS_ACCESS_KEY_ID PGHOST PGPORT PGDATABASE POSTGRES_PASSWORD
  DATABASE_HOST DATABASE_PASSWORD REDIS_URL OPENAI_ORG_ID ANTHROPIC_MODEL HTTP_PROXY HTTPS_PROXY NO_PROXY no_proxy
  KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP_ADDR CHAT_SERVICE_HOST CHAT_SERVICE_PORT CHAT_PORT_80_TCP_PROTO
  LOG_DIR DATA_HOME SECRET_KEY_BASE TZ DEBUG COLORTERM FORCE_COLOR SYSTEMD_EXEC_PID INVOCATION_ID JOURNAL_STREAM`

describe("the review of the settings warns of", () => {
  test.each([
    ["PROT", "PORT"],
    ["port", "PORT"],
    ["PARLEY_PORT", "PORT"],
    ["HOTS", "HOST"],
    ["DATADIR", "DATA_DIR"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["ANTHROPIC_KEY", undefined],
    ["ANTROPIC_API_KEY", "ANTHROPIC_API_KEY"],
    ["OPEN_AI_API_KEY", "OPENAI_API_KEY"],
    ["EMBEDDING_API_KEY", "EMBEDDINGS_API_KEY"],
    ["UPLOAD_FILE_LIMITS", "UPLOAD_FILE_LIMIT"],
  ])("%s, which is nearly the name of a setting", async (name, meant) => {
    expect(await reviewed({ [name]: "hunter2" })).toEqual(
      meant === undefined ? [] : [`${name} is not a setting. Is ${meant} meant?`],
    )
  })

  test.each([
    "ORGANIZATION_CONCURRENT_CHATS",
    "ORGANIZATION_TOKENS_PER_DAY",
    "QUOTA_BYTES",
    "QUOTA_TOOLS",
    "SIGN_IN_CHECK_MINUTES",
    "USAGE_RETENTION",
    "WIDGET_KEY_RATE_LIMIT",
  ])("%s, which was a setting before", async (name) => {
    expect(await reviewed({ [name]: "5" })).toEqual([`${name} is not a setting.`])
  })

  test("an unknown variable with the prefix of a setting", async () => {
    expect(await reviewed({ CHAT_TEMPERATURE: "1", PROVIDER: "x", EXTRACT_WORKERS: "4" })).toEqual([
      "CHAT_TEMPERATURE is not a setting.",
      "EXTRACT_WORKERS is not a setting.",
    ])
  })

  test.each([
    ["EMBEDDINGS_API_KEY", "hunter2", {}, "EMBEDDINGS is `local`"],
    ["EMBEDDINGS_DIMENSIONS", "512", { EMBEDDINGS: "local" }, "EMBEDDINGS is `local`"],
    ["EMBEDDINGS_THREADS", "2", {}, "EMBEDDINGS is `local`"],
    ["RERANK_MODEL", "rerank-v3.5", {}, "RERANK_URL is not set"],
    ["RERANK_URL", "http://10.0.0.7", { RERANK_MODEL: "local:ettin" }, "RERANK_MODEL is a local model"],
    ["RERANK_API_KEY", "hunter2", { RERANK_MODEL: "local:ettin" }, "RERANK_MODEL is a local model"],
    ["EMBEDDINGS_API_KEY", "hunter2", { RERANK_MODEL: "local:ettin" }, "EMBEDDINGS is `local`"],
    ["EMBEDDINGS_THREADS", "2", { EMBEDDINGS: "openai:model" }, "EMBEDDINGS is no local model"],
    ["EMBEDDINGS_API_KEY", "hunter2", { EMBEDDINGS: "local:minilm" }, "EMBEDDINGS is a local model"],
    ["S3_BUCKET", "parley", {}, "BLOBS is `local`"],
  ])("%s when it has no effect", async (name, value, others, why) => {
    expect(await reviewed({ [name]: value, ...others })).toEqual([`${name} has no effect: ${why}.`])
  })

  test("a HOST of all addresses without a PUBLIC_URL", async () => {
    for (const HOST of ["0.0.0.0", "::"]) {
      const [warning = "", ...more] = await reviewed({ HOST })
      expect(warning).toContain(`HOST is ${HOST}`)
      expect(warning).toContain("PUBLIC_URL")
      expect(more).toEqual([])
    }
  })
})

describe("the review of the settings does not warn of", () => {
  test("threads of a reranker in the server", async () => {
    for (const EMBEDDINGS of ["local", "openai:model"]) {
      expect(await reviewed({ EMBEDDINGS, EMBEDDINGS_THREADS: "2", RERANK_MODEL: "local:ettin" })).toEqual([])
    }
  })

  test("variables of other programs", async () => {
    const environment = Object.fromEntries(ordinary.split(/\s+/).map((name) => [name, "anything"]))
    expect(await reviewed(environment)).toEqual([])
  })

  test("addresses of services that Kubernetes sets, even of a service called parley", async () => {
    expect(await reviewed({ PARLEY_PORT: "tcp://10.0.0.1:3000", CHAT_PORT: "udp://10.0.0.1:80" })).toEqual([])
  })

  test("settings that belong together", async () => {
    expect(
      await reviewed({
        HOST: "0.0.0.0",
        PUBLIC_URL: "https://chat.example.com",
        DATABASE_URL: "postgres://u:p@host/db",
        DATABASE_CONNECTIONS: "8",
        ANTHROPIC_API_KEY: "hunter2",
        ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
        OPENAI_BASE_URL: "http://127.0.0.1:1",
        PROVIDER_TIMEOUT: "1m",
        RATE_LIMIT: "off",
        ORGANIZATION_RATE_LIMIT: "off",
        EMBEDDINGS: "openai:model",
        EMBEDDINGS_BASE_URL: "http://127.0.0.1:1",
      }),
    ).toEqual([])
  })

  test("empty settings, which count as absent", async () => {
    expect(await reviewed(Object.fromEntries(settings.map(({ variable }) => [variable, ""])))).toEqual([])
  })
})
