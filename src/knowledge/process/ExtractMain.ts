/*
 * The process that reads documents: one after the other, from standard input to standard output, in `Frames`. A plain
 * script: it knows nothing of Effect, of the database or of the settings. The server gives it no environment and no
 * secret, watches its time and its memory, and ends it from outside.
 */
import { dlopen } from "bun:ffi"
import { readdirSync, writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { chunk } from "../chunk/Chunker.ts"
import { FrameReader, framePieces } from "./Frames.ts"
import { type ExtractedText, type Passage, type Reply, type Request, Unreadable } from "../extract/Extraction.ts"
import { read } from "../extract/Read.ts"

/** The lowest of nice: those who wait for an answer of the server come first. */
const PRIORITY = 19

/** After a file of this many bytes its memory is given back before the next. */
const LARGE_FILE_BYTES = 1024 * 1024

/** The server sends what it has accepted; these only keep a broken pipe from being taken for a length. */
const MAX_HEAD_BYTES = 64 * 1024
const MAX_FILE_BYTES = 2 ** 31

/** Of a document in pieces: some hundred kilobytes. */
const PASSAGES_PER_FRAME = 128

/** Libraries talk to the console, which would be read as a reply. */
const silence = () => {
  for (const method of ["log", "info", "warn", "error", "debug"] as const) console[method] = () => {}
}

/** On Linux each thread has a priority of its own, which those that it starts from then on inherit. */
const giveWay = () => {
  const threads = process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [process.pid]
  for (const thread of threads) {
    try {
      setPriority(thread, PRIORITY)
    } catch {
      // It has just ended.
    }
  }
}

/** When the machine runs out of memory, this process goes and the server stays. Linux only. */
const volunteer = () => {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000")
  } catch {
    // Elsewhere there is no such file.
  }
}

/** Of prctl(2), and of signal(7). */
const PR_SET_PDEATHSIG = 1
const SIGKILL = 9

/**
 * A server that is killed cannot end this process, which would turn in a document's circles for ever. Linux with glibc
 * only; elsewhere it ends after the document, with its input.
 */
const dieWithServer = () => {
  if (process.platform !== "linux") return
  try {
    const { symbols } = dlopen("libc.so.6", { prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" } })
    symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
  } catch {
    // Another libc.
  }
}

/**
 * A terminal or a service manager tells every process of the server to stop. This one stops when the server has no more
 * use for it; ending before would look as if a document had done it.
 */
const leaveStoppingToServer = () => {
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

const inOne = ({ text, ...described }: ExtractedText) => {
  const reply: Reply = { kind: "read", ...described }
  return framePieces(reply, new TextEncoder().encode(text))
}

const inPieces = (document: ExtractedText) => {
  const passages = chunk(document).map(({ ordinal, headings, text, page }): Passage => ({
    ordinal,
    headings,
    text,
    page,
  }))
  const frames = Math.ceil(passages.length / PASSAGES_PER_FRAME)
  const reply: Reply = { kind: "split", title: document.title, frames }
  const followers = Array.from({ length: frames }, (_, frame) =>
    framePieces(passages.slice(frame * PASSAGES_PER_FRAME, (frame + 1) * PASSAGES_PER_FRAME), new Uint8Array()),
  )
  return [framePieces(reply, new Uint8Array()), ...followers].flat()
}

const replyTo = async ({ format, name, textLimit, isSplit }: Request, bytes: Uint8Array) => {
  try {
    const document = await read({ format, name, bytes }, textLimit)
    return isSplit ? inPieces(document) : inOne(document)
  } catch (cause) {
    return framePieces(failureOf(cause), new Uint8Array())
  }
}

silence()
leaveStoppingToServer()
dieWithServer()
volunteer()
giveWay()
const requests = new FrameReader(Bun.stdin.stream(), { head: MAX_HEAD_BYTES, body: MAX_FILE_BYTES })
const output = Bun.stdout.writer()
for (let frame = await requests.next(); frame !== undefined; frame = await requests.next()) {
  const request: Request = JSON.parse(frame.head)
  const pieces = await replyTo(request, frame.body)
  for (const piece of pieces) void output.write(piece)
  await output.flush()
  if (frame.body.length > LARGE_FILE_BYTES) Bun.gc(true)
}
