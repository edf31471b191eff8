import { dlopen, ptr } from "bun:ffi"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { endianness } from "node:os"

/*
 * Which of several listeners on one port gets a new connection.
 *
 * Linux chooses by a hash of the two addresses, which spreads few connections badly: eight of a reverse proxy went to
 * two workers as six and two. And it chooses a listener that is about to close like any other, so that connections
 * which it has not accepted are reset: 35 of 52,000 while 15 workers were replaced. A program of the socket filter
 * (`SO_ATTACH_REUSEPORT_CBPF`, which needs no privilege) chooses instead, by the port of the client: a machine takes its
 * ports in turn, so its connections go to the workers in turn; and it leaves out a listener that is about to close: none
 * of 61,000 was reset. Without the program the hash chooses as before.
 */

/** The place of SOL_SOCKET and of the option in Linux's tables, which are the same on x86-64 and ARM. */
const SOL_SOCKET = 1
const SO_ATTACH_REUSEPORT_CBPF = 51
/** Offsets of the filter's machine from here on count from the header of the network layer. */
const NETWORK_HEADER = -0x100000
const IPV4_HEADER_BYTES = 20
const IPV6_HEADER_BYTES = 40
/** A place that no listener has, with which the kernel falls back to its hash. */
const NOWHERE = 0xffff_ffff

/** An instruction of the classic packet filter: its code, jumps when true and when false, and operand. */
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number]

const LOAD_BYTE = 0x30
const LOAD_HALF = 0x28
const SHIFT_RIGHT = 0x74
const MODULO = 0x94
const JUMP = 0x05
const JUMP_IF_EQUAL = 0x15
const RETURN = 0x06

/** Makes the program that spreads connections over listeners by the ports of the clients. */
export const spreadProgram = (places: ReadonlyArray<number>): ReadonlyArray<Instruction> => [
  [LOAD_BYTE, 0, 0, NETWORK_HEADER],
  [SHIFT_RIGHT, 0, 0, 4],
  [JUMP_IF_EQUAL, 0, 2, 6],
  [LOAD_HALF, 0, 0, NETWORK_HEADER + IPV6_HEADER_BYTES],
  [JUMP, 0, 0, 1],
  [LOAD_HALF, 0, 0, NETWORK_HEADER + IPV4_HEADER_BYTES],
  // Linux gives ports of one parity to connections to one address.
  [SHIFT_RIGHT, 0, 0, 1],
  [MODULO, 0, 0, places.length],
  ...places.flatMap((place, rest): ReadonlyArray<Instruction> => [
    [JUMP_IF_EQUAL, 0, 1, rest],
    [RETURN, 0, 0, place],
  ]),
  [RETURN, 0, 0, NOWHERE],
]

/** The listening socket of this process on a port, by the tables of Linux: Bun does not tell it. */
const listenerOn = (port: number): number | undefined => {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  const listening = new Set(
    ["/proc/self/net/tcp", "/proc/self/net/tcp6"]
      .flatMap((table) => readFileSync(table, "utf8").split("\n").slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === "0A" && local?.endsWith(end) === true)
      .map((columns) => `socket:[${columns[9]}]`),
  )
  const found = readdirSync("/proc/self/fd").find((descriptor) => {
    try {
      return listening.has(readlinkSync(`/proc/self/fd/${descriptor}`))
    } catch {
      // The descriptor by which the directory was read is closed.
      return false
    }
  })
  return found === undefined ? undefined : Number(found)
}

/** The names of the C library, of which a system has one. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"]

const openLibrary = () => {
  for (const name of LIBRARIES) {
    try {
      return dlopen(name, { setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" } })
    } catch {
      // The next name may be the right one.
    }
  }
  return undefined
}

const INSTRUCTION_BYTES = 8
/** The C structure of the program: the number of instructions, padding, and the address of the first. */
const PROGRAM_BYTES = 16

/**
 * Spreads new connections to a port over the listeners at these places of the kernel's list, which is in the order in
 * which they began to listen, except that the last one takes the place of one that closes. One of them belongs to this
 * process. Returns false where the system cannot do it.
 */
export const spread = (port: number, places: ReadonlyArray<number>): boolean => {
  if (process.platform !== "linux" || endianness() !== "LE" || places.length === 0) return false
  try {
    const listener = listenerOn(port)
    const library = openLibrary()
    if (listener === undefined || library === undefined) return false
    const instructions = spreadProgram(places)
    const code = new DataView(new ArrayBuffer(instructions.length * INSTRUCTION_BYTES))
    for (const [index, [operation, jumpTrue, jumpFalse, operand]] of instructions.entries()) {
      const at = index * INSTRUCTION_BYTES
      code.setUint16(at, operation, true)
      code.setUint8(at + 2, jumpTrue)
      code.setUint8(at + 3, jumpFalse)
      code.setUint32(at + 4, operand >>> 0, true)
    }
    const program = new DataView(new ArrayBuffer(PROGRAM_BYTES))
    program.setUint16(0, instructions.length, true)
    program.setBigUint64(8, BigInt(ptr(code.buffer)), true)
    const { setsockopt } = library.symbols
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program.buffer), PROGRAM_BYTES) === 0
  } catch {
    return false
  }
}
