import type { JSX } from 'preact'
import type { CalibrationDocument } from '../../src/answers/calibration.js'
import { count, counted, pEquals, percent, points, score } from '../amounts.js'
import { Scroller } from '../scroller.js'

/** What a jury gains over its best member. */
export function JuryMembers({
  jury: { members, sameTrials, commonTrials, bestMember, juryMinusBest, mcnemarAgainstBest, effectiveVotes },
}: {
  readonly jury: NonNullable<CalibrationDocument['report']['jury']>
}): JSX.Element {
  const seats = Object.entries(members)
  return (
    <section class="part">
      <h2>Members of the jury</h2>
      <p class="quiet small">
        {sameTrials
          ? `${count(seats.length)} seats worth ${score(effectiveVotes)} votes`
          : 'The members judged different trials: their agreements are not comparable.'}
        {bestMember === null
          ? ''
          : `; the jury less its best member, ${bestMember}: ${points(juryMinusBest)} points over ${counted(commonTrials, 'trial')} that all were scored on, ${pEquals(mcnemarAgainstBest)}`}
      </p>
      <Scroller label="Members of the jury">
        <table class="compact">
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col" class="number">
                Agreement
              </th>
              <th scope="col" class="number">
                Scored
              </th>
            </tr>
          </thead>
          <tbody>
            {seats.map(([name, { agreement, scored }]) => (
              <tr key={name}>
                <th scope="row" class="name-cell">
                  {name}
                </th>
                <td class="number">{percent(agreement)}</td>
                <td class="number">{count(scored)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  )
}
