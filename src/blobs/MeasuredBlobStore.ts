import { Effect, Layer } from "effect"
import { atBorder, outcomeOf } from "../observability/Border.ts"
import { blobs as metrics } from "../observability/Metrics.ts"
import { BlobStore } from "./BlobStore.ts"

const measured = <A, E, R>(operation: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  atBorder(work, {
    span: `blob ${operation}`,
    kind: "client",
    measure: (seconds, exit) => metrics.seconds(operation, outcomeOf(exit)).observe(seconds),
  })

/** Measures the operations of another blob store. */
export const layer: Layer.Layer<BlobStore, never, BlobStore> = Layer.effect(
  BlobStore,
  Effect.map(BlobStore, (store) =>
    BlobStore.of({
      ...store,
      put: (key, content) => measured("put", store.put(key, content)),
      get: (key) => measured("get", store.get(key)),
      open: (key) => measured("open", store.open(key)),
      info: (key) => measured("info", store.info(key)),
      remove: (key) => measured("remove", store.remove(key)),
    }),
  ),
)
