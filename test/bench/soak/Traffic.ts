import { Effect, Schema } from "effect"
import { random } from "../../lib/Random.ts"
import { makeCorpus } from "../http/Corpus.ts"
import { apiKey } from "../http/Fixture.ts"

/*
 * What users, integrators and an operator do with a server all day: requests of all kinds at a steady rate, over data
 * that is replaced and deleted as fast as it comes.
 */

const CHATBOTS = 5
const DOCUMENTS = 60
/** Of changes of a document: the others delete it. */
const REPLACED = 0.5
const SECTIONS = 4
/** Conversations at a time. Each is deleted, and begun anew, after so many turns. */
const SESSIONS = 100
const TURNS = 10
/** A client that is answered later than this has given up. */
const TIMEOUT_MILLISECONDS = 30_000

export interface Traffic {
  /** Sends until it is interrupted. */
  readonly run: Effect.Effect<never>
  /** Of answers since it was last asked. */
  readonly takeCounts: () => { readonly answered: number; readonly errors: number }
}

/** A place for one document. */
interface Slot {
  readonly chatbot: string
  document: string | undefined
  /** One change at a time. */
  isBusy: boolean
}

const Id = Schema.Struct({ id: Schema.String })
const readCreated = Schema.decodeSync(Schema.fromJsonString(Schema.Struct({ chatbot: Id })))
const readUploaded = Schema.decodeSync(Schema.fromJsonString(Schema.Struct({ documents: Schema.Array(Id) })))

/** Makes what the requests are about, on the server that listens on this port. */
export const makeTraffic = (port: number, rate: number): Effect.Effect<Traffic> =>
  Effect.promise(async () => {
    const draw = random(15)
    const below = (count: number) => Math.floor(draw() * count)
    const { files, questions } = makeCorpus(DOCUMENTS * 2, SECTIONS)
    const question = () => questions[below(questions.length)] ?? ""
    const turns = new Map<string, number>()
    const counts = { answered: 0, errors: 0 }

    const send = async (method: string, path: string, body?: FormData | object): Promise<string> => {
      const isForm = body instanceof FormData
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { "x-api-key": apiKey, ...(body !== undefined && !isForm && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
      })
      const text = await response.text()
      // A conversation or a document may be deleted by another request.
      if (response.status >= 300 && response.status !== 404)
        throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text
    }

    const chatbots: Array<string> = []
    for (let number = 1; number <= CHATBOTS; number++) {
      const made = await send("POST", "/api/external/chatbots", {
        name: `Soak ${number}`,
        settings: { model: "local/extractive" },
      })
      chatbots.push(readCreated(made).chatbot.id)
    }
    const chatbot = () => `/api/external/chatbot/${chatbots[below(chatbots.length)]}`
    const slots = chatbots.flatMap((chatbot) =>
      Array.from({ length: DOCUMENTS / CHATBOTS }, (): Slot => ({ chatbot, document: undefined, isBusy: false })),
    )

    const chat = (stream: boolean) => {
      const base = chatbot()
      const sessionToken = `session-${below(SESSIONS)}`
      const conversation = `${base}/conversations/${sessionToken}`
      const turn = (turns.get(conversation) ?? 0) + 1
      turns.set(conversation, turn % TURNS)
      if (turn === TURNS) return send("DELETE", conversation)
      const messages = [{ role: "user", content: question() }]
      return send("POST", `${base}/chat${stream ? "?stream=true" : ""}`, { messages, sessionToken })
    }

    const file = () => {
      const { name, text } = files[below(files.length)] ?? { name: "", text: "" }
      // Never the same content twice, which would be no upload.
      return new File([`${text}\n\n${question()} ${Math.floor(draw() * 1e9)}\n`], name, { type: "text/markdown" })
    }

    /** Uploads one where there is none, or replaces or deletes the one that there is. */
    const changeDocument = async (): Promise<void> => {
      const slot = slots[below(slots.length)]
      if (slot === undefined || slot.isBusy) return
      slot.isBusy = true
      try {
        const knowledge = `/api/external/chatbot/${slot.chatbot}/knowledge-base`
        const form = new FormData()
        if (slot.document === undefined) {
          form.set("chatbotId", slot.chatbot)
          form.append("files", file())
          slot.document = readUploaded(await send("POST", "/api/embedfiles", form)).documents[0]?.id
        } else if (draw() < REPLACED) {
          form.set("documentId", slot.document)
          form.set("file", file())
          await send("PATCH", knowledge, form)
        } else {
          await send("DELETE", `${knowledge}?id=${slot.document}`)
          slot.document = undefined
        }
      } finally {
        slot.isBusy = false
      }
    }

    const kinds: ReadonlyArray<readonly [share: number, act: () => Promise<unknown>]> = [
      [25, () => chat(false)],
      [15, () => chat(true)],
      [20, () => send("POST", `${chatbot()}/query-knowledge`, { query: question() })],
      [10, () => send("GET", chatbot())],
      [5, () => send("GET", "/api/external/chatbots")],
      [5, () => send("GET", `${chatbot()}/knowledge-base/documents`)],
      [5, () => send("GET", `${chatbot()}/conversations`)],
      [5, () => send("GET", `${chatbot()}/conversations/session-${below(SESSIONS)}/messages?page=1&limit=20`)],
      [10, changeDocument],
    ]
    const whole = kinds.reduce((sum, [share]) => sum + share, 0)

    const act = async (): Promise<void> => {
      let place = below(whole)
      const kind = kinds.find(([share]) => (place -= share) < 0)
      try {
        await kind?.[1]()
        counts.answered++
      } catch (error) {
        counts.errors++
        if (counts.errors <= 3) console.error(String(error))
      }
    }

    return {
      run: Effect.forever(
        Effect.andThen(
          Effect.sleep(1_000 / rate),
          Effect.sync(() => void act()),
        ),
      ),
      takeCounts: () => {
        const taken = { ...counts }
        counts.answered = 0
        counts.errors = 0
        return taken
      },
    }
  })
