/*
 * Somebody else, in a thread of its own so that attackers delay nothing but the server: reads a chatbot and searches it
 * until it is told to end, and then tells how long each request took, in milliseconds.
 */

export interface Onlooker {
  readonly url: string
  readonly key: string
  readonly chatbot: string
  /** Milliseconds between two requests. */
  readonly pause: number
}

declare const self: Worker

let isOver = false

const look = async ({ chatbot, key, pause, url }: Onlooker) => {
  const took: Array<number> = []
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const body = JSON.stringify({ query: "How long?" })
  for (let number = 0; !isOver; number++) {
    const began = performance.now()
    const at = `${url}/api/external/chatbot/${chatbot}`
    const response = await (number % 4 === 0
      ? fetch(`${at}/query-knowledge`, { method: "POST", headers, body })
      : fetch(at, { headers }))
    await response.text()
    if (response.status === 200) took.push(performance.now() - began)
    await Bun.sleep(pause)
  }
  self.postMessage(took)
}

self.onmessage = ({ data }: MessageEvent<Onlooker | "end">) => {
  if (data === "end") isOver = true
  else void look(data)
}
