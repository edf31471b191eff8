import { useSignal } from "@preact/signals"
import { formatMillis } from "../../../shared/Format.ts"
import { Json } from "../../parts/Copy.tsx"
import { Dialog, Form } from "../../parts/Dialogs.tsx"
import { bind, TextArea } from "../../parts/Field.tsx"
import { Badge } from "../../parts/Layout.tsx"
import { type Answer, call } from "../../server/Api.ts"
import { forReader } from "../../server/Failure.ts"
import { jsonIn } from "../../server/Unknown.ts"
import { objectIn, sampleOf, type Tool } from "./ToolForm.ts"

type Trial = Answer<"POST /api/external/chatbot/:chatbotId/tools/:toolId/try">["trial"]

export const TryDialog = ({ chatbotId, tool }: { readonly chatbotId: string; readonly tool: Tool }) => {
  const input = useSignal(JSON.stringify(sampleOf(tool.input_schema), undefined, 2))
  const trial = useSignal<Trial | undefined>(undefined)
  const read = objectIn(input.value)
  const run = async (): Promise<void> => {
    if (!("object" in read)) return
    trial.value = undefined
    const answer = await call("POST /api/external/chatbot/:chatbotId/tools/:toolId/try", {
      params: { chatbotId, toolId: tool.id },
      body: { input: read.object },
    })
    trial.value = answer.trial
  }
  return (
    <Dialog title={`Test ${tool.name}`} wide>
      <p class="soft">
        This sends a real request: <code>{tool.method}</code> <code class="anywhere">{tool.url}</code>
      </p>
      <Form action="Send request" isWrong={"problem" in read} onSubmit={run}>
        <TextArea
          label="Input"
          {...bind(input)}
          error={"problem" in read ? read.problem : undefined}
          rows={6}
          spellcheck={false}
        />
      </Form>
      <div aria-live="polite">
        {trial.value !== undefined && (
          <div class="stack">
            <p class="row">
              <Badge kind={trial.value.is_failure ? "bad" : "good"}>
                {trial.value.is_failure ? "Failed" : "Succeeded"}
              </Badge>
              {trial.value.status !== null && <Badge>{`Status ${trial.value.status}`}</Badge>}
              <span class="soft small">{formatMillis(trial.value.duration_ms)}</span>
            </p>
            {trial.value.request !== null && (
              <p class="small">
                <code>{trial.value.request.method}</code> <code class="anywhere">{trial.value.request.url}</code>
                {trial.value.request.header_names.length > 0 && (
                  <span class="soft"> · headers: {trial.value.request.header_names.join(", ")}</span>
                )}
              </p>
            )}
            <Json label="Result for the model" value={jsonIn(forReader(JSON.stringify(trial.value.result)))} />
          </div>
        )}
      </div>
    </Dialog>
  )
}
