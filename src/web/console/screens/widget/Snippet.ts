/** A website's choice of how to show the widget. */
interface SnippetOptions {
  /** A publishable key, or the id of a public chatbot. */
  readonly key: string
  /** The server's address, without a slash at its end. */
  readonly server: string
  readonly color?: string
  /** The side on which the launcher stands. */
  readonly position?: "right" | "left"
  readonly opens?: boolean
  /** The selector of the element that holds the chat; absent for a launcher over the page. */
  readonly target?: string
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", '"': "&quot;", "<": "&lt;" }
const attribute = (name: string, value: string): string =>
  `${name}="${value.replaceAll(/[&"<]/g, (letter) => escapes[letter] ?? letter)}"`

/** The lines of HTML that embed a chatbot in a page. */
export const snippetOf = ({ color, key, opens, position, server, target }: SnippetOptions): string => {
  const isInline = target !== undefined && target !== ""
  const attributes = [
    attribute("src", `${server}/widget.js`),
    attribute("data-key", key),
    ...(isInline ? [attribute("data-target", target)] : []),
    ...(color !== undefined && color !== "" ? [attribute("data-color", color)] : []),
    ...(position === "left" && !isInline ? [attribute("data-position", "left")] : []),
    ...(opens === true && !isInline ? [attribute("data-open", "true")] : []),
  ]
  return `<script async ${attributes.join(" ")}></script>`
}
