import { Console, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ModelFetch } from "../embeddings/sentences/ModelFetch.ts"
import { MINILM } from "../embeddings/sentences/ModelPackage.ts"
import { isModelName } from "../domain/knowledge/ModelName.ts"
import { StartupError } from "../system/StartupError.ts"
import { EMBEDDINGS } from "../system/Variables.ts"

const fetch = Command.make(
  "fetch",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription(`Name of the model, as in ${EMBEDDINGS}=local:<name>; ${MINILM} needs no URL`),
      Argument.filter(isModelName, () => "small letters, digits, `.`, `_` and `-`"),
    ),
    url: Argument.String("url").pipe(
      Argument.withDescription("A .tgz, or one file: a .onnx, tokenizer.json, tokenizer_config.json or manifest.json"),
      Argument.filter(
        (text) => /^https?:\/\//.test(text) && URL.canParse(text),
        () => "an http(s) URL",
      ),
      Argument.optional,
    ),
    sha256: Flag.String("sha256").pipe(
      Flag.withDescription("SHA-256 of the file, which is kept only if it has this one"),
      Flag.filter(
        (text) => /^[0-9a-fA-F]{64}$/.test(text),
        () => "64 hexadecimal digits",
      ),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ name, sha256, url }) {
    const models = yield* ModelFetch
    if (Option.isNone(url) && name === MINILM) {
      return yield* Console.log((yield* models.fetchKnown) ? `${MINILM}: fetched.` : `${MINILM} is there already.`)
    }
    if (Option.isNone(url) || Option.isNone(sha256)) {
      return yield* new StartupError({
        what: `Only ${MINILM} is known by its name, and not ${name}.`,
        doThis: "Say where a file of the model is, and its `--sha256`.",
      })
    }
    const fetched = yield* models.fetch({ name, url: new URL(url.value), sha256: sha256.value })
    yield* Console.log(`${name}: ${fetched.join(", ")}.`)
  }),
).pipe(Command.withDescription(`Fetch an embedding model for ${EMBEDDINGS}=local:<name> into the data directory`))

/** The commands on the models that the server runs itself. */
export const models = <E, R>(layer: Layer.Layer<ModelFetch, E, R>) =>
  Command.make("models").pipe(
    Command.withDescription("Embedding models that the server runs itself"),
    Command.withSubcommands([Command.provide(fetch, layer)]),
  )
