import { FormDialog, useDraft } from "../../parts/Dialogs.tsx"
import { SelectField, TextArea, TextField } from "../../parts/Field.tsx"
import { RowFields } from "../../parts/RowFields.tsx"
import { call } from "../../server/Api.ts"
import { draftOf, type HeaderDraft, headersOf, methods, objectIn, type Tool } from "./ToolForm.ts"

interface ToolDialogProps {
  readonly chatbotId: string
  readonly tool: Tool | undefined
  readonly onStored: (tool: Tool) => void
}

export const ToolDialog = ({ chatbotId, onStored, tool }: ToolDialogProps) => {
  const { change, draft, of } = useDraft(draftOf(tool))
  const read = objectIn(draft.input_schema)
  const submit = async (): Promise<void> => {
    if ("problem" in read) return
    const { description, method, name, url } = draft
    const body = { name, description, method, url: url.trim(), input_schema: read.object }
    const headers = headersOf(draft.headers, tool?.headers)
    const timeout_ms = draft.timeout_ms === "" ? null : Number(draft.timeout_ms)
    const stored = await (tool === undefined
      ? call("POST /api/external/chatbot/:chatbotId/tools", {
          params: { chatbotId },
          body: { ...body, headers, ...(timeout_ms !== null && { timeout_ms }) },
        })
      : call("PATCH /api/external/chatbot/:chatbotId/tools/:toolId", {
          params: { chatbotId, toolId: tool.id },
          body: { ...body, headers, timeout_ms },
        }))
    onStored(stored.tool)
  }
  return (
    <FormDialog
      title={tool === undefined ? "New tool" : `Edit ${tool.name}`}
      action={tool === undefined ? "Create tool" : "Save"}
      wide
      isWrong={"problem" in read}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        hint="How the model refers to the tool, such as orderStatus."
        {...of("name")}
        spellcheck={false}
      />
      <TextArea
        label="Description"
        hint="Tells the model when to use the tool and what it returns."
        {...of("description")}
        rows={2}
      />
      <div class="tool-address">
        <SelectField label="Method" {...of("method")} options={methods} />
        <TextField
          label="URL"
          hint="{Names} in braces are replaced with required input properties. Other properties are sent in the query for GET and DELETE, otherwise as JSON."
          placeholder="https://shop.example.com/orders/{orderId}"
          {...of("url")}
          spellcheck={false}
        />
      </div>
      <div class="code">
        <TextArea
          label="Input schema"
          {...of("input_schema")}
          error={"problem" in read ? read.problem : undefined}
          hint="A JSON Schema of the input, with a description of each property."
          rows={10}
          spellcheck={false}
        />
      </div>
      <Headers headers={draft.headers} onHeaders={(headers) => change({ headers })} />
      <TextField
        label="Timeout (ms)"
        hint="Leave empty for the server default."
        type="number"
        min={100}
        max={30_000}
        {...of("timeout_ms")}
      />
    </FormDialog>
  )
}

interface HeadersProps {
  readonly headers: ReadonlyArray<HeaderDraft>
  readonly onHeaders: (headers: ReadonlyArray<HeaderDraft>) => void
}

const newHeader: HeaderDraft = { name: "", value: "", isStored: false }

const Headers = ({ headers, onHeaders }: HeadersProps) => (
  <fieldset class="stack tight">
    <legend>Headers</legend>
    <p class="soft small">Sent with every call. Values are stored as secrets and never shown again.</p>
    <RowFields noun="header" rows={headers} onRows={onHeaders} first={newHeader}>
      {(header, change, index) => (
        <>
          <TextField
            label={`Header ${index + 1} name`}
            name={`headers.${header.name}`}
            labelHidden
            placeholder="authorization"
            value={header.name}
            disabled={header.isStored}
            onValue={(text) => change({ ...header, name: text })}
            spellcheck={false}
            required
          />
          <TextField
            label={`Header ${index + 1} value`}
            labelHidden
            type="password"
            autocomplete="new-password"
            placeholder={header.isStored ? "Stored. Type to replace." : "Bearer …"}
            value={header.value}
            onValue={(text) => change({ ...header, value: text })}
            required={!header.isStored}
          />
        </>
      )}
    </RowFields>
  </fieldset>
)
