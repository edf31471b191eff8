import type { Call, Fields, Listener, Speaker } from "./Call.ts"

/** The part of `SpeechRecognition` that is used, which TypeScript does not declare. */
interface SpeechRecognition {
  lang: string
  processLocally?: boolean
  onresult: (event: { readonly results: SpeechRecognitionResultList }) => void
  onerror: (event: { readonly error: string }) => void
  onend: () => void
  start(): void
  abort(): void
}

interface RecognitionConstructor {
  new (): SpeechRecognition
  /** Absent in browsers that recognize nothing on the device. */
  available?(options: { readonly langs: ReadonlyArray<string>; readonly processLocally: true }): Promise<string>
}

/** The browser's own recognition, where it has one. */
export const Recognition: RecognitionConstructor | undefined =
  Reflect.get(globalThis, "SpeechRecognition") ?? Reflect.get(globalThis, "webkitSpeechRecognition")

/** Returns whether the browser recognizes a language on the device, without its maker. */
export const recognizesLocally = async (language: string): Promise<boolean> => {
  const options = { langs: [language], processLocally: true } as const
  return (await Recognition?.available?.(options).catch(() => "")) === "available"
}

/** Errors after which recognition begins again: nothing was said, or it was ended on purpose. */
const passing = new Set(["no-speech", "aborted"])

/** Listens by the browser's recognition. It hears the loudspeaker too, and is closed while the chatbot speaks. */
export const browserListener = (
  Constructor: RecognitionConstructor,
  language: string,
  isLocal: boolean,
  call: Call,
): Listener => {
  const recognition = new Constructor()
  let isOpen = false
  let isRunning = false
  /** Begins, unless the last recognition has yet to end. */
  const run = () => {
    if (!isOpen || isRunning) return
    isRunning = true
    recognition.start()
  }
  const open = (is: boolean) => {
    isOpen = is
    if (is) run()
    else recognition.abort()
  }
  recognition.lang = language
  if (isLocal) recognition.processLocally = true
  recognition.onresult = ({ results }) => {
    const text = results[results.length - 1]?.[0]?.transcript.trim() ?? ""
    if (isOpen && text !== "") call.onText(text)
  }
  recognition.onerror = ({ error }) => passing.has(error) || call.onFailure(new DOMException(error))
  recognition.onend = () => {
    isRunning = false
    run()
  }
  return { isInterrupting: false, start: async () => open(true), open, stop: () => open(false) }
}

/** Speaks by the browser's own voices, clause by clause. */
export class BrowserSpeaker implements Speaker {
  readonly #language: string
  /** Those of the present reply that are not over. Without a reference, Chromium forgets to say when one is. */
  readonly #utterances = new Set<SpeechSynthesisUtterance>()
  /** Characters of the present reply: all that has come, and those before the word that is being spoken. */
  #length = 0
  #heard = 0
  #onSilence: () => void = () => undefined

  constructor(language: string) {
    this.#language = language
  }

  /** Says nothing, once: Safari lets a page speak only after it did in a click. */
  start(): void {
    speechSynthesis.speak(new SpeechSynthesisUtterance(""))
  }

  add(text: string): void {
    const utterance = new SpeechSynthesisUtterance(text)
    const start = this.#length
    this.#length += text.length
    utterance.lang = this.#language
    utterance.onboundary = ({ charIndex }) => (this.#heard = start + charIndex)
    utterance.onend = utterance.onerror = () => {
      if (!this.#utterances.delete(utterance)) return
      this.#heard = start + text.length
      if (this.#utterances.size === 0) this.#onSilence()
    }
    this.#utterances.add(utterance)
    speechSynthesis.speak(utterance)
  }

  async finished(): Promise<void> {
    if (this.#utterances.size > 0) await new Promise<void>((resolve) => (this.#onSilence = resolve))
    if (this.#utterances.size === 0) this.#length = this.#heard = 0
  }

  duck(): void {}

  close(): void {}

  stop(): Fields {
    const heard_characters = this.#heard
    this.#utterances.clear()
    this.#length = this.#heard = 0
    speechSynthesis.cancel()
    this.#onSilence()
    return { heard_characters }
  }
}
