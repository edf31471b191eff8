/** Whether a regular expression matches somewhere in a text. */
export const matchesPattern = (pattern: string, text: string): boolean => new RegExp(pattern, "iu").test(text)
