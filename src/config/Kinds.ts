import { Duration, Option, Redacted } from "effect"
import { isWellFormedKey } from "../domain/keys/ApiKey.ts"
import { noRateLimit, type RateLimit } from "../domain/organizations/RateLimit.ts"
import { parsePrivateNetworks } from "../outbound/PrivateNetworks.ts"
import { parseProxies } from "../system/AddressRanges.ts"
import { isModelName, localModel } from "../domain/knowledge/ModelName.ts"
import { Setting } from "./Setting.ts"

/*
 * The types of settings, and how a value of each is written in the environment.
 */

/** Makes settings of one type. */
interface Kind<A> {
  /** A setting with a default. */
  readonly or: (variable: string, fallback: string, description: string) => Setting<A>
  /** A setting that is undefined when the environment has no value. */
  readonly orAbsent: (variable: string, description: string) => Setting<A | undefined>
}

/**
 * @param expected describes valid values and completes "Set it to …".
 * @param decode returns undefined for an invalid value.
 */
const kind = <A>(expected: string, decode: (text: string) => A | undefined, isSecret = false): Kind<A> => {
  const decodeOption = (text: string): Option.Option<A> => Option.fromUndefinedOr(decode(text))
  return {
    or: (variable, fallback, description) =>
      new Setting({ variable, expected, default: fallback, description, isSecret }, (text = fallback) =>
        decodeOption(text),
      ),
    orAbsent: (variable, description) =>
      new Setting<A | undefined>({ variable, expected, default: undefined, description, isSecret }, (text) =>
        text === undefined ? Option.some(undefined) : decodeOption(text),
      ),
  }
}

export const text = kind("a text that is not empty", (value) => value || undefined)

export const secret = kind(
  "a text that is not empty",
  (value) => (value === "" ? undefined : Redacted.make(value)),
  true,
)

export const apiKey = kind(
  "32 to 256 visible ASCII characters (a key that Parley made, without a typing error)",
  (value) => (isWellFormedKey(value) ? Redacted.make(value) : undefined),
  true,
)

export const postgresUrl = kind(
  "a URL such as `postgres://user:password@host:5432/database`",
  (value) => (/^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value) ? Redacted.make(value) : undefined),
  true,
)

export const smtpUrl = kind(
  "a URL such as `smtps://user:password@smtp.example.com`",
  (value) => (/^smtps?:\/\//.test(value) && URL.canParse(value) ? Redacted.make(value) : undefined),
  true,
)

/** An address that reports and failures may show. */
export const httpUrl = kind("an http(s) URL without a user and a password", (value) => {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return undefined
  const { password, username } = new URL(value)
  return username === "" && password === "" ? value.replace(/\/+$/, "") : undefined
})

/** An embedding model: `local`, a model that runs in this process, or a provider and one of its models. */
export const embeddingModel = kind("`local`, `local:<name>`, `openai:<model>` or `voyage:<model>`", (value) => {
  const [, provider, model] = /^(openai|voyage):(\S{1,200})$/.exec(value) ?? []
  const name = localModel(value)
  if (value === "local") return { provider: "local", model: undefined } as const
  if (name !== undefined && isModelName(name)) return { provider: "local", model: name } as const
  if (model === undefined) return undefined
  return { provider: provider === "voyage" ? provider : "openai", model } as const
})

/** The model of a reranker: one of a service, or one that runs in this process. */
export const rerankModel = kind("a model, or `local:<name>`", (value) =>
  value !== "" && isModelName(localModel(value) ?? "other") ? value : undefined,
)

export const oneOf = <const L extends string>(...choices: ReadonlyArray<L>) =>
  kind(choices.map((choice) => `\`${choice}\``).join(" or "), (value) => choices.find((choice) => choice === value))

const decodeInteger = (minimum: number, maximum: number) => (value: string) => {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  return number >= minimum && number <= maximum ? number : undefined
}

export const integer = (minimum: number, maximum: number) =>
  kind(`a whole number from ${minimum} to ${maximum}`, decodeInteger(minimum, maximum))

export const DAYS_MAX = 36_500
export const days = integer(1, DAYS_MAX)

/** A number of processes or threads, which is `Infinity` for `auto`. */
export const autoOr = (maximum: number) =>
  kind(`\`auto\`, or a whole number from 1 to ${maximum}`, (value) =>
    value === "auto" ? Number.POSITIVE_INFINITY : decodeInteger(1, maximum)(value),
  )

const decodeUri = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return undefined
  }
}

const parseKeyValues = (value: string): Readonly<Record<string, string>> | undefined => {
  const pairs = value.split(",").map((pair) => {
    const [name = "", ...rest] = pair.split("=")
    return [decodeUri(name), rest.length === 0 ? undefined : decodeUri(rest.join("="))] as const
  })
  const valid = pairs.flatMap(([name, text]) => (name && text !== undefined ? [[name, text] as const] : []))
  return valid.length === pairs.length ? Object.fromEntries(valid) : undefined
}

/** Names and values, as OpenTelemetry writes them, which may be secret. */
export const keyValues = kind(
  "names and values such as `name=value,other=value`, percent-encoded",
  (value) => {
    const found = parseKeyValues(value)
    return found && Redacted.make(found)
  },
  true,
)

/** Encryption keys of 32 bytes each, of which the first encrypts. */
export const encryptionKeys = kind(
  "keys of 32 bytes in base64, with commas between, such as `openssl rand -base64 32` makes",
  (value) => {
    const keys = value.split(",").map((key) => key.trim())
    return keys.every((key) => /^[A-Za-z0-9+/]{43}=$/.test(key))
      ? Redacted.make(keys.map((key) => Uint8Array.from(Buffer.from(key, "base64"))))
      : undefined
  },
  true,
)

export const privateNetworks = kind("CIDRs and host names, such as `10.0.0.0/8, crm.internal`", parsePrivateNetworks)

/** Reverse proxies whose reports of client addresses are believed. */
export const proxies = kind("`loopback`, `private`, addresses and CIDRs, such as `loopback, 10.1.0.0/16`", parseProxies)

/** A kind that may be `off`, which is `Infinity`. */
const orOff = (expected: string, decode: (text: string) => number | undefined) =>
  kind(`\`off\`, or ${expected}`, (value) => (value === "off" ? Number.POSITIVE_INFINITY : decode(value)))

/** A number of days, which is `Infinity` when it is off. */
export const daysOrOff = orOff(`a whole number from 1 to ${DAYS_MAX}`, decodeInteger(1, DAYS_MAX))

/** A limit, which is `Infinity` when it is off. */
export const limit = orOff("a whole number", (value) => (/^\d{1,15}$/.test(value) ? Number(value) : undefined))

const QUOTA_MAX = 1_000_000_000
const WINDOW_SECONDS_MAX = 86_400

/** A rate limit, whose quota is `Infinity` when it is off. */
export const rateLimit = kind(
  "`off`, or a number and a time such as `100/10s` or `600/1m`",
  (value): RateLimit | undefined => {
    const [, units, amount, unit] = /^(\d{1,10})\/(\d{1,5})([smh])$/.exec(value) ?? []
    if (value === "off") return noRateLimit
    const quota = Number(units)
    const seconds = Number(amount) * (unit === "s" ? 1 : unit === "m" ? 60 : 3_600)
    return quota >= 1 && quota <= QUOTA_MAX && seconds >= 1 && seconds <= WINDOW_SECONDS_MAX
      ? { quota, seconds }
      : undefined
  },
)

export const fraction = kind("a number from 0 to 1", (value) =>
  /^(?:0?\.\d+|[01](?:\.0+)?)$/.test(value) ? Number(value) : undefined,
)

const parseSize = (value: string) => {
  const [, amount, unit] = /^(\d{1,6})([KMG])iB$/.exec(value) ?? []
  return amount === undefined ? undefined : Number(amount) * 1024 ** " KMG".indexOf(unit ?? " ")
}

/** A size in bytes. */
export const size = kind("a size such as `512KiB` or `25MiB`", parseSize)

const parseDuration = (value: string) => {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(value) ?? []
  if (amount === undefined) return undefined
  const milliseconds = unit === "ms" ? 1 : unit === "s" ? 1_000 : unit === "m" ? 60_000 : 3_600_000
  return Duration.millis(Number(amount) * milliseconds)
}

const DURATION_MIN = Duration.millis(100)

/** A duration of at least 100 ms, because what waits for none at all would spin or give up at once. */
export const duration = kind("a duration of at least `100ms`, such as `20s` or `5m`", (value) => {
  const parsed = parseDuration(value)
  return parsed !== undefined && Duration.isGreaterThanOrEqualTo(parsed, DURATION_MIN) ? parsed : undefined
})
