/** Custom properties of the style sheet, by the fields of the chatbot's appearance. */
const properties: Readonly<Record<string, string>> = {
  backgroundColor: "--call-surface",
  borderColor: "--call-line",
  buttonColor: "--call-button",
  buttonTextColor: "--call-on-button",
  focusOutlineColor: "--call-focus",
  textColor: "--call-text",
  buttonRadius: "--call-button-radius",
  cardRadius: "--call-radius",
}

/** Custom properties of a call, by the appearance of its chatbot. */
export const styleOf = (appearance: Readonly<Record<string, string | number>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(appearance)
      .filter(([, value]) => value !== "")
      .map(([field, value]) => [properties[field] ?? "", typeof value === "number" ? `${value}px` : value]),
  )
