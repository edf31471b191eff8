import { allChatbots } from "../../data/Chatbots.ts"
import { type PersonRole, roleWords } from "../../data/People.ts"
import { ChoiceField, optionsOf, SelectField, TextField } from "../../parts/Field.tsx"
import { RowFields } from "../../parts/RowFields.tsx"
import { useResource } from "../../server/Resource.ts"
import { session } from "../../server/Session.ts"

const hints: Readonly<Record<PersonRole["role"], string>> = {
  owner: "Owners may do everything, and only they make owners.",
  admin: "Administrators manage people, keys and everything below.",
  editor: "Editors change chatbots and their knowledge.",
  agent: "Agents answer in the inbox.",
  viewer: "Viewers see, and change nothing.",
}

/** A role as a form has it, with the value of a claim where one gives it. */
export interface RoleRow extends PersonRole {
  readonly value?: string
}

const isOfAll = (role: PersonRole["role"]): boolean => role === "owner" || role === "admin"

/** Whether the person or the key may make owners. A key that manages people is as good as its maker. */
export const mayMakeOwners = (): boolean =>
  session.value?.person === null ||
  session.value?.roles.some(({ chatbot_id, role }) => chatbot_id === null && role === "owner") === true

interface RoleFieldsProps<R> {
  readonly legend: string
  readonly name: string
  readonly first: R
  readonly value: ReadonlyArray<R>
  readonly onValue: (rows: ReadonlyArray<R>) => void
}

/** Fields for roles, each of the organization or of one chatbot. */
export const RoleFields = <R extends RoleRow>({ first, legend, name, onValue, value: rows }: RoleFieldsProps<R>) => {
  const chatbots = useResource(allChatbots()).data.value ?? []
  const rolesFor = (role: PersonRole["role"]) => {
    const { owner, ...others } = roleWords
    return mayMakeOwners() || role === "owner" ? { owner, ...others } : others
  }
  const shown = Array.from(new Set(rows.map(({ role }) => hints[role])))
  return (
    <fieldset class="stack tight">
      <legend>{legend}</legend>
      <RowFields noun="role" rows={rows} onRows={onValue} first={first} hasOne={first.value === undefined}>
        {(row, change, index) => (
          <>
            {row.value !== undefined && (
              <TextField
                label="Value of the claim"
                labelHidden={index > 0}
                name={`${name}.${index}.value`}
                value={row.value}
                onValue={(text) => change({ ...row, value: text })}
                required
              />
            )}
            <SelectField
              label="Role"
              labelHidden={index > 0}
              name={`${name}.${index}.role`}
              value={row.role}
              options={rolesFor(row.role)}
              onValue={(next) => change({ ...row, role: next, ...(isOfAll(next) && { chatbot_id: null }) })}
            />
            <ChoiceField
              label="For"
              labelHidden={index > 0}
              name={`${name}.${index}.chatbot_id`}
              value={row.chatbot_id ?? ""}
              options={optionsOf(isOfAll(row.role) ? [] : chatbots, "All chatbots")}
              onValue={(id) => change({ ...row, chatbot_id: id === "" ? null : id })}
            />
          </>
        )}
      </RowFields>
      <p class="soft small">{shown.join(" ")}</p>
    </fieldset>
  )
}
