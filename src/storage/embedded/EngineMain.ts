/*
 * Runs in a thread of its own, so that a slow query does not stop the server from answering. A plain script: it knows
 * nothing of Effect, and talks in `EngineMessages`.
 */
import { parentPort } from "node:worker_threads"
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { answerTo } from "./Answer.ts"
import { DURABLE_START_PARAMETERS, DurableFiles } from "./DurableFiles.ts"
import type { EngineReply, EngineRequest, StartRequest } from "./EngineMessages.ts"

const port = parentPort
const reply = (message: EngineReply): void => {
  // Handed over instead of copied: nobody here reads an answer again.
  const handedOver =
    message.kind === "answer" && message.bytes.buffer instanceof ArrayBuffer ? [message.bytes.buffer] : []
  port?.postMessage(message, handedOver)
}

/**
 * Postgres's last words, or those of the WebAssembly around it. Anchored, because what follows may quote a user; later
 * lines of one message begin with a tab.
 */
const LAST_WORDS = /^(?:\d{4}-\S+ \S+ \S+ \[\d+\] (?=PANIC:|FATAL:)|(?=Aborted\())(.*)/

/** Told at once: after them, the engine may turn in circles instead of ending. */
const listenForTheEnd = (text: string): boolean => {
  const words = LAST_WORDS.exec(text)?.[1]
  if (words !== undefined) reply({ kind: "failed", message: words })
  return true
}

const start = ({ directory, module }: StartRequest): Promise<PGlite> =>
  PGlite.create({
    fs: new DurableFiles(directory),
    extensions: { vector },
    startParams: [...DURABLE_START_PARAMETERS],
    onStderr: listenForTheEnd,
    pgliteWasmModule: module,
  })

let engine: PGlite | undefined

const handle = async (request: EngineRequest): Promise<EngineReply> => {
  switch (request.kind) {
    case "initialize":
      // The engine makes a cluster where there is none.
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

/** ENOSPC, as WebAssembly's file system numbers it. */
const NO_SPACE = 51

/** What that file system throws is no `Error`: `{ name: "ErrnoError", errno: 51 }`. */
const described = (error: unknown): string => {
  if (error instanceof Error || typeof error !== "object" || error === null) return String(error)
  return "errno" in error && error.errno === NO_SPACE ? "No space left on device" : JSON.stringify(error)
}
