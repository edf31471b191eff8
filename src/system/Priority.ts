import { constants, getPriority } from "node:os"

/** The scheduling priority that is so many steps below that of the caller, which an operator may have started behind others. */
export const priorityBelow = (steps: number): number => Math.min(constants.priority.PRIORITY_LOW, getPriority() + steps)
