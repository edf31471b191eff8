import { signal } from "@preact/signals"
import { randomUuid } from "../../../shared/Random.ts"
import { toast } from "../../parts/Toast.ts"
import { call } from "../../server/Api.ts"
import { type Failure, toFailure } from "../../server/Failure.ts"
import type { Document } from "./Documents.ts"

/** The endings of the files that can be read, as the server knows them. */
export const EXTENSIONS: ReadonlyArray<string> =
  "md markdown txt text html htm xhtml csv tsv json jsonl ndjson pdf docx pptx xlsx epub odt ods odp rtf xls eml msg ipynb xml srt vtt png jpeg jpg tiff tif webp".split(
    " ",
  )

export const accept = EXTENSIONS.map((extension) => `.${extension}`).join(",")

const MOST_BYTES = 25 * 1_048_576
export const faultOf = ({ name, size }: { readonly name: string; readonly size: number }): string | undefined => {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  if (!name.includes(".") || !EXTENSIONS.includes(extension))
    return "This file type is not supported. Use PDF, Office or OpenDocument files, e-books, mail, web pages, subtitles, notebooks, data, text, or images as PNG, JPEG, TIFF or WebP."
  if (size === 0) return "The file is empty."
  return size > MOST_BYTES ? "The file is larger than 25 MiB." : undefined
}

const AT_ONCE = 2
/** Number of times that a file is sent again after the server has asked to wait. */
const WAITS = 20

export interface Upload {
  readonly id: string
  readonly file: File
  readonly replaces: string | undefined
  readonly state:
    | { readonly is: "waiting" | "sending" }
    | { readonly is: "failed"; readonly reason: string; readonly isFinal: boolean }
}

const headers = { prefer: "respond-async" }

/** Adds a file, or replaces a document by it; resolves to the documents that are new. */
export const sendFile = async (
  chatbotId: string,
  { file, replaces }: Pick<Upload, "file" | "replaces">,
  signal = new AbortController().signal,
): Promise<ReadonlyArray<Document>> => {
  const body = new FormData()
  if (replaces === undefined) {
    body.append("chatbotId", chatbotId)
    body.append("files", file)
    return (await call("POST /api/embedfiles", { body, signal, headers })).documents
  }
  body.append("documentId", replaces)
  body.append("file", file)
  const route = "PATCH /api/external/chatbot/:chatbotId/knowledge-base"
  await call(route, { params: { chatbotId }, body, signal, headers })
  return []
}

const isBusy = ({ retryAfterSeconds, status }: Failure): boolean =>
  (status === 429 || status === 503) && (retryAfterSeconds ?? Infinity) <= 60

/** Sends files to a chatbot, a few at once, and keeps those that failed until they are tried again or put away. */
export const makeUploads = (chatbotId: string, onStored: (documents: ReadonlyArray<Document>) => void) => {
  const all = signal<ReadonlyArray<Upload>>([])
  /** Number of files that were added since there were none on their way, those that are sent included. */
  const total = signal(0)
  const aborts = new Map<string, AbortController>()
  const change = (id: string, state: Upload["state"]): void => {
    all.value = all.value.map((each) => (each.id === id ? { ...each, state } : each))
  }
  const remove = (id: string): void => {
    aborts.get(id)?.abort()
    all.value = all.value.filter((each) => each.id !== id)
  }

  const attempt = async (next: Upload, signal: AbortSignal): Promise<ReadonlyArray<Document>> => {
    for (let waits = 0; ; waits++) {
      change(next.id, { is: "sending" })
      try {
        return await sendFile(chatbotId, next, signal)
      } catch (error) {
        const failure = toFailure(error)
        if (waits === WAITS || !isBusy(failure)) throw failure
        change(next.id, { is: "waiting" })
        await new Promise((resolve) => setTimeout(resolve, (failure.retryAfterSeconds ?? 1) * 1_000))
      }
    }
  }

  const start = async (next: Upload): Promise<void> => {
    const controller = new AbortController()
    aborts.set(next.id, controller)
    try {
      const documents = await attempt(next, controller.signal)
      for (const { duplicate, name } of documents) if (duplicate) toast(`${name} has already been added.`)
      all.value = all.value.filter(({ id }) => id !== next.id)
      onStored(documents)
    } catch (error) {
      const { code, message, status } = toFailure(error)
      const isFinal = status === 413 || status === 415 || status === 400
      if (code !== "aborted") change(next.id, { is: "failed", reason: message, isFinal })
    }
    aborts.delete(next.id)
    pump()
  }

  const pump = (): void => {
    while (aborts.size < AT_ONCE) {
      const next = all.value.find(({ id, state }) => state.is === "waiting" && !aborts.has(id))
      if (next === undefined) return
      void start(next)
    }
  }

  const stateOf = (fault: string | undefined): Upload["state"] =>
    fault === undefined ? { is: "waiting" } : { is: "failed", reason: fault, isFinal: true }

  return {
    all,
    total,
    add: (files: ReadonlyArray<File>, replaces?: string): void => {
      const added = files.map((file) => ({ id: randomUuid(), file, replaces, state: stateOf(faultOf(file)) }))
      total.value = added.length + (all.value.length === 0 ? 0 : total.value)
      all.value = [...all.value, ...added]
      pump()
    },
    retry: (id: string): void => {
      change(id, { is: "waiting" })
      pump()
    },
    remove,
  }
}

export type Uploads = ReturnType<typeof makeUploads>
