import { useMemo } from "preact/hooks"
import { type Block, blocksOf } from "../../shared/markdown/Blocks.ts"
import { plural } from "../../shared/Format.ts"
import { Unsupported } from "../../shared/Unsupported.tsx"
import { Markdown } from "../../shared/markdown/Markdown.tsx"

const texts = { copy: "Copy", copied: "Copied", table: "Table" }

interface AnswerProps {
  readonly blocks: ReadonlyArray<Block>
  /** The sentences of the text that no passage supports. */
  readonly unsupported?: ReadonlyArray<string> | undefined
}

/** The text of a reply, whose Markdown is shown as its visitors see it. */
export const Answer = ({ blocks, unsupported = [] }: AnswerProps) => (
  <Unsupported sentences={unsupported} label={`Not found in the documents: ${plural(unsupported.length, "sentence")}`}>
    <Markdown blocks={blocks} texts={texts} />
  </Unsupported>
)

export const PassageText = ({ text }: { readonly text: string }) => {
  const blocks = useMemo(() => blocksOf(text), [text])
  return <Answer blocks={blocks} />
}
