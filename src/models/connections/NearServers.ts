import { Context, Duration, Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { FoundModelServer } from "../../domain/models/ModelConnection.ts"
import { listModels } from "./ModelList.ts"

/** Time for a server beside this one to say which models it has. */
const NEAR_TIMEOUT = Duration.seconds(1)

/** Where servers of models listen unless they are told otherwise: on this machine, and on the host of a container. */
const near = [
  { name: "ollama", title: "Ollama", at: ["127.0.0.1:11434", "host.docker.internal:11434", "ollama:11434"] },
  { name: "lm-studio", title: "LM Studio", at: ["127.0.0.1:1234", "host.docker.internal:1234"] },
] as const

/** A program that serves models, with the addresses at which it may be. */
export interface NearServer {
  readonly name: string
  readonly title: string
  readonly at: ReadonlyArray<string>
}

/** The servers that are looked for. */
export const NearServers: Context.Reference<ReadonlyArray<NearServer>> = Context.Reference<ReadonlyArray<NearServer>>(
  "parley/models/connections/NearServers",
  { defaultValue: () => near },
)

/** Finds the servers of models that run beside this one. */
export const findServers = Effect.fnUntraced(function* (client: HttpClient.HttpClient) {
  const servers = yield* NearServers
  const look = ({ at, name, title }: NearServer) =>
    Effect.forEach(
      at,
      (host) => {
        const base_url = `http://${host}`
        const server = { api: "openai", baseUrl: base_url, apiKey: undefined, keySetting: "" } as const
        return listModels(server, client, NEAR_TIMEOUT).pipe(
          Effect.map((models): ReadonlyArray<FoundModelServer> => [{ name, title, base_url, models }]),
          Effect.orElseSucceed((): ReadonlyArray<FoundModelServer> => []),
        )
      },
      { concurrency: "unbounded" },
    )
  const found = yield* Effect.forEach(servers, look, { concurrency: "unbounded" })
  return found.flatMap((answers) => answers.flat().slice(0, 1))
})
