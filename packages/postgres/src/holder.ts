import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** The process that holds a run, as the database keeps it. */
export interface Holder {
  readonly pid: number
  readonly host: string
  /** What only processes that see each other's ids have in common. */
  readonly machine: string
}

/** This process. */
export function ownHolder(): Holder {
  return { pid: process.pid, host: hostname(), machine: machineName() }
}

/** Whether the process of a holder has ended. A process of another machine is not known to have. */
export function isGone({ pid, machine }: Holder): boolean {
  if (machine !== machineName()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

let machine: string | undefined

/** Containers and copies of a virtual machine may have one host name: the kernel's start and its table of processes tell them apart. */
function machineName(): string {
  machine ??= [hostname(), kernelName()].join(' ')
  return machine
}

function kernelName(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return process.platform
  }
}
