import { createHash } from "node:crypto"
import { HttpServerError, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { isKnown } from "./Negotiation.ts"

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** A text as HTML shows it, also within an attribute in double quotes. */
export const escape = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character)

/** A Content-Security-Policy that allows nothing but what these directives do. */
export const policy = (...directives: ReadonlyArray<string>): string =>
  ["default-src 'none'", ...directives, "base-uri 'none'", "form-action 'none'"].join("; ")

/** The source of an inline script or style in a Content-Security-Policy. */
export const inline = (content: string): string => `'sha256-${createHash("sha256").update(content).digest("base64")}'`

/** The beginning of a document, as far as its body. */
export const head = (title: string, more: ReadonlyArray<string>, language = "en"): string =>
  [
    "<!doctype html>",
    `<html lang="${language}">`,
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escape(title)}</title>`,
    ...more,
    "</head>",
  ].join("\n")

/** Answers with a content under its hash, or with 304 when the client has it. */
export const versioned = (
  request: HttpServerRequest.HttpServerRequest,
  content: Uint8Array,
  { contentType, headers }: { readonly contentType: string; readonly headers: Readonly<Record<string, string>> },
): HttpServerResponse.HttpServerResponse => {
  const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`
  const all = { ...headers, etag }
  return isKnown(request.headers["if-none-match"], etag)
    ? HttpServerResponse.empty({ status: 304, headers: all })
    : HttpServerResponse.uint8Array(content, { contentType, headers: all })
}

/** Answers with a document of HTML, or with 304 when the client has it. */
export const document = (
  request: HttpServerRequest.HttpServerRequest,
  html: string,
  headers: Readonly<Record<string, string>>,
): HttpServerResponse.HttpServerResponse =>
  versioned(request, Buffer.from(html), { contentType: "text/html; charset=utf-8", headers })

/** The failure of a request for a document or a file that is not there, as for a path without a route. */
export const notFound = (request: HttpServerRequest.HttpServerRequest): HttpServerError.HttpServerError =>
  new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
