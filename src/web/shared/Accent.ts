/** The colour of the widget where the operator has chosen none. White is read well on it. */
export const accent = "#2f55d4"

/** The share of the primary colour in the light background of the visitor's messages, where it has no colour of its own. */
export const BUBBLE_SHARE = 0.12
