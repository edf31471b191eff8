import { WireConnection } from "../../../lib/safety/fuzz/Wire.ts"

/*
 * A client of its own, on a thread of its own, that measures how long others wait: it sends one small request after
 * another.
 */

/** What the probe sends, to which address, and for how long each request may take. */
export interface ProbeOrder {
  readonly url: string
  readonly apiKey: string
  readonly pause: number
  readonly timeout: number
}

/** A wait that was longer than any before it was reported, in milliseconds; `at` is by the clock of the machine. */
export interface Wait {
  readonly at: number
  readonly milliseconds: number
}

/** Waits at least this long are reported, in milliseconds. */
const REPORTED = 100

const measure = async ({ apiKey, pause, timeout, url }: ProbeOrder): Promise<never> => {
  const connection = new WireConnection(url, timeout)
  const { host } = new URL(url)
  const bytes = Buffer.from(
    `GET /api/external/chatbots?limit=1 HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${apiKey}\r\n\r\n`,
  )
  for (;;) {
    const start = performance.now()
    await connection.send({ method: "GET", bytes, isCutOff: false })
    const milliseconds = performance.now() - start
    if (milliseconds >= REPORTED) postMessage({ at: performance.timeOrigin + start, milliseconds } satisfies Wait)
    await Bun.sleep(pause)
  }
}

declare const self: Worker
self.onmessage = ({ data }: MessageEvent<ProbeOrder>) => void measure(data)
