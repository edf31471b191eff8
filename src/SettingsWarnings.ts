import { Console, Effect, Layer } from "effect"
import { Seat } from "./system/Seat.ts"
import { Config, settings } from "./Config.ts"
import { StartWarnings } from "./system/StartWarnings.ts"
import { editsBetween } from "./text/Edits.ts"
import {
  BLOBS,
  EMBEDDINGS,
  EMBEDDINGS_API_KEY,
  EMBEDDINGS_BASE_URL,
  EMBEDDINGS_DIMENSIONS,
  EMBEDDINGS_THREADS,
  RERANK_API_KEY,
  RERANK_MODEL,
  RERANK_URL,
  HOST,
  PARLEY_API_KEY,
  PARLEY_URL,
  PUBLIC_URL,
} from "./system/Variables.ts"

/*
 * Finds mistakes in the environment that are no invalid values: variables whose names resemble those of settings, and
 * settings that have no effect beside the others.
 */

type Environment = Readonly<Record<string, string | undefined>>

const settingNames: ReadonlyArray<string> = settings.map(({ variable }) => variable)

/** Prefixes of Parley's settings that no other program is known to use. */
const OWN_PREFIX =
  /^(?:CHAT|EMBEDDINGS|EXTRACT|INGEST|ORGANIZATION|PROVIDER|QUOTA|RERANK|SIGN_IN|UPLOAD|USAGE|PARLEY|WIDGET)_/
/** Variables by which Kubernetes announces every service to every container, such as a service named `chat`. */
const OF_KUBERNETES = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/
/**
 * Values of variables such as `PARLEY_PORT`, which Kubernetes sets for a service named `parley`; no setting has such a
 * value.
 */
const ADDRESS_OF_KUBERNETES = /^(?:tcp|udp|sctp):\/\//
/**
 * Most edits between a misspelt name and the setting that is meant. Short names resemble many others, so they allow
 * fewer.
 */
const editsAllowed = (name: string): number => (name.length < 8 ? 1 : 2)

const nearest = (name: string): string | undefined => {
  const bare = name.toUpperCase().replace(/^PARLEY_/, "")
  const [best] = settingNames
    .map((setting) => ({ setting, edits: editsBetween(bare, setting, editsAllowed(setting)) }))
    .filter(({ edits, setting }) => edits <= editsAllowed(setting))
    .toSorted((one, other) => one.edits - other.edits)
  return best?.setting
}

const unknownIn = (environment: Environment): ReadonlyArray<string> =>
  Object.entries(environment)
    .filter(([, value]) => !ADDRESS_OF_KUBERNETES.test(value ?? ""))
    .map(([name]) => name)
    .filter((name) => ![...settingNames, PARLEY_URL, PARLEY_API_KEY].includes(name) && !OF_KUBERNETES.test(name))
    .toSorted()
    .flatMap((name) => {
      const meant = nearest(name)
      if (meant !== undefined) return [`${name} is not a setting. Is ${meant} meant?`]
      return OWN_PREFIX.test(name) ? [`${name} is not a setting.`] : []
    })

/** Settings that have no effect with an embedding model. */
const unusedOf = ({ model, provider }: Config["Service"]["embeddings"]["model"], isReranking: boolean) => {
  const threads = isReranking ? [] : [EMBEDDINGS_THREADS]
  const others = [EMBEDDINGS_API_KEY, EMBEDDINGS_BASE_URL, EMBEDDINGS_DIMENSIONS]
  const because = (why: string, prefixes: ReadonlyArray<string>) => prefixes.map((prefix) => ({ prefix, why }))
  if (provider !== "local") return because(`${EMBEDDINGS} is no local model`, threads)
  if (model === undefined) return because(`${EMBEDDINGS} is \`local\``, [...others, ...threads])
  return because(`${EMBEDDINGS} is a local model`, others)
}

/** Settings that are believed to be in use, while another one keeps them from it. */
const withoutEffect = (
  environment: Environment,
  { blobs, embeddings, reranker }: Config["Service"],
): ReadonlyArray<string> => {
  const isReranking = reranker.model?.startsWith("local:") ?? false
  const unused = [
    ...unusedOf(embeddings.model, isReranking),
    ...(isReranking
      ? [RERANK_URL, RERANK_API_KEY].map((prefix) => ({ prefix, why: `${RERANK_MODEL} is a local model` }))
      : reranker.url === undefined
        ? [{ prefix: "RERANK_", why: `${RERANK_URL} is not set` }]
        : []),
    ...(blobs.kind === "local" ? [{ prefix: "S3_", why: `${BLOBS} is \`local\`` }] : []),
  ]
  const present = settingNames.filter((name) => (environment[name] ?? "") !== "")
  return unused.flatMap(({ prefix, why }) =>
    present.filter((name) => name.startsWith(prefix)).map((name) => `${name} has no effect: ${why}.`),
  )
}

/** Values of `HOST` that make the server listen on all addresses of the machine. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]", "*"])

const unreachable = ({ server: { host, publicUrl } }: Config["Service"]): ReadonlyArray<string> =>
  EVERY_ADDRESS.has(host) && publicUrl === undefined
    ? [
        `${HOST} is ${host}, so the server listens on every address of this machine, and ${PUBLIC_URL} is not set, so the addresses in its answers (of avatars) contain ${host}. Set ${PUBLIC_URL} to the address by which clients reach the server.`,
      ]
    : []

/** Returns one line for each mistake that deserves a warning. The lines show no values of secrets. */
export const review = (environment: Environment, config: Config["Service"]): ReadonlyArray<string> => [
  ...unknownIn(environment),
  ...withoutEffect(environment, config),
  ...unreachable(config),
]

/** Names the variables in the environment of a command that resemble settings and are none. */
export const layerOfCommand = Layer.effectDiscard(
  Effect.suspend(() =>
    Effect.forEach(unknownIn(process.env), (warning) => Console.error(`parley: ${warning}`), { discard: true }),
  ),
)

/**
 * Logs a warning for each probable mistake in the environment of this process, and provides them. Of several workers,
 * which have the same environment, the first one logs them.
 */
export const layer = Layer.effect(
  StartWarnings,
  Effect.gen(function* () {
    const warnings = review(process.env, yield* Config)
    if (((yield* Seat)?.number ?? 1) === 1)
      yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
    return warnings
  }),
)
