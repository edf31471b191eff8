import type { WidgetConfig } from "../../domain/widget/Widget.ts"

/**
 * The configuration that the server has put into the document of a frame or a page, so that the first paint waits for no
 * request. A preview has none.
 */
export const configOf = (): WidgetConfig =>
  JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="parley-config"]')?.content ?? "null")
