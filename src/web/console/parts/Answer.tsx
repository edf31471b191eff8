import type { Block } from "../../shared/markdown/Blocks.ts"
import { Markdown } from "../../shared/markdown/Markdown.tsx"

const texts = { copy: "Copy", copied: "Copied", table: "Table" }

/** The text of a reply, whose Markdown is shown as its visitors see it. */
export const Answer = ({ blocks }: { readonly blocks: ReadonlyArray<Block> }) => (
  <Markdown blocks={blocks} texts={texts} />
)
