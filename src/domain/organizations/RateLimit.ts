/** Limit on the units of requests that are granted within any window of time. */
export interface RateLimit {
  /** The most units within a window; `Infinity` when there is no limit. */
  readonly quota: number
  /** The length of the window in whole seconds. */
  readonly seconds: number
}

export const noRateLimit: RateLimit = { quota: Number.POSITIVE_INFINITY, seconds: 1 }

export const isUnlimitedRate = ({ quota }: RateLimit): boolean => quota === Number.POSITIVE_INFINITY

export interface RateLimits {
  /** Of each API key. */
  readonly key: RateLimit
  /** Of all API keys of an organization together. */
  readonly organization: RateLimit
  /** Of each client address, for requests without a valid API key. */
  readonly address: RateLimit
}

/**
 * The limit of all visitors of a publishable key together, or of a public chatbot that is embedded by its id: half of
 * their organization's, so that its own programs go on.
 */
export const rateOfVisitors = ({ quota, seconds }: RateLimit): RateLimit => ({ quota: Math.ceil(quota / 2), seconds })

/** The rate limits of the chat widget. */
export interface VisitorRates {
  readonly visitor: RateLimit
  /** Of all visitors with the same client address together. */
  readonly address: RateLimit
}

/**
 * The units that a request takes of its limits, beside those of its body: more where a request keeps the server busy
 * for longer than a read of the database does.
 */
export const requestCosts = {
  /** A read or a small change: some statements. */
  plain: 1,
  /** A chat: several model calls and searches, over seconds. */
  chat: 2,
  /** Files to receive, read, index and store: seconds of a processor for each of them. */
  upload: 5,
  /** Everything that an organization or a chatbot has, read or deleted as a whole. */
  bulk: 5,
} as const

/**
 * The bytes of a body for which a request takes one more unit. To receive and to check so much JSON keeps a processor as
 * busy as a small request does; files are only stored, and read later, in the turn of their organization.
 */
const BYTES_PER_UNIT = { json: 32 * 1_024, form: 1_024 * 1_024 } as const
/** The units of a body of unknown length: those of the largest JSON body, unless a setting allows larger ones. */
const UNITS_OF_UNKNOWN_LENGTH = 32

/**
 * The units that the body of a request takes, beside those of its endpoint.
 *
 * @param length the length of the body in bytes; undefined where the client does not say it
 */
export const unitsOfBody = (kind: keyof typeof BYTES_PER_UNIT, length: number | undefined): number =>
  length === undefined ? UNITS_OF_UNKNOWN_LENGTH : Math.floor(length / BYTES_PER_UNIT[kind])

/** Remainder of one limit after a request. */
export interface RateStanding {
  /** The name of the limit in responses. */
  readonly name: "key" | "organization"
  readonly limit: RateLimit
  /** The units that are left. */
  readonly remaining: number
  /** Seconds until more units are available: at least 1. */
  readonly resetSeconds: number
}
