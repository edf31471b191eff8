import { useSignalEffect } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useMemo } from "preact/hooks"
import { plural } from "../../shared/Format.ts"
import { Button } from "../parts/Buttons.tsx"
import { confirm } from "../parts/Dialogs.tsx"
import { Refusals, Unsaid } from "../parts/Field.tsx"
import { useControlKey } from "../parts/Shortcuts.ts"
import { toast } from "../parts/Toast.ts"
import { guardLeaving } from "../Router.ts"
import { can } from "../server/Session.ts"
import type { Form } from "./Form.ts"

const useGuard = (form: Form): void =>
  useSignalEffect(() => {
    const count = form.changes.value.length
    if (count === 0) return undefined
    return guardLeaving(() =>
      confirm({
        title: "Leave without saving?",
        text: <p>Your {plural(count, "unsaved change")} will be lost.</p>,
        action: "Leave",
        otherwise: "Stay",
        isDangerous: true,
      }),
    )
  })

interface SaveBarProps {
  readonly action: string
  readonly form: Form
  readonly names: ReadonlySet<string>
}

const SaveBar = ({ action, form, names }: SaveBarProps) => {
  useGuard(form)
  const save = async (): Promise<void> => {
    if (form.changes.value.length > 0 && (await form.save())) toast("Changes saved.")
  }
  useControlKey("s", () => void save())
  const count = form.changes.value.length
  if (count === 0) return null
  const failure = form.failure.value
  return (
    <section class="save-bar raised stack tight" aria-label="Unsaved changes">
      {failure !== undefined && <Unsaid failure={failure} names={names} />}
      <div class="row apart">
        {plural(count, "unsaved change")}
        <div class="row">
          <Button kind="quiet" onClick={form.discard}>
            Discard
          </Button>
          <Button kind="primary" busy={form.isSaving.value} onClick={() => void save()}>
            {action}
          </Button>
        </div>
      </div>
    </section>
  )
}

interface EditFormProps {
  readonly form: Form
  readonly label: string
  readonly action?: string
  readonly children: ComponentChildren
}

/** The fields of a form with what saves them, all of it disabled for who may only read chatbots. */
export const EditForm = ({ action = "Save", children, form, label }: EditFormProps) => {
  const names = useMemo(() => new Set<string>(), [])
  return (
    <fieldset class="stack loose" disabled={!can("chatbots:write")}>
      <legend class="visually-hidden">{label}</legend>
      {!can("chatbots:write") && (
        <p class="notice row nowrap start">You can view these settings but not change them.</p>
      )}
      <Refusals.Provider value={{ errors: form.errors.value, onName: (name) => names.add(name) }}>
        {children}
      </Refusals.Provider>
      <SaveBar action={action} form={form} names={names} />
    </fieldset>
  )
}
