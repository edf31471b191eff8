import { ColorField } from "../../forms/ColorField.tsx"
import type { Form } from "../../forms/Form.ts"
import { Fold } from "../../parts/Layout.tsx"
import { TextField } from "../../parts/Field.tsx"
import { href } from "../../Router.ts"

const path = (field: string): string => `settings.snippet.${field}`

/** The look of the widget where its own configuration says nothing. */
export const SnippetSection = ({ chatbotId, form }: { readonly form: Form; readonly chatbotId: string }) => (
  <Fold title="Snippet" about="Shown where the widget's own configuration is empty">
    <p class="prose">
      Most chatbots need nothing here: <a href={href("widget", { chatbotId })}>the widget</a> has the same fields.
    </p>
    <div class="columns">
      <TextField {...form.line(path("header"))} label="Header" maxLength={500} />
      <TextField {...form.line(path("name"))} label="Name of who answers" maxLength={500} />
    </div>
    <TextField {...form.line(path("slogan"))} label="Slogan" maxLength={500} />
    <TextField {...form.line(path("logo"))} label="Logo" type="url" placeholder="https://example.com/logo.png" />
    <div class="columns">
      <ColorField form={form} path={path("primaryColor")} label="Primary colour" fallback="#0d6e66" />
      <ColorField form={form} path={path("secondaryColor")} label="Secondary colour" fallback="#e1f2f0" />
    </div>
  </Fold>
)
