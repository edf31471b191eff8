import { type Duration, Effect, Schema } from "effect"
import { runProgram } from "../process/Confined.ts"
import type { OutOfMemory, TimedOut } from "../process/Watch.ts"

/*
 * What programs that recognize text in images have in common.
 */

export interface OcrSettings {
  /** The command that recognizes text in images; undefined for tesseract, `off` for none. */
  readonly ocr?: string | undefined
  /** The processor time that recognizing one page may take. */
  readonly deadline: Duration.Duration
  /** The memory in bytes that recognizing one page may occupy. */
  readonly memory: number
}

/** The program that recognizes text failed on an image. */
export class OcrFailed extends Schema.TaggedError<OcrFailed>()("OcrFailed", {
  how: Schema.String,
  /** Whether the image is at fault, and not the program or its settings. */
  isUnreadable: Schema.Boolean,
}) {}

/** A recognized page, and the milliseconds of processor time that it took. */
interface RecognizedPage {
  readonly text: string
  readonly milliseconds: number
  /** What has to be installed to read the page, as a sentence for people; where it has no text and this is known. */
  readonly lacks?: string | undefined
}

export type Image = Uint8Array<ArrayBuffer>

/** Recognizes the pages of one document, one after the other. */
export type PageReader = (image: Image) => Effect.Effect<RecognizedPage, OcrFailed | OutOfMemory | TimedOut>

/** Begins a document. Other texts of the chatbot show in which languages it most likely is. */
export type Engine = (texts: Effect.Effect<ReadonlyArray<string>>) => Effect.Effect<PageReader>

/** The most bytes that a page's text takes, as words with their places: a page of a newspaper has a tenth. */
const OUTPUT_MAX_BYTES = 4 * 1024 * 1024

/** Runs a program on an image. `isUnreadable`: the image is at fault where it fails. */
export const runOcr = (
  { deadline, memory }: OcrSettings,
  command: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  image: Image,
  isUnreadable: boolean,
) =>
  runProgram(command, environment, image, { memory, time: deadline, output: OUTPUT_MAX_BYTES }).pipe(
    Effect.catchTag("ProcessEnded", ({ how }) => Effect.fail(new OcrFailed({ how, isUnreadable }))),
  )
