import { useSignal } from "@preact/signals"
import play from "icon:play"
import { formatMillis } from "../../../shared/Format.ts"
import { call } from "../../Api.ts"
import type { Answer } from "../../Endpoints.ts"
import { type Failure, toFailure } from "../../Failure.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { TextArea } from "../../parts/Field.tsx"
import { Json } from "../../parts/Json.tsx"
import { Problem } from "../../parts/States.tsx"
import type { Tool } from "./ToolData.ts"
import { objectIn, sampleOf } from "./ToolForm.ts"

type Trial = Answer<"POST /api/external/chatbot/:chatbotId/tools/:toolId/try">["trial"]

interface TryDialogProps {
  readonly chatbotId: string
  readonly tool: Tool
  readonly onClose: () => void
}

/** Calls a tool with an input, as a model would. */
export const TryDialog = ({ chatbotId, onClose, tool }: TryDialogProps) => {
  const input = useSignal(JSON.stringify(sampleOf(tool.input_schema), undefined, 2))
  const trial = useSignal<Trial | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const isBusy = useSignal(false)
  const read = objectIn(input.value)
  const run = async (): Promise<void> => {
    if (!("object" in read)) return
    isBusy.value = true
    failure.value = undefined
    trial.value = undefined
    try {
      const answer = await call("POST /api/external/chatbot/:chatbotId/tools/:toolId/try", {
        params: { chatbotId, toolId: tool.id },
        body: { input: read.object },
      })
      trial.value = answer.trial
    } catch (error) {
      failure.value = toFailure(error)
    }
    isBusy.value = false
  }
  return (
    <Dialog title={`Try ${tool.name}`} wide onClose={onClose}>
      <div class="stack">
        <p class="soft">
          This calls <code>{tool.method}</code> <code class="tool-url">{tool.url}</code> for real, with the tool's
          headers. Whatever the endpoint does, it does.
        </p>
        <TextArea
          label="Input"
          value={input.value}
          onValue={(text) => (input.value = text)}
          error={"problem" in read ? read.problem : undefined}
          rows={6}
          spellcheck={false}
        />
        <div class="row">
          <Button
            kind="primary"
            icon={play}
            busy={isBusy.value}
            disabled={"problem" in read}
            onClick={() => void run()}
          >
            Call it
          </Button>
        </div>
        {failure.value !== undefined && <Problem failure={failure.value} />}
        <div aria-live="polite">
          {trial.value !== undefined && (
            <div class="stack">
              <p class="row">
                <Badge kind={trial.value.is_failure ? "bad" : "good"}>
                  {trial.value.is_failure ? "The call failed" : "The call succeeded"}
                </Badge>
                {trial.value.status !== null && <Badge>{`Status ${trial.value.status}`}</Badge>}
                <span class="soft small">{formatMillis(trial.value.duration_ms)}</span>
              </p>
              {trial.value.request !== null && (
                <p class="small">
                  <code>{trial.value.request.method}</code> <code class="tool-url">{trial.value.request.url}</code>
                  {trial.value.request.header_names.length > 0 && (
                    <span class="soft"> · headers: {trial.value.request.header_names.join(", ")}</span>
                  )}
                </p>
              )}
              <Json label="What the model would see" value={trial.value.result} />
            </div>
          )}
        </div>
      </div>
    </Dialog>
  )
}
