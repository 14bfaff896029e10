import type { SetupChange } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'

/** What changed in the setup of a run, each with both values. */
export function SetupChanges({ changes }: { readonly changes: readonly SetupChange[] }): JSX.Element {
  return (
    <ul class="setup-changes">
      {changes.map(({ what, before, after, refuses }) => (
        <li key={what}>
          <span class="quiet">{what}</span> {before}
          <span class="arrow">→</span>
          {after}
          {refuses ? <span class="tag">not comparable</span> : null}
        </li>
      ))}
    </ul>
  )
}

/** The names of what changed apart from the commit, which changes with nearly every run. */
export function changedNames(changes: readonly SetupChange[]): string {
  return changes
    .map(({ what }) => what)
    .filter((what) => what !== 'commit')
    .join(', ')
}
