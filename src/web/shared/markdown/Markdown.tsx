import { type ReadonlySignal, useSignal } from "@preact/signals"
import type { Token, Tokens } from "marked"
import type { ComponentChildren, JSX, VNode } from "preact"
import { copyText } from "../Clipboard.ts"
import { type Block, isKnown } from "./Blocks.ts"
import { Code } from "./Code.tsx"
import { type Direction, directionOf } from "./Direction.ts"
import { Formula } from "./Formula.tsx"
import { isMath } from "./MathTokens.ts"

/**
 * Returns the address of a link as the browser will read it, or `undefined` where a reply must not link to it: only
 * absolute `http`, `https` and `mailto` addresses are links.
 */
export const safeAddress = (href: string): string | undefined => {
  const url = URL.parse(href.trim())
  if (url === null) return undefined
  if (url.protocol === "mailto:") return url.href
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined
  // A name before the host reads like the host: https://bank.example@other.example
  return url.username === "" && url.password === "" ? url.href : undefined
}

interface CopyTexts {
  readonly copy: string
  readonly copied: string
}

const SHOWN_MILLIS = 2_000

export const useCopy = (text: string): { readonly isCopied: ReadonlySignal<boolean>; readonly copy: () => void } => {
  const isCopied = useSignal(false)
  const copy = () =>
    void copyText(text).then((done) => {
      isCopied.value = done
      setTimeout(() => (isCopied.value = false), SHOWN_MILLIS)
    })
  return { isCopied, copy }
}

const CopyButton = ({ text, texts }: { readonly text: string; readonly texts: CopyTexts }): VNode => {
  const { copy, isCopied } = useCopy(text)
  return (
    <button type="button" class="copy" onClick={copy}>
      {isCopied.value ? texts.copied : texts.copy}
    </button>
  )
}

/** The texts of Markdown in the reader's language. */
interface MarkdownTexts extends CopyTexts {
  /** Names a table that scrolls, for those who do not see it. */
  readonly table: string
}

interface MarkdownProps {
  readonly blocks: ReadonlyArray<Block>
  readonly texts: MarkdownTexts
}

/**
 * Renders a Markdown document as nodes, never as HTML: of any text, only the elements below come of it, and
 * no address is asked until a link is followed. A block that is the same object as before is not rendered again. Each
 * block has a direction of its own, and one without letters that of the first which has some.
 */
export const Markdown = ({ blocks, texts }: MarkdownProps): VNode => {
  const rendered = blocks.map((block) => once(block, texts))
  return (
    <div class="markdown" dir={rendered.find(({ direction }) => direction !== undefined)?.direction}>
      {rendered.map(({ node }) => node)}
    </div>
  )
}

interface Rendered {
  readonly texts: MarkdownTexts
  readonly direction: Direction | undefined
  readonly node: ComponentChildren
}

/** Rendered blocks. Preact leaves alone what is the same virtual node as before. */
const cache = new WeakMap<Block["token"], Rendered>()

const once = ({ start, token }: Block, texts: MarkdownTexts): Rendered => {
  const known = cache.get(token)
  if (known?.texts === texts) return known
  // The browser's own choice, `auto`, passes over the text of elements that choose for themselves, and so over all of a
  // list, a quote and a table.
  const direction = token.type === "code" ? undefined : directionOf(token.raw)
  const rendered = { texts, direction, node: blockNode(token, start, texts, direction) }
  cache.set(token, rendered)
  return rendered
}

const blockNodes = (tokens: ReadonlyArray<Token>, texts: MarkdownTexts): ComponentChildren =>
  tokens.map((token, index) => blockNode(token, index, texts))

/** Renders a block. One within another has the direction of that. */
const blockNode = (token: Token, key: number, texts: MarkdownTexts, dir?: Direction): ComponentChildren => {
  if (isMath(token)) return <Formula key={`${key} ${token.raw}`} token={token} />
  if (!isKnown(token)) return null
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "paragraph":
    case "text":
      // In an item both are the same, so that nothing moves when a blank line makes a list a loose one.
      return (
        <p key={key} dir={dir}>
          {token.tokens === undefined ? token.text : inlineNodes(token.tokens)}
        </p>
      )
    case "heading":
      return (
        <h2 key={key} dir={dir} data-depth={token.depth}>
          {inlineNodes(token.tokens)}
        </h2>
      )
    case "code":
      return <CodeBlock key={key} text={token.text} language={token.lang ?? ""} texts={texts} />
    case "blockquote":
      return (
        <blockquote key={key} dir={dir}>
          {blockNodes(token.tokens, texts)}
        </blockquote>
      )
    case "list":
      return list(token, key, texts, dir)
    case "table":
      return table(token, key, texts, dir)
    case "hr":
      return <hr key={key} />
    case "html":
      return (
        <p key={key} dir={dir}>
          {token.text.trimEnd()}
        </p>
      )
    default:
      // The box of a task.
      return inlineNode(token, key)
  }
}

const list = (token: Tokens.List, key: number, texts: MarkdownTexts, dir?: Direction): VNode => {
  const items = token.items.map((item, index) => (
    <li key={index} class={item.task ? "task" : undefined}>
      {item.task && (item.checked === true ? "☑ " : "☐ ")}
      {blockNodes(item.tokens, texts)}
    </li>
  ))
  return token.ordered ? (
    <ol key={key} dir={dir} start={typeof token.start === "number" ? token.start : 1}>
      {items}
    </ol>
  ) : (
    <ul key={key} dir={dir}>
      {items}
    </ul>
  )
}

const table = (token: Tokens.Table, key: number, texts: MarkdownTexts, dir?: Direction): VNode => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls has to be reachable by keyboard.
  <section key={key} dir={dir} class="table" aria-label={texts.table} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {token.header.map((cell, index) => (
            <th key={index} scope="col" data-align={cell.align}>
              {inlineNodes(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column} data-align={cell.align}>
                {inlineNodes(cell.tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

interface CodeBlockProps {
  readonly text: string
  readonly language: string
  readonly texts: MarkdownTexts
}

const CodeBlock = ({ language, text, texts }: CodeBlockProps): VNode => (
  <figure class="code" dir="ltr">
    <figcaption>
      <span>{language.slice(0, 40)}</span>
      <CopyButton text={text} texts={texts} />
    </figcaption>
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls has to be reachable by keyboard. */}
    <pre tabIndex={0}>
      <Code text={text} language={language} />
    </pre>
  </figure>
)

const inlineNodes = (tokens: ReadonlyArray<Token>): ComponentChildren => tokens.map(inlineNode)

const inlineNode = (token: Token, key: number): ComponentChildren => {
  if (isMath(token)) return <Formula key={`${key} ${token.raw}`} token={token} />
  if (!isKnown(token)) return null
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inlineNodes(token.tokens)}</strong>
    case "em":
      return <em key={key}>{inlineNodes(token.tokens)}</em>
    case "del":
      return <del key={key}>{inlineNodes(token.tokens)}</del>
    case "codespan":
      return (
        <code key={key} dir="ltr">
          {token.text}
        </code>
      )
    case "br":
      return <br key={key} />
    case "checkbox":
      // The item shows it.
      return null
    case "link":
      return link(token.href, inlineNodes(token.tokens), key)
    case "image":
      // An image of another place would tell that place who reads the reply, and could carry away what is in it.
      return link(token.href, token.text === "" ? token.href : token.text, key)
    case "html":
      // The one element that models write on purpose, for a second line in the cell of a table.
      return /^<br\s*\/?>$/iu.test(token.text) ? <br key={key} /> : token.text
    case "text":
      return "tokens" in token && token.tokens !== undefined ? inlineNodes(token.tokens) : token.text
    default:
      return "text" in token ? token.text : token.raw
  }
}

const link = (href: string, label: ComponentChildren, key: number): JSX.Element => {
  const address = safeAddress(href)
  // What is no link stays text of the same direction, apart from the text around it.
  if (address === undefined) return <bdi key={key}>{label}</bdi>
  return (
    <a key={key} href={address} title={address} rel="noopener noreferrer" target="_blank">
      <bdi>{label}</bdi>
    </a>
  )
}
