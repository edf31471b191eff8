import { effect, signal } from "@preact/signals"
import type { SessionId } from "../../../domain/Ids.ts"
import type {
  WidgetConfig,
  WidgetConversation,
  WidgetHandover,
  WidgetHandoverRequest,
  WidgetMessage,
  WidgetPerson,
  WidgetPresence,
  WidgetUpdate,
} from "../../../domain/widget/Widget.ts"
import { eventsOf } from "../../shared/EventStream.ts"
import type { Client } from "./Client.ts"
import { failureFrom } from "./Failure.ts"
import { pause } from "./Following.ts"

/** That the visitor writes is told this often at most; the server takes it to hold for longer. */
const WRITING_EVERY_MILLIS = 3_000

/** The people who may answer in the open conversation, and what they do. */
export class People {
  /** Null in a conversation that was never handed over. */
  readonly handover = signal<WidgetHandover | null>(null)
  readonly writing = signal<WidgetPerson | null>(null)
  /** How the visitor asks for a person: by its next message, or by the form for when nobody is there. */
  readonly wish = signal<"message" | "form" | undefined>(undefined)
  /** Takes a message that was stored in the open conversation. */
  onMessage: (message: WidgetMessage) => void = () => undefined
  /** Notes that the owner of the open conversation, or what its visitor waits for, has changed. */
  onHandover: () => void = () => undefined
  /** Reads the messages of the open conversation anew. */
  onResync: () => void = () => undefined

  readonly #client: Client
  #toldWritingAt = -WRITING_EVERY_MILLIS
  #readTo = ""

  constructor(client: Client) {
    this.#client = client
  }

  /** Whether people answer, and not the chatbot. */
  get areThere(): boolean {
    return this.handover.value?.owner === "people"
  }

  clear(): void {
    this.handover.value = null
    this.writing.value = null
    this.wish.value = undefined
    this.#readTo = ""
  }

  /** Whether people are there now; undefined where the server does not say. */
  async areIn(): Promise<boolean | undefined> {
    const { config } = await this.#client.config<{ readonly config: WidgetConfig }>()
    return config.handover?.is_open
  }

  async handOver(request: WidgetHandoverRequest): Promise<WidgetConversation> {
    const { conversation } = await this.#client.json<{ readonly conversation: WidgetConversation }>(
      "POST",
      "handover",
      request,
    )
    this.handover.value = conversation.handover
    this.wish.value = undefined
    return conversation
  }

  /** Follows a conversation as long as the condition holds. Returns what ends that. */
  follow(conversation: () => SessionId | undefined): () => void {
    return effect(() => {
      const id = conversation()
      if (id === undefined) return
      const abort = new AbortController()
      void this.#follow(id, abort.signal)
      return () => abort.abort()
    })
  }

  /** Tells people that the visitor writes. */
  tellWriting(conversation: SessionId | undefined): void {
    const now = performance.now()
    if (!this.areThere || now - this.#toldWritingAt < WRITING_EVERY_MILLIS) return
    this.#toldWritingAt = now
    this.#tell(conversation, { state: "writing" })
  }

  /** Tells people that the visitor has stopped writing. */
  tellWritten(conversation: SessionId | undefined): void {
    if (this.areThere && this.#toldWritingAt > 0) this.#tell(conversation, { state: "reading" })
    this.#toldWritingAt = -WRITING_EVERY_MILLIS
  }

  /** Tells people up to which message the visitor has read. */
  tellRead(conversation: SessionId | undefined, read_to: WidgetMessage["created_at"]): void {
    if (read_to <= this.#readTo) return
    this.#readTo = read_to
    const { value: handover } = this.handover
    if (handover !== null) this.handover.value = { ...handover, unread: 0 }
    this.#tell(conversation, { state: "reading", read_to })
  }

  #tell(conversation: SessionId | undefined, presence: WidgetPresence): void {
    // Nobody misses it where it does not arrive.
    void this.#client.send("POST", `conversations/${conversation}/presence`, presence).catch(() => undefined)
  }

  async #follow(conversation: SessionId, signal: AbortSignal): Promise<void> {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        const response = await this.#client.send("GET", `conversations/${conversation}/events`, undefined, signal)
        for await (const events of eventsOf(response)) {
          tries = 1
          for (const { data } of events) if (!signal.aborted) this.#apply(JSON.parse(data) as WidgetUpdate)
        }
      } catch (error) {
        const { kind } = failureFrom(error)
        if (kind === "missing" || kind === "gone" || kind === "identity") return
      }
      if (!signal.aborted) await pause(tries)
    }
  }

  #apply(update: WidgetUpdate): void {
    if (update.type === "message") this.onMessage(update.message)
    else if (update.type === "handover") {
      this.handover.value = update.handover
      this.onHandover()
    } else if (update.type === "presence") this.writing.value = update.writing
    else this.onResync()
  }
}
