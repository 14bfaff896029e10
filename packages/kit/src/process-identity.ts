import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Locks and databases store it for processes that may run on other machines. */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** Equal for processes that see each other's ids. Absent if an older Jurist wrote it; the host counts then. */
  readonly machine?: string
}

export function ownProcess(): ProcessIdentity & { readonly machine: string } {
  return { pid: process.pid, host: hostname(), machine: machineName() }
}

/** A process of another machine counts as running. */
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

/**
 * Containers and copies of a virtual machine may have the same host name. The start of the kernel and its process table
 * distinguish them.
 */
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
