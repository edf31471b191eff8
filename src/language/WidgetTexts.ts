import type { widget } from "./languages/en.ts"

/**
 * Everything that the chat widget says by itself, in one language. Names in braces stand for what is filled in: `{n}` for
 * a number, which is written so that no grammar depends on it, and `{query}` for what the documents are searched for.
 * `voice` is what a call says, between bars: to end it, that the microphone is off, that the chatbot listens, that it
 * speaks, who recognizes speech, who may receive it, and that there is no microphone.
 */
export type WidgetTexts = Readonly<Record<keyof typeof widget, string>>
