import type { widget } from "./en.ts"

/**
 * Everything that the chat widget says by itself, in one language. Names in braces stand for what is filled in: `{n}` for
 * a number, which is written so that no grammar depends on it, and `{query}` for what the documents are searched for.
 */
export type WidgetTexts = Readonly<Record<keyof typeof widget, string>>
