import type { Call, Fields, Listener, Speaker } from "./Call.ts"

/** The part of `SpeechRecognition` that is used, which TypeScript does not declare. */
interface Recognition {
  lang: string
  processLocally?: boolean
  onresult: (event: { readonly results: SpeechRecognitionResultList }) => void
  onerror: (event: { readonly error: string }) => void
  onend: () => void
  start(): void
  abort(): void
}

interface RecognitionConstructor {
  new (): Recognition
  /** Absent in browsers that recognize nothing on the device. */
  available?(options: { readonly langs: ReadonlyArray<string>; readonly processLocally: true }): Promise<string>
}

/** The browser's own recognition, where it has one. */
export const recognition: RecognitionConstructor | undefined =
  Reflect.get(globalThis, "SpeechRecognition") ?? Reflect.get(globalThis, "webkitSpeechRecognition")

/** Returns whether the browser recognizes a language on the device, without its maker. */
export const recognizesLocally = async (language: string): Promise<boolean> => {
  const options = { langs: [language], processLocally: true } as const
  return (await recognition?.available?.(options).catch(() => "")) === "available"
}

/** Errors after which recognition begins again: nothing was said, or it was ended on purpose. */
const passing = new Set(["no-speech", "aborted"])

/** Listens by the browser's recognition. It hears the loudspeaker too, and is closed while the chatbot speaks. */
export class BrowserListener implements Listener {
  readonly isInterrupting = false
  readonly #recognition: Recognition
  #isOpen = false
  #isRunning = false

  constructor(Constructor: RecognitionConstructor, language: string, isLocal: boolean, call: Call) {
    const made = new Constructor()
    this.#recognition = made
    made.lang = language
    if (isLocal) made.processLocally = true
    made.onresult = ({ results }) => {
      const text = results[results.length - 1]?.[0]?.transcript.trim() ?? ""
      if (this.#isOpen && text !== "") call.onText(text)
    }
    made.onerror = ({ error }) => passing.has(error) || call.onFailure(new DOMException(error))
    made.onend = () => {
      this.#isRunning = false
      this.#run()
    }
  }

  async start(): Promise<void> {
    this.open(true)
  }

  open(isOpen: boolean): void {
    this.#isOpen = isOpen
    if (isOpen) this.#run()
    else this.#recognition.abort()
  }

  stop(): void {
    this.open(false)
  }

  /** Begins, unless the last recognition has yet to end. */
  #run(): void {
    if (!this.#isOpen || this.#isRunning) return
    this.#isRunning = true
    this.#recognition.start()
  }
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

  stop(): Fields {
    const heard_characters = this.#heard
    this.#utterances.clear()
    this.#length = this.#heard = 0
    speechSynthesis.cancel()
    this.#onSilence()
    return { heard_characters }
  }
}
