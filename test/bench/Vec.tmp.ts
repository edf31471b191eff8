process.chdir("/tmp/wt/topics")
import { Effect, Layer, ManagedRuntime } from "effect"
import { Embeddings } from "/tmp/wt/topics/src/embeddings/Embeddings.ts"
import { embeddingsNamed } from "/tmp/wt/topics/test/bench/lib/BenchEmbeddings.ts"
import { readSet } from "/tmp/wt/topics/test/bench/lib/RetrievalSet.ts"
const rt = ManagedRuntime.make(Layer.orDie(embeddingsNamed("local:minilm")))
for (const n of ["xquad/en", "xquad/zh", "xquad/de"]) {
  const qs = readSet("/work/shared/data", n).questions
  const v = await rt.runPromise(
    Effect.flatMap(Embeddings, (e) => {
      console.log(e.unrelatedCosine)
      return e.embedDocuments(qs.map((q) => q.text))
    }),
  )
  await Bun.write("/tmp/vec-" + n.replace("/", "-") + ".json", JSON.stringify(v.map((x) => [...x])))
  console.log(n)
}
await rt.dispose()
