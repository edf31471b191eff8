import type { WidgetConfig } from "../../domain/widget/Widget.ts"

/**
 * The configuration that the server has put into the document, so that the first paint waits for no request. Undefined in
 * a preview of the console, which says itself what it tries.
 */
export const configOf = (): WidgetConfig | undefined =>
  JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="parley-config"]')?.content ?? "null") ?? undefined
