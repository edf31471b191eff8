import { effect } from "@preact/signals"
import { render } from "preact"
import type { MessageId } from "../../domain/Ids.ts"
import type { Timestamp } from "../../domain/schema/Timestamp.ts"
import type { WidgetConfig } from "../../domain/widget/Widget.ts"
import "./frame.css"
import { chooseTag, type Language, loadLanguage } from "./languages/Language.ts"
import { colorProperties } from "./model/Colors.ts"
import { Question, Reply } from "./model/Entries.ts"
import { findHost, type Host, onPreview } from "./model/Host.ts"
import { Widget } from "./model/Widget.ts"
import { App } from "./views/App.tsx"

/*
 * The widget: in a frame of a page that embeds it, as a page of its own, or as the preview in the console.
 */

/** Shows a short conversation that never happened, about a question, as an example of how one looks. */
const showSample = (widget: Widget, question: string): Widget => {
  if (widget.chat.entries.value[0]?.text === question) return widget
  const reply = new Reply()
  reply.restore({
    id: "sample" as MessageId,
    role: "assistant",
    content: "This is how an **answer** looks, with a [link](https://example.com).",
    created_at: "" as Timestamp,
    is_complete: true,
    sources: [{ index: 0, title: "Document.pdf", page: 3, quote: "A passage" }],
  })
  widget.chat.entries.value = [new Question(question), reply]
  return widget
}

const root = document.documentElement

const languageFor = (config: WidgetConfig, wanted: string | undefined): Promise<Language> => {
  const chosen = wanted ?? config.language
  return loadLanguage(chooseTag(chosen === "auto" || chosen === "" ? navigator.languages : [chosen]))
}

const setTheme = (theme: "light" | "dark" | undefined): void => {
  if (theme === undefined) delete root.dataset["theme"]
  else root.dataset["theme"] = theme
}

const show = async (host: Host, config: WidgetConfig): Promise<Widget> => {
  const widget = new Widget(host, config, await languageFor(config, host.language))
  setTheme(host.theme)
  effect(() => {
    const { header, name, primary_color, secondary_color } = widget.config.value
    for (const [property, color] of colorProperties(primary_color, secondary_color)) {
      root.style.setProperty(property, color)
    }
    document.title = header || name
  })
  effect(() => {
    root.lang = widget.language.value.tag
    root.dir = widget.language.value.direction
  })
  render(<App widget={widget} />, document.body)
  widget.start()
  return widget
}

/** Reads what the server has put into the document, so that the first paint waits for no request. */
const metaOf = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="parley-${name}"]`)?.content

const mode = metaOf("mode") ?? "frame"

if (mode === "preview") {
  let shown: Promise<Widget> | undefined
  onPreview(({ config, question, theme }) => {
    setTheme(theme)
    const change = async (widget: Widget) => {
      if (widget.given.value.language !== config.language) widget.language.value = await languageFor(config, undefined)
      widget.given.value = config
      return widget
    }
    const changed = shown?.then(change) ?? findHost(mode, config).then((host) => show(host, config))
    shown = changed.then((widget) => showSample(widget, question))
  })
} else {
  const config: WidgetConfig = JSON.parse(metaOf("config") ?? "")
  await show(await findHost(mode, config), config)
}
