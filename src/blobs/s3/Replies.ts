import { getElementsByTagName, textContent } from "domutils"
import { type Element, isTag } from "domhandler"
import { parseDocument } from "htmlparser2"

/** A part of a reply in XML. */
export interface Reply {
  /** The text of the first element with this name; empty if there is none. */
  readonly text: (name: string) => string
  /** Every element with this name. */
  readonly all: (name: string) => ReadonlyArray<Reply>
}

const replyOf = (root: Element | undefined): Reply => {
  const named = (name: string) => (root === undefined ? [] : getElementsByTagName(name, root.children))
  return {
    text: (name) => textContent(named(name).slice(0, 1)),
    all: (name) => named(name).map(replyOf),
  }
}

/** Parses a reply in XML. What is no XML has no elements. */
export const parseReply = (xml: string): Reply => replyOf(parseDocument(xml, { xmlMode: true }).children.find(isTag))
