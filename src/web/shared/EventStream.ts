export interface ServerEvent {
  readonly id?: string
  readonly data: string
}

/** Takes server-sent events out of text that comes in pieces, as the HTML standard defines them. */
export class EventReader {
  #rest = ""
  #data: Array<string> = []
  #id: string | undefined

  read(piece: string): ReadonlyArray<ServerEvent> {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/u)
    this.#rest = lines.pop() ?? ""
    const events: Array<ServerEvent> = []
    for (const line of lines) {
      if (line === "") {
        if (this.#data.length > 0) {
          events.push({ data: this.#data.join("\n"), ...(this.#id === undefined ? {} : { id: this.#id }) })
        }
        this.#data = []
        continue
      }
      const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/su.exec(line) ?? []
      if (field === "data") this.#data.push(value)
      if (field === "id") this.#id = value
    }
    return events
  }
}

/** Reads the events of a response, one array for what has come at once, until the response ends. */
export async function* eventsOf(response: Response): AsyncGenerator<ReadonlyArray<ServerEvent>> {
  if (response.body === null) return
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const events = new EventReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const read = events.read(decoder.decode(value, { stream: true }))
      if (read.length > 0) yield read
    }
  } finally {
    // Where the reader of the events has left, the request ends.
    void reader.cancel().catch(() => undefined)
  }
}
