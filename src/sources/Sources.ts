import { Layer } from "effect"
import { Crawl } from "./Crawl.ts"
import { PoliteFetch, type PoliteFetchSettings } from "./PoliteFetch.ts"
import { SourcePreviews } from "./Preview.ts"
import { Renderer, type RendererSettings } from "./Renderer.ts"

export interface SourcesSettings {
  readonly crawler: PoliteFetchSettings
  readonly renderer: RendererSettings
}

/** What reads the pages of sources, and previews them. */
export const layer = ({ crawler, renderer }: SourcesSettings) =>
  Layer.mergeAll(Crawl.layer.pipe(Layer.provide(Renderer.layer(renderer))), SourcePreviews.layer).pipe(
    Layer.provideMerge(PoliteFetch.layer(crawler)),
  )
