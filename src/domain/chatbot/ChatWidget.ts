import { Schema } from "effect"
import { Color, ImageUrl, Label, Language, partial } from "./FieldTypes.ts"

/** The look of the chat widget. Empty fields stand for the widget's own values. */
export const ChatWidgetConfig = Schema.Struct({
  header: Label,
  language: Language,
  logo: ImageUrl,
  name: Label,
  primaryColor: Color,
  secondaryColor: Color,
  slogan: Label,
})
export type ChatWidgetConfig = typeof ChatWidgetConfig.Type

/** A change of the look of the chat widget. A field that is absent stays as it is. */
export const ChatWidgetPatch = partial(ChatWidgetConfig)
export type ChatWidgetPatch = typeof ChatWidgetPatch.Type

/** The look of the chat widget of a new chatbot. */
export const emptyChatWidget: ChatWidgetConfig = {
  header: "",
  language: "",
  logo: "",
  name: "",
  primaryColor: "",
  secondaryColor: "",
  slogan: "",
}
