import type { Response } from "effect/ai"
import type { ShownEvent, StepMade } from "./AgentEvent.ts"
import { clean, type Generation, type Maker, readCall, readGeneration } from "./Generation.ts"
import { LongText } from "./LongText.ts"
import { NoAnswer } from "../models/NoAnswer.ts"
import { readTokens, TokenCount } from "../models/TokenCount.ts"

/** A text that has started and not ended yet. */
interface OpenText {
  /** The id of the text in events. The provider's own ids may occur again in the next step. */
  readonly id: string
  readonly metadata: Response.TextStartPartEncoded["metadata"]
  readonly content: LongText
  /** The first half of a surrogate pair whose second half may come with the next piece, or an empty text. */
  half: string
  readonly noAnswer: NoAnswer
}

/** A model's reasoning that has started and not ended yet. */
interface OpenReasoning {
  readonly content: LongText
  metadata: Response.ReasoningStartPartEncoded["metadata"]
}

/** Assembles an answer from its parts as they are received, and translates the parts into events. */
export class StreamedGeneration {
  private readonly parts: Array<Response.PartEncoded> = []
  private readonly texts = new Map<string, OpenText>()
  private readonly reasonings = new Map<string, OpenReasoning>()
  private readonly started = new Set<string>()
  private readonly maker: Maker
  private readonly newTextId: () => string
  private readonly count = new TokenCount()
  private metadata: Response.ResponseMetadataPartEncoded | undefined
  private saysNoAnswer = false
  /** Whether any part was received. */
  hasBegun = false

  constructor(maker: Maker, newTextId = () => "") {
    this.maker = maker
    this.newTextId = newTextId
  }

  /** The answer as far as it was received. */
  get generation(): Generation {
    const open = Array.from(this.texts.values(), ({ content, metadata }) => textPart(content.text, metadata))
    return readGeneration(this.parts.concat(this.metadata ?? [], open), this.count, this.saysNoAnswer, this.maker)
  }

  private get stepMade(): StepMade {
    const { calls, cost, text } = this.generation
    return { type: "step-made", step: { isContinued: false, text, toolCalls: calls, toolResults: [] }, cost }
  }

  /** Adds parts to the answer, and returns their events. */
  read(pieces: ReadonlyArray<Response.StreamPartEncoded>): Array<ShownEvent> {
    const events: Array<ShownEvent> = this.hasBegun ? [] : [{ type: "step-start", look: () => this.stepMade }]
    this.hasBegun = true
    for (const piece of pieces) this.take(piece, events)
    return events
  }

  private take(piece: Response.StreamPartEncoded, events: Array<ShownEvent>): void {
    switch (piece.type) {
      case "text-start": {
        const id = this.newTextId()
        this.texts.set(piece.id, {
          id,
          metadata: piece.metadata,
          content: new LongText(),
          half: "",
          noAnswer: new NoAnswer(),
        })
        events.push({ type: "text-start", id })
        return
      }
      case "text-delta": {
        this.count.addCharacters(piece.delta.length)
        const open = this.texts.get(piece.id)
        if (open === undefined) return
        pushDelta(open, piece.delta, events)
        this.saysNoAnswer ||= open.noAnswer.isMarked
        return
      }
      case "text-end": {
        const open = this.texts.get(piece.id)
        if (open === undefined) return
        this.texts.delete(piece.id)
        if (open.half !== "") pushText(open, open.half, events)
        pushShown(open, open.noAnswer.end(), events)
        const metadata = { ...open.metadata, ...piece.metadata }
        this.parts.push(textPart(open.content.text, metadata))
        events.push({ type: "text-end", id: open.id })
        return
      }
      case "reasoning-start":
        this.reasonings.set(piece.id, { content: new LongText(), metadata: piece.metadata })
        return
      case "reasoning-delta": {
        this.count.addCharacters(piece.delta.length)
        const open = this.reasonings.get(piece.id)
        if (open !== undefined) open.content.add(piece.delta)
        return
      }
      case "reasoning-end": {
        const open = this.reasonings.get(piece.id)
        if (open === undefined) return
        this.reasonings.delete(piece.id)
        const metadata = { ...open.metadata, ...piece.metadata }
        this.parts.push({ type: "reasoning", text: open.content.text, metadata })
        return
      }
      case "tool-params-start":
        this.startCall(piece.id, piece.name, events)
        return
      case "tool-params-delta":
        this.count.addCharacters(piece.delta.length)
        return
      case "tool-params-end":
      case "error":
        return
      case "tool-call": {
        const call = readCall(piece)
        this.startCall(call.toolCallId, call.toolName, events)
        this.parts.push(piece)
        events.push({ type: "tool-call", call })
        return
      }
      case "response-metadata": {
        this.metadata ??= piece
        const tokens = piece.metadata?.parley?.tokens
        if (tokens !== undefined) this.count.report(tokens)
        return
      }
      case "finish":
        this.count.report(readTokens(piece.usage))
        this.parts.push(piece)
        return
      default:
        this.parts.push(piece)
    }
  }

  private startCall(id: string, toolName: string, events: Array<ShownEvent>): void {
    const toolCallId = clean(id)
    if (this.started.has(toolCallId)) return
    this.started.add(toolCallId)
    events.push({ type: "tool-start", toolCallId, toolName: clean(toolName) })
  }
}

const textPart = (text: string, metadata: OpenText["metadata"]): Response.TextPartEncoded => ({
  type: "text",
  text,
  metadata,
})

/** Characters that have to be removed, or may be half of a surrogate pair. */
const needsCleaning = /[\0\ud800-\udfff]/

const pushDelta = (open: OpenText, delta: string, events: Array<ShownEvent>): void => {
  if (open.half === "" && !needsCleaning.test(delta)) return pushClean(open, delta, events)
  // NUL is removed first, so that one between the halves of a pair does not separate them.
  const text = open.half + delta.replaceAll("\u0000", "")
  const last = text.charCodeAt(text.length - 1)
  const whole = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length
  open.half = text.slice(whole)
  pushText(open, text.slice(0, whole), events)
}

const pushText = (open: OpenText, text: string, events: Array<ShownEvent>): void => pushClean(open, clean(text), events)

const pushClean = (open: OpenText, delta: string, events: Array<ShownEvent>): void =>
  pushShown(open, open.noAnswer.add(delta), events)

const pushShown = (open: OpenText, delta: string, events: Array<ShownEvent>): void => {
  if (delta === "") return
  open.content.add(delta)
  const last = events.at(-1)
  if (last?.type !== "text-delta" || last.id !== open.id) events.push({ type: "text-delta", id: open.id, delta })
  // Deltas that were received together are one event.
  else events[events.length - 1] = { ...last, delta: last.delta + delta }
}
