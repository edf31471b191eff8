import { readSet, type RetrievalSet } from "../RetrievalSet.ts"
import { claims, fewWords, joined, titles } from "./Derived.ts"
import { articleHeadings, documentHeadings, medicine, spans } from "./Texts.ts"

/** The public sets, with the questions that they come with. */
export const PUBLIC_SETS: ReadonlyArray<string> = [
  "anthropic-docs",
  "anthropic-codebase",
  "cranfield",
  "squad-dev",
  ...["en", "de", "ru", "ar", "tr", "zh"].map((language) => `xquad/${language}`),
]

type Read = (directory: string) => RetrievalSet

const publicSet =
  (name: string): Read =>
  (directory) =>
    readSet(directory, name)

/** The sets that are made of the public ones, with questions of other kinds. */
const DERIVED: Readonly<Record<string, Read>> = {
  chroma: spans,
  "pubmed claims": (directory) => claims(medicine(directory)),
  "wikitexts headings": articleHeadings,
  "documents headings": documentHeadings,
  "cranfield titles": (directory) => titles(readSet(directory, "cranfield")),
  "cranfield one word": (directory) => fewWords(readSet(directory, "cranfield"), 1),
  "cranfield two words": (directory) => fewWords(readSet(directory, "cranfield"), 2),
  "cranfield joined": (directory) => joined(readSet(directory, "cranfield")),
  "anthropic-docs two words": (directory) => fewWords(readSet(directory, "anthropic-docs"), 2),
  "squad-dev one word": (directory) => fewWords(readSet(directory, "squad-dev"), 1),
  "squad-dev two words": (directory) => fewWords(readSet(directory, "squad-dev"), 2),
  "squad-dev joined": (directory) => joined(readSet(directory, "squad-dev")),
  "squad-dev claims": (directory) => claims(readSet(directory, "squad-dev")),
  ...Object.fromEntries(
    ["de", "ru", "ar", "tr", "zh"].map((code): readonly [string, Read] => [
      `xquad/${code} claims`,
      (directory) => claims(readSet(directory, `xquad/${code}`)),
    ]),
  ),
  ...Object.fromEntries(
    ["de", "ru", "ar", "tr"].map((code): readonly [string, Read] => [
      `xquad/${code} two words`,
      (directory) => fewWords(readSet(directory, `xquad/${code}`), 2),
    ]),
  ),
}

/** The names of all sets. */
export const ALL_SETS: ReadonlyArray<string> = [...PUBLIC_SETS, ...Object.keys(DERIVED)]

/** Reads a set by its name, or makes it. */
export const makeSet = (directory: string, name: string): RetrievalSet => (DERIVED[name] ?? publicSet(name))(directory)
