import type { LookupAddress } from "node:dns"
import type { IncomingMessage, request } from "node:http"
import { Readable } from "node:stream"
import { failureOf } from "./PageRequest.ts"

/** The statuses of responses that may have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

const responseOf = (incoming: IncomingMessage): Response => {
  const { statusCode: status = 0 } = incoming
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
  if (!bodiless.has(status)) return new Response(Readable.toWeb(incoming), { status, headers })
  incoming.destroy()
  return new Response(null, { status, headers })
}

/**
 * Sends a request by `open`, to one of the addresses that were checked. The response is there with its head, and its body
 * is read as it comes; what fails before rejects with `FetchFailed`. The signal closes the connection.
 */
export const requestStream = async (
  open: typeof request,
  given: Request,
  hostname: string,
  addresses: ReadonlyArray<LookupAddress>,
): Promise<Response> => {
  const { port, pathname, search } = new URL(given.url)
  const content = Buffer.from(await given.arrayBuffer())
  return new Promise((resolve, reject) => {
    const outgoing = open({
      method: given.method,
      hostname,
      port,
      path: pathname + search,
      headers: {
        ...Object.fromEntries(given.headers),
        "accept-encoding": "identity",
        "content-length": String(content.length),
      },
      signal: given.signal,
      // A new connection: one that was kept open might go to an address that was checked for another tenant.
      agent: false,
      lookup: (_host, _options, found) => found(null, [...addresses]),
    })
    outgoing.on("error", (error) => reject(failureOf(error)))
    outgoing.on("response", (incoming) => {
      try {
        resolve(responseOf(incoming))
      } catch (error) {
        // A status or a header that no response may have, which would end the process here.
        outgoing.destroy()
        reject(failureOf(error))
      }
    })
    outgoing.end(content)
  })
}
