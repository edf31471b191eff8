/**
 * Of a check that JSON Schema has no words for. Without it, what is said of the schema that is checked (its description,
 * its examples) would be left out there with the check.
 */
export const unexpressed = { toJsonSchema: () => ({}) }
