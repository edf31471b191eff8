import { Effect, type Scope } from "effect"
import { makeKey } from "../../../src/domain/keys/ApiKey.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { authenticated } from "../http.ts"
import { type Child, start } from "../http/Child.ts"
import { apiKey, database, parley } from "../http/Fixture.ts"
import type { Finding, Part, PartSettings } from "../lib/Parts.ts"

const QUOTA = 400
const WINDOW_SECONDS = 5
const WINDOWS = 8
const CLIENTS = 32
/** The pause of a client whose request was refused, in milliseconds. */
const PAUSE = 5
/**
 * The requests that have to be sent for each that may be granted, or units that are free lie idle for want of requests:
 * a busy machine does not send enough.
 */
const DEMAND_MIN = 2
/** Addresses of each half of the flood: more than a server counts at the same time. */
const ADDRESSES = 40_000
/** The most that memory may grow in the second half of the flood, in MB. */
const GROWTH_MAX = 64

/**
 * Sends requests of one API key to two servers on one Postgres as fast as they are answered, and counts how many are
 * granted within the windows of the limit; then floods a server with wrong keys from many addresses.
 */
export const part: Part = (settings) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const servers = yield* serversOf(settings)
        const granted = yield* Effect.promise(() => saturate(servers, settings.scale))
        const [first] = servers
        const flooded = first === undefined ? [] : yield* Effect.promise(() => flood(first, settings.scale))
        return [...grantsOf(granted, servers.length), ...flooded]
      }),
    ),
  )

const serversOf = Effect.fnUntraced(function* ({
  postgres,
}: PartSettings): Effect.fn.Return<ReadonlyArray<Child>, never, Scope.Scope> {
  const url = postgres === undefined ? undefined : yield* database(postgres, "limits")
  if (url === undefined) process.stdout.write("  without --postgres: one server on the embedded database\n")
  const servers: Array<Child> = []
  // One after the other, because each of them migrates the database.
  for (let number = 0; number < (url === undefined ? 1 : 2); number++) {
    const directory = yield* temporaryDirectory("bench")
    const options = parley(directory, {
      LOG_LEVEL: "error",
      TRUSTED_PROXIES: "loopback",
      RATE_LIMIT: `${QUOTA}/${WINDOW_SECONDS}s`,
      ...(url !== undefined && { DATABASE_URL: url }),
    })
    servers.push(yield* start(options))
  }
  return servers
})

const send = (port: number, headers: Readonly<Record<string, string>>): Promise<number> =>
  fetch(`http://127.0.0.1:${port}${authenticated.path}`, { headers }).then(async ({ body, status }) => {
    await body?.cancel()
    return status
  })

/** A granted request: when it was sent, and when it was answered, in milliseconds. It was granted in between. */
interface Granted {
  readonly sent: number
  readonly answered: number
}

/** What came of the requests to all servers: those that were granted in the order of their answers. */
interface Saturation {
  readonly granted: ReadonlyArray<Granted>
  readonly refused: number
}

const saturate = async (servers: ReadonlyArray<Child>, scale: number): Promise<Saturation> => {
  const granted: Array<Granted> = []
  let refused = 0
  const end = performance.now() + Math.max(2, Math.round(WINDOWS * scale)) * WINDOW_SECONDS * 1_000
  const client = async (port: number): Promise<void> => {
    while (performance.now() < end) {
      const sent = performance.now()
      const status = await send(port, { "x-api-key": apiKey })
      if (status === 200) granted.push({ sent, answered: performance.now() })
      else {
        refused++
        await Bun.sleep(PAUSE)
      }
    }
  }
  const ports = servers.map(({ port }) => port)
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(ports[number % ports.length] ?? 0)))
  return { granted: granted.toSorted((one, other) => one.answered - other.answered), refused }
}

/** The most requests that were surely granted within the same window, wherever it begins. */
const mostWithin = (granted: ReadonlyArray<Granted>, window: number): number =>
  Math.max(
    ...granted.map(
      ({ sent: from }) => granted.filter(({ answered, sent }) => sent >= from && answered < from + window).length,
    ),
  )

const grantsOf = ({ granted, refused }: Saturation, servers: number): ReadonlyArray<Finding> => {
  const window = WINDOW_SECONDS * 1_000
  const first = granted[0]?.answered ?? 0
  // Whole windows only: in the last one the run ends before all of it is granted.
  const windows = Math.max(1, Math.floor(((granted.at(-1)?.answered ?? 0) - first) / window))
  const within = granted.filter(({ answered }) => answered < first + windows * window).length
  const most = mostWithin(granted, window)
  const demand = (granted.length + refused) / (windows * QUOTA)
  const share = (count: number, of: number) => `${((100 * count) / of).toFixed(1)} % of the limit`
  return [
    {
      name: `${servers} ${servers === 1 ? "server" : "servers"}: most requests granted within any window`,
      value: share(most, QUOTA),
      isKept: most <= 1.05 * QUOTA,
    },
    { name: "requests sent", value: share(granted.length + refused, windows * QUOTA) },
    {
      name: `requests granted over ${windows} windows`,
      value: share(within, windows * QUOTA) + (demand < DEMAND_MIN ? " (too few were sent to reach it)" : ""),
      isKept: within <= 1.05 * windows * QUOTA && (demand < DEMAND_MIN || within >= 0.95 * windows * QUOTA),
    },
  ]
}

const addressOf = (number: number): string => `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`

const flood = async ({ memory, port }: Child, scale: number): Promise<ReadonlyArray<Finding>> => {
  const addresses = Math.ceil(ADDRESSES * scale)
  const wrongKey = makeKey(crypto.getRandomValues(new Uint8Array(128)))
  let [sent, guessed, validRefused, validSent] = [0, 0, 0, 0]
  const guess = async (end: number): Promise<void> => {
    while (sent < end) {
      const number = sent++
      // Every tenth guess comes from the address of the valid key.
      const address = number % 10 === 0 ? addressOf(0) : addressOf(number)
      const key = number % 2 === 0 ? `${wrongKey.slice(0, -1)}${number}` : `${number}${"x".repeat(32)}`
      const status = await send(port, { "x-api-key": key, "x-forwarded-for": address })
      if (status !== 401 && status !== 429) guessed++
    }
  }
  const half = async (end: number): Promise<number> => {
    let isOver = false
    const valid = async (): Promise<void> => {
      while (!isOver) {
        validSent++
        if ((await send(port, { "x-api-key": apiKey, "x-forwarded-for": addressOf(0) })) !== 200) validRefused++
        await Bun.sleep(50)
      }
    }
    const running = valid()
    await Promise.all(Array.from({ length: CLIENTS }, () => guess(end)))
    isOver = true
    await running
    return memory().now
  }
  // The units of the key that the first measurement has taken leave the window.
  await Bun.sleep(1.1 * WINDOW_SECONDS * 1_000)
  const middle = await half(addresses)
  const growth = (await half(2 * addresses)) - middle
  return [
    {
      name: `wrong keys from ${2 * addresses} addresses that were not refused`,
      value: String(guessed),
      isKept: guessed === 0,
    },
    {
      name: "requests of a valid key from an address that guesses, refused",
      value: `${validRefused} of ${validSent}`,
      isKept: validRefused === 0,
    },
    {
      name: "growth of memory in the second half of the flood",
      value: `${growth.toFixed(0)} MB of ${middle.toFixed(0)} MB`,
      isKept: growth <= GROWTH_MAX,
    },
  ]
}
