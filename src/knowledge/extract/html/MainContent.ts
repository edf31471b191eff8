import type { ChildNode, Document } from "domhandler"

/** The nodes of a page that are its main content. */
export const mainContent = (document: Document, _base: string): ReadonlyArray<ChildNode> => document.children
