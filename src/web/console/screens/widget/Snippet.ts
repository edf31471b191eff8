/** A website's choice of how to show the widget. */
interface SnippetOptions {
  /** A publishable key, or the id of a public chatbot. */
  readonly key: string
  /** The server's address, without a slash at its end. */
  readonly server: string
  readonly opens?: boolean
  /** The selector of the element that holds the chat; absent for a launcher over the page. */
  readonly target?: string
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", '"': "&quot;", "<": "&lt;" }
const attribute = (name: string, value: string): string =>
  `${name}="${value.replaceAll(/[&"<]/g, (letter) => escapes[letter] ?? letter)}"`

/** The lines of HTML that embed a chatbot in a page. */
export const snippetOf = ({ key, opens, server, target }: SnippetOptions): string => {
  const isInline = target !== undefined && target !== ""
  const attributes = [
    attribute("src", `${server}/widget.js?key=${encodeURIComponent(key)}`),
    ...(isInline ? [attribute("data-target", target)] : []),
    ...(opens === true && !isInline ? [attribute("data-open", "true")] : []),
  ]
  return `<script async ${attributes.join(" ")}></script>`
}
