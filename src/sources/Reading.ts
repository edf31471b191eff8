import { Effect } from "effect"
import {
  detect,
  DETECT_BYTES,
  DETECT_LAST_BYTES,
  type Format,
  formatOfContentType,
} from "../domain/knowledge/Formats.ts"
import type { Extract, ExtractionFailed } from "../readers/Extract.ts"
import type { PageText } from "../readers/extract/Extraction.ts"
import type { PageHead, PageResponse } from "../outbound/PageRequest.ts"
import { lastSegment } from "./Address.ts"
import { type NotRead, notRead } from "./PoliteFetch.ts"
import { BOT } from "./Robots.ts"

/** What an answer is: a web page, or a file of another format, as it is. */
export type Answer =
  | { readonly kind: "page"; readonly page: PageText }
  | { readonly kind: "file"; readonly format: Format; readonly name: string }

const mimeOf = ({ headers }: PageHead): string => headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? ""

const byName = (address: string): Format | undefined => {
  const name = lastSegment(address)
  // A file without content has the format of its extension.
  return name.includes(".") ? detect(name, new Uint8Array()) : undefined
}

const alike: Readonly<Record<string, Format>> = { "text/x-markdown": "md", "application/xhtml+xml": "html" }

/** The format that an answer claims to have; undefined for one that is not read. */
export const claimedFormat = (head: PageHead, address: string): Format | undefined => {
  const mime = mimeOf(head)
  // Feeds name pages, and pictures are on pages: neither is a document of its own.
  if (/^(?:image|audio|video|font)\/|[/+]xml$/.test(mime) && mime !== "application/xhtml+xml") return undefined
  const format = alike[mime] ?? formatOfContentType(mime)
  if (format !== undefined && format !== "txt") return format
  if (mime === "") return byName(address) ?? "html"
  return mime === "application/octet-stream" || mime === "text/plain" ? (byName(address) ?? format) : format
}

/** Says what an answer with another status than 200 means. */
const refusalOf = ({ status }: PageResponse): NotRead | undefined => {
  if (status === 200 || status === 203) return undefined
  if (status === 404 || status === 410) return notRead("gone", `There is no such page (status ${status}).`, status)
  if (status === 401 || status === 407) return notRead("login", `It asks for a password (status ${status}).`, status)
  const detail = status === 403 ? "The server refuses it" : "The server does not send it"
  return notRead("failed", `${detail} (status ${status}).`, status)
}

const wrongFormat: Readonly<Partial<Record<ExtractionFailed["code"], NotRead["outcome"]>>> = {
  too_large_when_extracted: "too_large",
  extraction_crashed: "failed",
  extraction_timed_out: "failed",
  extraction_out_of_memory: "failed",
}

/** Reads the answer to the request for a page, which is no redirect. Fails with what becomes of the page otherwise. */
export const readAnswer = Effect.fnUntraced(function* (
  extract: Extract["Service"],
  response: PageResponse,
  address: string,
): Effect.fn.Return<Answer, NotRead> {
  const { body, status } = response
  const refusal = refusalOf(response)
  if (refusal !== undefined) return yield* refusal
  const claimed = claimedFormat(response, address)
  const mime = mimeOf(response)
  if (claimed === undefined) return yield* notRead("not_text", `It is of the type ${mime}, which is not read.`, status)
  if (body.length === 0) return yield* notRead("not_text", "It is empty.", status)
  const fits = (format: Format) =>
    detect(`a.${format}`, body.subarray(0, DETECT_BYTES), body.subarray(-DETECT_LAST_BYTES)) !== undefined
  const format = fits("pdf") ? "pdf" : claimed
  if (!fits(format)) return yield* notRead("not_text", `The server says ${mime}, but its content is another.`, status)
  if (format !== "html") {
    const name = lastSegment(address)
    const suffix = byName(address) === format ? "" : `.${format}`
    return { kind: "file", format, name: `${name === "" ? "document" : name}${suffix}` }
  }
  const contentType = response.headers["content-type"] ?? ""
  const page = yield* extract
    .page({ url: address, contentType, bytes: body })
    .pipe(Effect.catch(({ code, message }) => notRead(wrongFormat[code] ?? "not_text", message, status)))
  return { kind: "page", page }
})

/** The name of a page's document, in which a slash would end a path. */
export const pageName = (title: string, address: string): string => {
  const name = title === "" ? lastSegment(address) || new URL(address).host : title
  return name.replaceAll(/[/\\]/g, "-")
}

/** A page as the Markdown that is stored. */
export const markdownOf = (title: string, blocks: ReadonlyArray<string>): Uint8Array =>
  Buffer.from([...(title === "" ? [] : [`# ${title}`]), ...blocks].join("\n\n"))

/** What the header `X-Robots-Tag` says to all programs, or to this one. */
export const robotsTag = ({ headers }: PageHead): { readonly noindex: boolean; readonly nofollow: boolean } => {
  const rules = new Set<string>()
  for (const part of (headers["x-robots-tag"] ?? "").toLowerCase().slice(0, 1_000).split(",")) {
    const [, agent = BOT, rule = ""] = /^\s*(?:([\w-]+)\s*:)?\s*([\w-]*)/.exec(part) ?? []
    if (agent.toLowerCase() === BOT.toLowerCase()) rules.add(rule)
  }
  return {
    noindex: rules.has("none") || rules.has("noindex"),
    nofollow: rules.has("none") || rules.has("nofollow"),
  }
}
