import { signal } from "@preact/signals"
import type { MessageId } from "../../../domain/Ids.ts"
import type { WidgetEvent, WidgetMessage, WidgetPerson, WidgetSource } from "../../../domain/widget/Widget.ts"
import type { SentFile, UploadedFile } from "../../shared/Attachments.tsx"
import { blocksOf, type Block } from "../../shared/markdown/Blocks.ts"
import { paced } from "../../shared/Paced.ts"
import { randomUuid } from "../../shared/Random.ts"
import { Failure, kindOf } from "./Failure.ts"

export class Question {
  readonly kind = "question"
  /** The id by which the server recognizes the message when it is sent again. */
  readonly key: string
  readonly text: string
  /** The files that go with it; they have ids before they are sent. */
  readonly files: ReadonlyArray<SentFile & Partial<UploadedFile>>
  /** Reason why the message was not sent, or has no reply. */
  readonly failure = signal<Failure | undefined>(undefined)
  /** When the server stored it; undefined until it has said so. */
  readonly sentAt = signal<string | undefined>(undefined)

  constructor(text: string, key: string = randomUuid(), sentAt?: string, files: Question["files"] = []) {
    this.text = text
    this.files = files
    this.key = key
    this.sentAt.value = sentAt
  }
}

export type Phase =
  | "waiting"
  | "writing"
  | "finished"
  | "stopped"
  /** It ended too early; `failure` says why. */
  | "broken"

/** Activity of the chatbot before it writes. */
export type Activity = Extract<WidgetEvent, { readonly type: "tool" }>

export type Rating = NonNullable<WidgetMessage["feedback"]>

/** A reply of the chatbot, which is being written or was written, or a message of a person. */
export class Reply {
  readonly kind = "reply"
  readonly key = randomUuid()
  readonly id = signal<MessageId | undefined>(undefined)
  readonly blocks = signal<ReadonlyArray<Block>>([])
  readonly phase = signal<Phase>("waiting")
  readonly activity = signal<Activity | undefined>(undefined)
  readonly sources = signal<ReadonlyArray<WidgetSource>>([])
  /** The sentences that no passage supports. */
  readonly unsupported = signal<ReadonlyArray<string>>([])
  readonly rating = signal<Rating | undefined>(undefined)
  readonly failure = signal<Failure | undefined>(undefined)
  /** The person who wrote it; undefined for the chatbot. */
  sender: WidgetPerson | undefined
  files: ReadonlyArray<SentFile> = []
  createdAt: WidgetMessage["created_at"] | undefined
  /** Whether people answer instead, so that there is no reply. */
  isHandedOver = false
  /** Whether people answer from now on, after what the chatbot has said. */
  #hasPeople = false
  /** The number of the last event, after which a stream that broke goes on. */
  lastEvent = 0
  text = ""
  /** Whether text came after the last activity, which is over once that text is drawn. */
  #isWriting = false
  readonly #draw = paced(() => {
    if (this.isOver || this.text === "") return
    if (this.#isWriting) this.activity.value = undefined
    this.blocks.value = blocksOf(this.text, this.blocks.value)
    this.phase.value = "writing"
  })

  static of(message: WidgetMessage): Reply {
    const reply = new Reply()
    reply.restore(message)
    return reply
  }

  get isOver(): boolean {
    const phase = this.phase.value
    return phase !== "waiting" && phase !== "writing"
  }

  /** Takes the place of what was streamed. */
  restore(message: WidgetMessage): void {
    this.#forget()
    this.id.value = message.id
    this.sender = message.sender
    this.createdAt = message.created_at
    this.text = message.content
    this.files = message.attachments ?? []
    this.sources.value = message.sources
    this.unsupported.value = message.unsupported ?? []
    this.rating.value = message.feedback
    this.#end(message.is_complete ? "finished" : "broken")
  }

  /** Applies an event of the stream; one that was applied before is passed over. */
  apply(event: WidgetEvent, number: number): void {
    if (number <= this.lastEvent || this.isOver) return
    this.lastEvent = number
    switch (event.type) {
      case "start":
        // A reply that is begun again begins its text again.
        this.#forget()
        this.id.value = event.message_id
        return
      case "tool":
        this.#isWriting = false
        this.activity.value = event
        return
      case "text":
        this.#isWriting = true
        this.text += event.text
        return this.#draw()
      case "source": {
        const { type: _, ...source } = event
        this.sources.value = [...this.sources.value, source]
        return
      }
      case "unsupported":
        this.unsupported.value = event.sentences
        return
      case "handover":
        // What the visitor has seen of the reply stays.
        if (this.text === "") this.isHandedOver = true
        else this.#hasPeople = true
        return
      case "finish":
        // A reply that hands the conversation over by itself is whole.
        return this.#end(this.#hasPeople && event.finish_reason === "other" ? "stopped" : "finished")
      case "stopped":
        return this.#end("stopped")
      case "error":
        return this.fail(new Failure(kindOf(event.code)))
      default:
        // Of a newer server.
        return
    }
  }

  /** Ends the reply with what there is of it. */
  fail(failure: Failure): void {
    if (this.isOver) return
    this.failure.value = failure
    this.#end("broken")
  }

  #forget(): void {
    this.text = ""
    this.activity.value = undefined
    this.blocks.value = []
    this.sources.value = []
    this.unsupported.value = []
  }

  #end(phase: Phase): void {
    this.blocks.value = blocksOf(this.text)
    this.activity.value = undefined
    this.phase.value = phase
  }
}

export type Entry = Question | Reply

export const entryOf = (message: WidgetMessage): Entry =>
  message.role === "user"
    ? new Question(message.content, message.client_id ?? message.id, message.created_at, message.attachments)
    : Reply.of(message)

/** Whether an entry shows a message. */
export const shows = (entry: Entry, { client_id, id }: WidgetMessage): boolean =>
  entry instanceof Question ? entry.key === (client_id ?? id) : entry.id.value === id
