import { FormDialog, useDraft } from "../../parts/Dialogs.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { Checkbox, SelectField, TextArea, TextField } from "../../parts/Field.tsx"
import { RowFields } from "../../parts/RowFields.tsx"
import { call } from "../../server/Api.ts"
import {
  draftOf,
  type HeaderDraft,
  headersOf,
  type InputDraft,
  inputsOf,
  inputTypes,
  methods,
  objectIn,
  schemaOf,
  type Tool,
} from "./ToolForm.ts"

interface ToolDialogProps {
  readonly chatbotId: string
  readonly tool: Tool | undefined
  readonly onStored: (tool: Tool) => void
}

export const ToolDialog = ({ chatbotId, onStored, tool }: ToolDialogProps) => {
  const { change, draft, of } = useDraft(draftOf(tool))
  const { inputs } = draft
  const isText = inputs === undefined
  const read = isText ? objectIn(draft.input_schema) : schemaOf(inputs)
  const problem = "problem" in read ? read.problem : undefined
  /** The input as the other view shows it, where that can. */
  const others = "object" in read && isText ? inputsOf(read.object) : undefined
  const other =
    "object" in read && !isText
      ? { inputs: undefined, input_schema: JSON.stringify(read.object, undefined, 2) }
      : others && { inputs: others }
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
      <fieldset class="stack tight">
        <legend>Input</legend>
        {isText ? (
          <div class="code">
            <TextArea
              label="JSON Schema"
              labelHidden
              {...of("input_schema")}
              error={problem}
              hint="A JSON Schema of the input, with a description of each property."
              rows={10}
              spellcheck={false}
            />
          </div>
        ) : (
          <Inputs inputs={inputs} problem={problem} onInputs={(changed) => change({ inputs: changed })} />
        )}
        {other !== undefined && (
          <Button small kind="quiet" onClick={() => change(other)}>
            {isText ? "Show as fields" : "Show as JSON Schema"}
          </Button>
        )}
      </fieldset>
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

interface InputsProps {
  readonly problem: string | undefined
  readonly inputs: ReadonlyArray<InputDraft>
  readonly onInputs: (inputs: ReadonlyArray<InputDraft>) => void
}

const newInput: InputDraft = { name: "", type: "string", description: "", isRequired: false }

const Inputs = ({ inputs, onInputs, problem }: InputsProps) => (
  <>
    <p class="soft small">What the model fills in when it calls the tool.</p>
    <RowFields noun="input" rows={inputs} onRows={onInputs} first={newInput}>
      {(input, change, index) => (
        <>
          <TextField
            label={`Input ${index + 1} name`}
            name={`input_schema.properties.${input.name}`}
            labelHidden
            error={index === inputs.length - 1 ? problem : undefined}
            placeholder="orderId"
            value={input.name}
            onValue={(name) => change({ ...input, name })}
            spellcheck={false}
            required
          />
          <SelectField
            label={`Input ${index + 1} type`}
            labelHidden
            value={input.type}
            onValue={(type) => change({ ...input, type })}
            options={inputTypes}
          />
          <TextField
            label={`Input ${index + 1} description`}
            labelHidden
            placeholder="Order number, such as A-4711."
            value={input.description}
            onValue={(description) => change({ ...input, description })}
          />
          <Checkbox
            label="Required"
            value={input.isRequired}
            onValue={(isRequired) => change({ ...input, isRequired })}
          />
        </>
      )}
    </RowFields>
  </>
)

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
