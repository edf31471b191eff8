/*
 * The script of the engine's thread. The engine has a thread of its own, so that a slow query does not block the
 * server. The script answers requests in their order, and does without Effect, to start quickly.
 */
import { parentPort } from "node:worker_threads"
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { answerTo } from "./Answer.ts"
import { DURABLE_START_PARAMETERS, DurableFiles } from "./DurableFiles.ts"

/** A request of the server to the engine's thread. */
export type EngineRequest =
  /** Opens the cluster in a directory. It is the first request; `module` is the engine's WebAssembly. */
  | { readonly kind: "open"; readonly directory: string; readonly module: WebAssembly.Module }
  /** Messages of Postgres's wire protocol, of which the last one makes the engine answer. */
  | { readonly kind: "batch"; readonly bytes: Uint8Array }
  | { readonly kind: "close" }

/** A reply of the engine's thread: the answer to a request, which is empty but for batches; or the last one, why it ends. */
export type EngineReply =
  | { readonly kind: "answer"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "failed"; readonly message: string }

const port = parentPort
// Transferred instead of copied, because an answer is not used here any more.
const reply = (message: EngineReply): void =>
  port?.postMessage(message, message.kind === "answer" ? [message.bytes.buffer] : [])

/**
 * Matches a fatal message of Postgres, or of the WebAssembly around it. It is anchored, because the rest of a line may
 * quote a user's text; the further lines of a message begin with a tab.
 */
const FATAL_MESSAGE = /^(?:\d{4}-\S+ \S+ \S+ \[\d+\] (?=PANIC:|FATAL:)|(?=Aborted\())(.*)/

/** Reports a fatal message at once, because the engine may hang after it instead of ending. */
const reportFatal = (text: string): boolean => {
  const message = FATAL_MESSAGE.exec(text)?.[1]
  if (message !== undefined) reply({ kind: "failed", message })
  return true
}

let engine: PGlite | undefined

const answer = async (request: EngineRequest): Promise<Uint8Array<ArrayBuffer>> => {
  if (request.kind === "batch" && engine !== undefined) return await answerTo(engine, request.bytes)
  if (request.kind === "open") {
    engine = await PGlite.create({
      fs: new DurableFiles(request.directory),
      extensions: { vector },
      startParams: [...DURABLE_START_PARAMETERS],
      onStderr: reportFatal,
      pgliteWasmModule: request.module,
    })
  } else await engine?.close()
  return new Uint8Array()
}

let queue: Promise<void> = Promise.resolve()

port?.on("message", (request: EngineRequest) => {
  queue = queue
    .then(() => answer(request))
    .then(
      (bytes) => reply({ kind: "answer", bytes }),
      (error: unknown) => reply({ kind: "failed", message: described(error) }),
    )
})

/** The number of ENOSPC in WebAssembly's file system. */
const NO_SPACE = 51

/** Describes a failure. WebAssembly's file system throws no `Error` but `{ name: "ErrnoError", errno: 51 }`. */
const described = (error: unknown): string => {
  if (error instanceof Error || typeof error !== "object" || error === null) return String(error)
  return "errno" in error && error.errno === NO_SPACE ? "No space left on device" : JSON.stringify(error)
}
