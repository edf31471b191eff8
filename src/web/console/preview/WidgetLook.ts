import type { Fields } from "../forms/Fields.ts"
import type { PreviewConfig } from "./WidgetPreview.tsx"

const text = (fields: Fields, path: string): string => {
  const value = fields[path]
  return typeof value === "string" ? value : ""
}

const list = (fields: Fields, path: string): ReadonlyArray<string> => {
  const value = fields[path]
  return Array.isArray(value) ? value.filter((item) => item.trim() !== "") : []
}

/** The texts in other languages of a configuration that is being edited, without those that are empty. */
const translationsIn = (widget: Fields): PreviewConfig["translations"] => {
  const translations: Record<string, Record<string, string | ReadonlyArray<string>>> = {}
  for (const [path, value] of Object.entries(widget)) {
    const [group, tag, name] = path.split(".")
    if (group !== "translations" || tag === undefined || name === undefined) continue
    const text = typeof value === "string" ? value : list(widget, path)
    if (text.length > 0) (translations[tag] ??= {})[name] = text
  }
  return translations
}

/** A colour without its transparency, as the widget shows it. */
const opaque = (color: string): string => (/^#[0-9a-f]{8}$/i.test(color) ? color.slice(0, 7) : color)

/** The first of several texts that is not empty. */
const first = (...texts: ReadonlyArray<string>): string => texts.find((each) => each !== "") ?? ""

/**
 * The look of a chatbot's widget: the fields of the widget's own configuration, and where those are empty the
 * chatbot's snippet and name. The server fills in the same.
 */
export const lookOf = (chatbot: Fields, widget: Fields): PreviewConfig => {
  const own = (field: string): string => first(text(widget, field), text(chatbot, `settings.snippet.${field}`))
  const name = text(chatbot, "name")
  return {
    key: "preview",
    chatbot_id: text(chatbot, "id"),
    header: first(own("header"), name),
    name: first(own("name"), name),
    slogan: own("slogan"),
    logo: own("logo"),
    avatar: text(chatbot, "settings.avatar"),
    primary_color: opaque(own("primaryColor")),
    secondary_color: opaque(own("secondaryColor")),
    language: first(text(widget, "language"), "auto"),
    greeting: text(chatbot, "settings.greeting"),
    suggestions: list(widget, "suggestions"),
    launcher: { icon: "chat", size: "medium", side: "right", text: "" },
    translations: translationsIn(widget),
    is_email_requested: chatbot["settings.isRequestUserInfoEnabled"] === true,
    is_active: chatbot["active"] === true,
  }
}
