import { useSignal } from "@preact/signals"
import plus from "icon:plus"
import x from "icon:x"
import { call } from "../../Api.ts"
import { toFailure } from "../../Failure.ts"
import { Button, IconButton } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { SelectField, TextArea, TextField } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import type { Tool } from "./ToolData.ts"
import {
  draftOf,
  type HeaderDraft,
  methods,
  newDraft,
  payloadOf,
  problemsOf,
  refusalsOf,
  schemaTemplate,
  type ToolDraft,
} from "./ToolForm.ts"

interface ToolDialogProps {
  readonly chatbotId: string
  /** The tool to change; undefined to declare one. */
  readonly tool: Tool | undefined
  readonly onClose: () => void
  readonly onStored: (tool: Tool) => void
}

const store = async (chatbotId: string, tool: Tool | undefined, draft: ToolDraft): Promise<Tool> => {
  const { headers, timeout_ms, ...rest } = payloadOf(draft, tool)
  if (tool === undefined) {
    const body = { ...rest, headers, ...(timeout_ms !== null && { timeout_ms }) }
    return (await call("POST /api/external/chatbot/:chatbotId/tools", { params: { chatbotId }, body })).tool
  }
  return (
    await call("PATCH /api/external/chatbot/:chatbotId/tools/:toolId", {
      params: { chatbotId, toolId: tool.id },
      body: { ...rest, headers, timeout_ms },
    })
  ).tool
}

/** A form in which a tool is declared or changed. */
export const ToolDialog = ({ chatbotId, onClose, onStored, tool }: ToolDialogProps) => {
  const draft = useSignal<ToolDraft>(tool === undefined ? newDraft : draftOf(tool))
  const isSent = useSignal(false)
  const refusals = useSignal<ReturnType<typeof refusalsOf>>({})
  const problems = problemsOf(draft.value)
  // A form that is empty is not yet wrong.
  const errors = isSent.value ? { ...problems, ...refusals.value } : refusals.value
  const schemaError = errors.schema ?? (draft.value.schema === schemaTemplate ? undefined : problems.schema)
  const change = (changes: Partial<ToolDraft>): void => {
    draft.value = { ...draft.value, ...changes }
    refusals.value = {}
  }
  const submit = async (): Promise<void> => {
    isSent.value = true
    if (Object.keys(problems).length > 0) return
    try {
      onStored(await store(chatbotId, tool, draft.value))
    } catch (error) {
      refusals.value = refusalsOf(toFailure(error).errors)
      throw error
    }
  }
  return (
    <Dialog title={tool === undefined ? "New tool" : `Change ${tool.name}`} wide onClose={onClose}>
      <Form action={tool === undefined ? "Create" : "Save"} onSubmit={submit} onCancel={onClose}>
        <TextField
          label="Name"
          hint="What the model calls it, such as orderStatus."
          value={draft.value.name}
          onValue={(name) => change({ name })}
          error={errors.name}
          spellcheck={false}
        />
        <TextArea
          label="Description"
          hint="Tells the model when to use it, and what it gives back."
          value={draft.value.description}
          onValue={(description) => change({ description })}
          error={errors.description}
          rows={2}
        />
        <div class="tool-address">
          <SelectField
            label="Method"
            value={draft.value.method}
            onValue={(method) => change({ method })}
            options={methods.map((value) => ({ value, label: value }))}
          />
          <TextField
            label="Address"
            hint="{Names} in braces are filled in with required properties of the input. The other properties go into the query with GET and DELETE, else into a JSON body."
            placeholder="https://shop.example.com/orders/{orderId}"
            value={draft.value.url}
            onValue={(url) => change({ url })}
            error={errors.url}
            spellcheck={false}
          />
        </div>
        <div class="tool-schema">
          <TextArea
            label="Input, as JSON Schema"
            value={draft.value.schema}
            onValue={(schema) => change({ schema })}
            error={schemaError}
            hint="What the model has to send, with a description of each property."
            rows={10}
            spellcheck={false}
          />
          {draft.value.schema.trim() !== schemaTemplate && (
            <Button small kind="quiet" onClick={() => change({ schema: schemaTemplate })}>
              Begin with the template
            </Button>
          )}
        </div>
        <Headers headers={draft.value.headers} error={errors.headers} onHeaders={(headers) => change({ headers })} />
        <TextField
          label="Time-out in milliseconds"
          hint="Empty: as the server's settings say."
          type="number"
          min={100}
          max={30_000}
          value={draft.value.timeout}
          onValue={(timeout) => change({ timeout })}
          error={errors.timeout}
        />
      </Form>
    </Dialog>
  )
}

interface HeadersProps {
  readonly headers: ReadonlyArray<HeaderDraft>
  readonly error: string | undefined
  readonly onHeaders: (headers: ReadonlyArray<HeaderDraft>) => void
}

/** The headers of the request, whose values are secrets. */
const Headers = ({ error, headers, onHeaders }: HeadersProps) => {
  const change = (id: number, changes: Partial<HeaderDraft>): void =>
    onHeaders(headers.map((header) => (header.id === id ? { ...header, ...changes } : header)))
  const add = (): void => {
    const id = Math.max(-1, ...headers.map((header) => header.id)) + 1
    onHeaders([...headers, { id, name: "", value: "", isStored: false }])
  }
  return (
    <fieldset class="tool-headers">
      <legend>Headers</legend>
      <p class="field-hint">
        Sent with every call, such as a token. Values are stored as secrets and never shown again.
      </p>
      {headers.map(({ id, isStored, name, value }, index) => (
        <div class="tool-header" key={id}>
          <TextField
            label={`Name of header ${index + 1}`}
            labelHidden
            placeholder="authorization"
            value={name}
            disabled={isStored}
            onValue={(text) => change(id, { name: text })}
            spellcheck={false}
          />
          <TextField
            label={`Value of header ${index + 1}`}
            labelHidden
            type="password"
            autocomplete="new-password"
            placeholder={isStored ? "stored; type to replace" : "Bearer …"}
            value={value}
            onValue={(text) => change(id, { value: text })}
          />
          <IconButton
            icon={x}
            label={`Remove header ${name === "" ? index + 1 : name}`}
            onClick={() => onHeaders(headers.filter((header) => header.id !== id))}
          />
        </div>
      ))}
      {error !== undefined && <p class="field-error">{error}</p>}
      <Button small icon={plus} onClick={add}>
        Add a header
      </Button>
    </fieldset>
  )
}
