import { type Signal, useSignal } from "@preact/signals"
import { ArrowDown, ArrowUp, ChevronsUpDown, Columns3 } from "lucide"
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import { formatCount } from "../../shared/Format.ts"
import { Icon } from "../../shared/Icon.tsx"
import { Scroller } from "../../shared/Scroller.tsx"
import { kept } from "../data/Kept.ts"
import { Button, IconButton } from "./Buttons.tsx"

/*
 * Tables whose rows can be put in order and chosen, and whose columns can be hidden.
 */

export interface Column<A> {
  readonly title: string
  readonly cell: (row: A) => ComponentChildren
  /** `number` aligns digits at the end; `main` is the cell that names the row; `actions` has buttons and no title. */
  readonly kind?: "text" | "number" | "main" | "actions"
  /** Whether the column stands below the name of the row on narrow screens. */
  readonly isExtra?: boolean
  /** Value by which the rows can be put in order. */
  readonly sort?: (row: A) => string | number
  /** Width of the column where its contents change while it is looked at, such as `8rem`. */
  readonly width?: string
}

/** A column of a number, which can be put in order and stands below the name of the row on narrow screens. */
export const numberColumn = <A,>(
  title: string,
  value: (row: A) => number,
  format: (value: number) => string = formatCount,
  more?: Partial<Column<A>>,
): Column<A> => ({ title, kind: "number", isExtra: true, sort: value, cell: (row) => format(value(row)), ...more })

interface TableProps<A> {
  readonly class?: string
  readonly label: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A>
  /** Buttons or a menu for each row, in a last column. */
  readonly actions?: (row: A) => ComponentChildren
  readonly choice?: Choice<A> | undefined
  /** Lets the person hide columns, by their titles. The menu stands above the column of actions. */
  readonly hidden?: Hidden
}

type Hidden = Signal<ReadonlyArray<string>>

/** The titles of the columns of a table that the person has hidden, which this browser keeps under a name. */
export const hiddenColumns = (name: string): Hidden =>
  kept<ReadonlyArray<string>>(`${name}-hidden`, [], (stored) =>
    Array.isArray(stored) ? stored.filter((title) => typeof title === "string") : undefined,
  )

const isHideable = <A,>({ kind = "text" }: Column<A>): boolean => kind === "text" || kind === "number"

interface ColumnsMenuProps<A> {
  readonly columns: ReadonlyArray<Column<A>>
  readonly hidden: Hidden
}

/** A button that opens the list of the columns, with a box for each that can be hidden. */
const ColumnsMenu = <A,>({ columns, hidden }: ColumnsMenuProps<A>) => {
  const id = useId()
  const show = (title: string, isShown: boolean): void => {
    const others = hidden.value.filter((other) => other !== title)
    hidden.value = isShown ? others : [...others, title]
  }
  return (
    <>
      <IconButton icon={Columns3} label="Columns" popovertarget={id} />
      <div id={id} popover="auto" class="menu raised">
        {columns.filter(isHideable).map(({ title }) => (
          <label key={title} class="entry row nowrap">
            <input
              type="checkbox"
              class="chooser"
              checked={!hidden.value.includes(title)}
              onChange={({ currentTarget }) => show(title, currentTarget.checked)}
            />
            {title}
          </label>
        ))}
      </div>
    </>
  )
}

interface Choice<A> {
  readonly chosen: Signal<ReadonlyArray<string>>
  readonly nameOf: (row: A) => string
}

interface Order {
  readonly title: string
  readonly isFalling: boolean
}

const collator = new Intl.Collator("en", { numeric: true })

const compare = (one: string | number, other: string | number): number =>
  typeof one === "number" && typeof other === "number" ? one - other : collator.compare(String(one), String(other))

const inOrder = <A,>(rows: ReadonlyArray<A>, sort: Column<A>["sort"], isFalling: boolean): ReadonlyArray<A> =>
  sort === undefined
    ? rows
    : rows.toSorted((a, b) => (isFalling ? compare(sort(b), sort(a)) : compare(sort(a), sort(b))))

interface TitleProps<A> {
  readonly column: Column<A>
  readonly order: Signal<Order | undefined>
}

/** The title of a column; a button that puts the rows in its order where it has one, numbers from the largest. */
const Title = <A,>({ column: { kind, sort, title }, order }: TitleProps<A>) => {
  if (kind === "actions") return <span class="visually-hidden">{title}</span>
  if (sort === undefined) return <>{title}</>
  const current = order.value?.title === title ? order.value : undefined
  const isFalling = current === undefined ? kind === "number" : !current.isFalling
  return (
    <button type="button" class="sort" onClick={() => (order.value = { title, isFalling })}>
      {title}
      <Icon nodes={current === undefined ? ChevronsUpDown : current.isFalling ? ArrowDown : ArrowUp} size={12} />
    </button>
  )
}

interface ChooserProps {
  readonly label: string
  readonly isChosen: boolean
  readonly onChoose: (isChosen: boolean) => void
}

const Chooser = ({ isChosen, label, onChoose }: ChooserProps) => (
  <input
    type="checkbox"
    class="chooser"
    aria-label={label}
    checked={isChosen}
    onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
  />
)

interface BulkProps {
  readonly count: number
  readonly onClear: () => void
  readonly children: ComponentChildren
}

/** The bar above a list with what can be done with the rows that are chosen; nothing while none is. */
export const Bulk = ({ children, count, onClear }: BulkProps) =>
  count === 0 ? null : (
    <section class="bulk row" aria-label="Selected">
      <strong>{formatCount(count)} selected</strong>
      {children}
      <Button small kind="quiet" onClick={onClear}>
        Clear
      </Button>
    </section>
  )

const classOf = <A,>({ isExtra, kind = "text" }: Column<A>): string => `${kind}${isExtra === true ? " extra" : ""}`

interface BelowProps<A> {
  readonly columns: ReadonlyArray<Column<A>>
  readonly row: A
}

/** The values of a row for which a narrow screen has no columns. */
const Below = <A,>({ columns, row }: BelowProps<A>) => {
  const extra = columns.filter(({ isExtra }) => isExtra === true)
  return extra.length === 0 ? null : (
    <dl class="below soft small">
      {extra.map(({ cell, title }) => (
        <div key={title} class="row spread">
          <dt>{title}</dt>
          <dd>{cell(row)}</dd>
        </div>
      ))}
    </dl>
  )
}

interface Row {
  readonly id: string
}

/** Rows of the same kind. It scrolls sideways where the screen is narrow. */
export const Table = <A extends Row>(props: TableProps<A>) => {
  const { actions, choice, class: name = "", hidden, label, rows } = props
  const all: ReadonlyArray<Column<A>> =
    actions === undefined ? props.columns : [...props.columns, { title: "Actions", kind: "actions", cell: actions }]
  const columns = all.filter((column) => !isHideable(column) || hidden?.value.includes(column.title) !== true)
  const order = useSignal<Order | undefined>(undefined)
  const by = columns.find(({ title }) => title === order.value?.title)
  const keys = rows.map(({ id }) => id)
  const chosen = choice?.chosen.value ?? []
  const choose = (these: ReadonlyArray<string>, isChosen: boolean): void => {
    if (choice === undefined) return
    const others = chosen.filter((key) => !these.includes(key))
    choice.chosen.value = isChosen ? [...others, ...these] : others
  }
  const directionOf = (column: Column<A>) =>
    column.sort === undefined || column !== by
      ? undefined
      : order.value?.isFalling === true
        ? "descending"
        : "ascending"
  return (
    <Scroller label={label} class={`box ${name}`}>
      <table class="data">
        <thead>
          <tr>
            {choice !== undefined && (
              <th scope="col" class="choice">
                <Chooser
                  label={`Select all: ${label}`}
                  isChosen={keys.length > 0 && keys.every((key) => chosen.includes(key))}
                  onChoose={(isChosen) => choose(keys, isChosen)}
                />
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                class={classOf(column)}
                style={column.width && { "--width": column.width }}
                aria-sort={directionOf(column)}
              >
                <Title column={column} order={order} />
                {column.kind === "actions" && hidden !== undefined && <ColumnsMenu columns={all} hidden={hidden} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {inOrder(rows, by?.sort, order.value?.isFalling === true).map((row) => (
            <tr key={row.id}>
              {choice !== undefined && (
                <td class="choice">
                  <Chooser
                    label={`Select ${choice.nameOf(row)}`}
                    isChosen={chosen.includes(row.id)}
                    onChoose={(isChosen) => choose([row.id], isChosen)}
                  />
                </td>
              )}
              {columns.map((column) =>
                column.kind === "main" ? (
                  <th key={column.title} scope="row" class={classOf(column)}>
                    {column.cell(row)}
                    <Below columns={columns} row={row} />
                  </th>
                ) : (
                  <td key={column.title} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}
