import type { LookupAddress } from "node:dns"
import type { request } from "node:http"
import { failureOf } from "./PageRequest.ts"

/** The statuses of responses that may have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

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
      const status = incoming.statusCode ?? 0
      const headers = new Headers()
      for (const [name, value] of Object.entries(incoming.headers))
        if (value !== undefined) headers.set(name, String(value))
      if (bodiless.has(status)) {
        incoming.destroy()
        return resolve(new Response(null, { status, headers }))
      }
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          incoming.on("data", (chunk: Uint8Array) => {
            controller.enqueue(chunk)
            if ((controller.desiredSize ?? 0) <= 0) incoming.pause()
          })
          incoming.on("end", () => controller.close())
          incoming.on("error", (error) => controller.error(failureOf(error)))
          incoming.on("aborted", () => controller.error(failureOf(undefined)))
        },
        pull: () => void incoming.resume(),
        cancel: () => void outgoing.destroy(),
      })
      return resolve(new Response(body, { status, headers }))
    })
    outgoing.end(content)
  })
}
