import { type Connection, reloadModels } from "../../data/Models.ts"
import { FormDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextField } from "../../parts/Field.tsx"
import { toast } from "../../parts/Toast.ts"
import { call } from "../../server/Api.ts"

export const KeyDialog = ({ connection: { id, name } }: { readonly connection: Connection }) => {
  const { draft, of } = useDraft({ api_key: "" })
  const submit = async (): Promise<void> => {
    await call("PATCH /api/admin/model-connections/:connectionId", { params: { connectionId: id }, body: draft })
    await reloadModels()
    toast(`The key of ${name} is replaced.`)
  }
  return (
    <FormDialog title={`Replace the key of ${name}`} action="Replace key" onSubmit={submit}>
      <TextField label="API key" type="password" autocomplete="off" {...of("api_key")} required />
    </FormDialog>
  )
}
