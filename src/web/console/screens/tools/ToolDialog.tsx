import { useSignal } from "@preact/signals"
import { Plus, X } from "lucide"
import { call } from "../../server/Api.ts"
import { toFailure } from "../../server/Failure.ts"
import { Button, IconButton } from "../../parts/Buttons.tsx"
import { SelectField, TextArea, TextField } from "../../parts/Field.tsx"
import { FormDialog } from "../../parts/Dialogs.tsx"
import type { Tool } from "./ToolData.ts"
import {
  draftOf,
  headersProblem,
  type HeaderDraft,
  methods,
  newDraft,
  objectIn,
  payloadOf,
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
  const errors = useSignal<ReturnType<typeof refusalsOf>>({})
  const read = objectIn(draft.value.schema)
  const problems = {
    schema: "problem" in read ? read.problem : undefined,
    headers: headersProblem(draft.value.headers),
  }
  const change = (changes: Partial<ToolDraft>): void => {
    draft.value = { ...draft.value, ...changes }
    errors.value = {}
  }
  /** The properties of the control for a field of the draft. */
  const of = <K extends keyof ToolDraft>(field: K) => ({
    value: draft.value[field],
    onValue: (value: ToolDraft[K]): void => change({ [field]: value }),
    error: errors.value[field],
  })
  const submit = async (): Promise<void> => {
    try {
      onStored(await store(chatbotId, tool, draft.value))
    } catch (error) {
      errors.value = refusalsOf(toFailure(error).errors)
      throw error
    }
  }
  return (
    <FormDialog
      title={tool === undefined ? "New tool" : `Change ${tool.name}`}
      action={tool === undefined ? "Create" : "Save"}
      wide
      isWrong={problems.schema !== undefined || problems.headers !== undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label="Name" hint="What the model calls it, such as orderStatus." {...of("name")} spellcheck={false} />
      <TextArea
        label="Description"
        hint="Tells the model when to use it, and what it gives back."
        {...of("description")}
        rows={2}
      />
      <div class="tool-address">
        <SelectField label="Method" {...of("method")} options={methods.map((value) => ({ value, label: value }))} />
        <TextField
          label="Address"
          hint="{Names} in braces are filled in with required properties of the input. The other properties go into the query with GET and DELETE, else into a JSON body."
          placeholder="https://shop.example.com/orders/{orderId}"
          {...of("url")}
          spellcheck={false}
        />
      </div>
      <div class="stack tight code">
        <TextArea
          label="Input, as JSON Schema"
          {...of("schema")}
          error={problems.schema ?? errors.value.schema}
          hint="What the model has to send, with a description of each property."
          rows={10}
          spellcheck={false}
        />
        {draft.value.schema.trim() !== schemaTemplate && (
          <div>
            <Button small kind="quiet" onClick={() => change({ schema: schemaTemplate })}>
              Begin with the template
            </Button>
          </div>
        )}
      </div>
      <Headers
        headers={draft.value.headers}
        error={problems.headers ?? errors.value.headers}
        onHeaders={(headers) => change({ headers })}
      />
      <TextField
        label="Time-out in milliseconds"
        hint="Empty: as the server's settings say."
        type="number"
        min={100}
        max={30_000}
        {...of("timeout")}
      />
    </FormDialog>
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
    <fieldset class="stack tight">
      <legend>Headers</legend>
      <p class="field-hint">
        Sent with every call, such as a token. Values are stored as secrets and never shown again.
      </p>
      {headers.map(({ id, isStored, name, value }, index) => (
        <div class="row nowrap" key={id}>
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
            icon={X}
            label={`Remove header ${name === "" ? index + 1 : name}`}
            onClick={() => onHeaders(headers.filter((header) => header.id !== id))}
          />
        </div>
      ))}
      {error !== undefined && <p class="field-error">{error}</p>}
      <div>
        <Button small icon={Plus} onClick={add}>
          Add a header
        </Button>
      </div>
    </fieldset>
  )
}
