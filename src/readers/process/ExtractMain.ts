/*
 * The process that reads documents: it takes requests from standard input and writes replies to standard output, one
 * after the other, in the protocol of `Frames.ts`. It is a plain script without Effect, database or settings. The
 * server gives it no environment variables and no secrets, watches its processor time and memory, and kills it where it
 * exceeds its limits.
 */
import { dlopen } from "bun:ffi"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { priorityBelow } from "../../system/Priority.ts"
import { chunk } from "../chunk/Chunker.ts"
import { FrameReader, framePieces, ITEMS_PER_FRAME } from "./Frames.ts"
import {
  type ExtractedText,
  type PageText,
  type Passage,
  type Recognize,
  type Reply,
  type Request,
  Unreadable,
} from "../extract/Extraction.ts"
import { read } from "../extract/Read.ts"

/** Steps of priority below the server, so that requests come first: a tenth of the processor beside its work. */
const STEPS_BELOW = 10

/** After a file larger than this, garbage is collected at once, so that its memory is free for the next document. */
const LARGE_FILE_BYTES = 1024 * 1024

/** The server sends only files that it has accepted; these limits catch bytes of a broken pipe read as a length. */
const MAX_HEAD_BYTES = 64 * 1024
const MAX_FILE_BYTES = 2 ** 31

/** Some libraries write to the console, which the server would read as a reply. */
const silenceConsole = () => {
  for (const method of ["log", "info", "warn", "error", "debug"] as const) console[method] = () => {}
}

/** On Linux each thread has a priority of its own, which threads inherit that it starts later. */
const lowerPriority = () => {
  const hasThreads = process.platform === "linux" && existsSync("/proc/self/task")
  const threads = hasThreads ? readdirSync("/proc/self/task").map(Number) : [process.pid]
  const priority = priorityBelow(STEPS_BELOW)
  for (const thread of threads) {
    try {
      setPriority(thread, priority)
    } catch {
      // The thread has ended meanwhile.
    }
  }
}

/** Has Linux kill this process before the server when the machine runs out of memory. */
const preferAsOomVictim = () => {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000")
  } catch {
    // Other systems have no such file.
  }
}

/** From prctl(2) and signal(7). */
const PR_SET_PDEATHSIG = 1
const SIGKILL = 9

/**
 * Has Linux kill this process when the server dies. A server that is killed cannot do so itself, and a document that
 * sends its reader in circles would keep this process running for ever. Without Linux and glibc, the process ends after
 * the current document, when its input ends.
 */
const endWithServer = () => {
  if (process.platform !== "linux") return
  try {
    const { symbols } = dlopen("libc.so.6", { prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" } })
    symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
  } catch {
    // The system uses another libc.
  }
}

/**
 * Ignores the signals that a terminal or a service manager sends to every process of the server. The server itself ends
 * this process when it needs it no more; an earlier end would be reported as a crash caused by the document.
 */
const ignoreStopSignals = () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {})
}

const isOutOfMemory = (cause: unknown) =>
  cause instanceof Error && /out of memory|array buffer allocation|invalid (?:typed )?array length/i.test(cause.message)

const isTooDeep = (cause: unknown) => cause instanceof RangeError && /call stack/i.test(cause.message)

const failureOf = (cause: unknown): Reply => {
  if (cause instanceof Unreadable) return { kind: "unreadable", code: cause.code, message: cause.message }
  if (isOutOfMemory(cause)) return { kind: "out of memory" }
  if (isTooDeep(cause)) {
    return { kind: "unreadable", code: "corrupt_document", message: "The document is nested too deep." }
  }
  return { kind: "fault", cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }
}

/** A reply that says how many frames follow it, and these with the items. */
const withItems = (items: ReadonlyArray<unknown>, replyOf: (frames: number) => Reply) => {
  const starts = Array.from(
    { length: Math.ceil(items.length / ITEMS_PER_FRAME) },
    (_, frame) => frame * ITEMS_PER_FRAME,
  )
  const followers = starts.map((start) => items.slice(start, start + ITEMS_PER_FRAME))
  return [replyOf(starts.length), ...followers].flatMap((head) => framePieces(head, new Uint8Array()))
}

const documentFrames = (document: ExtractedText) => {
  const passages = chunk(document).map(({ ordinal, headings, text, page }): Passage => ({
    ordinal,
    headings,
    text,
    page,
  }))
  return withItems(passages, (frames) => ({
    kind: "split",
    title: document.title,
    omissions: document.omissions,
    frames,
  }))
}

const pageFrames = ({ blocks, links, ...page }: PageText) =>
  withItems([...blocks, ...links], (frames) => ({ kind: "page", page, blocks: blocks.length, frames }))

const send = async (pieces: ReadonlyArray<Uint8Array>) => {
  for (const piece of pieces) void output.write(piece)
  await output.flush()
}

const recognize: Recognize = async (image, place) => {
  const question: Reply = { kind: "image", ...place }
  await send(framePieces(question, image))
  const frame = await requests.next()
  return new TextDecoder().decode(frame?.body)
}

const replyTo = async ({ textLimit, ...source }: Request, bytes: Uint8Array) => {
  try {
    if ("format" in source) {
      const { hasOcr, ...file } = source
      return documentFrames(await read({ ...file, bytes }, textLimit, hasOcr ? recognize : undefined))
    }
    if ("isExamined" in source) {
      const { contentOfPdf } = await import("../extract/pdf/PdfActions.ts")
      const reply: Reply = { kind: "examined", content: await contentOfPdf(bytes) }
      return framePieces(reply, new Uint8Array())
    }
    const { page } = await import("../extract/html/Page.ts")
    return pageFrames(page({ ...source, bytes }, textLimit))
  } catch (cause) {
    return framePieces(failureOf(cause), new Uint8Array())
  }
}

silenceConsole()
ignoreStopSignals()
endWithServer()
preferAsOomVictim()
lowerPriority()
const requests = new FrameReader(Bun.stdin.stream(), { head: MAX_HEAD_BYTES, body: MAX_FILE_BYTES })
const output = Bun.stdout.writer()
for (let frame = await requests.next(); frame !== undefined; frame = await requests.next()) {
  const request: Request = JSON.parse(frame.head)
  await send(await replyTo(request, frame.body))
  if (frame.body.length > LARGE_FILE_BYTES) Bun.gc(true)
}
