import { Effect } from "effect"
import { Embeddings } from "../../embeddings/Embeddings.ts"
import { ProviderProbes } from "../../models/ProviderProbes.ts"
import { ok, wrong } from "./Check.ts"

/** Asks each provider of language models, and that of embeddings. */
export const modelsCheck = Effect.gen(function* () {
  const probes = yield* ProviderProbes
  const embeddings = yield* Embeddings

  const ofEmbeddings = Effect.match(embeddings.embedQuery("Is anybody there?"), {
    onSuccess: (vector) => ok("embeddings", `${embeddings.model} answers, with ${vector.length} dimensions`),
    onFailure: ({ detail }) => wrong("embeddings", `${embeddings.model}: ${detail}`),
  })

  const probed = yield* probes.run
  return [
    ...probed.map(({ failure, provider }) =>
      failure === undefined ? ok("models", `${provider} answers`) : wrong("models", `${provider}: ${failure}`),
    ),
    yield* ofEmbeddings,
  ]
})
