import type { MixedFile } from "./MixedFiles.ts"
import { operatorKey } from "./ServerProcess.ts"

/*
 * The client of a server that is killed again and again: it repeats each request until the server acknowledges it.
 */

const FILES_PER_UPLOAD = 5
/** One in this many files is replaced once it has been uploaded. */
const REPLACED = 10
/** One in this many files is deleted once it has been uploaded. */
const DELETED = 25
/** The number of unreadable files of each set; all but the first are replaced once they have failed. */
const BROKEN = 4
/** The number of files of each set that are also uploaded to a chatbot whose documents are all deleted meanwhile. */
const CLEARED = 10
/** The longest wait for the documents to settle, in milliseconds. */
const PATIENCE = 120_000

/** The work of a client on one set of files. */
export interface Work {
  /** Continues the work where it was cut off. It fails with `GoneAway` when the server is killed. */
  readonly go: (url: string) => Promise<void>
  readonly isDone: () => boolean
}

/**
 * Makes the work on one set of files, which ends when everything is acknowledged and all documents are settled:
 * uploads, replacements, even of failed documents, deletions of one document and of all during uploads, and changes of
 * an avatar.
 */
export const makeWork = (files: ReadonlyArray<MixedFile>): Work => {
  let chatbot: string | undefined
  let done = false
  const others: { cleared?: string; deleted?: string } = {}
  const ids = new Map<string, string>()
  const acknowledged = new Set<string>()
  const set = files[0]?.name ?? ""
  const broken = Array.from({ length: BROKEN }, (_, index): MixedFile => ({
    name: `broken-${index}-${set}.json`,
    bytes: Buffer.from(`{"broken": "${index} ${set}"`),
  }))

  /** Does something unless it was acknowledged before. */
  const once = async (what: string, act: () => Promise<unknown>) => {
    if (acknowledged.has(what)) return
    await act()
    acknowledged.add(what)
  }

  const upload = async (url: string, to: string, some: ReadonlyArray<MixedFile>) => {
    const form = new FormData()
    form.set("chatbotId", to)
    for (const { name, bytes } of some) form.append("files", new Blob([bytes]), name)
    return listOf((await call(url, "POST", "/api/embedfiles", form))["documents"])
  }

  const replace = (url: string, base: string, name: string, bytes: Uint8Array<ArrayBuffer>) => {
    const form = new FormData()
    form.set("documentId", ids.get(name) ?? "")
    form.set("file", new Blob([bytes]), name)
    return call(url, "PATCH", base, form)
  }

  /**
   * Deletes all documents of one chatbot, and another chatbot itself, both while documents are uploaded to them; then
   * uploads some documents to the first again.
   */
  const clear = async (url: string) => {
    const some = files.slice(0, CLEARED)
    for (const kind of ["cleared", "deleted"] as const) {
      others[kind] ??= idOf((await call(url, "POST", "/api/external/chatbots", { name: kind }))["chatbot"])
      const id = others[kind]
      const base = `/api/external/chatbot/${id}/knowledge-base`
      const deleteAll = () => call(url, "DELETE", `${base}?all=true`)
      const deleteChatbot = () => call(url, "DELETE", `/api/external/chatbot/${id}`, undefined, [404])
      await once(`meet ${kind}`, () =>
        settleAll([
          ...some.map((file) => upload(url, id, [file])),
          ...(kind === "cleared" ? [deleteAll(), Bun.sleep(20).then(deleteAll)] : [Bun.sleep(20).then(deleteChatbot)]),
        ]),
      )
      await once(`end ${kind}`, kind === "cleared" ? deleteAll : deleteChatbot)
    }
    await once("fill again", () => upload(url, others.cleared ?? "", some.slice(0, FILES_PER_UPLOAD)))
    for (const picture of AVATARS) {
      await once(`show ${picture}`, () => {
        const form = new FormData()
        form.set("avatar", new Blob([Buffer.from(picture)]), "picture")
        return call(url, "PATCH", `/api/external/chatbot/${others.cleared}/update-avatar`, form)
      })
    }
  }

  const go = async (url: string) => {
    chatbot ??= idOf((await call(url, "POST", "/api/external/chatbots", { name: "Kills" }))["chatbot"])
    const base = `/api/external/chatbot/${chatbot}/knowledge-base`
    const all = [...files, ...broken]
    for (let from = 0; from < all.length; from += FILES_PER_UPLOAD) {
      await once(`upload ${from}`, async () => {
        const documents = await upload(url, chatbot ?? "", all.slice(from, from + FILES_PER_UPLOAD))
        for (const document of documents) ids.set(String(document["name"]), idOf(document))
      })
      // A pause, so that documents are read between the uploads.
      await Bun.sleep(5)
    }
    await clear(url)
    for (const [index, { name, bytes }] of files.entries()) {
      const id = ids.get(name) ?? ""
      if (index % REPLACED === 3) {
        // JSON with another line would be invalid, so it is replaced by the same bytes.
        const text = Buffer.concat([bytes, Buffer.from("\n\nA line that the first content did not have.")])
        await once(`replace ${name}`, () => replace(url, base, name, name.endsWith(".json") ? bytes : text))
      } else if (index % DELETED === 7) {
        await once(`delete ${name}`, () => call(url, "DELETE", `${base}/documents/${id}`, undefined, [404]))
      }
    }
    await untilSettled(url, [base])
    for (const { name } of broken.slice(1)) {
      await once(`mend ${name}`, () => replace(url, base, name, Buffer.from(JSON.stringify({ name, is: "whole" }))))
    }
    await untilSettled(url, [base, `/api/external/chatbot/${others.cleared}/knowledge-base`])
    done = true
  }

  return { go, isDone: () => done }
}

const untilSettled = async (url: string, bases: ReadonlyArray<string>): Promise<void> => {
  const unsettled = bases.flatMap((base) =>
    ["queued", "extracting", "embedding"].map((status) => `${base}/documents?status=${status}`),
  )
  for (const end = Date.now() + PATIENCE; Date.now() < end; await Bun.sleep(20)) {
    const waiting = await Promise.all(unsettled.map((path) => call(url, "GET", path)))
    if (waiting.every(({ data }) => listOf(data).length === 0)) return
  }
  throw new Error("The documents never settled.")
}

/** Waits for requests that may refuse each other. Only the kill of the server is a failure. */
const settleAll = async (calls: ReadonlyArray<Promise<unknown>>): Promise<void> => {
  for (const outcome of await Promise.allSettled(calls)) {
    if (outcome.status === "rejected" && outcome.reason instanceof GoneAway) throw outcome.reason
  }
}

/** Files that begin as pictures do, which is all that the server checks. */
const AVATARS = ["GIF89a one", "GIF89a two", "GIF89a three"]

/** The server was killed before it answered. */
export class GoneAway extends Error {}

type Body = Readonly<Record<string, unknown>>

const call = async (
  url: string,
  method: string,
  path: string,
  body?: FormData | object,
  alsoFine: ReadonlyArray<number> = [],
): Promise<Body> => {
  const isForm = body instanceof FormData
  let response
  let text
  try {
    response = await fetch(url + path, {
      method,
      headers: {
        "x-api-key": operatorKey,
        prefer: "respond-async",
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    text = await response.text()
  } catch (cause) {
    throw new GoneAway(`${method} ${path}`, { cause })
  }
  if (!response.ok && !alsoFine.includes(response.status)) throw new Error(`${method} ${path}: ${text}`)
  return asBody(JSON.parse(text))
}

const asBody = (value: unknown): Body => (typeof value === "object" && value !== null ? { ...value } : {})
const listOf = (value: unknown): ReadonlyArray<Body> => (Array.isArray(value) ? value.map(asBody) : [])
const idOf = (value: unknown): string => String(asBody(value)["id"])
