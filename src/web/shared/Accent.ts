/** The colour of the widget where the operator has chosen none. White is read well on it. */
export const accent = "#2f55d4"
