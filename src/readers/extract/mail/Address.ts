/** An address as people read it, with the name of its owner if it has one. */
export const namedAddress = (name: string, address: string): string =>
  name === "" || address === "" || name === address ? address || name : `${name} <${address}>`
