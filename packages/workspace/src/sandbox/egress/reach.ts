import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'

/** How names and addresses are reached. Tests have names of their own. */
interface Reach {
  resolve(name: string): Promise<readonly string[]>
  /** A `Socket` of `node:net`. Programs without the types of Node read this declaration. */
  connect(address: string, port: number): object
  /** How long a connection may be silent, in milliseconds: a model may think for minutes. */
  readonly idleMs: number
}

const system: Reach = {
  resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  connect: (host, port) => connect({ host, port, allowHalfOpen: true }),
  idleMs: 600_000,
}
let current = system

export function reach(): Reach {
  return current
}

/** Reaches hosts in another way from now on; without an argument, as usual. */
export function reachHostsBy(other: Partial<Reach> = {}): void {
  current = { ...system, ...other }
}
