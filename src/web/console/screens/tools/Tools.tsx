import { Play, Plus, Wrench } from "lucide"
import { formatMillis } from "../../../shared/Format.ts"
import { chatbotResource } from "../../data/Chatbots.ts"
import { Button, changeItem, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmDeletion, openDialog } from "../../parts/Dialogs.tsx"
import { Badge, Card, Empty, Loaded, Page } from "../../parts/Layout.tsx"
import { toast } from "../../parts/Toast.ts"
import { href } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { drop, put, useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { ToolDialog } from "./ToolDialog.tsx"
import { type Tool, toolsOf } from "./ToolForm.ts"
import { TryDialog } from "./TryDialog.tsx"

const Tools = ({ chatbotId }: { readonly chatbotId: string }) => {
  const tools = useResource(toolsOf(chatbotId))
  const chatbot = useResource(chatbotResource(chatbotId)).data.value?.chatbot
  const isWriter = can("chatbots:write")
  const create = isWriter && (
    <Button kind="primary" icon={Plus} onClick={() => edit()}>
      New tool
    </Button>
  )
  const stored = (tool: Tool): void => toast(`${tool.name} ${put(tools, tool) ? "updated" : "created"}.`)
  const edit = (tool?: Tool) => openDialog(<ToolDialog chatbotId={chatbotId} tool={tool} onStored={stored} />)
  const remove = ({ id, name }: Tool): Promise<void> =>
    confirmDeletion(name, "The model can no longer call the tool. Its headers are deleted as well.", async () => {
      await call("DELETE /api/external/chatbot/:chatbotId/tools/:toolId", { params: { chatbotId, toolId: id } })
      drop(tools, id)
    })
  return (
    <Page title="Tools" docs="guide" about="HTTP endpoints the model can call while it answers." actions={create}>
      <div class="stack">
        {chatbot?.settings.isToolEnabled === false && (
          <p class="notice warn">
            Tools are turned off for this chatbot.{" "}
            <a href={href("settings", { chatbotId }, { do: "Replies" })}>Open settings</a>
          </p>
        )}
        <Loaded
          of={tools}
          empty={
            <Empty icon={Wrench} title="No tools yet" action={create}>
              Tools let the chatbot use your own systems, such as to look up an order or to open a ticket.
            </Empty>
          }
        >
          {(all) => (
            <ul class="columns wide">
              {all.map((tool) => (
                <Card
                  key={tool.id}
                  title={tool.name}
                  actions={
                    isWriter && (
                      <>
                        <Button
                          small
                          icon={Play}
                          onClick={() => openDialog(<TryDialog chatbotId={chatbotId} tool={tool} />)}
                        >
                          Test
                        </Button>
                        <Menu
                          label={`Actions for ${tool.name}`}
                          items={[changeItem(() => edit(tool)), deleteItem(() => void remove(tool))]}
                        />
                      </>
                    )
                  }
                >
                  <p>{tool.description}</p>
                  <p>
                    <Badge>{tool.method}</Badge> <code>{tool.url}</code>
                  </p>
                  <p class="soft small">
                    {["Headers:", Object.keys(tool.headers).join(", ") || "none"].join(" ")}
                    {tool.timeout_ms !== null && ` · timeout ${formatMillis(tool.timeout_ms)}`}
                  </p>
                </Card>
              ))}
            </ul>
          )}
        </Loaded>
        {tools.data.value !== undefined && tools.data.value.length > 0 && can("chat") && (
          <a class="button secondary" href={href("playground", { chatbotId })}>
            Open playground
          </a>
        )}
      </div>
    </Page>
  )
}

export default Tools
