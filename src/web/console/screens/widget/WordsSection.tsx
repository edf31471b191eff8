import { useSignal } from "@preact/signals"
import type { Form } from "../../forms/Form.ts"
import { SelectField, TextArea, TextField } from "../../parts/Field.tsx"
import { Section } from "../../parts/Layout.tsx"
import { languageOptions, languages, nameOfLanguage } from "./Languages.ts"

const MAX_SUGGESTIONS = 6

/** The languages in which the configuration has texts, as it is being edited. */
const languagesIn = (form: Form): ReadonlyArray<string> =>
  Object.entries(form.fields.value).flatMap(([path, value]) =>
    path.startsWith("translations.") && value !== null && value !== "" && String(value) !== ""
      ? [path.split(".")[1] ?? ""]
      : [],
  )

const Words = ({ form, tag }: { readonly form: Form; readonly tag: string }) => {
  const at = (name: string): string => `translations.${tag}.${name}`
  return (
    <fieldset class="stack">
      <legend>
        <strong>{nameOfLanguage(tag)}</strong>
      </legend>
      <TextArea {...form.lines(at("suggestions"))} label="Starter questions" rows={2} lang={tag} dir="auto" />
      <TextArea {...form.line(at("greeting"))} label="Greeting" rows={2} lang={tag} dir="auto" maxLength={2_000} />
      <div class="columns">
        <TextField {...form.line(at("header"))} label="Header" lang={tag} dir="auto" maxLength={500} />
        <TextField {...form.line(at("name"))} label="Display name" lang={tag} dir="auto" maxLength={500} />
        <TextField {...form.line(at("slogan"))} label="Slogan" lang={tag} dir="auto" maxLength={500} />
        <TextField {...form.line(at("launcher"))} label="Launcher text" lang={tag} dir="auto" maxLength={40} />
      </div>
    </fieldset>
  )
}

/** The starter questions, and the texts of the widget in other languages. */
export const WordsSection = ({ form }: { readonly form: Form }) => {
  const added = useSignal<ReadonlyArray<string>>([])
  const shown = Array.from(new Set([...languagesIn(form), ...added.value]))
  const others = languages.filter((tag) => !shown.includes(tag))
  return (
    <Section title="Texts" about="The interface comes in fifteen languages. Add your own texts in any of them.">
      <TextArea
        {...form.lines("suggestions")}
        label="Starter questions"
        rows={2}
        dir="auto"
        hint={`One per line, up to ${MAX_SUGGESTIONS}. Visitors ask them with a click.`}
      />
      {shown.map((tag) => (
        <Words key={tag} form={form} tag={tag} />
      ))}
      <SelectField
        label="Add language"
        value=""
        options={{ "": "Select a language", ...languageOptions(others) }}
        onValue={(tag) => tag !== "" && (added.value = [...added.value, tag])}
      />
    </Section>
  )
}
