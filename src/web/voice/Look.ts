/** The appearance of a chatbot's calls as custom properties of their style sheet. */
export const styleOf = (appearance: Readonly<Record<string, string | number>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(appearance)
      .filter(([, value]) => value !== "")
      .map(([field, value]) => [`--call-${field}`, typeof value === "number" ? `${value}px` : value]),
  )
