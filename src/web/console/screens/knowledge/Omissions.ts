import { plural } from "../../../shared/Format.ts"
import type { Document } from "./Documents.ts"

type Omission = Document["omissions"][number]

/** What is said of one and of several of a kind. */
const said: Readonly<Record<Omission["kind"], readonly [one: string, several: string]>> = {
  hidden_sheets: ["hidden sheet was left out", "hidden sheets were left out"],
  hidden_slides: ["hidden slide was left out", "hidden slides were left out"],
  hidden_text: ["hidden passage was left out", "hidden passages were left out"],
  comments: ["comment was left out", "comments were left out"],
  deletions: ["deleted passage was left out", "deleted passages were left out"],
  images: ["image has no text", "images have no text"],
  scans: ["page is an image without text", "pages are images without text"],
  charts: ["chart has no numbers", "charts have no numbers"],
  formulas: ["formula has no stored result", "formulas have no stored results"],
  files: ["file in it was not read", "files in it were not read"],
  pages: ["page could not be read", "pages could not be read"],
  parts: ["part could not be read", "parts could not be read"],
}

/** What a document has that its text has not, such as `2 hidden sheets were left out: Prices 2019, Draft`. */
export const omissionText = ({ count, kind, where }: Omission): string => {
  const places = where.length === 0 ? [] : [`: ${where.join(", ")}`, ...(count > where.length ? [", …"] : [])]
  return plural(count, ...said[kind]) + places.join("")
}
