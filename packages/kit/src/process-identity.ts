import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Locks and databases store it for processes that may run elsewhere. */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** The same for processes that see each other's ids. Absent: an older Jurist wrote it, and the host counts. */
  readonly machine?: string
}

export function ownProcess(): ProcessIdentity & { readonly machine: string } {
  return { pid: process.pid, host: hostname(), machine: machineName() }
}

/** A process of another machine is not known to have ended. */
export function hasEnded({ pid, host, machine }: ProcessIdentity): boolean {
  if (machine === undefined ? host !== hostname() : machine !== machineName()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

let known: string | undefined

/** Containers and copies of a virtual machine may have one host name: the kernel's start and its table of processes tell them apart. */
function machineName(): string {
  known ??= [hostname(), kernelName()].join(' ')
  return known
}

function kernelName(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return process.platform
  }
}
