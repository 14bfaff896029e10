import type { RunStatus } from '@jurist/experiment/result'
import type { JSX } from 'preact'

/** The status of a run; a running one is alive. */
export function RunStatusWord({ status }: { readonly status: RunStatus }): JSX.Element {
  return <span class={status === 'running' ? 'live' : ''}>{status}</span>
}
