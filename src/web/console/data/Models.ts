import { type Answer, call } from "../server/Api.ts"
import { resources } from "../server/Resource.ts"
import { can } from "../server/Session.ts"
import { allChatbots, chatbotResource } from "./Chatbots.ts"

export type Connection = Answer<"GET /api/admin/model-connections">["connections"][number]
export type ModelSource = Answer<"GET /api/external/models">["sources"][number]
export type FoundServer = Answer<"GET /api/admin/model-servers">["servers"][number]

/** The model that quotes documents, and needs no connection. */
export const QUOTING = "local/extractive"

/** Where the organization has models from. */
export const modelSources = resources(async () => (await call("GET /api/external/models")).sources)

/** The connections that the organization has made. */
export const modelConnections = resources(async () => (await call("GET /api/admin/model-connections")).connections)

/** The servers of models on the server's machine that are not connected; none for those who may not connect them. */
export const foundServers = resources(async (): Promise<ReadonlyArray<FoundServer>> =>
  can("operator", null) && can("admin", null) ? (await call("GET /api/admin/model-servers")).servers : [],
)

/** Asks again for what a change of the connections has changed. */
export const reloadModels = async (): Promise<void> => {
  await Promise.all([modelSources().reload(), modelConnections().reload(), foundServers().reload()])
}

type ConnectionInput = Pick<Connection, "api" | "base_url" | "name"> & { readonly api_key: string | null }

/** Connects a server, and returns it with the models that it lists. */
export const connect = async (input: ConnectionInput): Promise<ModelSource | undefined> => {
  await call("POST /api/admin/model-connections", { body: input })
  await reloadModels()
  return modelSources().data.value?.find(({ name }) => name === input.name)
}

/** Connects a server that was found. */
export const connectFound = ({ base_url, name }: FoundServer): Promise<ModelSource | undefined> => {
  const isTaken = modelSources().data.value?.some((source) => source.name === name) === true
  return connect({ name: isTaken ? `${name}-2` : name, api: "openai", base_url, api_key: null })
}

/** Lets a chatbot answer by a model, and returns what is said of it. */
export const giveModel = async (chatbotId: string, model: string): Promise<string> => {
  const { chatbot } = await call("PATCH /api/external/chatbots", {
    query: { id: chatbotId },
    body: { settings: { model } },
  })
  await Promise.all([chatbotResource(chatbotId).reload(), allChatbots().reload()])
  return `${chatbot.name} answers by ${model}.`
}
