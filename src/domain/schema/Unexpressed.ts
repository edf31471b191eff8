/**
 * Marks a check that JSON Schema cannot express. Without this mark the JSON Schema would lose the description and the
 * examples of the checked schema together with the check.
 */
export const unexpressed = { toJsonSchema: () => ({}) }
