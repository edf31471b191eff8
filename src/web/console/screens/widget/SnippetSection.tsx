import { useSignal } from "@preact/signals"
import { ExternalLink } from "lucide"
import { Icon } from "../../../shared/Icon.tsx"
import { stateOf } from "../../data/Admin.ts"
import { CopyButton } from "../../parts/Copy.tsx"
import { bind, Checkbox, SelectField, TextField } from "../../parts/Field.tsx"
import { type Options, Section } from "../../parts/Layout.tsx"
import { atRoot, serverAddress } from "../../server/Root.ts"
import type { WebsitesProps } from "./KeysSection.tsx"

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

export const snippetOf = ({ key, opens, server, target }: SnippetOptions): string => {
  const isInline = target !== undefined && target !== ""
  const attributes = [
    attribute("src", `${server}/widget.js?key=${encodeURIComponent(key)}`),
    ...(isInline ? [attribute("data-target", target)] : []),
    ...(opens === true && !isInline ? [attribute("data-open", "true")] : []),
  ]
  return `<script async ${attributes.join(" ")}></script>`
}

const modes = { popup: "Floating button", inline: "Inside a page element" }

export const SnippetSection = ({ chatbot, keys: all }: WebsitesProps) => {
  const chosen = useSignal("")
  const mode = useSignal<keyof typeof modes>("popup")
  const opens = useSignal(false)
  const target = useSignal("#chat")
  const live = (all.data.value ?? []).filter((item) => stateOf(item) === "active")
  const options: Options = {
    ...Object.fromEntries(live.map(({ name, public_key }) => [public_key, name])),
    ...(chatbot.is_public && { [chatbot.id]: "Any website (public chatbot)" }),
  }
  const keys = Object.keys(options)
  const key = keys.find((each) => each === chosen.value) ?? keys[0]
  const page = atRoot(`chat/${encodeURIComponent(chatbot.slug)}`)
  if (key === undefined)
    return (
      <Section title="Snippet">
        <p class="soft">Add a website to get its snippet.</p>
      </Section>
    )
  const isInline = mode.value === "inline"
  const snippet = snippetOf({
    key,
    server: serverAddress(),
    opens: opens.value,
    ...(isInline && { target: target.value }),
  })
  return (
    <Section
      title="Snippet"
      about="Paste it into your website's pages, just before </body>."
      actions={<CopyButton text={snippet} label="Copy snippet" withText />}
    >
      <div class="columns">
        {keys.length > 1 && (
          <SelectField label="Website" value={key} options={options} onValue={(value) => (chosen.value = value)} />
        )}
        <SelectField label="Display" {...bind(mode)} options={modes} />
        {isInline && (
          <TextField
            label="Element selector"
            spellcheck={false}
            {...bind(target)}
            hint="A CSS selector such as #chat. The element needs a height."
          />
        )}
      </div>
      {!isInline && <Checkbox label="Open automatically" {...bind(opens)} />}
      <pre class="code-box" dir="ltr">
        <code>{snippet}</code>
      </pre>
      {chatbot.is_public && (
        <div class="row">
          <a class="button secondary small" href={page} target="_blank" rel="noopener">
            <Icon nodes={ExternalLink} size={16} />
            Open chat page
          </a>
          <code class="soft">{location.origin + page}</code>
        </div>
      )}
    </Section>
  )
}
