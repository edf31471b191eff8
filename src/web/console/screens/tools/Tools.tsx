import { useSignal } from "@preact/signals"
import ellipsis from "icon:ellipsis"
import pencil from "icon:pencil"
import play from "icon:play"
import plus from "icon:plus"
import trash from "icon:trash"
import wrench from "icon:wrench"
import { formatMillis } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { call } from "../../Api.ts"
import { chatbotResource } from "../../Chatbots.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Button, LinkButton } from "../../parts/Button.tsx"
import { confirm } from "../../parts/Confirm.tsx"
import { Menu } from "../../parts/Menu.tsx"
import { Page } from "../../parts/Page.tsx"
import { Empty, Loaded } from "../../parts/States.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"
import { useResource } from "../../Resource.ts"
import { href } from "../../Router.ts"
import { can } from "../../Session.ts"
import { type Tool, toolsOf } from "./ToolData.ts"
import { ToolDialog } from "./ToolDialog.tsx"
import { TryDialog } from "./TryDialog.tsx"

type Shown = { readonly kind: "edit"; readonly tool: Tool | undefined } | { readonly kind: "try"; readonly tool: Tool }

/** The HTTP endpoints that a chatbot's model may call. */
const Tools = ({ chatbotId }: { readonly chatbotId: string }) => {
  const tools = useResource(toolsOf(chatbotId))
  const chatbot = useResource(chatbotResource(chatbotId)).data.value?.chatbot
  const shown = useSignal<Shown | undefined>(undefined)
  const close = (): void => {
    shown.value = undefined
  }
  const isWriter = can("chatbots:write")
  const create = isWriter && (
    <Button kind="primary" icon={plus} onClick={() => (shown.value = { kind: "edit", tool: undefined })}>
      New tool
    </Button>
  )
  const stored = (tool: Tool): void => {
    const known = tools.data.value ?? []
    const isKnown = known.some(({ id }) => id === tool.id)
    tools.set(isKnown ? known.map((each) => (each.id === tool.id ? tool : each)) : [...known, tool])
    toast(isKnown ? `${tool.name} is changed.` : `${tool.name} is declared: the model may call it from now on.`)
    close()
  }
  const remove = async (tool: Tool): Promise<void> => {
    const isSure = await confirm({
      title: `Delete ${tool.name}?`,
      text: "The chatbot's model is offered it no more. Its headers are deleted with it.",
      action: "Delete",
      isDangerous: true,
    })
    if (!isSure) return
    try {
      await call("DELETE /api/external/chatbot/:chatbotId/tools/:toolId", { params: { chatbotId, toolId: tool.id } })
      tools.set((tools.data.value ?? []).filter(({ id }) => id !== tool.id))
      toast(`${tool.name} is deleted.`)
    } catch (error) {
      toastFailure(error)
    }
  }
  return (
    <Page
      title="Tools"
      of={chatbot?.name}
      about="HTTP endpoints that the chatbot's model may call while it answers."
      actions={create}
    >
      <div class="stack">
        {chatbot?.settings.isToolEnabled === false && (
          <div class="notice warn">
            <div>
              Tools are off in the settings of this chatbot, so that the model is offered none.{" "}
              <a href={href("settings", { chatbotId })}>Settings</a>
            </div>
          </div>
        )}
        <Loaded of={tools}>
          {(all) =>
            all.length === 0 ? (
              <Empty icon={wrench} title="No tools yet" action={create}>
                With a tool, the chatbot can look things up in your own systems, or do something there: the state of an
                order, a ticket for a person.
              </Empty>
            ) : (
              <ul class="tools">
                {all.map((tool) => (
                  <li key={tool.id} class="section tool">
                    <div class="tool-head">
                      <h2>{tool.name}</h2>
                      {isWriter && (
                        <div class="row">
                          <Button small icon={play} onClick={() => (shown.value = { kind: "try", tool })}>
                            Try
                          </Button>
                          <Menu
                            label={`More about ${tool.name}`}
                            items={[
                              {
                                label: "Change …",
                                icon: pencil,
                                onChoose: () => (shown.value = { kind: "edit", tool }),
                              },
                              {
                                label: "Delete …",
                                icon: trash,
                                isDangerous: true,
                                onChoose: () => void remove(tool),
                              },
                            ]}
                          >
                            <Icon nodes={ellipsis} size={18} />
                          </Menu>
                        </div>
                      )}
                    </div>
                    <p>{tool.description}</p>
                    <p class="tool-call">
                      <Badge>{tool.method}</Badge> <code class="tool-url">{tool.url}</code>
                    </p>
                    <p class="soft small">
                      {Object.keys(tool.headers).length === 0
                        ? "No headers"
                        : `Headers: ${Object.keys(tool.headers).join(", ")}`}
                      {tool.timeout_ms !== null && ` · time-out ${formatMillis(tool.timeout_ms)}`}
                    </p>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
        {tools.data.value !== undefined && tools.data.value.length > 0 && can("chat") && (
          <p class="row">
            <LinkButton href={href("playground", { chatbotId })}>Ask the chatbot in the playground</LinkButton>
          </p>
        )}
      </div>
      {shown.value?.kind === "edit" && (
        <ToolDialog chatbotId={chatbotId} tool={shown.value.tool} onClose={close} onStored={stored} />
      )}
      {shown.value?.kind === "try" && <TryDialog chatbotId={chatbotId} tool={shown.value.tool} onClose={close} />}
    </Page>
  )
}

export default Tools
