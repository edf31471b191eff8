import type { Schema } from "effect"
import { isJsonObject, parseJson } from "../../text/Json.ts"
import type { ToolDeclaration } from "../ToolDeclaration.ts"

/*
 * What models write into their text, because nothing on their server reads it: their reasoning, between tags, and calls of
 * tools. Only what begins a line counts, and nothing in a code block: text may speak of such tags.
 */

/** A part of what a model has written. */
export interface Written {
  readonly kind: "text" | "reasoning"
  readonly text: string
}

/** A call of a tool that a model has written as text. */
export interface WrittenCall {
  readonly name: string
  readonly params: Schema.Json
}

/** What begins reasoning, in small letters, and what ends it. */
const THOUGHTS: ReadonlyMap<string, string> = new Map([
  ...["think", "thinking", "thought", "reasoning"].map((name) => [`<${name}>`, `</${name}>`] as const),
  ["[think]", "[/think]"],
  ["<|channel|>analysis<|message|>", "<|end|>"],
  ["<|channel|>commentary<|message|>", "<|end|>"],
])
/** What ends reasoning whose beginning the server has kept for itself. */
const ENDS: ReadonlySet<string> = new Set(Array.from(THOUGHTS.values()).filter((end) => end !== "<|end|>"))
/** Marks of the format of an answer that are no part of it. */
const MARKS: ReadonlySet<string> = new Set([
  "<|start|>assistant",
  "<|channel|>final<|message|>",
  "<|end|>",
  "<|return|>",
])
/** What begins a call of a tool at the beginning of a line. */
const CALLS = ["<tool_call>", "[tool_calls]", "<|python_tag|>", "<function="]
/** What begins a call at the beginning of an answer. */
const BARE_CALLS = ["{", "[{", "```json", "```tool_call"]
const FENCE = "```"

const NOT_BLANK = /\S/gu
const LINE_END = /\n/gu
const LINE_END_OR_TAG = /[\n<[]/gu

/** The most characters of calls that are written as text. */
const CALL_MAX = 64 * 1024
/** The characters of the longest of these. */
const TOKEN_MAX = 40

/** Reads a text that may arrive in pieces of any length. */
export class WrittenText {
  private readonly tools: ReadonlyArray<ToolDeclaration>
  private readonly isWhole: boolean
  /** The end of the reasoning that is being read; undefined in the text of the answer. */
  private until: string | undefined
  /** Whether it is not known yet if what comes before `until` is reasoning. */
  private isGuess: boolean
  /** What was received and not passed on. */
  private held = ""
  /** Whether everything up to the end is held, since it may be a call. */
  private mayBeCall = false
  /** What is reasoning if its end follows, and otherwise the answer. */
  private readonly guessed: Array<string> = []
  private isLineStart = true
  private isInFence = false
  private hasText = false
  /** Whether reasoning was read, whose end is no other's. */
  private hasThought = false
  /** Whether blanks are left out, as between reasoning and answer. */
  private isTrimming = false
  private readonly pieces: Array<Written> = []
  /** The end of reasoning that had no beginning. */
  loneEnd: string | undefined
  /** Whether the end by which the answer was expected to begin has not come. */
  hasGuessedWrong = false

  /**
   * @param tools those that the model may call
   * @param isWhole whether nothing is passed on before the end, so that reasoning without a beginning is told by its end
   * @param until the end of the reasoning by which the model's answers begin, if it is known
   */
  constructor(tools: ReadonlyArray<ToolDeclaration>, isWhole: boolean, until: string | undefined) {
    this.tools = tools
    this.isWhole = isWhole
    this.until = until
    this.isGuess = until !== undefined
  }

  /** Returns what is known of the text up to now. */
  add(piece: string): ReadonlyArray<Written> {
    // Nearly every piece is a word in the middle of a line.
    const isPlain =
      this.held === "" && this.hasText && !this.isTrimming && !this.isLineStart && this.until === undefined
    if (isPlain && !this.isWhole && !/[\n<[]/u.test(piece)) return [{ kind: "text", text: piece }]
    this.held += piece
    if (this.mayBeCall && this.held.length > CALL_MAX) this.passHeld()
    this.readOn()
    return this.isWhole ? [] : this.pieces.splice(0)
  }

  /** Returns the rest of the text, which has ended, and the calls in it. */
  end(): { readonly pieces: ReadonlyArray<Written>; readonly calls: ReadonlyArray<WrittenCall> } {
    const isWrong = this.isGuess
    if (isWrong) {
      // Without the reasoning that was expected, all of it is text like any other.
      this.held = this.guessed.splice(0).join("") + this.held
      this.isGuess = false
      this.until = undefined
      this.readOn()
    }
    const rest = this.held
    this.held = ""
    const calls = this.mayBeCall ? callsIn(rest, this.tools) : []
    if (calls.length === 0) this.pass(this.until === undefined ? "text" : "reasoning", rest)
    // Calls alone tell nothing of how the model writes.
    this.hasGuessedWrong = isWrong && this.hasText
    return { pieces: this.pieces.splice(0), calls }
  }

  private readOn(): void {
    while (!this.mayBeCall && (this.until === undefined ? this.readText() : this.readThought(this.until)));
  }

  /** Passes on what is too long for a call. */
  private passHeld(): void {
    this.pass("text", this.held)
    this.held = ""
    this.mayBeCall = false
    this.isLineStart = false
  }

  private pass(kind: Written["kind"], given: string): void {
    const text = kind === "text" && this.isTrimming ? given.trimStart() : given
    if (text === "") return
    if (kind === "text") {
      this.isTrimming = false
      this.hasText = true
    }
    const last = this.pieces.at(-1)
    if (last?.kind === kind) this.pieces[this.pieces.length - 1] = { kind, text: last.text + text }
    else this.pieces.push({ kind, text })
  }

  /** Reads on in reasoning. Returns whether there may be more to read. */
  private readThought(until: string): boolean {
    const { held } = this
    const end = held.toLowerCase().indexOf(until)
    if (end === -1) {
      const kept = heldBack(held, until)
      const before = held.slice(0, held.length - kept)
      if (this.isGuess) this.guessed.push(before)
      else this.pass("reasoning", before)
      this.held = held.slice(held.length - kept)
      return false
    }
    const thought = this.guessed.splice(0).join("") + held.slice(0, end)
    const [begin = ""] = this.isGuess ? (/^\s*<\w+>/u.exec(thought) ?? []) : []
    this.pass("reasoning", thought.slice(begin.length))
    this.endThought(held.slice(end + until.length))
    return this.held !== ""
  }

  private endThought(rest: string): void {
    this.held = rest
    this.until = undefined
    this.isGuess = false
    this.hasThought = true
    this.isTrimming = true
    this.isLineStart = true
  }

  /** Reads on in the answer, up to what may be a tag. Returns whether there may be more to read. */
  private readText(): boolean {
    const { held } = this
    for (let at = 0; at < held.length; at++) {
      const pattern = this.isLineStart ? NOT_BLANK : this.hasThought ? LINE_END : LINE_END_OR_TAG
      pattern.lastIndex = at
      const next = pattern.exec(held)
      if (next === null) break
      at = next.index
      if (held[at] === "\n") {
        this.isLineStart = true
        continue
      }
      const rest = held.slice(at, at + TOKEN_MAX).toLowerCase()
      const found = this.tokenAt(rest)
      if (found === "partial") {
        this.held = this.passText(held.slice(0, at)) + held.slice(at)
        return false
      }
      if (found === FENCE) this.isInFence = !this.isInFence
      else if (found !== undefined) return this.take(found, held, at)
      this.isLineStart = false
    }
    this.held = this.passText(held)
    return false
  }

  /** Passes text of the answer on, and returns the blanks before reasoning, or before anything at all. */
  private passText(text: string): string {
    if (!this.hasText && text.trim() === "") return text
    this.pass("text", text)
    return ""
  }

  /** The token at the beginning of a text; `partial` where more has to be received to tell. */
  private tokenAt(rest: string): string | undefined {
    const tokens = this.isInFence
      ? [FENCE]
      : [
          ...(this.hasThought ? [] : ENDS),
          ...(this.isLineStart ? [FENCE, ...THOUGHTS.keys(), ...MARKS, ...this.callTokens()] : []),
        ]
    let isPartial = false
    let found: string | undefined
    for (const token of tokens) {
      if (rest.startsWith(token)) found = found === undefined || token.length > found.length ? token : found
      else isPartial ||= token.startsWith(rest)
    }
    if (isPartial) return "partial"
    // In the middle of a line only what ends it is an end.
    const isEnd = found !== undefined && ENDS.has(found) && !this.isLineStart
    if (isEnd && rest.length === found?.length) return "partial"
    return isEnd && rest[found?.length ?? 0] !== "\n" ? undefined : found
  }

  private callTokens(): ReadonlyArray<string> {
    if (this.tools.length === 0) return []
    return this.hasText ? CALLS : [...CALLS, ...BARE_CALLS]
  }

  private take(token: string, held: string, at: number): boolean {
    const until = THOUGHTS.get(token)
    if (until === undefined && !MARKS.has(token) && !ENDS.has(token)) {
      this.passText(held.slice(0, at))
      this.held = held.slice(at)
      this.mayBeCall = true
      return false
    }
    const before = held.slice(0, at)
    const rest = held.slice(at + token.length)
    if (ENDS.has(token)) {
      this.loneEnd = token
      this.pass("reasoning", before)
      // What was passed on is gone; what was not is reasoning.
      for (const [index, { text }] of this.pieces.entries()) this.pieces[index] = { kind: "reasoning", text }
      this.hasText = this.isWhole ? false : this.hasText
      this.endThought(rest)
      return this.held !== ""
    }
    this.passText(before)
    this.held = rest
    this.until = until
    return this.held !== ""
  }
}

/** The characters at the end of a text that may begin a token. */
const heldBack = (text: string, token: string): number => {
  const end = text.slice(-token.length + 1).toLowerCase()
  for (let length = Math.min(end.length, token.length - 1); length > 0; length--)
    if (token.startsWith(end.slice(-length))) return length
  return 0
}

/** The JSON texts in which calls may stand, in the forms of Hermes, Llama and Mistral, in a fence, and bare. */
const jsonsIn = (text: string): ReadonlyArray<string> => {
  // Split and trimmed instead of matched, lest a long text is searched once for each of its beginnings.
  const [, ...tagged] = text.split("<tool_call>")
  if (tagged.length > 0) return tagged.map((one) => one.split("</tool_call>")[0] ?? "")
  const [, ...named] = text.split("<function=")
  if (named.length > 0)
    return named.map((one) => {
      const [name, args = ""] = (one.split("</function>")[0] ?? "").split(/>(.*)/su)
      return JSON.stringify({ name, arguments: args.trim() === "" ? "{}" : args })
    })
  const bare = text
    .trim()
    .replace(/^(?:\[TOOL_CALLS\]|<\|python_tag\|>)/iu, "")
    .replace(/^```\w*\n/u, "")
    .replace(/```$/u, "")
  return parseJson(bare) === undefined ? bare.split(/[;\n](?=[ \t]*\{)/u) : [bare]
}

const callsIn = (text: string, tools: ReadonlyArray<ToolDeclaration>): ReadonlyArray<WrittenCall> => {
  const values = jsonsIn(text).map(parseJson)
  const calls = values.flatMap((value) => (Array.isArray(value) ? value : [value])).map((value) => callOf(value, tools))
  const found = calls.filter((call) => call !== undefined)
  return found.length === calls.length ? found : []
}

/** A call of an offered tool with all arguments that this requires; undefined for any other value. */
const callOf = (value: Schema.Json | undefined, tools: ReadonlyArray<ToolDeclaration>): WrittenCall | undefined => {
  if (!isJsonObject(value)) return undefined
  const fields = isJsonObject(value["function"]) ? value["function"] : value
  const given = fields["arguments"] ?? fields["parameters"] ?? fields["args"] ?? fields["input"]
  const params = typeof given === "string" ? parseJson(given) : given
  const tool = tools.find(({ name }) => name === fields["name"])
  if (tool === undefined || !isJsonObject(params)) return undefined
  const { required = [] } = tool.inputSchema
  const isComplete = Array.isArray(required) && required.every((name) => typeof name !== "string" || name in params)
  return isComplete ? { name: tool.name, params } : undefined
}
