/** The elements of an icon, as an import of `icon:<name>` has them. */
export type IconNodes = ReadonlyArray<readonly [tag: string, attributes: Readonly<Record<string, string>>]>
