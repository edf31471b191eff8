import type { Schema } from "effect"
import { decodeText } from "./Decode.ts"
import { type Draft, type Reader, Unreadable } from "./Extraction.ts"
import { fenced, htmlText } from "./html/Html.ts"
import { isList, isScalar, parse } from "./Json.ts"
import { markdown } from "./Markdown.ts"

type Json = Schema.Json | undefined

const member = (value: Json, name: string): Json =>
  value === undefined || isScalar(value) || isList(value) || !Object.hasOwn(value, name) ? undefined : value[name]

const items = (value: Json): ReadonlyArray<Schema.Json> => (value !== undefined && isList(value) ? value : [])

/** A text, which notebooks store whole or as a list of lines. */
const textOf = (value: Json): string =>
  typeof value === "string"
    ? value
    : items(value)
        .filter((line) => typeof line === "string")
        .join("")

/** The sequences by which programs colour what they write to a terminal. */
// oxlint-disable-next-line no-control-regex
const colours = /\u001b\[[\d;]*[A-Za-z]/g

/** Writes an output: the text of a stream, a table of a result, or a result as text; pictures and traces are left out. */
const outputOf = (output: Schema.Json): string => {
  const data = member(output, "data")
  const page = textOf(member(data, "text/html"))
  const table = page.includes("<table") ? htmlText(page).text : ""
  if (table !== "") return table
  const written = textOf(member(data, "text/markdown"))
  if (written !== "") return written
  const error = textOf(member(output, "ename"))
  if (error !== "") return `${error}: ${textOf(member(output, "evalue"))}`
  return fenced(textOf(member(data, "text/plain") ?? member(output, "text")).replace(colours, ""), "")
}

const cellText = (cell: Schema.Json, language: string): string => {
  const source = textOf(member(cell, "source"))
  if (member(cell, "cell_type") !== "code") return source
  return [fenced(source, language), ...items(member(cell, "outputs")).map(outputOf)].join("\n\n")
}

/** Reads a Jupyter notebook (version 4): text as it is, code with its language, and the outputs that are text or tables. */
export const ipynb: Reader = (bytes): Promise<Draft> => {
  const notebook = parse(decodeText(bytes).replace(/^\ufeff/, ""))
  const metadata = member(notebook, "metadata")
  const language =
    member(member(metadata, "language_info"), "name") ?? member(member(metadata, "kernelspec"), "language")
  const cells = items(member(notebook, "cells"))
  if (cells.length === 0 && member(notebook, "nbformat") === undefined) {
    throw new Unreadable("corrupt_document", "The file is not a notebook.")
  }
  const text = cells.map((cell) => cellText(cell, textOf(language).replace(/[^\w+#-]/g, ""))).join("\n\n")
  return markdown(new TextEncoder().encode(text))
}
