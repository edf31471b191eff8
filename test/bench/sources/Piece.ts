import type { Effect, Layer, Scope } from "effect"
import type { crawlNeeds } from "../../lib/Crawling.ts"
import type { Finding, PartSettings } from "../lib/Parts.ts"

/** A piece of the part `crawl`, which starts what reads its own sites. */
export type Piece = (
  settings: PartSettings,
) => Effect.Effect<ReadonlyArray<Finding>, unknown, Layer.Success<typeof crawlNeeds> | Scope.Scope>
