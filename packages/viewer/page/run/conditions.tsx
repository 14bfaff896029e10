import type { Json } from '@jurist/core'
import type { JSX } from 'preact'
import type { RunDocument } from '../../src/answers/run.js'
import { Scroller } from '../scroller.js'

/** What a run was measured under, and where: everything that a comparison looks at, and what was configured. */
export function Conditions({ document: { run } }: { readonly document: RunDocument }): JSX.Element {
  return (
    <>
      <Facts title="Conditions" facts={run.conditions} nothing="None were recorded." />
      {run.jury === null ? null : <JuryFacts jury={run.jury} />}
      <Facts title="Configuration" facts={run.configuration} nothing="None was recorded." />
      <Facts title="Environment" facts={{ ...run.environment, ...run.code }} nothing="" />
      <Facts title="Dataset" facts={{ ...run.dataset }} nothing="" />
      <Facts title="Metadata" facts={run.metadata} nothing="None was given." />
    </>
  )
}

/** Named values as a table. */
export function Facts({
  title,
  facts,
  nothing,
}: {
  readonly title: string
  readonly facts: Readonly<Record<string, Json>>
  readonly nothing: string
}): JSX.Element {
  const entries = Object.entries(facts)
  return (
    <section class="part">
      <h2>{title}</h2>
      {entries.length === 0 ? (
        <p class="quiet">{nothing}</p>
      ) : (
        <Scroller label={title}>
          <table class="compact">
            <tbody>
              {entries.map(([name, value]) => (
                <tr key={name}>
                  <th scope="row" style={{ width: '14rem' }} class="quiet">
                    {name}
                  </th>
                  <td class="code" style={{ overflowWrap: 'anywhere' }}>
                    {typeof value === 'string' ? value : JSON.stringify(value)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  )
}

function JuryFacts({ jury }: { readonly jury: NonNullable<RunDocument['run']['jury']> }): JSX.Element {
  return (
    <section class="part">
      <h2>Jury</h2>
      <p class="quiet small">
        {jury.name}, fingerprint <span class="code">{jury.fingerprint.slice(0, 16)}</span>
        {jury.tiers === null
          ? ''
          : `; tiers: ${jury.tiers.map(({ name, policy }) => `${name} (${policy})`).join(', ')}`}
      </p>
      <Scroller label="Jury">
        <table class="compact">
          <thead>
            <tr>
              <th scope="col">Place</th>
              <th scope="col">Judge</th>
              <th scope="col">Kind</th>
              <th scope="col" class="number">
                Weight
              </th>
            </tr>
          </thead>
          <tbody>
            {jury.judges.map(({ path, name, kind, weight }) => (
              <tr key={path}>
                <th scope="row">{path.replace(/^\//, '')}</th>
                <td>{name}</td>
                <td>{kind}</td>
                <td class="number">{weight}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  )
}
