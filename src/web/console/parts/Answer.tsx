import { useMemo } from "preact/hooks"
import { type Block, blocksOf } from "../../shared/markdown/Blocks.ts"
import { Markdown } from "../../shared/markdown/Markdown.tsx"

const texts = { copy: "Copy", copied: "Copied", table: "Table" }

/** The text of a reply, whose Markdown is shown as its visitors see it. */
export const Answer = ({ blocks }: { readonly blocks: ReadonlyArray<Block> }) => (
  <Markdown blocks={blocks} texts={texts} />
)

export const PassageText = ({ text }: { readonly text: string }) => {
  const blocks = useMemo(() => blocksOf(text), [text])
  return <Answer blocks={blocks} />
}
