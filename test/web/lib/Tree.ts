import { expect } from "bun:test"
import { isValidElement, type ComponentChildren, type VNode } from "preact"
import { type Block, blocksOf } from "../../../src/web/shared/markdown/Blocks.ts"
import { Markdown } from "../../../src/web/shared/markdown/Markdown.tsx"

/** An element of a rendered tree, with components that use no hooks rendered away. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly children: ReadonlyArray<Element | string>
}

const isVNode = (node: ComponentChildren): node is VNode<Record<string, unknown>> => isValidElement(node)

const nodesOf = (node: ComponentChildren): ReadonlyArray<Element | string> => {
  if (Array.isArray(node)) return node.flatMap(nodesOf)
  if (node === null || node === undefined || typeof node === "boolean") return []
  if (!isVNode(node)) return [String(node)]
  const { children, ...attributes } = node.props
  if (typeof node.type === "string") {
    return [{ name: node.type, attributes, children: nodesOf(children as ComponentChildren) }]
  }
  // What uses hooks renders only in a document.
  if (node.type.name === "CopyButton") return [{ name: "button", attributes, children: [] }]
  if (node.type.name === "Code") return [{ name: "code", attributes: {}, children: [String(attributes["text"])] }]
  if (node.type.name === "Formula") {
    const { isDisplay, text } = Object(attributes["token"])
    return [{ name: "math", attributes: { isDisplay }, children: [text] }]
  }
  const render = node.type as (props: object) => ComponentChildren
  return nodesOf(render(node.props))
}

/** What Markdown says in these tests. */
export const texts = { copy: "Copy", copied: "Copied", table: "Table" }

/** Renders the blocks of a document as a tree. */
export const treeOf = (blocks: ReadonlyArray<Block>): Element => {
  const [tree] = nodesOf(Markdown({ blocks, texts }))
  if (tree === undefined || typeof tree === "string") throw new Error("Markdown renders one element")
  return tree
}

/** Renders a whole document as a tree. */
export const render = (source: string): Element => treeOf(blocksOf(source))

/** Lexes a document as it comes in pieces of a size, and once more as a whole, as after its end. */
export const streamed = (source: string, size: number): ReadonlyArray<Block> => {
  let blocks: ReadonlyArray<Block> = []
  for (let end = 0; end < source.length; end += size) blocks = blocksOf(source.slice(0, end), blocks)
  // Every block is somewhere in the text, one after another.
  expect(blocks.map(({ start }) => start)).toEqual(blocks.map(({ start }) => start).toSorted((a, b) => a - b))
  return blocksOf(source)
}

/** Lists all elements below an element, in the order of the document. */
export const elementsOf = (element: Element): ReadonlyArray<Element> =>
  element.children.flatMap((child) => (typeof child === "string" ? [] : [child, ...elementsOf(child)]))

/** Lists the elements of one name. */
export const named = (element: Element, name: string): ReadonlyArray<Element> =>
  elementsOf(element).filter((child) => child.name === name)

/** Returns the text of an element, as a reader sees it. */
export const textOf = (element: Element): string =>
  element.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("")
