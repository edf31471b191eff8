/*
 * The script of the engine's thread. The engine has a thread of its own, so that a slow query does not block the
 * server. The script receives and sends `EngineMessages`, and does without Effect, to start quickly.
 */
import { parentPort } from "node:worker_threads"
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { answerTo } from "./Answer.ts"
import { DURABLE_START_PARAMETERS, DurableFiles } from "./DurableFiles.ts"
import type { EngineReply, EngineRequest, StartRequest } from "./EngineMessages.ts"

const port = parentPort
const reply = (message: EngineReply): void => {
  // Transferred instead of copied, because the answer is not used here any more.
  const handedOver =
    message.kind === "answer" && message.bytes.buffer instanceof ArrayBuffer ? [message.bytes.buffer] : []
  port?.postMessage(message, handedOver)
}

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

const start = ({ directory, module }: StartRequest): Promise<PGlite> =>
  PGlite.create({
    fs: new DurableFiles(directory),
    extensions: { vector },
    startParams: [...DURABLE_START_PARAMETERS],
    onStderr: reportFatal,
    pgliteWasmModule: module,
  })

let engine: PGlite | undefined

const handle = async (request: EngineRequest): Promise<EngineReply> => {
  switch (request.kind) {
    case "initialize":
      // Starting the engine makes a cluster where there is none.
      await (await start(request)).close()
      return { kind: "initialized" }
    case "open":
      engine = await start(request)
      return { kind: "opened" }
    case "batch": {
      if (engine === undefined) throw new Error("The engine is not open")
      return { kind: "answer", id: request.id, bytes: await answerTo(engine, request.bytes) }
    }
    case "close":
      await engine?.close()
      return { kind: "closed" }
  }
}

port?.on("message", (request: EngineRequest) => {
  handle(request).then(reply, (error: unknown) => reply({ kind: "failed", message: described(error) }))
})

/** The number of ENOSPC in WebAssembly's file system. */
const NO_SPACE = 51

/** Describes a failure. WebAssembly's file system throws no `Error` but `{ name: "ErrnoError", errno: 51 }`. */
const described = (error: unknown): string => {
  if (error instanceof Error || typeof error !== "object" || error === null) return String(error)
  return "errno" in error && error.errno === NO_SPACE ? "No space left on device" : JSON.stringify(error)
}
