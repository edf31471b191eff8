interface TabsProps<A extends string> {
  /** What the tabs choose between, for screen readers. */
  readonly label: string
  readonly value: A
  readonly onValue: (value: A) => void
  readonly tabs: ReadonlyArray<{ readonly value: A; readonly label: string }>
}

/** A choice between a few views of the same thing, which stand below it. */
export const Tabs = <A extends string>({ label, onValue, tabs, value }: TabsProps<A>) => (
  <fieldset class="tabs">
    <legend class="visually-hidden">{label}</legend>
    {tabs.map((tab) => (
      <button key={tab.value} type="button" aria-pressed={tab.value === value} onClick={() => onValue(tab.value)}>
        {tab.label}
      </button>
    ))}
  </fieldset>
)
