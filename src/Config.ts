import { ConfigProvider, Context, Duration, Effect, Layer, Redacted } from "effect"
import { isWellFormedKey } from "./domain/ApiKey.ts"
import { parsePrivateNetworks } from "./outbound/PrivateNetworks.ts"
import { StartupError } from "./system/StartupError.ts"

/*
 * Every setting of the server: its environment variable, what it may hold, its default and its meaning. A test checks
 * README's table against this list.
 */

interface Setting<A> {
  /** Undefined when the text is not a value of the setting. */
  readonly decode: (text: string) => A | undefined
  /** Completes "Set it to …". */
  readonly expected: string
  /** As it would be written into the environment; undefined when the setting may be absent. */
  readonly default: string | undefined
  readonly meaning: string
  /** Never shown, not even when it is wrong. */
  readonly secret: boolean
}

interface Kind<A> {
  readonly or: (fallback: string, meaning: string) => Setting<A>
  readonly orAbsent: (meaning: string) => Setting<A | undefined>
}

const kind = <A>(expected: string, decode: (text: string) => A | undefined, secret = false): Kind<A> => ({
  or: (fallback, meaning) => ({ decode, expected, default: fallback, meaning, secret }),
  orAbsent: (meaning) => ({ decode, expected, default: undefined, meaning, secret }),
})

const text = kind("a text that is not empty", (value) => value || undefined)

const secret = kind("a text that is not empty", (value) => (value === "" ? undefined : Redacted.make(value)), true)

const apiKey = kind(
  "32 to 256 visible ASCII characters (a key that Parley made, without a typing error)",
  (value) => (isWellFormedKey(value) ? Redacted.make(value) : undefined),
  true,
)

const postgresUrl = kind(
  "a URL such as `postgres://user:password@host:5432/database`",
  (value) => (/^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value) ? Redacted.make(value) : undefined),
  true,
)

const httpUrl = kind("an http(s) URL", (value) =>
  /^https?:\/\//.test(value) && URL.canParse(value) ? value.replace(/\/+$/, "") : undefined,
)

/** `local`, or a provider and one of its models. */
const embeddingModel = kind("`local`, `openai:<model>` or `voyage:<model>`", (value) => {
  const [, provider, model] = /^(openai|voyage):(\S{1,200})$/.exec(value) ?? []
  if (value === "local") return { provider: "local" } as const
  if (model === undefined) return undefined
  return { provider: provider === "voyage" ? provider : "openai", model } as const
})

const oneOf = <const L extends string>(...choices: ReadonlyArray<L>) =>
  kind(choices.map((choice) => `\`${choice}\``).join(" or "), (value) => choices.find((choice) => choice === value))

const integer = (minimum: number, maximum: number) =>
  kind(`a whole number from ${minimum} to ${maximum}`, (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    return number >= minimum && number <= maximum ? number : undefined
  })

const encryptionKeys = kind(
  "keys of 32 bytes in base64, with commas between, such as `openssl rand -base64 32` makes",
  (value) => {
    const keys = value.split(",").map((key) => key.trim())
    return keys.every((key) => /^[A-Za-z0-9+/]{43}=$/.test(key))
      ? Redacted.make(keys.map((key) => Uint8Array.from(Buffer.from(key, "base64"))))
      : undefined
  },
  true,
)

const privateNetworks = kind("CIDRs and host names, such as `10.0.0.0/8, crm.internal`", parsePrivateNetworks)
/** `Infinity` when it is off. */
const limit = kind("`off`, or a whole number", (value) =>
  value === "off" ? Number.POSITIVE_INFINITY : /^\d{1,15}$/.test(value) ? Number(value) : undefined,
)

const fraction = kind("a number from 0 to 1", (value) =>
  /^(?:0?\.\d+|[01](?:\.0+)?)$/.test(value) ? Number(value) : undefined,
)

/** Bytes. */
const size = kind("a size such as `512KiB` or `25MiB`", (value) => {
  const [, amount, unit] = /^(\d{1,6})([KMG])iB$/.exec(value) ?? []
  return amount === undefined ? undefined : Number(amount) * 1024 ** " KMG".indexOf(unit ?? " ")
})

const parseDuration = (value: string) => {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(value) ?? []
  if (amount === undefined) return undefined
  const milliseconds = unit === "ms" ? 1 : unit === "s" ? 1_000 : unit === "m" ? 60_000 : 3_600_000
  return Duration.millis(Number(amount) * milliseconds)
}

const duration = kind("a duration such as `500ms`, `20s` or `5m`", parseDuration)

/** For what would spin at nothing. */
const positiveDuration = kind("a duration of at least `100ms`", (value) => {
  const parsed = parseDuration(value)
  return parsed !== undefined && Duration.toMillis(parsed) >= 100 ? parsed : undefined
})

/** Infinite when it is off. */
const checkpoint = kind("`off`, or a duration of at least `100ms`", (value) => {
  const parsed = value === "off" ? Duration.infinity : parseDuration(value)
  return parsed !== undefined && Duration.toMillis(parsed) >= 100 ? parsed : undefined
})

const settings = {
  host: text.or("127.0.0.1", "Address to listen on; `0.0.0.0` for all."),
  port: integer(0, 65_535).or("3000", "Port to listen on; 0 picks a free one."),
  publicUrl: httpUrl.orAbsent("Base of the addresses it gives out (avatars). Absent: from host and port."),
  dataDir: text.or(
    "./data",
    "Directory of all that is kept beside Postgres: the embedded database, files, copies of search indexes; made with mode 0700.",
  ),
  diskReserve: size.or(
    "64MiB",
    "Space on the disk of the embedded database below which it is only read, so that it can go on. `0KiB`: off.",
  ),
  databaseUrl: postgresUrl.orAbsent("Postgres 15 or later with pgvector 0.7 or later. Absent: the embedded database."),
  databaseConnections: integer(2, 1_000).or("16", "Connections to Postgres at once, at most."),
  databasePipeline: integer(1, 128).or("32", "Statements under way at once in one connection to Postgres, at most."),
  databaseTimeout: positiveDuration.or(
    "10s",
    "How long Postgres may take for a statement, or a statement wait for a connection, before it fails with 503. Work that rightly takes long is exempt, such as building indexes.",
  ),
  bootstrapApiKey: apiKey.orAbsent(
    "Key with all scopes of the first organization. Absent: the first start makes one and prints it once.",
  ),
  secretsKey: encryptionKeys.orAbsent(
    "Encrypts secrets in the database, the headers of HTTP tools: a key of 32 bytes in base64, or several with commas between; the first encrypts, all decrypt. Absent: they are not encrypted.",
  ),
  defaultModel: text.orAbsent(
    "Model of a new chatbot. Absent: `claude-sonnet-5-5` with an Anthropic key, else `local/extractive`.",
  ),
  anthropicApiKey: secret.orAbsent("Makes every `claude-…` model available."),
  anthropicBaseUrl: httpUrl.orAbsent("Where the Anthropic API is. Absent: Anthropic's own."),
  anthropicConcurrency: integer(1, 65_535).or("4096", "Calls of Anthropic at once, at most; further ones wait."),
  openaiApiKey: secret.orAbsent("Makes every `openai/…` model available."),
  openaiBaseUrl: httpUrl.orAbsent(
    "Where a server with OpenAI's chat completions is (Ollama, vLLM and alike); it may need no key. Absent: OpenAI's own.",
  ),
  openaiConcurrency: integer(1, 65_535).or("4096", "Calls of that server at once, at most; further ones wait."),
  providerTurnWait: duration.or("10s", "How long a model call waits for its turn, before it is refused with 503."),
  providerReplyTimeout: positiveDuration.or(
    "100s",
    "Longest time for one attempt at a model call, to the end of its answer; less leaves time to ask `fallbackModels`.",
  ),
  providerFirstByteTimeout: positiveDuration.or(
    "30s",
    "How long a model provider may take to the first byte of a stream; a model that has to be loaded first takes long.",
  ),
  providerStallTimeout: positiveDuration.or("30s", "How long a model provider's stream may be silent."),
  providerAnswerLimit: size.or("16MiB", "Largest answer of a model provider, as it comes over the wire."),
  providerAttempts: integer(1, 10).or("3", "Attempts at one model call, before its first byte."),
  circuitFailures: integer(1, 1_000).or(
    "5",
    "So many failures of a model provider within `CIRCUIT_WINDOW`, when they are half of its calls, and it is left alone for a while: calls fail at once, with 503.",
  ),
  circuitWindow: positiveDuration.or("30s", "The time in which these failures are counted."),
  circuitRest: positiveDuration.or("15s", "How long it is left alone, before one call tries it again."),
  embeddings: embeddingModel.or(
    "local",
    "How text becomes vectors: `local` needs no network; `openai:<model>` is any server that speaks as OpenAI does; `voyage:<model>`.",
  ),
  embeddingsApiKey: secret.orAbsent("Key of the embedding provider."),
  embeddingsBaseUrl: httpUrl.orAbsent("Where the embedding provider is, with or without `/v1`. Absent: its own."),
  embeddingsDimensions: integer(1, 4_096).orAbsent(
    "Dimensions of the vectors, for models that leave a choice. Absent: the model's own.",
  ),
  embeddingsTimeout: positiveDuration.or("30s", "Longest time for one request to embed passages."),
  embeddingsQueryTimeout: positiveDuration.or("5s", "Longest time to embed a question; without, words alone decide."),
  embeddingsConcurrency: integer(1, 64).or("4", "Requests to embed passages at once, of one process."),
  blobs: oneOf("local").or("local", "Where files are kept; `local` is a directory below `DATA_DIR`."),
  filesCheckInterval: positiveDuration.or("24h", "How often the stored files are compared with the database."),
  orphanAge: duration.or("24h", "A stored file that belongs to nobody is deleted when it is older than this."),
  similarityThreshold: fraction.orAbsent("Similarity below which a search leaves a result out. Absent: calibrated."),
  logLevel: oneOf("trace", "debug", "info", "warn", "error", "none").or("info", "Least level that is logged."),
  logFormat: oneOf("pretty", "json").orAbsent("Absent: `pretty` on a terminal, else `json`."),
  jsonBodyLimit: size.or("1MiB", "Largest JSON body."),
  jsonDepthLimit: integer(1, 1_000).or("32", "Deepest nesting of a JSON body."),
  requestBodyTimeout: positiveDuration.or(
    "20s",
    "How long a JSON body may take to arrive, and how long an upload may pause; then 408.",
  ),
  avatarLimit: size.or("10MiB", "Largest avatar."),
  uploadFileLimit: size.or("25MiB", "Largest knowledge base file."),
  uploadFilesLimit: integer(1, 1_000).or("10", "Files of one upload, at most."),
  uploadWait: duration.or("20s", "How long an upload waits for its files to be searchable when `Prefer` says nothing."),
  uploadWaitLimit: duration.or("60s", "The longest wait that `Prefer: wait=N` can ask for."),
  ingestConcurrency: integer(1, 64).or("2", "Documents that one process works on at once."),
  ingestAttempts: integer(1, 100).or("3", "Tries of a document that itself makes them fail, before it is given up."),
  ingestLapses: integer(1, 10_000).or(
    "50",
    "Tries of a document that end with the server that makes them, before it is given up.",
  ),
  ingestRetryDelay: positiveDuration.or(
    "1h",
    "When a document that was given up is tried anew; after twice as long each time.",
  ),
  ingestRetries: integer(0, 20).or("5", "How often a document that was given up is tried anew."),
  ingestLease: positiveDuration.or("30s", "How long a document stays with a process that shows no sign of life."),
  extractTimeout: positiveDuration.or("30s", "Longest time to read one file, of the processor."),
  extractMemory: size.or("512MiB", "Most memory that reading one file may take."),
  extractTextLimit: integer(1_000, 200_000_000).or("20000000", "Characters of text that one file may hold, at most."),
  indexMemory: size.or(
    "256MiB",
    "Memory for search indexes of knowledge bases, with what of them is mapped from disk.",
  ),
  indexDisk: size.or(
    "2GiB",
    "Disk for copies of large search indexes, below `DATA_DIR`; they may be removed at any time.",
  ),
  chatDeadline: positiveDuration.or("120s", "Longest time for one reply, with all its model calls."),
  chatStepsLimit: integer(1, 50).or("6", "Model calls of one reply, at most."),
  chatMaxTokens: integer(1, 200_000).or("4096", "Tokens of one model call's answer, at most."),
  chatHistoryLimit: integer(1, 1_000).or("100", "Stored messages that a model is shown, at most."),
  chatPromptTokens: integer(1_000, 10_000_000).or(
    "100000",
    "Tokens that a model is shown at once, about: the oldest turns that would exceed it are left out.",
  ),
  organizationTokensPerDay: limit.or(
    "off",
    "Tokens that an organization's chats may take from midnight to midnight, UTC, unless its own budget says otherwise.",
  ),
  organizationConcurrentChats: limit.or(
    "off",
    "Chats of an organization at once, unless its own budget says otherwise.",
  ),
  keyTokensPerDay: limit.or("off", "The same tokens for each API key, unless its own budget says otherwise."),
  keyConcurrentChats: limit.or("off", "Chats of an API key at once, unless its own budget says otherwise."),
  usageRetention: integer(1, 36_500).or("400", "Days for which usage is kept."),
  streamHeartbeat: positiveDuration.or(
    "10s",
    "How often a stream shows that it is alive; also how long it waits for the model before it begins.",
  ),
  replyCheckpoint: checkpoint.or(
    "5s",
    "How often a reply that takes long is stored as far as it has got, for a server that dies; or `off`.",
  ),
  toolTimeout: positiveDuration.or("10s", "Longest time for one tool call, unless the tool has a time of its own."),
  toolConcurrency: integer(1, 64).or("4", "Tool calls at once, of one reply."),
  toolsLimit: integer(0, 128).or("32", "HTTP tools of one chatbot, at most."),
  toolResponseLimit: size.or("256KiB", "What is read of an HTTP tool's answer, at most."),
  toolPrivateNetworks: privateNetworks.orAbsent(
    "Private addresses that HTTP tools may call: CIDRs and host names, with commas between. Absent: none.",
  ),
  drainTimeout: duration.or("30s", "How long SIGTERM lets running requests finish."),
}

type Value<S> = S extends Setting<infer A> ? A : never
type Values = { readonly [Name in keyof typeof settings]: Value<(typeof settings)[Name]> }

/** `uploadFileLimit` → `UPLOAD_FILE_LIMIT`. */
const variable = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

/** What README's table says. */
export const documentation: ReadonlyArray<{
  readonly variable: string
  readonly default: string | undefined
  readonly meaning: string
}> = Object.entries(settings).map(([name, { default: fallback, meaning }]) => ({
  variable: variable(name),
  default: fallback,
  meaning,
}))

const read = <A>(name: string, { decode, expected, default: fallback, secret }: Setting<A>) =>
  Effect.gen(function* () {
    const provider = yield* ConfigProvider.ConfigProvider
    const node = yield* Effect.orDie(provider.load([variable(name)]))
    // An empty variable counts as absent: that is how shells and compose files unset one.
    const held = node?.value === "" ? undefined : node?.value
    const given = held ?? fallback
    const value = given === undefined ? undefined : decode(given)
    if (value === undefined && given !== undefined) {
      return yield* new StartupError({
        what: secret
          ? `${variable(name)} is not valid.`
          : `${variable(name)} is ${JSON.stringify(given)}, which is not valid.`,
        doThis: `Set it to ${expected}.`,
      })
    }
    return value
  })

const readAll = Effect.gen(function* () {
  const values: Record<string, unknown> = {}
  for (const [name, declared] of Object.entries(settings)) values[name] = yield* read<unknown>(name, declared)
  return values as Values
})

/** The settings of this process, read once from the environment (Bun reads a `.env` file into it). */
export class Config extends Context.Service<Config, Values>()("parley/Config") {
  /** Fails on the first wrong value: what it held, and what it may hold. */
  static readonly layer: Layer.Layer<Config, StartupError> = Layer.effect(this, readAll)
}
