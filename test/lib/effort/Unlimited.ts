/** Settings of a server that a single client may keep busy. */
export const unlimited: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "RATE_LIMIT",
    "ORGANIZATION_RATE_LIMIT",
    "ADDRESS_RATE_LIMIT",
    "WIDGET_VISITOR_RATE_LIMIT",
    "WIDGET_ADDRESS_RATE_LIMIT",
  ].map((name) => [name, "off"]),
)
