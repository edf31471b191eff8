import type { ComponentChildren } from "preact"
import { useContext, useEffect, useMemo, useRef } from "preact/hooks"
import { Refusals } from "../parts/Field.tsx"
import { useAsked } from "../Router.ts"
import type { Form } from "./Form.ts"

interface FieldGroupProps {
  readonly form: Form
  readonly title: string
  /** One sentence on what the fields are for, by which a person knows whether to open the group. */
  readonly about: string
  readonly children: ComponentChildren
}

/**
 * Fields that few people need, below a title that opens them, as a link does that asks for the title. The group stays open
 * while one of its fields is changed.
 */
export const FieldGroup = ({ about, children, form, title }: FieldGroupProps) => {
  const place = useRef<HTMLDetailsElement>(null)
  const { errors, onName } = useContext(Refusals)
  const names = useMemo(() => new Set<string>(), [])
  const isChanged = form.changes.value.some((path) =>
    Array.from(names).some((name) => name === path || name.startsWith(`${path}.`)),
  )
  const open = (): void => place.current?.setAttribute("open", "")
  useEffect(() => (isChanged ? open() : undefined), [isChanged])
  useAsked(title, () => {
    open()
    place.current?.scrollIntoView()
  })
  const addName = (name: string): void => {
    names.add(name)
    onName(name)
  }
  return (
    <details ref={place} class="group" onToggle={() => isChanged && open()}>
      <summary>
        <h3>{title}</h3> <span class="small">{about}</span>
      </summary>
      <fieldset class="stack" aria-label={title}>
        <Refusals.Provider value={{ errors, onName: addName }}>{children}</Refusals.Provider>
      </fieldset>
    </details>
  )
}
