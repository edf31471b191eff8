/** Whether a text names a local model. The name is that of a directory, so that it leads to no other one. */
export const isModelName = (text: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)
