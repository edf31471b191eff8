import { Schema } from "effect"
import { boundedList, boundedRecord } from "../schema/Bounded.ts"
import { textBetween, textUpTo } from "../schema/Text.ts"
import { unexpressed } from "../schema/Unexpressed.ts"
import { clearable, Color, ImageUrl, isLanguageTag, Label, Language, partial } from "./FieldTypes.ts"

const SUGGESTIONS_MAX_COUNT = 6
const LANGUAGES_MAX_COUNT = 40
const LAUNCHER_TEXT_MAX_LENGTH = 40

const LauncherText = textUpTo(LAUNCHER_TEXT_MAX_LENGTH).annotate({ description: "Text beside the launcher's icon." })

/** Questions that are offered before the first message. */
export const Suggestions = boundedList(
  textBetween(1, 200),
  { maximum: SUGGESTIONS_MAX_COUNT },
  {
    description: "Questions that are offered before the first message. Absent where there are none.",
    examples: [["When does the ferry leave?"]],
  },
)

const Disclosure = Label.annotate({
  description: "Tells visitors that no person answers. Absent or empty: the widget says so in the visitor's language.",
})

/** The button that opens the chat. */
export const Launcher = Schema.Struct({
  icon: Schema.Literals(["chat", "question", "headset", "sparkles"]),
  size: Schema.Literals(["small", "medium", "large"]),
  side: Schema.Literals(["right", "left"]),
  text: LauncherText,
})
export type Launcher = typeof Launcher.Type

const Words = Schema.Struct({
  header: Label,
  name: Label,
  slogan: Label,
  greeting: textUpTo(2_000).annotate({ description: "First message shown to a user." }),
  disclosure: Disclosure,
  launcher: LauncherText,
  suggestions: Suggestions,
})

/** The operator's own texts of the widget in one language. A text that is absent is that of the chatbot. */
export const WidgetWords = partial(Words)
export type WidgetWords = typeof WidgetWords.Type

const translations = <S extends Schema.Top>(value: S) =>
  boundedRecord(value, LANGUAGES_MAX_COUNT, {
    description: "The texts of the widget in other languages, by language tag. Absent where there are none.",
  }).check(
    Schema.makeFilter(
      (byTag: object) => Object.keys(byTag).every(isLanguageTag) || "Expected BCP 47 language tags as keys",
      unexpressed,
    ),
  )

const look = {
  header: Label,
  language: Language,
  logo: ImageUrl,
  name: Label,
  primaryColor: Color,
  secondaryColor: Color,
  slogan: Label,
}

/** The look of the chat widget. Empty fields, and those that are absent, stand for the widget's own values. */
export const ChatWidgetConfig = Schema.Struct({
  ...look,
  disclosure: Schema.optionalKey(Disclosure),
  suggestions: Schema.optionalKey(Suggestions),
  launcher: Schema.optionalKey(partial(Launcher)),
  translations: Schema.optionalKey(translations(WidgetWords)),
})
export type ChatWidgetConfig = typeof ChatWidgetConfig.Type

/** A change of the look of the chat widget. A field that is absent stays as it is; null removes one that may be absent. */
export const ChatWidgetPatch = partial(
  Schema.Struct({
    ...look,
    disclosure: Schema.NullOr(Disclosure),
    suggestions: Schema.NullOr(Suggestions),
    launcher: Schema.NullOr(clearable(Launcher)),
    translations: Schema.NullOr(translations(Schema.NullOr(clearable(Words)))),
  }),
)
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
