import { Effect } from "effect"
import { wordMark } from "./FakeProvider.ts"

/*
 * Many streams at once, over bare sockets, and when each word of them came.
 */

export interface StreamsLoad {
  readonly port: number
  /** Asked in turn. */
  readonly requests: ReadonlyArray<Uint8Array>
  /** All at once. */
  readonly streams: number
  /** Of each stream; one that ends with another number has failed. */
  readonly words: number
  /** Milliseconds over which the streams begin. */
  readonly rampMillis: number
}

export interface StreamsOutcome {
  /** Milliseconds from each request to its first word. */
  readonly firstWords: ReadonlyArray<number>
  /** Of each stream, the longest time between two reads that brought words, in milliseconds. */
  readonly longestGaps: ReadonlyArray<number>
  readonly errors: number
  readonly milliseconds: number
}

export const hold = (load: StreamsLoad): Effect.Effect<StreamsOutcome> =>
  Effect.promise(async () => {
    const firstWords: Array<number> = []
    const longestGaps: Array<number> = []
    let errors = 0
    const begin = performance.now()
    await Promise.all(
      Array.from({ length: load.streams }, async (_, index) => {
        await Bun.sleep((index / load.streams) * load.rampMillis)
        const request = load.requests[index % load.requests.length]
        const seen = request === undefined ? undefined : await stream(load.port, request)
        if (seen === undefined || seen.words !== load.words) return void errors++
        firstWords.push(seen.firstWord)
        longestGaps.push(seen.longestGap)
      }),
    )
    return { firstWords, longestGaps, errors, milliseconds: performance.now() - begin }
  })

/** The chunk that ends a body. */
const LAST_CHUNK = "\r\n0\r\n\r\n"

const stream = (
  port: number,
  request: Uint8Array,
): Promise<{ readonly words: number; readonly firstWord: number; readonly longestGap: number }> =>
  new Promise((resolve) => {
    let words = 0
    let firstWord = 0
    let longestGap = 0
    let last = 0
    let end = ""
    const begin = performance.now()
    const done = () => resolve({ words, firstWord, longestGap })
    void Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => void socket.write(request),
        data: (socket, bytes) => {
          const text = bytes.toString("latin1")
          const came = text.split(wordMark).length - 1
          if (came > 0) {
            const now = performance.now()
            if (words === 0) firstWord = now - begin
            else longestGap = Math.max(longestGap, now - last)
            last = now
            words += came
          }
          end = (end + text).slice(-LAST_CHUNK.length)
          if (end === LAST_CHUNK) socket.end()
        },
        close: done,
        error: done,
        connectError: done,
      },
    })
  })
