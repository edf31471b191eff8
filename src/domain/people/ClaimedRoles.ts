import type { PersonRole } from "./Role.ts"
import type { RoleMapping } from "./SignInProvider.ts"

/** The roles that the values of a claim give by the mappings of a provider. */
export const claimedRoles = (
  mappings: ReadonlyArray<RoleMapping>,
  values: ReadonlyArray<string>,
): ReadonlyArray<PersonRole> => {
  const held = new Set(values)
  return mappings.flatMap(({ chatbot_id, role, value }) => (held.has(value) ? [{ role, chatbot_id }] : []))
}
