import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import type { CrawledKind, SourceConfig, SourcePreview } from "../domain/knowledge/Source.ts"

/** Finds out what a source would read, by its robots.txt and lists, without reading a page. */
export class SourcePreviews extends Context.Service<
  SourcePreviews,
  {
    /** Previews a source. What keeps it from being read is part of the result. */
    readonly preview: (kind: CrawledKind, config: SourceConfig) => Effect.Effect<SourcePreview, Unavailable>
  }
>()("parley/sources/SourcePreviews") {
  static readonly layer = Layer.succeed(this, {
    preview: () => Effect.succeed({ hosts: [], include: [], robots: [], listed: null, examples: [], problems: [] }),
  })
}
