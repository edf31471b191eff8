/** An icon of Lucide by its name, as in `icon:circle-x`: the elements within a 24 × 24 `svg`, drawn by strokes. */
declare module "icon:*" {
  const nodes: ReadonlyArray<readonly [tag: string, attributes: Readonly<Record<string, string>>]>
  export default nodes
}

declare module "*.css"
