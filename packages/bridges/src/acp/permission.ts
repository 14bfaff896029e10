import type { AgentTask } from '@jurist/core'
import type { Permissions } from '../coding/coding-options.js'
import { isInside } from '../coding/relative-path.js'
import type { AcpPermissionOption, AcpPermissionRequest } from './shape.js'

/** Decides on a permission request: returns the id of an option, or `null` to refuse. */
export type Permit = (request: AcpPermissionRequest, task: AgentTask) => string | null | Promise<string | null>

const harmless: ReadonlySet<unknown> = new Set(['read', 'search', 'think', 'fetch'])

/** Allows what the permissions allow, and only once, whatever the order of the options. */
export function permitBy(permissions: Permissions): Permit {
  return ({ toolCall, options }, { workspace }) => {
    const allowed = options.find(({ kind }) => kind === 'allow_once')?.optionId ?? null
    switch (permissions) {
      case 'full':
        return allowed
      case 'workspace': {
        const { root } = workspace
        const isOutside = (toolCall.locations ?? []).some(({ path }) => root === undefined || !isInside(root, path))
        return isOutside ? null : allowed
      }
      case 'read-only':
        return harmless.has(toolCall.kind) ? allowed : null
      default:
        return permissions satisfies never
    }
  }
}

export interface PermissionAnswer {
  readonly outcome: { readonly outcome: 'cancelled' } | { readonly outcome: 'selected'; readonly optionId: string }
  readonly isDenied: boolean
}

/** An unknown option id counts as a refusal. */
export function permissionAnswer(decision: string | null, options: readonly AcpPermissionOption[]): PermissionAnswer {
  const chosen =
    options.find(({ optionId }) => optionId === decision) ?? options.find(({ kind }) => kind === 'reject_once')
  if (chosen === undefined) return { outcome: { outcome: 'cancelled' }, isDenied: true }
  const { optionId, kind } = chosen
  return { outcome: { outcome: 'selected', optionId }, isDenied: kind.startsWith('reject') }
}
