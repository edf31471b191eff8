import { FlaskConical, KeyRound, Plus } from "lucide"
import { plural } from "../../../shared/Format.ts"
import {
  connectFound,
  type Connection,
  type FoundServer,
  foundServers,
  modelConnections,
  type ModelSource,
  modelSources,
  reloadModels,
} from "../../data/Models.ts"
import { Button, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmDeletion, openDialog } from "../../parts/Dialogs.tsx"
import { Badge, Loaded, Page, Section } from "../../parts/Layout.tsx"
import { attempt } from "../../parts/Toast.ts"
import { call } from "../../server/Api.ts"
import { useResource } from "../../server/Resource.ts"
import { ConnectionDialog } from "./ConnectionDialog.tsx"
import { KeyDialog } from "./KeyDialog.tsx"
import { TestDialog } from "./TestDialog.tsx"

const namesOf = ({ models }: FoundServer): string => {
  const names = models.slice(0, 3).map(({ model }) => model)
  return `${names.join(", ")}${models.length > 3 ? " …" : ""}`
}

const Found = ({ server }: { readonly server: FoundServer }) => (
  <li class="session row nowrap apart">
    <div class="anywhere">
      <p>
        <strong>{server.title} is on this machine</strong>
      </p>
      <p class="soft small">
        {namesOf(server)} · {server.base_url}
      </p>
    </div>
    <Button
      kind="primary"
      small
      onClick={() =>
        attempt(async () => {
          const source = await connectFound(server)
          openDialog(<TestDialog source={source?.name ?? server.name} first={source?.models[0]?.model} />)
        })
      }
    >
      {server.models.length === 1 ? `Use ${server.models[0]?.model}` : "Connect"}
    </Button>
  </li>
)

const remove = ({ id, name }: Connection): Promise<void> =>
  confirmDeletion(
    name,
    `Chatbots whose model begins with ${name}/ cannot answer until they have another one.`,
    async () => {
      await call("DELETE /api/admin/model-connections/:connectionId", { params: { connectionId: id } })
      await reloadModels()
    },
    { action: "Delete connection" },
  )

interface SourceProps {
  readonly source: ModelSource
  readonly connection: Connection | undefined
}

const modelsOf = ({ failure, models }: ModelSource): string =>
  failure ?? (models.length === 0 ? "Lists no models: type their names." : plural(models.length, "model"))

const Source = ({ connection, source }: SourceProps) => (
  <li class="session row nowrap apart">
    <div class="anywhere">
      <p>
        <strong>{source.name}</strong> {source.failure !== null && <Badge kind="bad">Failed</Badge>}
        {source.origin === "settings" && <Badge>Set by the server</Badge>}
      </p>
      <p class="soft small">
        {connection !== undefined && `${connection.base_url} · `}
        {connection?.key_hint != null && `${connection.key_hint} · `}
        {modelsOf(source)}
      </p>
      {source.refused.map(({ model, parts }) => (
        <p key={model} class="soft small">
          {model} is asked without what its server refuses: {parts.join(", ")}.
        </p>
      ))}
    </div>
    <Menu
      label={`Actions for ${source.name}`}
      items={[
        {
          label: "Test…",
          icon: FlaskConical,
          onChoose: () => openDialog(<TestDialog source={source.name} first={source.models[0]?.model} />),
        },
        ...(connection === undefined
          ? []
          : [
              {
                label: "Replace key…",
                icon: KeyRound,
                onChoose: () => openDialog(<KeyDialog connection={connection} />),
              },
              deleteItem(() => remove(connection)),
            ]),
      ]}
    />
  </li>
)

/** The servers and providers that the organization has models from. */
const Models = () => {
  const connections = useResource(modelConnections()).data.value ?? []
  const found = useResource(foundServers()).data.value ?? []
  return (
    <Page
      title="Models"
      docs="guide#choose-a-language-model"
      about="Servers and providers of language models."
      actions={
        <Button kind="primary" icon={Plus} onClick={() => openDialog(<ConnectionDialog />)}>
          Connect a model
        </Button>
      }
    >
      {found.length > 0 && (
        <Section title="Found">
          <ul class="rows" aria-label="Found">
            {found.map((server) => (
              <Found key={server.base_url} server={server} />
            ))}
          </ul>
        </Section>
      )}
      <Section title="Connected" about="Chatbots use these models. A change holds at once, without a restart.">
        <Loaded of={useResource(modelSources())}>
          {(sources) => {
            const others = sources.filter(({ origin }) => origin !== "built_in")
            return others.length === 0 ? (
              <p class="soft">
                Nothing yet. Chatbots quote their documents until they have a model that answers in its own words.
              </p>
            ) : (
              <ul class="rows" aria-label="Connected">
                {others.map((source) => (
                  <Source
                    key={source.name}
                    source={source}
                    connection={
                      source.origin === "connection" ? connections.find(({ name }) => name === source.name) : undefined
                    }
                  />
                ))}
              </ul>
            )
          }}
        </Loaded>
      </Section>
    </Page>
  )
}

export default Models
